package spend

import (
	"strings"
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

func TestRetentionIsCheckedBeforeItIsSent(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	d.News(session.Greeting{Runs: true})
	d.Retention.Want()
	s.last(wire.OpKeep).answer(t, wire.Retention{WireDays: 30})
	s.last(wire.OpStorage).answer(t, wire.Storage{Bytes: 5})
	if w, c := d.Retention.Shown(); w != "30" || c != "" {
		t.Errorf("shown are %q and %q", w, c)
	}
	d.Retention.TypeClips("0")
	d.Retention.TypeWire("")
	d.Retention.Save()
	if d.Retention.Wrong[FieldClips] == "" || d.Retention.Wrong[FieldWire] != "" {
		t.Errorf("wrong is %v", d.Retention.Wrong)
	}
	d.Retention.TypeClips("14")
	d.Retention.Save()
	if got := s.last(wire.OpSetKeep).args.(wire.Retention); got != (wire.Retention{ClipDays: 14}) {
		t.Errorf("sent %+v", got)
	}
}

// What the data folder holds is of everybody: only who runs the instance asks.
func TestAMemberIsNotToldWhatEverybodyHolds(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	d.News(session.Greeting{})
	d.Retention.Want()
	for _, c := range s.calls {
		if c.op == wire.OpStorage {
			t.Error("a member asks what the data folder holds")
		}
	}
}

func TestStorageSaysWhatItCounts(t *testing.T) {
	for kind, want := range map[string]string{wire.StoredMessages: "1 200 messages", wire.StoredVideo: "1 200 tasks", wire.StoredOther: ""} {
		if got := KindCount(wire.Stored{Kind: kind, Count: 1200}); strings.ReplaceAll(got, "\u202f", " ") != want {
			t.Errorf("%s: %q", kind, got)
		}
	}
	if got := KindCount(wire.Stored{Kind: wire.StoredLedger, Count: 1}); got != "1 entry" {
		t.Errorf("one: %q", got)
	}
}
