package store

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"screentest/shared/wire"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerChildEnv); dir != "" {
		writeUntilKilled(dir)
	}
	goleak.VerifyTestMain(m)
}

// open opens dir and closes it with the test.
func open(t testing.TB, dir string, o Options) *DB {
	t.Helper()
	db, err := Open(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

// openLocal opens a new folder with its local user.
func openLocal(t testing.TB) (db *DB, owner string) {
	t.Helper()
	db = open(t, t.TempDir(), Options{})
	owner, err := db.EnsureLocalUser(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return db, owner
}

// addUser makes another user.
func addUser(t testing.TB, db *DB, name string) (owner string) {
	t.Helper()
	var n int64
	err := db.Engine().Write(context.Background(), 0, func(w *tx) (err error) {
		n, err = w.insert("INSERT INTO users (name, created_ms) VALUES (?, 0)", name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return formatOwner(n)
}

func newID() string { return uuid.NewString() }

// newStart is a turn in a conversation, "" for a new one.
func newStart(conversation, text string) wire.Start {
	if conversation == "" {
		conversation = newID()
	}
	return wire.Start{
		Run: newID(), Conversation: conversation,
		User:     wire.Message{ID: newID(), Role: "user", Text: text},
		Answer:   newID(),
		Endpoint: "chat",
		Body:     json.RawMessage(fmt.Sprintf(`{"model":"m-1","messages":[{"role":"user","content":%q}]}`, text)),
	}
}

// runOf is the run that a start begins.
func runOf(s wire.Start) wire.Run {
	return wire.Run{
		ID: s.Run, Conversation: s.Conversation, Message: s.Answer, Lane: s.Lane, Endpoint: s.Endpoint,
		Model: "m-1", State: wire.Running, StartedMS: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC).UnixMilli(),
	}
}

// ended is r with an end that cost something.
func ended(r wire.Run, cost int64) wire.Run {
	r.State, r.Finish, r.Answered = wire.Done, "stop", "m-1-2026"
	r.ContentType = "text/event-stream"
	r.FirstTokenMS, r.DurationMS = 12, 340
	r.InputTokens, r.OutputTokens = 31, 118
	r.CostNanoUSD, r.Basis, r.CostSource = cost, "31 in × $1.25/M + 118 out × $10/M", "reported"
	return r
}

// wait turns a call with done into its error.
func wait(call func(done func(error))) error {
	answer := make(chan error, 1)
	call(func(err error) { answer <- err })
	return <-answer
}

func startTurn(db *DB, owner string, s wire.Start) error {
	return wait(func(done func(error)) { db.StartTurn(owner, s, runOf(s), s.User.Text, "", done) })
}

func appendLog(db *DB, owner, run string, from int64, p, times []byte) error {
	return wait(func(done func(error)) { db.AppendRunLog(owner, run, from, p, times, done) })
}

// must fails the test on any of errs.
func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// problem is what a person would read of err.
func problem(err error) wire.Problem {
	var p *wire.Problem
	if asProblem(err, &p) {
		return *p
	}
	return wire.Problem{}
}

// pageOf asks for the conversation of s.
func pageOf(s wire.Start) wire.Page { return wire.Page{Conversation: s.Conversation} }

// someLanes are two lanes of the conversation of s.
func someLanes(s wire.Start) wire.Lanes {
	return wire.Lanes{Conversation: s.Conversation, Lanes: []wire.Lane{
		{Model: "m-1", Params: json.RawMessage(`{"temperature":0.5}`), Leaf: s.Answer}, {Model: "m-2"},
	}}
}

// someVote is for the answer of s.
func someVote(s wire.Start) wire.Vote {
	return wire.Vote{Conversation: s.Conversation, Message: s.User.ID, Winner: s.Answer, Models: []string{"m-1", "m-2"}}
}
