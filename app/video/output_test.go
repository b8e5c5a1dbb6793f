package video

import (
	"encoding/json"
	"strings"
	"testing"

	"screentest/shared/wire"
)

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
