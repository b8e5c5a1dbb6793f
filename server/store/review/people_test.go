package review_test

import (
	"strings"
	"testing"

	"screentest/shared/wire"
)

// Who can be mentioned is told to who can mention them, and as far as both see the
// same: neither to a guest, nor who sees another version alone.
func TestWhoIsToldWhoSees(t *testing.T) {
	w := newWorld(t)
	first := w.clip(w.ann, "a fox")
	team := w.share(w.ann, first, wire.NewShare{})
	next := w.clip(w.ann, "a fox again", func(v *wire.VideoTask) { v.VersionOf = first })
	alone := w.share(w.ann, next, wire.NewShare{Audience: wire.ShareWithPeople, To: []string{w.ids[w.otto]}})
	for _, c := range []struct{ who, share, want string }{
		{w.bob, team, "Ann, Bob, Cleo, Gil, Lea"},
		{w.gil, team, ""},
		{w.otto, alone, "Ann, Otto"},
	} {
		var names []string
		for _, m := range w.look(c.who, wire.Look{Share: c.share}).Review.People {
			names = append(names, m.Name)
		}
		if got := strings.Join(names, ", "); got != c.want {
			t.Errorf("told are %q, want %q", got, c.want)
		}
	}
}
