package review

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Step is a state that is being given to a version.
type Step struct {
	Busy    bool
	Problem *wire.Problem
}

// States are all there are, in their order, with their words and the tone in
// which they are said.
var States = []struct{ State, Name, Tone string }{
	{wire.ReviewDraft, "Draft", ""},
	{wire.ReviewOpen, "In review", "warn"},
	{wire.ReviewChanges, "Changes asked", "bad"},
	{wire.ReviewApproved, "Approved", "good"},
}

// StateWords are a state in words, with its tone.
func StateWords(state string) (name, tone string) {
	for _, s := range States {
		if s.State == state {
			return s.Name, s.Tone
		}
	}
	return state, ""
}

// Did says what somebody did who gave a version a state.
func Did(state string) string {
	switch state {
	case wire.ReviewOpen:
		return "asked for a review"
	case wire.ReviewApproved:
		return "approved it"
	case wire.ReviewChanges:
		return "asked for changes"
	}
	return "moved it back to draft"
}

// Move is a state that one may give the version that is played.
type Move struct {
	State, Name string
	Next        bool // the one thing to do next
}

// Moves are those there are.
func (t *Thread) Moves() []Move {
	v := t.Played()
	if v == nil {
		return nil
	}
	var list []Move
	if t.Review.Presents {
		switch v.State {
		case wire.ReviewDraft:
			list = append(list, Move{wire.ReviewOpen, "Ask for a review", false})
		case wire.ReviewOpen:
			list = append(list, Move{wire.ReviewDraft, "Back to draft", false})
		default:
			list = append(list, Move{wire.ReviewOpen, "Ask for another review", false})
		}
	}
	if t.Review.Decides && v.State == wire.ReviewOpen {
		list = append(list, Move{wire.ReviewApproved, "Approve", true}, Move{wire.ReviewChanges, "Ask for changes", false})
	}
	return list
}

// Give gives the version that is played a state, with the note that is typed.
func (t *Thread) Give(state string) {
	note := strings.TrimSpace(t.Draft(Note).Text)
	switch {
	case t.Phase != Ready || t.Step.Busy:
		return
	case len(note) > wire.MaxReviewNote:
		t.Step.Problem = &wire.Problem{Code: "bad_field", Field: "note",
			Message: fmt.Sprintf("A note has up to %d bytes; this one has %d.", wire.MaxReviewNote, len(note)), Hint: "Shorten it or write comments instead."}
		t.changed()
		return
	}
	t.Step = Step{Busy: true}
	step := wire.ReviewStep{Review: t.Review.ID, Version: t.Version, State: state, Note: note}
	t.d.o.Server.Call(wire.OpReviewStep, step, func(data json.RawMessage, p *wire.Problem) {
		var done wire.ReviewStep
		p = session.Read(data, p, &done)
		if t.Phase != Ready {
			return
		}
		t.Step = Step{Problem: p}
		if p == nil {
			t.dropDraft(Note)
			t.stepped(done)
		} else if !session.Unanswered(p) {
			t.look() // somebody was faster
		}
		t.changed()
	})
	t.changed()
}

// stepped takes a state that somebody gave.
func (t *Thread) stepped(s wire.ReviewStep) {
	if slices.Contains(t.Review.Steps, s) {
		return
	}
	t.Review.Steps = append(t.Review.Steps, s)
	if v := t.find(s.Version); v != nil {
		v.State = s.State
	}
	t.Step.Problem = nil
}

// History are the states that a version was given, the newest first.
func (t *Thread) History(version int) []wire.ReviewStep {
	var list []wire.ReviewStep
	for _, s := range t.Review.Steps {
		if s.Version == version {
			list = append(list, s)
		}
	}
	slices.Reverse(list)
	return list
}
