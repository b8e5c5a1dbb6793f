package review

import (
	"slices"
	"strings"
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

func TestACommentIsSent(t *testing.T) {
	w := newWorld(t)
	th := w.seen()
	if !th.Draft(New).Empty() {
		t.Error("something is typed")
	}
	if th.Send(New) || th.Draft(New).Problem == nil {
		t.Error("a comment without words was sent")
	}
	th.SetTime(1200)
	th.Point(20_000, -4)
	th.Type(New, "  too dark, @Cleo mann and @ben ")
	if !th.Send(New) {
		t.Fatal(th.Draft(New).Problem)
	}
	if th.Send(New) || th.Draft(New).Problem != nil {
		t.Errorf("a double click is answered by %v", th.Draft(New).Problem)
	}
	c := w.asked(wire.OpComment)
	sent := c.args.(wire.Comment)
	if sent.ID != "id1" || sent.Review != "r1" || sent.Version != 2 || sent.AtMS != 1200 || *sent.X != wire.FramePoints || *sent.Y != 0 ||
		sent.Text != "too dark, @Cleo mann and @ben" || !slices.Equal(sent.Mentions, []string{"cleo2", "ben"}) {
		t.Errorf("sent %+v", sent)
	}
	if e := th.Entries(); len(e) != 1 || e[0].Waiting == nil || e[0].Mine || th.Draft(New).Text != "" {
		t.Errorf("meanwhile the comments are %+v", e)
	}
	stored := sent
	stored.Author, stored.Name, stored.CreatedMS = "ann", "Ann", 9
	w.News(stored) // the news may be faster than the answer
	c.answer(stored)
	if e := th.Entries(); len(e) != 1 || e[0].Waiting != nil || !e[0].Mine || e[0].Fresh {
		t.Errorf("in the end the comments are %+v", e)
	}
	if len(w.store) != 0 {
		t.Errorf("the browser still has %v", w.store)
	}

	// An answer stands where what it answers does.
	th.Play(1)
	th.Open(AnswerSlot("id1"))
	th.Type(AnswerSlot("id1"), "it is night")
	th.Send(AnswerSlot("id1"))
	if a := w.asked(wire.OpComment).args.(wire.Comment); a.Answers != "id1" || a.Version != 2 || a.AtMS != 1200 || a.X != nil {
		t.Errorf("the answer is %+v", a)
	}
	th.Type(New, strings.Repeat("é", wire.MaxComment/2+1))
	if th.Send(New) || !strings.Contains(th.Draft(New).Problem.Message, "4096") {
		t.Error("a comment that is too long was sent, or the bound isn't said")
	}
}

// Nothing that was typed or sent is lost, and nothing is there twice.
func TestACommentThatDoesNotArrive(t *testing.T) {
	w := newWorld(t)
	th := w.seen()
	th.Type(New, "one")
	th.Send(New)
	w.asked(wire.OpComment).refuse("no_answer")
	if e := th.Entries(); len(e) != 1 || e[0].Waiting == nil || e[0].Waiting.Problem != nil {
		t.Fatalf("it is not waiting: %+v", e)
	}
	th.Type(New, "two, not sent")
	w.quiet()
	w.News(session.Greeting{})
	w.asked(wire.OpLook).answer(reviewOf())
	if again := w.asked(wire.OpComment).args.(wire.Comment); again.ID != "id1" || again.Text != "one" {
		t.Errorf("sent again: %+v", again)
	}
	w.quiet()

	// The page is loaded again before the answer.
	w.reload()
	th = w.seen()
	if th.Draft(New).Text != "two, not sent" {
		t.Errorf("the draft is %q", th.Draft(New).Text)
	}
	c := w.asked(wire.OpComment)
	if got := c.args.(wire.Comment).ID; got != "id1" {
		t.Errorf("sent again as %s", got)
	}
	c.refuse("not_allowed")
	if e := th.Entries(); len(e) != 1 || e[0].Waiting.Problem == nil {
		t.Errorf("that it was refused isn't said: %+v", e)
	}
	w.News(session.Greeting{})
	w.asked(wire.OpLook).answer(reviewOf())
	w.quiet() // what was refused isn't sent unasked
	th.SendAgain("id1")
	w.asked(wire.OpComment).refuse("not_allowed")
	th.TakeBack("id1")
	if th.Draft(New).Text != "one\n\ntwo, not sent" || len(th.Entries()) != 0 {
		t.Errorf("taken back: %q, %+v", th.Draft(New).Text, th.Entries())
	}

	// It had arrived: it is there once.
	th.Send(New)
	w.reload()
	arrived := said("id2", 0)
	th = w.seen(arrived)
	w.lists(th, "id2")
	w.quiet()
	if len(w.store) != 0 {
		t.Errorf("the browser still has %v", w.store)
	}
}

func TestACommentIsChanged(t *testing.T) {
	w := newWorld(t)
	mine := said("m", 10)
	mine.Author = "ann"
	th := w.seen(mine)
	th.Open(EditSlot("m"))
	if th.Draft(EditSlot("m")).Text != "of m" {
		t.Errorf("the field has %q", th.Draft(EditSlot("m")).Text)
	}
	th.Type(EditSlot("m"), "better")
	w.reload()
	th = w.seen(mine)
	if d := th.Draft(EditSlot("m")); d.Text != "better" {
		t.Errorf("after a reload the field has %+v", d)
	}
	th.Send(EditSlot("m"))
	th.Send(EditSlot("m")) // once
	edit := w.asked(wire.OpCommentEdit)
	w.quiet()
	edit.refuse("no_answer")
	if d := th.Draft(EditSlot("m")); d.Problem == nil || d.Text != "better" {
		t.Errorf("what was typed is lost: %+v", d)
	}
	th.Send(EditSlot("m"))
	mine.Text, mine.EditedMS = "better", 4
	w.asked(wire.OpCommentEdit).answer(mine)
	if e := th.Entries()[0]; e.Text != "better" || th.Draft(EditSlot("m")).Text != "" || len(w.store) != 0 {
		t.Errorf("it is %+v, the browser has %v", e, w.store)
	}
	of := func(author string, clears bool) Entry {
		th.Review.Comments[0].Author, th.find(th.Review.Comments[0].Version).Clears = author, clears
		th.Show(false, 0)
		return th.Entries()[0]
	}
	if of("ben", false).May || !of("ben", true).May || of("ben", true).Mine {
		t.Error("what another says is deleted by who may, and not by who mayn't")
	}
	of("ann", true)
	w.me.Role = wire.RoleGuest
	th.Show(false, 0)
	if e := th.Entries()[0]; e.Mine || e.May {
		t.Error("a guest may change comments")
	}
}

func TestPeopleAreMentioned(t *testing.T) {
	people := []wire.Mate{{ID: "1", Name: "Ann"}, {ID: "2", Name: "Ann Lee"}, {ID: "3", Name: "Ann"}, {ID: "4", Name: "Żaneta"}}
	for _, c := range []struct {
		text   string
		picked []string
		want   []string
	}{
		{"@Ann Lee, look", nil, []string{"2"}},
		{"@ann", nil, []string{"1", "3"}},
		{"@Ann", []string{"3", "2"}, []string{"3"}},
		{"mail@Ann.example and @Anna", nil, nil},
		{"(@żaneta) @Ann Lee @Ann Lee", nil, []string{"4", "2"}},
		{"@", nil, nil},
	} {
		if got := Mentioned(c.text, people, c.picked); !slices.Equal(got, c.want) {
			t.Errorf("%q mentions %q, want %q", c.text, got, c.want)
		}
		whole := ""
		for _, p := range Pieces(c.text, people) {
			whole += p.Text
		}
		if whole != c.text {
			t.Errorf("the pieces of %q are %q", c.text, whole)
		}
	}
	for before, want := range map[string]string{"hi @an": "an", "@": "", "a@b": "-", "@ann\n": "-", "no": "-", "@ x": "-", "(@Ann L": "Ann L"} {
		query, typing := Mention(before)
		if !typing {
			query = "-"
		}
		if query != want {
			t.Errorf("%q asks for %q, want %q", before, query, want)
		}
	}
	if m := Matches(people, "le"); len(m) != 1 || m[0].ID != "2" {
		t.Errorf("le finds %v", m)
	}
	if before, after := Complete("so @le", " there", "Ann Lee"); before+"|"+after != "so @Ann Lee| there" {
		t.Errorf("completed: %s|%s", before, after)
	}
}

func FuzzPieces(f *testing.F) {
	people := []wire.Mate{{Name: "Ann"}, {Name: "İ"}, {Name: "Kel vin"}}
	for _, s := range []string{"@Ann", "@i", "@İ @\xff", "@\u212Ael vin"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole := ""
		for _, p := range Pieces(text, people) {
			whole += p.Text
		}
		if whole != text {
			t.Errorf("the pieces of %q are %q", text, whole)
		}
	})
}

// An answer that is being typed when its comment is deleted becomes a comment of the
// same time; a change that is refused is told where the comment stands.
func TestWhatIsTypedOutlivesItsComment(t *testing.T) {
	w := newWorld(t)
	mine := said("mine", 700)
	mine.Author = "ann"
	th := w.seen(said("c", 500), mine)
	th.Play(1)
	th.Type(AnswerSlot("c"), "half an answer")
	w.News(wire.Comment{ID: "c", Review: "r1", Deleted: true})
	if d := th.Draft(New); d.Text != "half an answer" || d.AtMS != 500 || d.Version != 2 {
		t.Errorf("the draft is %+v", d)
	}
	th.Type(AnswerSlot("mine"), "and more")
	w.News(session.Greeting{})
	w.asked(wire.OpLook).answer(reviewOf())
	if d := th.Draft(New); d.Text != "half an answer\n\nand more" || len(w.store) != 1 {
		t.Errorf("the draft is %+v, the browser has %v", d, w.store)
	}

	w.News(session.Greeting{})
	w.asked(wire.OpLook).answer(reviewOf(mine))
	th.Type(EditSlot("mine"), "better")
	th.Send(EditSlot("mine"))
	w.asked(wire.OpCommentEdit).refuse("not_allowed")
	if e := th.Entries()[0]; e.Trouble == nil || th.Draft(EditSlot("mine")).Text != "better" {
		t.Errorf("%+v", e)
	}
	th.Send(EditSlot("mine"))
	if e := th.Entries()[0]; e.Trouble != nil {
		t.Errorf("while it is tried again: %+v", e.Trouble)
	}
}

// A comment is on the version on which it was begun, as its time and point are.
func TestACommentStaysOnItsVersion(t *testing.T) {
	w := newWorld(t)
	th := w.seen()
	th.Play(1)
	th.SetTime(300)
	th.Type(New, "too dark")
	th.Play(2)
	th.Type(New, "too dark here")
	th.Send(New)
	c := w.asked(wire.OpComment)
	if sent := c.args.(wire.Comment); sent.Version != 1 || sent.AtMS != 300 {
		t.Errorf("sent %+v", sent)
	}
	c.refuse("not_allowed")
	th.TakeBack("id1")
	if d := th.Draft(New); d.Version != 1 {
		t.Errorf("taken back: %+v", d)
	}
	th.Discard(New)
	th.Type(New, "good")
	th.Send(New)
	if sent := w.asked(wire.OpComment).args.(wire.Comment); sent.Version != 2 {
		t.Errorf("sent %+v", sent)
	}
}
