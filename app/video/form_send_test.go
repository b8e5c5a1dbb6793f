package video

import (
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestADoubleClickIsOneTask(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.Send()
	f.Send() // while the server has not answered
	if n := r.count(wire.OpVideoCreate); n != 1 {
		t.Fatalf("%d creations", n)
	}
	create := r.last(wire.OpVideoCreate)
	id := create.args.(wire.VideoCreate).ID
	create.answer(wire.VideoTask{ID: id, State: wire.VideoCreating, Version: 1})
	f.Send() // right after it has
	if n := r.count(wire.OpVideoCreate); n != 1 || f.Verb() != "Created" {
		t.Fatalf("%d creations, the button says %q", n, f.Verb())
	}
	for _, run := range r.timers {
		run()
	}
	f.Send()
	if n := r.count(wire.OpVideoCreate); n != 2 {
		t.Fatalf("the same again, meant: %d creations", n)
	}
	if again := r.last(wire.OpVideoCreate).args.(wire.VideoCreate).ID; again == id {
		t.Error("the same again has the first one's id: it would be the first one")
	}
}

// Another form's creation is never taken for the second click of a double click:
// neither while the first is on its way, nor right after it.
func TestAnotherFormIsCreatedHoweverSoon(t *testing.T) {
	r := newRig(t)
	f := r.Form
	made := func(want int, verb string) {
		t.Helper()
		if n := r.count(wire.OpVideoCreate); n != want || f.Verb() != verb {
			t.Fatalf("%d creations, the button says %q, want %d and %q", n, f.Verb(), want, verb)
		}
	}
	f.SetPrompt("A paper boat")
	f.Send()
	boat := r.last(wire.OpVideoCreate)
	f.SetPrompt("A tin boat")
	made(1, "Create video")
	f.Send()
	made(2, "Creating…")
	tin := r.last(wire.OpVideoCreate)
	tin.answer(wire.VideoTask{ID: tin.args.(wire.VideoCreate).ID, State: wire.VideoCreating, Version: 1})
	made(2, "Created")
	f.SetPrompt("A paper boat")
	f.Send()
	made(2, "Creating…") // the very same is still on its way
	boat.done(nil, &wire.Problem{Code: "budget", Message: "The budget is spent."})
	made(2, "Create video")
	if f.Problem == nil {
		t.Error("the refusal of what stands in the form is not shown")
	}
	f.Send()
	made(3, "Creating…")
	f.SetMode(gateway.MultiShot)
	r.last(wire.OpVideoCreate).done(nil, &wire.Problem{Code: "budget", Message: "The budget is spent."})
	if f.Problem != nil {
		t.Errorf("another form says %v", f.Problem)
	}
	if n := r.Tasks.Notices.List; len(n) == 0 || !strings.Contains(n[len(n)-1].Words, "The budget is spent.") {
		t.Errorf("nobody is told: %v", n)
	}

	// Changed and changed back is meant, without a wait.
	f.SetMode(gateway.TextToVideo)
	f.SetPrompt("A glass boat")
	f.Send()
	glass := r.last(wire.OpVideoCreate)
	glass.answer(wire.VideoTask{ID: glass.args.(wire.VideoCreate).ID, State: wire.VideoCreating, Version: 1})
	made(4, "Created")
	f.SetSeconds(6)
	f.SetSeconds(4)
	made(4, "Create video")
	f.Send()
	made(5, "Creating…")
}

// An answer that was lost while another form was shown leaves the id, too.
func TestALostAnswerKeepsItsIDBesideOthers(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.Send()
	boat := r.last(wire.OpVideoCreate)
	f.SetPrompt("A tin boat")
	f.Send()
	boat.done(nil, &wire.Problem{Code: "no_answer", Message: "The server did not answer."})
	f.SetPrompt("A paper boat")
	f.Send()
	if got, want := r.last(wire.OpVideoCreate).args.(wire.VideoCreate).ID, boat.args.(wire.VideoCreate).ID; got != want {
		t.Errorf("the id is %s, was %s: it could become two tasks", got, want)
	}
}

func TestAnAnswerThatDidNotComeLeavesTheID(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.Send()
	first := r.last(wire.OpVideoCreate)
	first.done(nil, &wire.Problem{Code: "no_answer", Message: "The server did not answer."})
	if f.Problem == nil {
		t.Error("nothing is said of it")
	}
	f.Send()
	if got, want := r.last(wire.OpVideoCreate).args.(wire.VideoCreate).ID, first.args.(wire.VideoCreate).ID; got != want {
		t.Errorf("the id is %s, was %s: it could become two tasks", got, want)
	}
}

func TestARefusalStandsAtItsField(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.Send()
	create := r.last(wire.OpVideoCreate)
	id := create.args.(wire.VideoCreate).ID
	create.answer(wire.VideoTask{ID: id, State: wire.VideoCreating, Version: 1})
	refused := wire.VideoTask{ID: id, State: wire.VideoRefused, Version: 2, Problem: &wire.Problem{Code: "invalid_seconds", Field: "seconds", Message: "no"}}
	r.News(refused)
	if f.Problem == nil || f.Problem.Field != "seconds" || f.Made {
		t.Fatalf("the problem is %v, made %v", f.Problem, f.Made)
	}
	if f.Draft().Prompt != "A paper boat" {
		t.Error("the draft is gone")
	}
	f.SetSeconds(6)
	if f.Problem != nil {
		t.Error("the problem stays after the form was changed")
	}
	refused.ID = "another"
	r.News(refused)
	if f.Problem != nil {
		t.Error("the form shows what befell a task that it did not make")
	}
}
