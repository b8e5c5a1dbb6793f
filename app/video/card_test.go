package video

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

const uuid = "0f6e0a3e-7f9f-4d3e-8d5a-4d8e8b8f3a11"

// clipOf is a finished clip of a model.
func clipOf(t *testing.T, model string, mode gateway.Mode) wire.VideoTask {
	t.Helper()
	m, known := gateway.SampleCatalogue().Lookup(model)
	if !known {
		t.Fatalf("no model %s", model)
	}
	p := gateway.NewProvenance(m, mode, nil)
	return wire.VideoTask{
		ID: "c", UUID: uuid, Model: model, Mode: string(mode), State: wire.VideoDone, FinishState: "SUCCESS", Version: 1,
		Family: string(p.Family), Tier: p.Tier, Resolution: p.Resolution, FinishedMS: noon.UnixMilli() - 1000,
		ExpiresMS: noon.Add(gateway.Retention).UnixMilli(),
		Outputs:   []wire.VideoOutput{{Archive: wire.ArchiveSaved, Seconds: 6}},
	}
}

func TestOffers(t *testing.T) {
	p := newPane(t)
	words := func(offers []Offer) (list []string) {
		for _, o := range offers {
			s := o.Label
			if !o.Enabled {
				s = "(" + s + ")"
			}
			list = append(list, s)
		}
		return list
	}
	late := func(t wire.VideoTask) wire.VideoTask { t.State = wire.VideoExpired; return t }
	open := clipOf(t, "beta-video-480p", gateway.TextToVideo)
	open.State, open.FinishState, open.FinishedMS, open.UUID = wire.VideoRunning, "IN_PROGRESS", 0, ""
	for _, c := range []struct {
		name string
		task wire.VideoTask
		want []string
	}{
		{"alpha original: extend and both upscales", clipOf(t, "alpha-3.1-fast", gateway.TextToVideo), []string{"Extend", "1080p", "4K"}},
		{"F130 an extend is not upscaled", clipOf(t, "alpha-3.1-fast-extend", gateway.Extend), []string{"Extend", "(Upscale)"}},
		{"beta 480p: to 720p and to 1080p", clipOf(t, "beta-video-480p", gateway.TextToVideo), []string{"Extend", "720p", "1080p"}},
		{"beta 1080p: nothing larger", clipOf(t, "beta-video-1080p", gateway.TextToVideo), []string{"Extend", "(Upscale)"}},
		{"gamma: none", clipOf(t, "gamma-2-720p", gateway.TextToVideo), []string{"(Extend)", "(Upscale)"}},
		{"expired: one button each", late(clipOf(t, "beta-video-480p", gateway.TextToVideo)), []string{"(Extend)", "(Upscale)"}},
		{"unfinished", open, []string{"(Extend)", "(Upscale)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			offers := p.Offers(&c.task)
			if got := words(offers); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
			for _, o := range offers {
				if o.Enabled == (o.Reason != "") || o.Enabled && (o.Model == "" || !strings.Contains(o.Full, "$")) {
					t.Errorf("%+v", o)
				}
			}
		})
	}
}

func TestStateWords(t *testing.T) {
	for _, c := range []struct {
		name string
		t    wire.VideoTask
		want string
		tone Tone
	}{
		{"no invented percentage", wire.VideoTask{State: wire.VideoRunning, Progress: -1}, "In progress", Live},
		{"nothing yet is no figure", wire.VideoTask{State: wire.VideoRunning, Progress: 0}, "In progress", Live},
		{"the gateway's own", wire.VideoTask{State: wire.VideoRunning, Progress: 62}, "In progress · 62 %", Live},
		{"paused", wire.VideoTask{State: wire.VideoQueued, Pause: wire.PauseKey}, "Queued, paused", Warn},
		{"unknown", wire.VideoTask{State: wire.VideoUnknown}, "Unknown, may have been billed", Warn},
		{"an extend", wire.VideoTask{State: wire.VideoDone, Mode: "extend"}, "Finished · extend", Good},
		{"failed", wire.VideoTask{State: wire.VideoFailed}, "Failed", Bad},
		{"expired with no copy", wire.VideoTask{State: wire.VideoExpired, Outputs: []wire.VideoOutput{{Archive: wire.ArchiveFailed}}}, "Expired", Warn},
		{"expired, and plays from the archive", wire.VideoTask{State: wire.VideoExpired, Outputs: []wire.VideoOutput{{Archive: wire.ArchiveSaved}}}, "Finished", Good},
	} {
		t.Run(c.name, func(t *testing.T) {
			if words, tone := StateWords(&c.t); words != c.want || tone != c.tone {
				t.Errorf("%q, %q", words, tone)
			}
		})
	}
	for _, s := range []wire.VideoState{wire.VideoCreating, wire.VideoUnknown, wire.VideoQueued, wire.VideoRunning, wire.VideoDone,
		wire.VideoFailed, wire.VideoExpired, wire.VideoRefused, wire.VideoLost} {
		if words, _ := StateWords(&wire.VideoTask{State: s}); words == string(s) {
			t.Errorf("%s has no words", s)
		}
	}
}

func TestTimesOfACard(t *testing.T) {
	minute := int64(60_000)
	for _, c := range []struct{ name, got, want string }{
		{"elapsed since the gateway took it", Elapsed(&wire.VideoTask{State: wire.VideoRunning, CreatedMS: 1, AcceptedMS: noon.UnixMilli() - 72_000}, noon), "1 min 12 s so far"},
		{"a clock that is behind", Elapsed(&wire.VideoTask{State: wire.VideoQueued, CreatedMS: noon.UnixMilli() + 9000}, noon), "0 s so far"},
		{"nothing elapses at the end", Elapsed(&wire.VideoTask{State: wire.VideoDone, CreatedMS: 1}, noon), ""},
		{"usual, in whole minutes", Usual(&wire.VideoTask{UsualLeastMS: minute, UsualMostMS: 5 * minute}), "usually 1 to 5 min"},
		{"usual, in seconds", Usual(&wire.VideoTask{UsualLeastMS: 20_000, UsualMostMS: minute}), "usually 20 s to 1 min"},
		{"not known", Usual(&wire.VideoTask{}), ""},
		{"a span of hours", Span(2*60*minute + 5*minute), "2 h 5 min"},
		{"a length", Clock(65.2), "1:05"},
		{"a short length", Clock(8), "0:08"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestLeftWords(t *testing.T) {
	day := 24 * time.Hour
	for _, c := range []struct {
		name string
		left time.Duration
		want string
		soon bool
	}{
		{"a fresh clip", 14*day - time.Minute, "14 days left", false},
		{"G37 from day 12 on", 2 * day, "2 days left", true},
		{"the last day", day + time.Minute, "1 day left", true},
		{"hours", 5*time.Hour + time.Minute, "5 hours left", true},
		{"the end", time.Minute, "about an hour left", true},
		{"over", -time.Minute, "past the gateway's 14 days", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			clip := wire.VideoTask{State: wire.VideoDone, ExpiresMS: noon.Add(c.left).UnixMilli()}
			if words, soon := LeftWords(&clip, noon); words != c.want || soon != c.soon {
				t.Errorf("%q, %v", words, soon)
			}
		})
	}
	if words, _ := LeftWords(&wire.VideoTask{State: wire.VideoExpired, ExpiresMS: 1}, noon); words != "" {
		t.Errorf("expired: %q", words)
	}
}

func TestCostOf(t *testing.T) {
	base := wire.VideoTask{PriceNanoUSD: 400_000_000, Basis: "8 s × $0.05", SamplePrice: true}
	with := func(f func(*wire.VideoTask)) wire.VideoTask { t := base; f(&t); return t }
	for _, c := range []struct {
		name string
		t    wire.VideoTask
		ok   func(Cost) bool
	}{
		{"charged", with(func(t *wire.VideoTask) { t.Charged = true }), func(c Cost) bool {
			return c.Amount == "$0.40" && c.Returned == "" && strings.Contains(c.Basis, "charged when") && strings.Contains(c.Basis, "sample price")
		}},
		{"F112 returned", with(func(t *wire.VideoTask) { t.Charged, t.Returned, t.State = true, true, wire.VideoFailed }), func(c Cost) bool { return c.Returned != "" }},
		{"G35 unknown is held", with(func(t *wire.VideoTask) { t.State = wire.VideoUnknown }), func(c Cost) bool { return c.Held != "" && !c.Free }},
		{"F109 refused costs nothing", with(func(t *wire.VideoTask) { t.State = wire.VideoRefused }), func(c Cost) bool { return c.Free }},
		{"no price is known", wire.VideoTask{Basis: "no price is known for x"}, func(c Cost) bool { return c.Amount == "" && c.Basis != "" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := CostOf(&c.t); !c.ok(got) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestPlayable(t *testing.T) {
	out := func(s wire.ArchiveState) []wire.VideoOutput { return []wire.VideoOutput{{Archive: s}} }
	for _, c := range []struct {
		name string
		t    wire.VideoTask
		want bool
	}{
		{"finished, not yet saved", wire.VideoTask{State: wire.VideoDone, Outputs: out(wire.ArchiveWaiting)}, true},
		{"expired, saved", wire.VideoTask{State: wire.VideoExpired, Outputs: out(wire.ArchiveSaved)}, true},
		{"expired, not saved", wire.VideoTask{State: wire.VideoExpired, Outputs: out(wire.ArchiveRemoved)}, false},
		{"no file named", wire.VideoTask{State: wire.VideoDone}, false},
		{"failed", wire.VideoTask{State: wire.VideoFailed}, false},
		{"unknown", wire.VideoTask{State: wire.VideoUnknown}, false},
		{"running", wire.VideoTask{State: wire.VideoRunning}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Playable(&c.t); got != c.want || (NotPlayable(&c.t) == "") != c.want {
				t.Errorf("%v, %q", got, NotPlayable(&c.t))
			}
		})
	}
	if why := NotPlayable(&wire.VideoTask{State: wire.VideoUnknown}); strings.Contains(why, "not finished") {
		t.Errorf("of a clip that may never have been begun: %q", why)
	}
	for state, kept := range map[wire.VideoState]bool{wire.VideoRunning: true, wire.VideoUnknown: true, wire.VideoFailed: false, wire.VideoRefused: false} {
		if why := NotKept(&wire.VideoTask{State: state}); kept != (why == "") {
			t.Errorf("%s: kept unless %q", state, why)
		}
	}
	second := wire.VideoTask{State: wire.VideoExpired, Outputs: []wire.VideoOutput{{Index: 0, Archive: wire.ArchiveFailed}, {Index: 1, Archive: wire.ArchiveSaved}}}
	if n := PlayableOutput(&second); n != 1 {
		t.Errorf("the output that plays is %d", n)
	}
}

func TestNotSaved(t *testing.T) {
	why := &wire.Problem{Code: "not_media"}
	for state, want := range map[wire.ArchiveState]*wire.Problem{wire.ArchiveFailed: why, wire.ArchiveFull: why, wire.ArchiveSaved: nil, wire.ArchiveRemoved: nil} {
		task := wire.VideoTask{State: wire.VideoDone, Outputs: []wire.VideoOutput{{Archive: wire.ArchiveSaved}, {Archive: state, Problem: why}}}
		if got := NotSaved(&task); got != want {
			t.Errorf("%s: %v", state, got)
		}
	}
}

func TestRatioAndLength(t *testing.T) {
	body := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, c := range []struct {
		name   string
		t      wire.VideoTask
		w, h   int
		length float64
	}{
		{"as asked", wire.VideoTask{Mode: "text-to-video", Seconds: 6, Body: body(`{"aspect_ratio":"9:16"}`)}, 9, 16, 6},
		{"as measured", wire.VideoTask{Mode: "extend", Seconds: 8, Outputs: []wire.VideoOutput{{Width: 1280, Height: 720, Seconds: 16}}}, 1280, 720, 16},
		{"an extend's length is not its seconds", wire.VideoTask{Mode: "extend", Seconds: 8}, 16, 9, 0},
		{"F147 nor is a reference video's", wire.VideoTask{Mode: "reference-video", Seconds: 12}, 16, 9, 0},
		{"not a ratio", wire.VideoTask{Mode: "motion-control", Seconds: 3, Body: body(`{"aspect_ratio":"wide:x"}`)}, 16, 9, 3},
		{"not a body", wire.VideoTask{Mode: "motion-control", Body: body(`[]`)}, 16, 9, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if w, h := RatioOf(&c.t); w != c.w || h != c.h || LengthOf(&c.t) != c.length {
				t.Errorf("%d:%d, %v s", w, h, LengthOf(&c.t))
			}
		})
	}
}

func TestParameters(t *testing.T) {
	clip := wire.VideoTask{Body: json.RawMessage(`{"model":"m","prompt":"p","seconds":"6","seeds":12345,"image_urls":["a"]}`)}
	want := []Parameter{{"model", "m"}, {"seconds", "6"}, {"seeds", "12345"}, {"image_urls", `["a"]`}}
	if got := Parameters(&clip); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for _, bad := range []string{``, `[]`, `{"a"`, `{"a":`} {
		_ = Parameters(&wire.VideoTask{Body: json.RawMessage(bad)}) // nothing that is stored makes the page fail
	}
}

func TestRetry(t *testing.T) {
	failed := task(1, wire.VideoFailed)
	failed.Body, failed.Source = json.RawMessage(`{"model":"m"}`), "src"
	p := opened(t, "", failed, task(2, wire.VideoUnknown))
	p.Retry("t002", "new")
	if len(p.calls) != 0 {
		t.Errorf("G35: an unknown creation was sent again: %v", p.calls)
	}
	p.Retry("t001", "new")
	var c wire.VideoCreate
	if err := json.Unmarshal(p.asked(wire.OpVideoCreate).args, &c); err != nil || c.ID != "new" || string(c.Body) != `{"model":"m"}` || c.Source != "src" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestLineage(t *testing.T) {
	root, ext, up, other := task(1, wire.VideoDone), task(2, wire.VideoDone), task(3, wire.VideoDone), task(4, wire.VideoFailed)
	ext.Mode, ext.Source = "extend", root.ID
	up.Mode, up.Source, up.Resolution = "upscale", ext.ID, "4k"
	other.Mode, other.Source = "extend", ext.ID
	p := opened(t, "")
	c := p.Open(ext.ID)
	p.asked(wire.OpVideoTask).answer(wire.VideoOpened{
		Task: ext, Ancestors: []wire.VideoTask{root}, Descendants: []wire.VideoTask{up, other}, LineageNanoUSD: 700_000_000, ShownNanoUSD: 600_000_000,
	})
	var got []string
	for _, s := range c.Lineage() {
		line := strings.Repeat(">", s.Depth) + s.Task.ID + " " + s.Verb
		if s.Current {
			line += " here"
		}
		got = append(got, line)
	}
	want := []string{"t001 Original", ">t002 Extend here", ">>t003 Upscale to 4K", ">>t004 Extend"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if shown, others := c.LineageNanoUSD(); shown != 600_000_000 || others != 100_000_000 {
		t.Errorf("together %d, and others %d", shown, others)
	}

	c.News(task(9, wire.VideoQueued))
	if len(p.timers) != 0 {
		t.Error("a stranger's news open it again")
	}
	next := task(9, wire.VideoQueued)
	next.Source = up.ID
	c.News(next)
	c.News(next)
	p.pass()
	p.asked(wire.OpVideoTask)
	if len(p.calls) != 0 {
		t.Errorf("opened twice: %v", p.calls)
	}
}

func TestLevel(t *testing.T) {
	for _, c := range []struct {
		name               string
		at, common, length float64
		seek               bool
		rate               float64
	}{
		{"in step", 3, 3.01, 8, false, 1},
		{"a little behind: faster", 3, 3.1, 8, false, 1.06},
		{"a little ahead: slower", 3.1, 3, 8, false, 0.94},
		{"far behind: set", 1, 3, 8, true, 1},
		{"far ahead: set", 5, 3, 8, true, 1},
		{"a shorter one waits at its end", 6, 7, 6, false, 1},
		{"a shorter one that is not at its end yet", 3, 7, 6, true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			seek, to, rate := Level(c.at, c.common, c.length)
			if seek != c.seek || rate != c.rate || to > c.length {
				t.Errorf("seek %v to %v at %v", seek, to, rate)
			}
		})
	}
}

func TestStepFrame(t *testing.T) {
	at := 0.0
	for range 24 {
		at = StepFrame(at, 8, 1)
	}
	if at < 1 || at > 1+FrameSeconds {
		t.Errorf("24 frames are %v s", at)
	}
	for range 24 {
		at = StepFrame(at, 8, -1)
	}
	if at > FrameSeconds {
		t.Errorf("24 frames back is %v s", at)
	}
	if at = StepFrame(0, 8, -1); at < 0 {
		t.Error("before the start")
	}
	if at = StepFrame(7.99, 8, 5); at > 8 {
		t.Error("after the end")
	}
}

func TestComparedIDs(t *testing.T) {
	got := ComparedIDs(url.Values{"ids": {"a,b,,a,c,d,e," + strings.Repeat("x", 100)}})
	if !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("%v", got)
	}
}
