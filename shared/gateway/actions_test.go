package gateway

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// offered lists the models that are offered, and for each kind without one
// its reason.
func offered(list []Action) (models []string, reasons map[Mode]string) {
	reasons = map[Mode]string{}
	for _, a := range list {
		if a.Enabled {
			models = append(models, a.Model)
		} else {
			reasons[a.Kind] = a.Reason
		}
	}
	return models, reasons
}

func TestTableA(t *testing.T) {
	for _, c := range []struct {
		name   string
		source Provenance
		want   string // the models offered
		why    map[Mode]string
	}{
		{"alpha original", alphaLite, "alpha-3.1-lite-extend alpha-3.1-1080p-upscale alpha-3.1-4k-upscale", nil},
		{"alpha original of 1080p: targets not above it are hidden",
			Provenance{Family: Alpha, Tier: "fast", Resolution: "1080p", Mode: ImageToVideo},
			"alpha-3.1-fast-extend alpha-3.1-4k-upscale", nil},
		{"G14 G17 alpha extend", alphaExtended, "alpha-3.1-lite-extend", map[Mode]string{Upscale: "only an original generation"}},
		{"G15 G17 alpha upscale", alpha4K, "alpha-3.1-lite-extend", map[Mode]string{Upscale: "can't be upscaled again"}},
		{"beta 480p original", beta480, "beta-video-480p-extend beta-video-upscale-480p-720p beta-video-upscale-480p-1080p", nil},
		{"F132 beta 720p image-to-video", beta720, "beta-video-720p-extend beta-video-upscale-720p-1080p", nil},
		{"beta 1080p original", Provenance{Family: BetaVideo, Resolution: "1080p", Mode: TextToVideo},
			"beta-video-1080p-extend", map[Mode]string{Upscale: "larger than 1080p"}},
		{"G14 beta extend", betaExtended, "beta-video-480p-extend", map[Mode]string{Upscale: "only an original generation"}},
		{"G15 beta upscale", betaUpscaled, "beta-video-720p-extend", map[Mode]string{Upscale: "can't be upscaled again"}},
		{"gamma", gammaClip, "", map[Mode]string{Extend: "clips of this family", Upscale: "clips of this family"}},
		{"motion control", deltaMotion, "", map[Mode]string{Extend: "clips of this family", Upscale: "clips of this family"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.source.TaskID, c.source.Status = uuid, "SUCCESS"
			models, reasons := offered(Actions(c.source, noon, SampleCatalogue()))
			if got := strings.Join(models, " "); got != c.want {
				t.Errorf("offered %q, want %q", got, c.want)
			}
			if len(reasons) != len(c.why) {
				t.Errorf("reasons %v, want %v", reasons, c.why)
			}
			for kind, part := range c.why {
				if !strings.Contains(reasons[kind], part) {
					t.Errorf("%s: reason %q, want one with %q", kind, reasons[kind], part)
				}
			}
		})
	}
}

func TestNothingCanBeMadeOfAClipThatIsNotThere(t *testing.T) {
	good := alphaLite
	good.TaskID, good.Status, good.FinishedAt = uuid, "Success", noon
	for _, c := range []struct {
		name, why string
		change    func(*Provenance)
	}{
		{"F98 a status in other letters is the same", "", func(*Provenance) {}},
		{"unfinished", "finished well", func(p *Provenance) { p.Status = "IN_PROGRESS" }},
		{"failed", "finished well", func(p *Provenance) { p.Status = "FAILURE" }},
		{"F104 expired", "older than 14 days", func(p *Provenance) { p.FinishedAt = noon.Add(-15 * 24 * time.Hour) }},
		{"F102 the gateway says expired", "older than 14 days", func(p *Provenance) { p.Expired = true }},
		{"F68 its internal id is not known", "internal id", func(p *Provenance) { p.TaskID = "" }},
		{"F69 only the id for polling is known", "internal id", func(p *Provenance) { p.TaskID = "task_1" }},
		{"its model is not known", "which model", func(p *Provenance) { p.Family = "" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := good
			c.change(&p)
			list := Actions(p, noon, SampleCatalogue())
			models, reasons := offered(list)
			if (c.why == "") != (len(models) > 0) {
				t.Fatalf("offered %v", models)
			}
			for _, kind := range actions {
				if !strings.Contains(reasons[kind], c.why) {
					t.Errorf("%s: reason %q, want one with %q", kind, reasons[kind], c.why)
				}
			}
		})
	}
}

func TestAPastedIDIsOfferedEverythingWithAWarning(t *testing.T) {
	c := SampleCatalogue()
	count := 0
	for _, a := range Actions(Provenance{TaskID: uuid, Pasted: true}, noon, c) {
		if !a.Enabled || a.Warning == "" || a.Model == "" {
			t.Errorf("%+v", a)
		}
		count++
	}
	if count != 11 {
		t.Errorf("%d actions, want the 11 action models", count)
	}
	for _, a := range Actions(Provenance{TaskID: "abc", Pasted: true}, noon, c) {
		if a.Enabled || !strings.Contains(a.Reason, "UUID") {
			t.Errorf("what is no UUID is offered: %+v", a)
		}
	}
}

// Every source × every action model: offered exactly when the validator, given
// the source, lets the request go; and where it does not, the models that it
// names are the ones offered for that kind.
func TestActionsAgreeWithTheValidator(t *testing.T) {
	c := SampleCatalogue()
	for _, p := range everySource(c) {
		models, _ := offered(Actions(p, noon, c))
		for _, m := range c.Models {
			if m.Mode != Extend && m.Mode != Upscale {
				continue
			}
			body := VideoRequest{Model: m.ID, Prompt: "More", Seconds: m.Seconds.List()[0], TaskID: uuid}.Body()
			v := c.Validate(Video, body, Options{Source: &p, Now: noon})
			if v.OK() != slices.Contains(models, m.ID) {
				t.Errorf("%s after %s (%s of %s): validator %v, offered %v", m.ID, p.Model, p.Mode, p.Resolution, v.Errors, models)
			}
			for _, e := range v.Errors {
				for _, other := range e.Allowed {
					if !slices.Contains(models, other) {
						t.Errorf("%s after %s: the hint names %s, which is not offered", m.ID, p.Model, other)
					}
				}
			}
		}
	}
}

// everySource makes each generating model's clip, each action of it, and each
// action of those.
func everySource(c *Catalogue) []Provenance {
	var all, last []Provenance
	for _, m := range c.Models {
		if m.Endpoint == Video && m.Mode.Generates() {
			for _, mode := range m.Modes() {
				last = append(last, NewProvenance(m, mode, nil))
			}
		}
	}
	for range 3 {
		var next []Provenance
		for i := range last {
			last[i].TaskID, last[i].Status, last[i].FinishedAt = uuid, "SUCCESS", noon.Add(-time.Hour)
			for _, m := range c.Models {
				if takesSource(m, last[i]) {
					next = append(next, NewProvenance(m, m.Mode, &last[i]))
				}
			}
		}
		all = append(all, last...)
		last = next
	}
	return all
}

func TestProvenance(t *testing.T) {
	made := func(p *Provenance, ids ...string) Provenance {
		var last Provenance
		for i, id := range ids {
			m := model(t, id)
			if i > 0 {
				p = &last
			}
			next := NewProvenance(m, m.Mode, p)
			next.TaskID = uuid[:35] + string(rune('1'+i))
			last = next
		}
		return last
	}
	for _, c := range []struct {
		name             string
		ids              string
		tier, resolution string
		original         bool
	}{
		{"F125 F126 an alpha extend is 720p", "alpha-3.1-fast alpha-3.1-fast-extend", "fast", "720p", false},
		{"F126 F127 an extend of 4K too", "alpha-3.1-fast alpha-3.1-4k-upscale alpha-3.1-fast-extend", "fast", "720p", false},
		{"G15 an alpha upscale keeps its root's tier", "alpha-3.1-quality-i2v alpha-3.1-1080p-upscale", "quality", "1080p", false},
		{"G16 720p is alpha's rule only", "beta-video-480p beta-video-480p-extend", "", "480p", false},
		{"G15 a beta upscale has its target", "beta-video-480p-i2v beta-video-upscale-480p-1080p beta-video-1080p-extend", "", "1080p", false},
		{"a generation is an original", "gamma-2-480p", "", "480p", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ids := strings.Fields(c.ids)
			p := made(nil, ids...)
			if p.Tier != c.tier || p.Resolution != c.resolution || p.Original() != c.original || p.Model != ids[len(ids)-1] {
				t.Errorf("%+v", p)
			}
			if wantRoot := uuid[:35] + "1"; !c.original && p.Root != wantRoot {
				t.Errorf("root %q, want %q", p.Root, wantRoot)
			}
		})
	}
	pasted := made(&Provenance{TaskID: uuid, Pasted: true}, "alpha-3.1-4k-upscale")
	if pasted.Tier != "" || pasted.Root != uuid {
		t.Errorf("of a pasted source: %+v", pasted)
	}
	pasted.Status = "SUCCESS"
	for _, a := range Actions(pasted, noon, SampleCatalogue()) {
		if a.Enabled && a.Warning == "" {
			t.Errorf("the tier is not known, and nothing warns: %+v", a)
		}
	}
}
