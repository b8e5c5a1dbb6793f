package review

import (
	"fmt"
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

func TestAThreadIsInTheOrderOfTheClip(t *testing.T) {
	w := newWorld(t)
	late := said("a", 500)
	late.CreatedMS = 2000
	answer := said("d", 900)
	answer.Answers = "c"
	th := w.seen(said("c", 900), late, said("b", 500), answer)
	w.lists(th, "b", "a", "c")
	if th.Version != 2 {
		t.Errorf("version %d is played, want the newest", th.Version)
	}
	if got := ids(th.Entries()[2].Answers); len(got) != 1 || got[0] != "d" {
		t.Errorf("the answers are %q", got)
	}
	if all, open := th.Count(); all != 3 || open != 3 {
		t.Errorf("%d comments, %d open", all, open)
	}
	for _, v := range [][2]int{{1, 1}, {9, 2}, {1, 1}, {0, 2}} {
		if th.Play(v[0]); th.Version != v[1] {
			t.Errorf("version %d is played in place of %d, want %d", th.Version, v[0], v[1])
		}
	}
	w.Leave()
	w.asked(wire.OpLookAway)
	th = w.Look(wire.Look{Share: "s1"})
	th.Play(1) // before it is known what there is
	w.asked(wire.OpLook).answer(reviewOf(said("c", 900), late, said("b", 500)))
	if th.Version != 1 {
		t.Errorf("version %d is played, want the one that was asked for", th.Version)
	}
	// Two at the same moment have one order, whichever came first.
	x, y := said("y", 700), said("x", 700)
	w.News(x)
	w.News(y)
	w.lists(th, "b", "a", "x", "y", "c")
}

func TestNewsOfAThread(t *testing.T) {
	w := newWorld(t)
	th := w.seen(said("a", 100))
	w.News(said("b", 50))
	mine := said("m", 60)
	mine.Author = "ann"
	w.News(mine)
	other := said("o", 10)
	other.Review = "r2"
	w.News(other)
	w.lists(th, "b", "m", "a")
	if e := th.Entries(); !e[0].Fresh || e[1].Fresh || e[2].Fresh || e[0].Mine || !e[1].Mine {
		t.Errorf("fresh and mine: %+v", e)
	}
	if at, is := th.Select("b"); at != 50 || !is || th.Entries()[0].Fresh {
		t.Errorf("a comment that was opened is still new")
	}
	resolved := said("a", 100)
	resolved.Resolver, resolved.ResolvedMS = "Cleo", 5
	w.News(resolved)
	th.Show(true, 0)
	w.lists(th, "b", "m")
	th.Show(false, 1)
	w.lists(th)
	th.Show(false, 0)

	// Gone without answers it is no more; with some it keeps their place, without
	// its words.
	answer := said("n", 0)
	answer.Answers = "b"
	w.News(answer)
	w.News(wire.Comment{ID: "m", Review: "r1", Deleted: true})
	w.News(wire.Comment{ID: "b", Review: "r1", Deleted: true})
	w.lists(th, "b", "a")
	if e := th.Entries()[0]; e.Text != "" || !e.Deleted || e.AtMS != 50 || len(e.Answers) != 1 {
		t.Errorf("the deleted comment is %+v", e)
	}

	w.News(wire.ReviewStep{Review: "r1", Version: 2, State: wire.ReviewApproved, By: "Cleo", AtMS: 7})
	w.News(wire.ReviewStep{Review: "r1", Version: 2, State: wire.ReviewApproved, By: "Cleo", AtMS: 7})
	if h := th.History(2); th.Played().State != wire.ReviewApproved || len(h) != 1 || h[0].By != "Cleo" {
		t.Errorf("the state is %q after %v", th.Played().State, h)
	}
	w.quiet()
	w.News(session.Versions{ID: "r1"})
	w.News(session.Versions{ID: "r1"})
	w.pass()
	w.asked(wire.OpLook)
	w.quiet()
}

// What may not be seen any more is not on the page any more, and nothing that
// was typed is lost.
func TestAThreadThatIsNotSharedAnyMore(t *testing.T) {
	w := newWorld(t)
	th := w.seen(said("a", 100))
	th.Type(New, "half a thought")
	th.Select("a")
	w.News(session.SharesChanged{})
	w.pass()
	w.asked(wire.OpLook).refuse("not_found")
	if th.Phase != Gone || th.Review.ID != "" || len(th.Review.Comments)+len(th.Review.Versions) != 0 || th.Entries() != nil || th.Selected != "" {
		t.Errorf("the thread is %+v", th)
	}
	w.News(said("b", 1))
	if th.Entries() != nil {
		t.Error("news reach a thread that is gone")
	}
	w.Leave()
	w.quiet() // there is nothing to look away from
	if again := w.seen(); again.Draft(New).Text != "half a thought" {
		t.Errorf("the draft is %q", again.Draft(New).Text)
	}
}

func TestAThreadIsLeft(t *testing.T) {
	w := newWorld(t)
	w.Look(wire.Look{Clip: "c1"})
	first := w.asked(wire.OpLook)
	w.seen()
	// A look that is answered after all is taken back, unless it is the one that
	// is open.
	first.answer(wire.Review{ID: "r9"})
	if got := w.asked(wire.OpLookAway).args; got != (wire.Target{ID: "r9"}) {
		t.Errorf("looked away from %v", got)
	}
	w.Leave()
	if got := w.asked(wire.OpLookAway).args; got != (wire.Target{ID: "r1"}) {
		t.Errorf("looked away from %v", got)
	}
	w.quiet()
	w.News(session.Greeting{})
	w.quiet()

	// The clip that one went on to may be another version of it: that look stays.
	w.Look(wire.Look{Clip: "c1"})
	w.Look(wire.Look{Clip: "c2"})
	one, two := w.asked(wire.OpLook), w.asked(wire.OpLook)
	one.answer(wire.Review{ID: "r1"})
	w.quiet()
	two.answer(wire.Review{ID: "r1"})
	w.quiet()
	w.Look(wire.Look{Clip: "c3"})
	w.asked(wire.OpLookAway)
	w.Look(wire.Look{Clip: "c4"})
	one, two = w.asked(wire.OpLook), w.asked(wire.OpLook)
	one.answer(wire.Review{ID: "r3"})
	w.quiet()
	two.answer(wire.Review{ID: "r4"})
	if got := w.asked(wire.OpLookAway).args; got != (wire.Target{ID: "r3"}) {
		t.Errorf("looked away from %v", got)
	}
	w.quiet()
}

func TestAThreadThatCannotBeFetched(t *testing.T) {
	w := newWorld(t)
	th := w.Look(wire.Look{Share: "s1"})
	w.asked(wire.OpLook).refuse("no_answer")
	if th.Phase != Failed || th.Problem == nil {
		t.Fatalf("phase %v, %v", th.Phase, th.Problem)
	}
	th.Again()
	w.asked(wire.OpLook).answer(reviewOf(said("a", 1)))
	w.lists(th, "a")
	// Later a look that fails leaves what is there.
	w.News(session.Greeting{})
	w.asked(wire.OpLook).refuse("no_answer")
	w.lists(th, "a")
}

func TestCommentsOneAfterTheOther(t *testing.T) {
	w := newWorld(t)
	th := w.seen(said("a", 100), said("b", 200), said("c", 300))
	for _, c := range []struct {
		by   int
		now  int64
		want string
	}{{1, 150, "b"}, {-1, 150, "a"}, {1, 400, ""}, {-1, 400, "c"}, {1, 0, "a"}, {-1, 0, ""}, {1, 200, "b"}, {-1, 200, "a"}} {
		if got := th.Beside(c.by, c.now); got != c.want {
			t.Errorf("%d on from %d is %q, want %q", c.by, c.now, got, c.want)
		}
	}
	th.Select("b")
	if on, back := th.Beside(1, 0), th.Beside(-1, 0); on != "c" || back != "a" {
		t.Errorf("beside b are %q and %q", back, on)
	}
	// One that is dealt with leads to the next, where only open ones are shown.
	th.Show(true, 0)
	th.Resolve("b", true)
	th.Resolve("b", true) // once
	done := said("b", 200)
	done.ResolvedMS = 9
	w.asked(wire.OpCommentEdit).answer(done)
	w.quiet()
	w.lists(th, "a", "c")
	if th.Selected != "c" {
		t.Errorf("%q is open", th.Selected)
	}
	th.Delete("a")
	w.asked(wire.OpCommentEdit).refuse("not_found")
	if th.Entries()[0].Trouble == nil || th.Entries()[0].Busy {
		t.Error("that it could not be deleted isn't said")
	}
}

func TestMuchIsSaid(t *testing.T) {
	w := newWorld(t)
	var all []wire.Comment
	for i := range wire.MaxComments {
		all = append(all, said(fmt.Sprintf("c%04d", i), int64(i)*3))
	}
	th := w.seen(all...)
	shows := func(first string, n, before, after int) {
		t.Helper()
		list, b, a := th.Drawn()
		if len(list) != n || list[0].ID != first || b != before || a != after {
			t.Errorf("%d from %s are drawn, between %d and %d; want %d from %s, between %d and %d", len(list), list[0].ID, b, a, n, first, before, after)
		}
	}
	shows("c0000", 100, 0, 1900)
	th.Draw(true)
	shows("c0100", 100, 100, 1800)
	w.News(said("new", 3)) // before them: what is drawn stays
	shows("c0100", 100, 101, 1800)
	th.Select("c1000")
	shows("c0950", 100, 951, 950)
	th.Draw(false)
	shows("c0850", 100, 851, 1050)
	th.Select("c1999")
	shows("c1900", 100, 1901, 0)
	th.Draw(true)
	shows("c1900", 100, 1901, 0)
	th.Draw(false)
	for range 30 {
		th.Draw(false)
	}
	shows("c0000", 100, 0, 1901)

	marks, sum := Marks(th.Entries()), 0
	for _, m := range marks {
		sum += 1 + m.Others
	}
	if len(marks) > 151 || len(marks) < 100 || sum != wire.MaxComments+1 {
		t.Errorf("%d marks are of %d comments", len(marks), sum)
	}
	if few := Marks(th.Entries()[:3]); len(few) != 3 {
		t.Errorf("%d marks are of 3 comments", len(few))
	}
}

func TestPointsOfTheFrame(t *testing.T) {
	w := newWorld(t)
	x, y := 2500, 7500
	pointed := func(id string, at int64, version int) wire.Comment {
		c := said(id, at)
		c.X, c.Y, c.Version = &x, &y, version
		return c
	}
	th := w.seen(pointed("a", 1000, 2), pointed("b", 3000, 2), pointed("old", 1000, 1), said("none", 1000))
	for now, want := range map[int64]string{1300: "a", 700: "a", 500: "", 2700: "b"} {
		got := ""
		for _, e := range th.Points(now) {
			got += e.ID
		}
		if got != want {
			t.Errorf("at %d ms the points of %q are drawn, want %q", now, got, want)
		}
	}
	th.Select("old")
	if got := th.Points(3000); len(got) != 2 || got[0].ID != "old" {
		t.Errorf("the open one's point is not drawn: %v", ids(got))
	}
	// A wide picture in a tall box stands in its middle.
	f := FrameOf(400, 400, 1600, 800)
	if f != (Frame{0, 100, 400, 200}) {
		t.Errorf("the frame is %+v", f)
	}
	if px, py := f.Point(100, 250); px != 2500 || py != 7500 {
		t.Errorf("the point is %d, %d", px, py)
	}
	if px, py := f.Point(-5, 50); px != 0 || py != 0 {
		t.Errorf("a point outside is %d, %d", px, py)
	}
	if x, y := f.Place(2500, 7500); x != 100 || y != 250 {
		t.Errorf("its place is %v, %v", x, y)
	}
	files := Files(wire.ReviewVersion{Media: []string{"", "/m/1", "/m/2"}, Posters: []string{"/p/0", "/p/1"}})
	if len(files) != 2 || files[0] != (File{1, "/m/1", "/p/1"}) || files[1] != (File{2, "/m/2", ""}) {
		t.Errorf("the files are %+v", files)
	}
	if Length(75.4) != "1:15" {
		t.Error("lengths are written otherwise")
	}
	if Time(63_250) != "1:03.2" || Time(-4) != "0:00.0" {
		t.Error("times are written otherwise")
	}
}

func TestStatesOfAVersion(t *testing.T) {
	names := func(th *Thread) (all string) {
		for _, m := range th.Moves() {
			all += m.Name + ". "
		}
		return all
	}
	for _, c := range []struct {
		state             string
		presents, decides bool
		want              string
	}{
		{wire.ReviewDraft, true, false, "Ask for a review. "},
		{wire.ReviewDraft, false, true, ""},
		{wire.ReviewOpen, false, false, ""},
		{wire.ReviewOpen, true, true, "Back to draft. Approve. Ask for changes. "},
		{wire.ReviewOpen, false, true, "Approve. Ask for changes. "},
		{wire.ReviewApproved, true, true, "Ask for another review. "},
		{wire.ReviewChanges, false, true, ""},
	} {
		w := newWorld(t)
		th := w.Look(wire.Look{Clip: "c"})
		w.asked(wire.OpLook).answer(wire.Review{ID: "r1", Presents: c.presents, Decides: c.decides, Versions: []wire.ReviewVersion{{Version: 1, State: c.state}}})
		if got := names(th); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}

	w := newWorld(t)
	th := w.seen()
	th.Type(Note, " good ")
	th.Give(wire.ReviewApproved)
	th.Give(wire.ReviewApproved) // once
	step := w.asked(wire.OpReviewStep)
	if step.args != (wire.ReviewStep{Review: "r1", Version: 2, State: wire.ReviewApproved, Note: "good"}) {
		t.Errorf("the step is %+v", step.args)
	}
	w.quiet()
	done := wire.ReviewStep{Review: "r1", Version: 2, State: wire.ReviewApproved, Note: "good", By: "Ann", AtMS: 3}
	w.News(done)
	step.answer(done)
	if len(th.History(2)) != 1 || th.Played().State != wire.ReviewApproved || th.Draft(Note).Text != "" || th.Step.Busy {
		t.Errorf("after it: %+v, %v", th.Step, th.History(2))
	}
	// Somebody was faster: that is said, and what is there is fetched.
	th.Give(wire.ReviewOpen)
	w.asked(wire.OpReviewStep).refuse("conflict")
	if th.Step.Problem == nil {
		t.Error("nothing is said")
	}
	w.asked(wire.OpLook)
}
