package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/shared/wire"
)

// StartAt stores a turn in a new conversation, begun at ms.
func StartAt(t testing.TB, db *store.DB, owner, title string, ms int64) wire.Start {
	t.Helper()
	s := NewStart("", title)
	r := RunOf(s)
	r.StartedMS = ms
	Must(t, Wait(func(done func(error)) { db.StartTurn(owner, s, r, title, "", done) }))
	return s
}

// Second drops a result and keeps its error.
func Second[T any](_ T, err error) error { return err }

func asProblem(err error, p **wire.Problem) bool { return errors.As(err, p) }

// ResultOf is the turn that sends the results of calls in the answer of s.
func ResultOf(s wire.Start, results ...string) wire.Start {
	next := NewStart(s.Conversation, "")
	parent := s.Answer
	for i, text := range results {
		m := wire.Message{ID: NewID(), Parent: parent, Role: "tool", Text: text, ToolCall: fmt.Sprint("call-", i), Tool: "get_weather"}
		if parent = m.ID; i < len(results)-1 {
			next.Before = append(next.Before, m)
		} else {
			next.User = m
		}
	}
	return next
}

// LongTalk is a conversation of n turns, one after the other.
func LongTalk(t testing.TB, db *store.DB, owner string, n int) (conversation string, ids []string) {
	t.Helper()
	last := ""
	for i := range n {
		s := NewStart(conversation, fmt.Sprint("question ", i))
		s.User.Parent = last
		conversation, last = s.Conversation, s.Answer
		Must(t, StartTurn(db, owner, s))
		ids = append(ids, s.User.ID, s.Answer)
	}
	return conversation, ids
}

// Everything is what an owner sees.
func Everything(t *testing.T, db *store.DB, owner string, starts ...wire.Start) (all []any) {
	t.Helper()
	ctx := context.Background()
	add := func(v any, err error) {
		t.Helper()
		Must(t, err)
		all = append(all, v)
	}
	page, err := db.Conversations(ctx, owner, wire.Page{})
	add(page, err)
	spent, err := db.Spent(ctx, owner, time.UnixMilli(0), time.Now().AddDate(9, 0, 0))
	add(spent, err)
	library, err := db.Library(ctx, owner)
	add(library, err)
	found, err := db.Search(ctx, owner, wire.Search{})
	add(found, err)
	ledger, err := db.Ledger(ctx, owner, wire.LedgerQuery{})
	add(ledger, err)
	theme, err := db.Setting(ctx, owner, "theme")
	add(theme, err)
	_, data, err := db.LoadSession(ctx, "sid")
	add(data, err)
	charges, keys, err := db.Charges(ctx, owner, "")
	add(charges, err)
	add(keys, nil)
	for _, s := range starts {
		opened, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: s.Conversation})
		add(opened, err)
		r, err := db.Run(ctx, owner, s.Run)
		add(r, err)
		log, err := db.ReadRunLog(ctx, owner, s.Run, 0, 1000)
		add(log, err)
		times, err := db.RunTimes(ctx, owner, s.Run)
		add(times, err)
		body, err := db.RunRequest(ctx, owner, s.Run)
		add(body, err)
	}
	return all
}
