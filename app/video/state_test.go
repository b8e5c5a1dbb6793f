package video

import (
	"testing"

	"screentest/shared/wire"
)

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
		{"usual, in whole minutes", usualWords(minute, 5*minute), "usually 1 to 5 min"},
		{"usual, in seconds", usualWords(20_000, minute), "usually 20 s to 1 min"},
		{"not known", usualWords(0, 0), ""},
		{"a span of hours", Span(2*60*minute + 5*minute), "2 h 5 min"},
		{"a length", Clock(65.2), "1:05"},
		{"a short length", Clock(8), "0:08"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
