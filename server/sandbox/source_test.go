package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/mp4"
	"screentest/shared/gateway"
)

// makeSource makes a finished clip: a generation by the first model, and each
// further model made of the one before. It returns the last one's UUID.
func (r *rig) makeSource(t testing.TB, chain ...string) string {
	t.Helper()
	uuid := ""
	for i, id := range chain {
		m, known := r.server.catalogue.Load().Lookup(id)
		if !known {
			t.Fatalf("%s is not in the catalogue", id)
		}
		more := ""
		switch m.Mode {
		case gateway.ImageToVideo, gateway.FirstLastFrame:
			more = `,"image_urls":["https://example.com/a.png"]`
		case gateway.Extend, gateway.Upscale:
			more = `,"task_id":"` + uuid + `"`
		case gateway.Motion:
			more = `,"image_urls":["https://example.com/a.png"],"video_url":"` + r.ownClip(t, 4) + `"`
		case gateway.Reference:
			more = `,"reference_video_urls":["` + r.ownClip(t, 4) + `"]`
		}
		_, n := r.finish(t, clipBody(id, fmt.Sprint("x", i), usualSeconds(m), more))
		uuid = n.ID
	}
	return uuid
}

// ownClip is a link to a finished clip of this sandbox.
func (r *rig) ownClip(t testing.TB, seconds int) string {
	t.Helper()
	_, n := r.finish(t, clipBody("gamma-2-480p", "own", fmt.Sprint(seconds), ""))
	return n.Output[0].URL
}

// usualSeconds is a value that the model takes; for references of 4 s, a clip
// of 4 s.
func usualSeconds(m gateway.Model) string {
	if m.Mode == gateway.Reference {
		return "8"
	}
	if list := m.Seconds.List(); len(list) > 1 && m.Mode == gateway.Motion {
		return "4"
	}
	return m.Seconds.List()[0]
}

// TestSources: which clips an action takes, one case at least for each fact and
// decision about sources.
func TestSources(t *testing.T) {
	r := start(t, Config{Balance: 1_000_000_000_000})
	for _, c := range []struct {
		name  string
		chain string // of the source
		model string
		want  string // "" is accepted, else the code
		says  string // something that the message says
	}{
		{"F121 F128 extend of the same tier, lite", "alpha-3.1-lite", "alpha-3.1-lite-extend", "", ""},
		{"F121 F128 extend of the same tier, fast", "alpha-3.1-fast-i2v", "alpha-3.1-fast-extend", "", ""},
		{"F121 F128 extend of the same tier, quality", "alpha-3.1-quality", "alpha-3.1-quality-extend", "", ""},
		{"F128 another tier", "alpha-3.1-lite", "alpha-3.1-quality-extend", "source_mode_mismatch", "alpha-3.1-lite-extend"},
		{"F127 extend of a 1080p upscale", "alpha-3.1-lite alpha-3.1-1080p-upscale", "alpha-3.1-lite-extend", "", ""},
		{"F127 extend of a 4K upscale", "alpha-3.1-lite alpha-3.1-4k-upscale", "alpha-3.1-lite-extend", "", ""},
		{"G15 the tier comes from the root of an upscale", "alpha-3.1-fast alpha-3.1-1080p-upscale", "alpha-3.1-lite-extend", "source_mode_mismatch", "alpha-3.1-fast-extend"},
		{"G14 extend of an extend", "alpha-3.1-lite alpha-3.1-lite-extend", "alpha-3.1-lite-extend", "", ""},
		{"G14 the tier of an extend's root", "alpha-3.1-lite alpha-3.1-lite-extend", "alpha-3.1-fast-extend", "source_mode_mismatch", ""},
		{"F122 F129 upscale of an original to 1080p", "alpha-3.1-lite", "alpha-3.1-1080p-upscale", "", ""},
		{"F122 F129 upscale of an original to 4K", "alpha-3.1-lite-i2v", "alpha-3.1-4k-upscale", "", ""},
		{"F130 4K upscale of an extend", "alpha-3.1-lite alpha-3.1-lite-extend", "alpha-3.1-4k-upscale", "upstream_rejected", "original"},
		{"G17 1080p upscale of an extend", "alpha-3.1-lite alpha-3.1-lite-extend", "alpha-3.1-1080p-upscale", "upstream_rejected", "original"},
		{"G17 upscale of an upscale", "alpha-3.1-lite alpha-3.1-1080p-upscale", "alpha-3.1-4k-upscale", "upstream_rejected", "original"},
		{"G18 alpha extend of a beta clip", "beta-video-720p", "alpha-3.1-lite-extend", "source_mode_mismatch", ""},
		{"G18 alpha upscale of a beta clip", "beta-video-720p", "alpha-3.1-4k-upscale", "upstream_rejected", ""},
		{"G18 beta extend of an alpha clip", "alpha-3.1-lite", "beta-video-720p-extend", "source_mismatch", ""},
		{"G18 beta upscale of a gamma clip", "gamma-2-480p", "beta-video-upscale-480p-720p", "source_mismatch", ""},
		{"F123 F131 F132 extend of beta-video-720p", "beta-video-720p", "beta-video-720p-extend", "", ""},
		{"F132 extend of beta-video-720p-i2v", "beta-video-720p-i2v", "beta-video-720p-extend", "", ""},
		{"F131 extend of another resolution", "beta-video-480p", "beta-video-720p-extend", "source_mismatch", "beta-video-480p-extend"},
		{"G14 beta extend of an extend", "beta-video-480p beta-video-480p-extend", "beta-video-480p-extend", "", ""},
		{"G15 beta extend of an upscale, at the upscaled resolution", "beta-video-480p beta-video-upscale-480p-1080p", "beta-video-1080p-extend", "", ""},
		{"G15 beta extend of an upscale, at the first resolution", "beta-video-480p beta-video-upscale-480p-1080p", "beta-video-480p-extend", "source_mismatch", "beta-video-1080p-extend"},
		{"F124 F134 upscale 480p to 720p", "beta-video-480p", "beta-video-upscale-480p-720p", "", ""},
		{"F124 F134 upscale 480p to 1080p", "beta-video-480p-i2v", "beta-video-upscale-480p-1080p", "", ""},
		{"F134 upscale from another resolution", "beta-video-720p", "beta-video-upscale-480p-1080p", "source_mismatch", "beta-video-upscale-720p-1080p"},
		{"F136 the hint names the model", "beta-video-480p", "beta-video-upscale-720p-1080p", "source_mismatch", "beta-video-upscale-480p-1080p"},
		{"F135 upscale of an extend", "beta-video-480p beta-video-480p-extend", "beta-video-upscale-480p-720p", "source_mismatch", "original"},
		{"F135 upscale of an upscale", "beta-video-480p beta-video-upscale-480p-720p", "beta-video-upscale-720p-1080p", "source_mismatch", "original"},
	} {
		t.Run(c.name, func(t *testing.T) {
			uuid := r.makeSource(t, strings.Fields(c.chain)...)
			m, _ := gateway.SampleCatalogue().Lookup(c.model)
			before := r.account().Charged
			// Either case of the UUID is accepted (F67).
			for _, id := range []string{uuid, strings.ToUpper(uuid)} {
				a := r.post(gateway.Video, clipBody(c.model, "x", usualSeconds(m), `,"task_id":"`+id+`"`))
				if c.want == "" {
					if a.status != http.StatusOK {
						t.Errorf("%d %s", a.status, a.body)
					}
					continue
				}
				if p := a.problem(t); a.status != http.StatusBadRequest || p.code != c.want || !strings.Contains(p.message, c.says) || !p.flat {
					t.Errorf("%d %s; want %s with %q", a.status, a.body, c.want, c.says)
				}
				if after := r.account().Charged; after != before {
					t.Errorf("F109: a refused create cost %d", after-before)
				}
			}
		})
	}
}

// G19, G2: sources that are not there, not ready, failed, or gone.
func TestSourceStates(t *testing.T) {
	r := start(t, Config{MoreKeys: []string{"other"}})
	extend := func(id string) problem {
		t.Helper()
		a := r.post(gateway.Video, clipBody("alpha-3.1-lite-extend", "x", "8", `,"task_id":"`+id+`"`))
		if a.status == http.StatusOK {
			return problem{}
		}
		return a.problem(t)
	}
	uuid := func(c created) string { return r.server.tasks.byID[c.ID].UUID }
	if p := extend("123e4567-e89b-12d3-a456-426614174000"); p.code != "task_not_exist" {
		t.Errorf("G19 unknown: %+v", p)
	}
	c := r.create(t, clipBody("alpha-3.1-lite", "x", "8", ""))
	if p := extend(uuid(c)); p.code != "source_not_ready" {
		t.Errorf("G19 queued: %+v", p)
	}
	r.clock.advance(r.server.tasks.byID[c.ID].Started.Sub(r.clock.now()))
	if p := extend(uuid(c)); p.code != "source_not_ready" {
		t.Errorf("G19 in progress: %+v", p)
	}
	r.clock.advance(10 * time.Minute)
	if p := extend(uuid(c)); p.code != "" {
		t.Errorf("G19 finished: %+v", p)
	}
	r.key = "other"
	if p := extend(uuid(c)); p.code != "task_not_exist" {
		t.Errorf("G2 foreign: %+v", p)
	}
	r.key = DefaultKey
	f, _ := r.finish(t, clipBody("alpha-3.1-lite", "[[fail]] x", "8", ""))
	if p := extend(uuid(f)); p.code != "source_not_ready" {
		t.Errorf("G19 failed: %+v", p)
	}
	r.clock.advance(15 * 24 * time.Hour)
	if p := extend(uuid(c)); p.code != "result_expired" {
		t.Errorf("G19 expired: %+v", p)
	}
}

// F125, F126, G16: what an action's clip is: an extend begins with its source
// and is 8 s longer; alpha's is 720p whatever the source, beta's is the
// source's resolution; an upscale is the same clip, larger.
func TestActionResults(t *testing.T) {
	for _, c := range []struct {
		name, chain   string
		seconds       float64
		width, height int
		segments      int
		tier, res     string
	}{
		{"F125 F126 alpha extend", "alpha-3.1-lite alpha-3.1-lite-extend", 4 + 8, 1280, 720, 2, "lite", "720p"},
		{"F126 F127 alpha extend of a 4K clip", "alpha-3.1-lite alpha-3.1-4k-upscale alpha-3.1-lite-extend", 4 + 8, 1280, 720, 2, "lite", "720p"},
		{"G14 alpha extend of an extend", "alpha-3.1-fast alpha-3.1-fast-extend alpha-3.1-fast-extend", 4 + 8 + 8, 1280, 720, 3, "fast", "720p"},
		{"F122 alpha upscale to 1080p", "alpha-3.1-lite alpha-3.1-1080p-upscale", 4, 1920, 1080, 1, "lite", "1080p"},
		{"F122 alpha upscale to 4K", "alpha-3.1-lite alpha-3.1-4k-upscale", 4, 3840, 2160, 1, "lite", "4k"},
		{"G16 beta extend", "beta-video-1080p beta-video-1080p-extend", 6 + 6, 1920, 1080, 2, "", "1080p"},
		{"F124 beta upscale", "beta-video-480p beta-video-upscale-480p-1080p", 6, 1920, 1080, 1, "", "1080p"},
		{"G15 beta extend of an upscale", "beta-video-480p beta-video-upscale-480p-720p beta-video-720p-extend", 6 + 6, 1280, 720, 2, "", "720p"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, Config{Balance: 1_000_000_000_000})
			uuid := r.makeSource(t, strings.Fields(c.chain)...)
			task := r.server.tasks.byUUID[uuid]
			if task.Clip.Seconds() != c.seconds || task.Clip.Width != c.width || task.Clip.Height != c.height || len(task.Clip.Segments) != c.segments {
				t.Errorf("%+v", task.Clip)
			}
			if task.Tier != c.tier || task.Resolution != c.res {
				t.Errorf("tier %q, resolution %q", task.Tier, task.Resolution)
			}
			first := r.server.tasks.order[0]
			if task.Root != first.UUID {
				t.Errorf("root %s, want %s", task.Root, first.UUID)
			}
			if task.Clip.Segments[0] != first.Clip.Segments[0] {
				t.Errorf("does not begin with its source: %+v, %+v", task.Clip, first.Clip)
			}
			info, err := mp4.Measure(strings.NewReader(string(r.do("GET", "/files/"+uuid+".mp4", "").body)))
			if err != nil || info != (mp4.Info{Seconds: c.seconds, Width: c.width, Height: c.height}) {
				t.Errorf("the file: %+v %v", info, err)
			}
		})
	}
}

// provenance is what a client would have stored of a task.
func (r *rig) provenance(chain []string, uuids []string) gateway.Provenance {
	var p *gateway.Provenance
	for i, id := range chain {
		m, _ := r.server.catalogue.Load().Lookup(id)
		task := r.server.tasks.byUUID[uuids[i]]
		next := gateway.NewProvenance(m, m.Mode, p)
		next.TaskID, next.Status, next.FinishedAt = uuids[i], "SUCCESS", task.Finished
		p = &next
	}
	return *p
}

// TestActionsMatchTheSandbox: every kind of source clip against every action
// model of the catalogue: Actions offers it exactly when the sandbox takes it.
func TestActionsMatchTheSandbox(t *testing.T) {
	catalogue := gateway.SampleCatalogue()
	r := start(t, Config{Balance: 1_000_000_000_000_000})
	var actions, originals []gateway.Model
	for _, m := range catalogue.Models {
		switch {
		case m.Mode == gateway.Extend || m.Mode == gateway.Upscale:
			actions = append(actions, m)
		case m.Endpoint == gateway.Video:
			originals = append(originals, m)
		}
	}
	type source struct{ chain, uuids []string }
	var sources []source
	for _, m := range originals {
		sources = append(sources, source{[]string{m.ID}, []string{r.makeSource(t, m.ID)}})
	}
	offered, refused := 0, 0
	// Three generations of results: extends of upscales of extends are in it.
	for depth := 0; depth < 3; depth++ {
		var next []source
		kinds := map[string]bool{}
		for _, s := range sources {
			p := r.provenance(s.chain, s.uuids)
			list := gateway.Actions(p, r.server.now(), catalogue)
			for _, m := range actions {
				want := false
				for _, a := range list {
					want = want || a.Model == m.ID && a.Enabled
				}
				body := clipBody(m.ID, "x", usualSeconds(m), `,"task_id":"`+p.TaskID+`"`)
				a := r.post(gateway.Video, body)
				if got := a.status == http.StatusOK; got != want {
					t.Errorf("%v → %s: offered %v, sandbox %d %s", s.chain, m.ID, want, a.status, a.body)
				}
				// The validator, told the same, has the same code.
				v := catalogue.Validate(gateway.Video, []byte(body), gateway.Options{Source: &p, Now: r.server.now()})
				switch {
				case v.OK() != want:
					t.Errorf("%v → %s: offered %v, validator %+v", s.chain, m.ID, want, v.Errors)
				case !want && a.status != http.StatusOK && a.problem(t).code != v.Errors[0].Code:
					t.Errorf("%v → %s: validator %s, sandbox %s", s.chain, m.ID, v.Errors[0].Code, a.body)
				}
				if !want {
					refused++
					continue
				}
				offered++
				result := gateway.NewProvenance(m, m.Mode, &p)
				// Chains that cannot be told apart are followed once.
				if kind := fmt.Sprint(result.Family, result.Tier, result.Resolution, result.Mode); !kinds[kind] {
					kinds[kind] = true
					r.clock.advance(10 * time.Minute)
					uuid := r.server.tasks.order[len(r.server.tasks.order)-1].UUID
					next = append(next, source{append(append([]string{}, s.chain...), m.ID), append(append([]string{}, s.uuids...), uuid)})
				}
			}
		}
		sources = next
	}
	if offered < 40 || refused < 400 {
		t.Errorf("only %d were offered and %d refused", offered, refused)
	}
	t.Logf("%d source and model pairs taken by both, %d refused by both", offered, refused)
}

// A hint names what the catalogue has, and nothing else (F128, F136, G31).
func TestHintIsOfTheCatalogue(t *testing.T) {
	few := gateway.Catalogue{Models: slices.DeleteFunc(slices.Clone(gateway.SampleCatalogue().Models), func(m gateway.Model) bool {
		return m.ID == "beta-video-480p-extend" || m.ID == "alpha-3.1-lite-extend"
	})}
	cat, err := gateway.ParseCatalogue(few.JSON())
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, Config{Balance: 1_000_000_000_000, Catalogue: cat})
	for source, model := range map[string]string{"beta-video-480p": "beta-video-720p-extend", "alpha-3.1-lite": "alpha-3.1-fast-extend"} {
		uuid := r.makeSource(t, source)
		m, _ := cat.Lookup(model)
		a := r.post(gateway.Video, clipBody(model, "x", usualSeconds(m), `,"task_id":"`+uuid+`"`))
		if p := a.problem(t); a.status != http.StatusBadRequest || !strings.Contains(p.message, "there is no model for it") {
			t.Errorf("%s of %s: %d %s", model, source, a.status, a.body)
		}
	}
}
