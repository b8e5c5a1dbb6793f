package spend

import (
	"strings"
	"testing"

	"screentest/shared/wire"
)

func TestRetentionIsCheckedBeforeItIsSent(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	d.Keep.Want()
	s.last(wire.OpKeep).answer(t, wire.Retention{WireDays: 30})
	s.last(wire.OpStorage).answer(t, wire.Storage{Bytes: 5})
	if w, c := d.Keep.Shown(); w != "30" || c != "" {
		t.Errorf("shown are %q and %q", w, c)
	}
	d.Keep.TypeClips("0")
	d.Keep.TypeWire("")
	d.Keep.Save()
	if d.Keep.Wrong[FieldClips] == "" || d.Keep.Wrong[FieldWire] != "" {
		t.Errorf("wrong is %v", d.Keep.Wrong)
	}
	d.Keep.TypeClips("14")
	d.Keep.Save()
	if got := s.last(wire.OpSetKeep).args.(wire.Retention); got != (wire.Retention{ClipDays: 14}) {
		t.Errorf("sent %+v", got)
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
