package spend

import (
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

func TestAWebHookIsSetTriedAndRemoved(t *testing.T) {
	clock := at(t, "UTC", "2026-11-21 12:00:00")
	d, s, _ := desk(t, clock)
	h := &d.Hook
	h.Want()
	h.Want()
	if len(s.calls) != 1 {
		t.Fatalf("%d calls to know of it", len(s.calls))
	}
	s.last(wire.OpHook).answer(t, wire.Hook{})
	if h.Save(); h.Problem == nil || len(s.calls) != 1 {
		t.Error("no address is saved")
	}
	h.Type(" https://example.com/secret ")
	h.Save()
	h.Save() // pressed twice
	if c := s.last(wire.OpSetHook); len(s.calls) != 2 || c.args.(wire.HookSettings).URL != "https://example.com/secret" {
		t.Fatalf("sent %+v", s.calls)
	}
	s.last(wire.OpSetHook).done(nil, &wire.Problem{Field: "url", Message: "This isn't a web address."})
	if h.Problem == nil || h.Text == "" || h.Now.Host != "" {
		t.Errorf("refused, what was typed is gone: %+v", h)
	}
	h.Save()
	s.last(wire.OpSetHook).answer(t, wire.Hook{Host: "example.com"})
	if h.Text != "" || h.Done == "" || h.Now.Host != "example.com" {
		t.Errorf("saved: %+v", h)
	}
	if words, _ := h.Last(); words != "" {
		t.Errorf("before any call: %q", words)
	}
	h.Try()
	s.last(wire.OpTryHook).answer(t, wire.Hook{Host: "example.com", AtMS: clock.at.UnixMilli(), Trouble: "It answered with HTTP 404."})
	if words, bad := h.Last(); words != "Called on Sat 21 Nov at 12:00. It answered with HTTP 404." || !bad {
		t.Errorf("after a call that failed: %q, %v", words, bad)
	}
	h.Type("https://half-typed")
	d.News(session.Greeting{})
	s.last(wire.OpHook).answer(t, wire.Hook{Host: "example.com"})
	if h.Text != "https://half-typed" {
		t.Error("a new connection took what was typed")
	}
	h.Remove()
	s.last(wire.OpSetHook).answer(t, wire.Hook{})
	if h.Now.Host != "" || s.last(wire.OpSetHook).args.(wire.HookSettings).URL != "" {
		t.Errorf("removed: %+v", h)
	}
}
