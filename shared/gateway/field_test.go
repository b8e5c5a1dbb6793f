package gateway

import (
	"encoding/json"
	"strings"
	"testing"
)

// fieldOf returns a field as it stands with a model in a mode.
func fieldOf(t *testing.T, m Model, mode Mode, name string) Field {
	t.Helper()
	for _, f := range m.Fields(mode) {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("%s has no field %s", m.ID, name)
	return Field{}
}

func TestFieldsForTheForm(t *testing.T) {
	for _, c := range []struct {
		name, model string
		mode        Mode
		field       string
		standing    Standing
		min, max    int
		fact, note  string // note: a part of it
	}{
		{"F14 stream on epsilon", epsilon, TextMode, "stream", Required, 0, 0, "F14", "stream only"},
		{"F15 user on epsilon", epsilon, TextMode, "user", Forbidden, 0, 0, "F15", ""},
		{"F16 temperature on epsilon", epsilon, TextMode, "temperature", NoEffect, 0, 2, "F16", "ignored"},
		{"F25 temperature", plain, TextMode, "temperature", Optional, 0, 2, "F25", ""},
		{"F26 top_p", plain, TextMode, "top_p", Optional, 0, 1, "F26", ""},
		{"F30 tools on zeta", "zeta-1", TextMode, "tools", Optional, 0, 0, "F30", ""},
		{"F30 tools on an ordinary model", plain, TextMode, "tools", Undocumented, 0, 0, "F30", "zeta"},
		{"F34 messages on responses", beta, TextMode, "messages", Forbidden, 0, 0, "F34", ""},
		{"F55 the prompt of an upscale", "alpha-3.1-4k-upscale", Upscale, "prompt", Required, 0, 0, "F54", "any text"},
		{"F56 the prompt of several shots", "delta-3.0-720p", MultiShot, "prompt", Required, 0, 0, "F54", "only the shots"},
		{"F63 the ratio of an extend", "alpha-3.1-lite-extend", Extend, "aspect_ratio", NoEffect, 0, 0, "F63", "text-to-video"},
		{"F66 images for text-to-video", "gamma-2-720p", TextToVideo, "image_urls", Forbidden, 0, 0, "F66", ""},
		{"F137 F140 the last frame is a guide", "gamma-2-720p-i2v", FirstLastFrame, "image_urls", Required, 1, 2, "F137", "not guaranteed"},
		{"F144 images beside references", "gamma-2-720p-vref", Reference, "image_urls", Optional, 0, 9, "F144", ""},
		{"F78 references", "gamma-2-720p-vref", Reference, "reference_video_urls", Required, 1, 3, "F78", "15 s together"},
		{"F73 seeds", "beta-video-720p-extend", Extend, "seeds", Optional, 10000, 99999, "F72", "one integer"},
		{"F82 scenes", "delta-3.0-720p", MultiShot, "multi_prompt", Required, 1, 5, "F81", "500 characters"},
		{"F152 a frame beside scenes", "delta-3.0-720p", MultiShot, "image_urls", Optional, 0, 1, "F152", ""},
		{"G28 the same model without scenes", "delta-3.0-720p", TextToVideo, "image_urls", Forbidden, 0, 0, "F66", ""},
		{"F154 the photo", "delta-3.0-motion-control-720p", Motion, "image_urls", Required, 1, 1, "F154", ""},
		{"F157 the result is as long as the clip", "delta-3.0-motion-control-720p", Motion, "seconds", Required, 0, 0, "F61", "the result has too"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fieldOf(t, model(t, c.model), c.mode, c.field)
			if f.Standing != c.standing || f.Min != c.min || f.Max != c.max || f.Fact != c.fact || !strings.Contains(f.Note, c.note) {
				t.Errorf("%+v", f)
			}
		})
	}
	if f := fieldOf(t, model(t, "delta-3.0-720p"), MultiShot, "seconds"); f.Seconds.Max != 60 {
		t.Errorf("G24 %+v", f)
	}
	if f := fieldOf(t, model(t, "delta-3.0-720p"), TextToVideo, "aspect_ratio"); strings.Join(f.Choices, " ") != "16:9 9:16 1:1" {
		t.Errorf("F62 %+v", f)
	}
	if f := fieldOf(t, model(t, epsilon), TextMode, "stream"); strings.Join(f.Choices, " ") != "true" {
		t.Errorf("F14 %+v", f)
	}
	if modes := model(t, "delta-3.0-1080p-i2v").Modes(); len(modes) != 2 || modes[1] != MultiShot {
		t.Errorf("F150 %v", modes)
	}
	if modes := model(t, "delta-3.0-motion-control-720p").Modes(); len(modes) != 1 {
		t.Errorf("G25 %v", modes)
	}
}

// What the form is told and what the validator says is the same, for every
// field of every model in every mode: a required field is missed when it is
// left out, a forbidden one is refused, one without effect is warned of.
func TestTheFormAndTheValidatorAgree(t *testing.T) {
	c := SampleCatalogue()
	for _, m := range c.Models {
		for _, mode := range m.Modes() {
			base := filled(m, mode)
			if v := c.Validate(m.Endpoint, encode(t, base), Options{}); !v.OK() || len(v.Warnings) > 0 {
				t.Fatalf("%s %s: a filled form is not clean: %+v", m.ID, mode, v)
			}
			for _, f := range m.Fields(mode) {
				changed := map[string]any{}
				for k, v := range base {
					changed[k] = v
				}
				if f.Standing == Required {
					delete(changed, f.Name)
				} else {
					changed[f.Name] = example(f)
				}
				if f.Name == "image_urls" && mode == MultiShot {
					delete(changed, "aspect_ratio") // of no effect beside a frame
				}
				v := c.Validate(m.Endpoint, encode(t, changed), Options{})
				list := map[Standing][]Issue{Required: v.Errors, Forbidden: v.Errors, NoEffect: v.Warnings, Undocumented: v.Warnings}[f.Standing]
				found := false
				for _, i := range list {
					found = found || i.Field == f.Name && (i.Fact == f.Fact || f.Name == "multi_shots")
				}
				switch {
				case f.Standing == Optional && (!v.OK() || len(v.Warnings) > 0):
					t.Errorf("%s %s: optional %s: %+v", m.ID, mode, f.Name, v)
				case f.Name == "multi_shots" && f.Standing == Required:
					// Without it the mode is another, and multi_prompt is refused.
					if v.OK() || v.Errors[len(v.Errors)-1].Fact != "G26" {
						t.Errorf("%s %s without multi_shots: %+v", m.ID, mode, v)
					}
				case f.Standing != Optional && !found:
					t.Errorf("%s %s: %s is %s by %s, and the verdict is %+v", m.ID, mode, f.Name, f.Standing, f.Fact, v)
				}
			}
		}
	}
}

// filled is a request with every required field.
func filled(m Model, mode Mode) map[string]any {
	body := map[string]any{}
	for _, f := range m.Fields(mode) {
		if f.Standing == Required {
			body[f.Name] = example(f)
		}
	}
	body["model"] = m.ID
	switch mode {
	case MultiShot:
		body["seconds"] = "5"
	case Reference:
		body["seconds"] = "12"
	}
	return body
}

// example is a value that fits a field.
func example(f Field) any {
	switch f.Form {
	case FormNumber:
		return f.Max
	case FormInteger:
		return f.Min
	case FormBoolean:
		return len(f.Choices) == 0 || f.Choices[0] == "true"
	case FormChoice:
		return f.Choices[0]
	case FormSeconds:
		return f.Seconds.List()[0]
	case FormRatio:
		if len(f.Choices) > 0 {
			return f.Choices[0]
		}
		return "16:9"
	case FormUUID:
		return uuid
	case FormURL:
		return clip
	case FormURLs:
		return []string{clip}
	case FormURLOrURLs:
		return image
	case FormScenes:
		return []Scene{{"A lamp", 5}}
	case FormMessages:
		return []Message{{Role: "user", Content: ptr("Hi")}}
	case FormTools:
		return []any{}
	case FormObject, FormEffort, FormAnswer:
		return map[string]any{}
	case FormFormat:
		return map[string]any{"type": f.Choices[0]}
	}
	return "text"
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEveryRuleIsWhole(t *testing.T) {
	for i, r := range Rules() {
		if r.Fact == "" || r.Code == "" || r.Text == "" {
			t.Errorf("rule %d is not filled in: %+v", i, r)
		}
	}
	for _, table := range [][]spec{chatFields, responsesFields, videoFields} {
		if len(table) > maxFields {
			t.Errorf("a table has %d fields, and there is room for %d", len(table), maxFields)
		}
	}
}

func TestPathsAndStatuses(t *testing.T) {
	for ep, want := range map[Endpoint]string{
		Chat: "/v1/chat/completions", Responses: "/v1/responses", Video: "/v1/video/generations", "images": "",
	} {
		if got := ep.Path(); got != want {
			t.Errorf("F3 F4 F5 F170 the path of %q, with the version in it, is %q", ep, got)
		}
	}
	for code, want := range map[string]int{CodeInvalidSeconds: 400, CodeModelNotFound: 503, CodeInsufficientQuota: 403, CodeRequestTooLarge: 413} {
		if got := Status(code); got != want {
			t.Errorf("%s: %d", code, got)
		}
	}
	if v := SampleCatalogue().Validate("images", []byte(chat(plain, "")), Options{}); v.OK() || v.Errors[0].Code != CodeWrongEndpoint {
		t.Errorf("an endpoint that does not exist: %+v", v)
	}
	if v := SampleCatalogue().Validate("images", []byte(chat("nobody", "")), Options{}); v.OK() {
		t.Errorf("an endpoint that does not exist, and a model that does not: %+v", v)
	}
}
