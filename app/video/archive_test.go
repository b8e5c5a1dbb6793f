package video

import (
	"testing"
	"time"

	"screentest/shared/wire"
)

func TestArchiveSettings(t *testing.T) {
	p := newPane(t)
	p.Start()
	p.asked(wire.OpArchive).answer(wire.Archive{Bytes: 5})
	if !p.Archive.Ready || p.Archive.Bytes != 5 {
		t.Errorf("%+v", p.Archive)
	}
	var problem *wire.Problem
	p.Archive.Set(wire.ArchiveSettings{QuotaBytes: 1}, func(pr *wire.Problem) { problem = pr })
	p.asked(wire.OpSetArchive).done(nil, &wire.Problem{Message: "Too small."})
	if problem == nil || p.Archive.Bytes != 5 {
		t.Errorf("problem %v, archive %+v", problem, p.Archive)
	}
	p.News(wire.Archive{Bytes: 9, Warn: true})
	if !p.Archive.Warn {
		t.Error("a warning is not taken")
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

func TestNotSaved(t *testing.T) {
	why := &wire.Problem{Code: "not_media"}
	for state, want := range map[wire.ArchiveState]*wire.Problem{wire.ArchiveFailed: why, wire.ArchiveFull: why, wire.ArchiveSaved: nil, wire.ArchiveRemoved: nil} {
		task := wire.VideoTask{State: wire.VideoDone, Outputs: []wire.VideoOutput{{Archive: wire.ArchiveSaved}, {Archive: state, Problem: why}}}
		if got := NotSaved(&task); got != want {
			t.Errorf("%s: %v", state, got)
		}
	}
}
