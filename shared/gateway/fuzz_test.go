package gateway

import (
	"encoding/json"
	"testing"
	"time"
)

// FuzzValidate looks for a body that makes the validator panic, say nothing of
// a body that is not JSON, or say more than can be shown.
func FuzzValidate(f *testing.F) {
	for _, c := range factCases() {
		if len(c.body) < 2000 {
			f.Add(string(c.ep), []byte(c.body))
		}
	}
	c := SampleCatalogue()
	source := alphaLite
	source.TaskID, source.Status, source.FinishedAt = uuid, "SUCCESS", noon
	options := []Options{{}, {ReferenceSeconds: []float64{4.5, 2}, MotionSeconds: 7.4, Source: &source, Now: noon.Add(time.Hour)}}
	f.Fuzz(func(t *testing.T, ep string, body []byte) {
		for _, o := range options {
			v := c.Validate(Endpoint(ep), body, o)
			check(t, "fuzzed", withOne(v))
			if v.OK() && !json.Valid(body) {
				t.Fatalf("what is not JSON may go: %q", body)
			}
			text, err := json.Marshal(v)
			if err != nil || !json.Valid(text) {
				t.Fatalf("the verdict can't be written: %v", err)
			}
			for _, i := range v.Errors {
				if i.Code == "" || i.Message == "" {
					t.Fatalf("%+v can't be shown", i)
				}
			}
		}
	})
}

// withOne makes a verdict with nothing to say pass check.
func withOne(v Verdict) Verdict {
	if len(v.Errors)+len(v.Warnings) == 0 {
		v.Warnings = []Issue{{Message: "nothing"}}
	}
	return v
}

// FuzzParseCatalogue looks for a file that makes the reader panic, an error
// without its place, and a catalogue that does not read back or can't be used.
func FuzzParseCatalogue(f *testing.F) {
	for _, s := range []string{`{"models":[{"id":"zeta-1"}]}`, `{"models":[{"id":"vendor/x","endpoint":"responses","input_items":true,"price":{"input":0.5,"output":1}}]}`, `{"models":[{"id":"x","family":"gamma","mode":"text-to-video","seconds":{"min":4,"max":15}}]}`,
		`{"models":[{"id":"beta-video-upscale-480p-720p","price":{"per_clip":0.1}}]}`, `{"note":"n","sample":true,"models":[{"id":"delta-3.0-x","seconds":[3],"multi_shot_seconds":[1,2]}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ParseCatalogue(b)
		if err != nil {
			if e, ok := err.(*CatalogueError); !ok || e.Line < 1 || e.Message == "" {
				t.Fatalf("a strange error: %#v", err)
			}
			return
		}
		again, err := ParseCatalogue(c.JSON())
		if err != nil || string(again.JSON()) != string(c.JSON()) {
			t.Fatalf("does not read back: %v\n%s", err, c.JSON())
		}
		for _, m := range c.Models {
			for _, mode := range m.Modes() {
				for _, field := range m.Fields(mode) {
					if field.Standing == Required && field.Form == FormSeconds && len(field.Seconds.List()) == 0 {
						t.Fatalf("%s can't be asked for: no seconds", m.ID)
					}
				}
			}
			if m.Endpoint == Video {
				m.VideoPrice(m.Seconds.Max)
			} else {
				m.TextPrice(Usage{InputTokens: 1 << 40, OutputTokens: 1 << 40})
			}
		}
	})
}
