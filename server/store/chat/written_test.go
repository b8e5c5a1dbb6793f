package chat_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// A person writes both sides of a talk, and an answer beside a model's.
func TestMessagesThatAPersonWrites(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	talk := storetest.NewID()
	write := func(parent, role, text string) wire.Message {
		t.Helper()
		m := wire.Message{ID: storetest.NewID(), Parent: parent, Role: role, Text: text}
		sum, err := db.WriteMessage(ctx, owner, wire.Written{Conversation: talk, Message: m})
		storetest.Must(t, err)
		if sum.ID != talk || sum.Title != "An example of a question" || sum.CostNanoUSD != 0 {
			t.Errorf("the list has %+v", sum)
		}
		return m
	}
	asked := write("", "user", "An example\nof a question")
	answer := write(asked.ID, "assistant", "an unmistakable answer")
	if _, err := db.WriteMessage(ctx, owner, wire.Written{Conversation: talk, Message: answer}); err != nil {
		t.Errorf("written twice: %v", err)
	}
	another := answer
	another.Text = "another text"
	if _, err := db.WriteMessage(ctx, owner, wire.Written{Conversation: talk, Message: another}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("another text under the same id: %v", err)
	}
	over := storetest.NewStart(talk, "An example\nof a question")
	over.User, over.Answer = asked, answer.ID
	if err := storetest.StartTurn(db, owner, over); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a model writes over what a person wrote: %v", err)
	}

	// A model answers what follows, and the person writes that anew.
	s := storetest.NewStart(talk, "and now?")
	s.User.Parent = answer.ID
	storetest.Must(t, storetest.StartTurn(db, owner, s))
	edited := wire.Message{ID: storetest.NewID(), Parent: s.User.ID, Role: "assistant", Text: "as I would have it"}
	below := wire.Message{ID: storetest.NewID(), Parent: s.Answer, Role: "user", Text: "x"}
	if _, err := db.WriteMessage(ctx, owner, wire.Written{Conversation: talk, Message: below}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("below an answer under way: %v", err)
	}
	storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 7), "as the model has it", nil, nil, nil))
	_, err := db.WriteMessage(ctx, owner, wire.Written{Conversation: talk, Message: edited})
	storetest.Must(t, err)

	opened, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: talk})
	storetest.Must(t, err)
	var got []string
	for _, m := range opened.Messages {
		line := m.Role + ": " + m.Text
		if m.Run == nil && m.Role == "assistant" {
			line += " (written)"
		}
		got = append(got, line)
	}
	if want := []string{"user: An example\nof a question", "assistant: an unmistakable answer (written)", "user: and now?",
		"assistant: as the model has it", "assistant: as I would have it (written)"}; !slices.Equal(got, want) {
		t.Errorf("the conversation has %q", got)
	}
	storetest.Indexed(t, db)
	if found := storetest.Search(t, db, owner, wire.Search{Query: "unmistakable"}); len(found) != 1 {
		t.Errorf("found %q", found)
	}

	// No vote is for what no model wrote.
	v := wire.Vote{Conversation: talk, Message: s.User.ID, Winner: edited.ID, Models: []string{"a", "b"}, Answers: []string{s.Answer, edited.ID}}
	if _, err := db.SetVote(ctx, owner, v); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a vote for it: %v", err)
	}
	v.Answers = nil
	if _, err := db.SetVote(ctx, owner, v); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a vote for it that doesn't name the answers: %v", err)
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	other := storetest.AddUser(t, db, "other")
	s, theirs := storetest.NewStart("", "mine"), storetest.NewStart("", "theirs")
	storetest.Must(t, storetest.StartTurn(db, owner, s), storetest.StartTurn(db, other, theirs))
	storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 7), "a", nil, nil, nil))
	for _, c := range []struct {
		name, field string
		is          error
		change      func(w *wire.Written)
	}{
		{"no text", "message.text", nil, func(w *wire.Written) { w.Message.Text = "" }},
		{"too long a text", "message.text", nil, func(w *wire.Written) { w.Message.Text = strings.Repeat("x", wire.MaxBody+1) }},
		{"a function's result", "message.role", nil, func(w *wire.Written) { w.Message.Role = "tool" }},
		{"a lane that there is not", "message.lane", nil, func(w *wire.Written) { w.Message.Lane = 64 }},
		{"an image", "message", nil, func(w *wire.Written) { w.Message.Images = []wire.Image{{ID: "x"}} }},
		{"no id", "message.id", nil, func(w *wire.Written) { w.Message.ID = "7" }},
		{"no conversation", "conversation", nil, func(w *wire.Written) { w.Conversation = "" }},
		{"below a message that there is not", "", fs.ErrNotExist, func(w *wire.Written) { w.Message.Parent = storetest.NewID() }},
		{"below another's message", "", fs.ErrNotExist, func(w *wire.Written) { w.Message.Parent = theirs.User.ID }},
		{"below a message of another conversation", "", fs.ErrNotExist, func(w *wire.Written) { w.Conversation = storetest.NewID() }},
		{"into another's conversation", "", fs.ErrNotExist, func(w *wire.Written) { w.Conversation = theirs.Conversation }},
		{"in place of a model's answer", "", fs.ErrExist, func(w *wire.Written) { w.Message.ID, w.Message.Parent = s.Answer, s.User.ID }},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := wire.Written{Conversation: s.Conversation, Message: wire.Message{ID: storetest.NewID(), Parent: s.Answer, Role: "user", Text: "x"}}
			c.change(&in)
			_, err := db.WriteMessage(ctx, owner, in)
			if c.is != nil && !errors.Is(err, c.is) || c.is == nil && storetest.Problem(err).Field != c.field {
				t.Errorf("%v", err)
			}
		})
	}
}
