package video

import (
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// creations are the calls that make clips, in their order.
func (r *rig) creations() (list []call) {
	for _, c := range r.calls {
		if c.op == wire.OpVideoCreate {
			list = append(list, c)
		}
	}
	return list
}

func (c call) made() {
	c.answer(wire.VideoTask{ID: c.args.(wire.VideoCreate).ID, State: wire.VideoCreating, Version: 1})
}

func TestEachTakeIsATaskOfItsOwn(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	one := f.Check.Price.Cost
	f.SetTakes(3)
	if price, basis := f.Total(); price != (3*one).String() || !strings.HasPrefix(basis, "3 takes × ") || f.Check.Price.Cost != one {
		t.Errorf("three cost %v, %q; each %v", price, basis, f.Check.Price.Cost)
	}
	if f.Verb() != "Create 3 videos" {
		t.Errorf("the button says %q", f.Verb())
	}
	f.Send()
	f.Send() // a double click
	list := r.creations()
	if len(list) != 3 {
		t.Fatalf("%d creations", len(list))
	}
	ids := map[string]bool{}
	for i, c := range list {
		if f.Verb() != "Creating…" {
			t.Errorf("after %d answers the button says %q", i, f.Verb())
		}
		ids[c.args.(wire.VideoCreate).ID] = true
		c.made()
	}
	f.Send()
	if len(ids) != 3 || f.Verb() != "Created" || f.MadeCount() != 3 || len(r.creations()) != 3 {
		t.Errorf("%d ids, %q, %d made, %d creations", len(ids), f.Verb(), f.MadeCount(), len(r.creations()))
	}
	for _, run := range r.timers {
		run()
	}
	f.Send()
	if n := len(r.creations()); n != 6 {
		t.Errorf("the same again, meant: %d creations", n)
	}
}

// A take that fails leaves the others, and the next click makes only what is
// missing: what had no answer under the id that it had.
func TestTheNextClickMakesOnlyTheTakesThatFailed(t *testing.T) {
	for _, last := range []int{0, 1, 2} { // whose answer comes last
		r := newRig(t)
		f := r.Form
		f.SetPrompt("A paper boat")
		f.SetTakes(3)
		f.Send()
		list := r.creations()
		answers := []func(){
			func() { list[0].made() },
			func() { list[1].done(nil, &wire.Problem{Code: "budget", Message: "The budget is spent."}) },
			func() { list[2].done(nil, &wire.Problem{Code: "no_answer", Message: "The server did not answer."}) },
		}
		for i, answer := range answers {
			if i != last {
				answer()
			}
		}
		answers[last]()
		if f.Problem == nil || !strings.HasPrefix(f.Problem.Message, "Made 1 of 3 clips. The ") {
			t.Fatalf("the form says %v", f.Problem)
		}
		if f.Takes() != 2 || f.Verb() != "Create 2 videos" {
			t.Errorf("%d takes are left, the button says %q", f.Takes(), f.Verb())
		}
		f.Send()
		again := r.creations()[3:]
		if len(again) != 2 {
			t.Fatalf("%d are sent again", len(again))
		}
		lost := 0
		for _, c := range again {
			switch c.args.(wire.VideoCreate).ID {
			case list[2].args.(wire.VideoCreate).ID:
				lost++
			case list[0].args.(wire.VideoCreate).ID, list[1].args.(wire.VideoCreate).ID:
				t.Error("what was answered is sent again under its id")
			}
		}
		if lost != 1 {
			t.Errorf("what had no answer is sent %d times under its id", lost)
		}
	}
}

func TestTakesOfOneSeedAreTold(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.Extend)
	f.SetTakes(2)
	if f.TakesNote() != "" {
		t.Errorf("without a seed it says %q", f.TakesNote())
	}
	f.Set("seeds", "7")
	if f.TakesNote() == "" {
		t.Error("two takes of one seed are not told apart from two")
	}
	f.SetTakes(1)
	if f.TakesNote() != "" {
		t.Errorf("of one take it says %q", f.TakesNote())
	}
	f.SetTakes(9)
	if f.Takes() != MostTakes {
		t.Errorf("%d takes", f.Takes())
	}
	f.SetMode(gateway.Upscale)
	if f.Takes() != 1 {
		t.Errorf("an upscale has %d takes", f.Takes())
	}
}
