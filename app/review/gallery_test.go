package review

import (
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

func TestTheGalleryOfATeam(t *testing.T) {
	w := newWorld(t)
	g := &w.Gallery
	clips := func(shares ...string) (list []wire.TeamClip) {
		for _, s := range shares {
			list = append(list, wire.TeamClip{Share: s})
		}
		return list
	}
	has := func(want string) {
		t.Helper()
		got := ""
		for _, c := range g.Clips {
			got += c.Share
		}
		if got != want {
			t.Errorf("the clips are %q, want %q", got, want)
		}
	}
	w.News(session.Greeting{})
	w.quiet() // no team is shown
	g.Show("lab", "")
	w.asked(wire.OpTeamClips).answer(wire.TeamClips{Clips: clips("c", "b"), Before: "x"})
	w.quiet()
	g.FetchMore()
	g.FetchMore()
	more := w.asked(wire.OpTeamClips)
	if q := more.args.(wire.TeamClipQuery); q.Before != "x" || q.Team != "lab" {
		t.Errorf("asked for %+v", q)
	}
	w.quiet()
	more.answer(wire.TeamClips{Clips: clips("a")})
	has("cba")
	g.FetchMore()
	w.quiet()

	// What is asked for after another choice isn't shown.
	w.News(session.SharesChanged{})
	late := w.asked(wire.OpTeamClips)
	g.Show("lab", wire.ReviewOpen)
	late.answer(wire.TeamClips{Clips: clips("z")})
	has("")
	w.asked(wire.OpTeamClips).answer(wire.TeamClips{Clips: clips("b")})
	has("b")
	g.Again()
	w.asked(wire.OpTeamClips).refuse("not_found") // one left the team
	has("")
	if g.Problem == nil {
		t.Error("nothing is said")
	}
	g.Show("", "")
	w.quiet()
}
