package video

import (
	"strings"
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Above the team's amount the form says that the clip will wait, and what waits is
// no clip in the gallery.
func TestADearClipAsks(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	if f.Asks() || f.AsksWords() != "" {
		t.Error("it asks without an amount")
	}
	charge := func(above int64) {
		r.News(session.Greeting{Gateway: r.Gateway, Catalogue: r.Cat, Charge: wire.Charge{ID: "film", HasKey: true, ApproveNanoUSD: above}})
	}
	price := int64(f.Check.Price.Cost)
	charge(price)
	if f.Asks() || f.Verb() != "Create video" {
		t.Errorf("at the amount itself it asks: %q", f.Verb())
	}
	charge(price - 1)
	if words := f.AsksWords(); !f.Asks() || f.Verb() != "Ask for approval" || !strings.HasPrefix(words, "Over $") || !strings.Contains(words, "Nothing is sent or charged until then") {
		t.Errorf("%q, %q", f.Verb(), words)
	}
	f.Send()
	create := r.last(wire.OpVideoCreate)
	create.answer(wire.VideoTask{ID: create.args.(wire.VideoCreate).ID, State: wire.VideoAsks})
	if f.Verb() != "Asked" || !f.Waits || len(r.Tasks.List) != 0 {
		t.Errorf("%q, %v, %d clips", f.Verb(), f.Waits, len(r.Tasks.List))
	}
}
