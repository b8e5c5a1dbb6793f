// Package storetest is what the tests of the store's packages share: a store in a
// folder of its own, turns and clips to put into it, and a look at the whole.
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/shared/wire"
)

// Open opens dir and closes it with the test.
func Open(t testing.TB, dir string, o store.Options) *store.DB {
	t.Helper()
	onEngine(t, dir, &o)
	db, err := store.Open(context.Background(), dir, o)
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

// TryOpen opens dir, on the engine that the suite runs on; the test closes it.
func TryOpen(t testing.TB, dir string, o store.Options) (*store.DB, error) {
	t.Helper()
	onEngine(t, dir, &o)
	return store.Open(context.Background(), dir, o)
}

// OpenLocal opens a new folder with its local user.
func OpenLocal(t testing.TB) (db *store.DB, owner string) {
	t.Helper()
	db = Open(t, Folder(t), store.Options{})
	owner, err := db.EnsureLocalUser(context.Background())
	Must(t, err)
	return db, owner
}

// Folder is a new data folder with its local user.
func Folder(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if OnPostgres() {
		withLocalUser(t, dir)
		return dir
	}
	files, err := newFolder()
	Must(t, err)
	for name, data := range files {
		Must(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	return dir
}

// newFolder is what a new data folder with a local user holds. It is made once:
// all migrations take longer than most tests.
var newFolder = sync.OnceValues(func() (files map[string][]byte, err error) {
	dir, err := os.MkdirTemp("", "storetest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	db, err := store.Open(context.Background(), dir, store.Options{})
	if err != nil {
		return nil, err
	}
	_, err = db.EnsureLocalUser(context.Background())
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	files = map[string][]byte{}
	for _, name := range []string{folder.DatabaseFile, folder.SealKeyFile} {
		if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return files, nil
})

// AddUser makes another user.
func AddUser(t testing.TB, db *store.DB, name string) (owner string) {
	t.Helper()
	var n int64
	err := db.Engine().Write(context.Background(), 0, func(w *engine.Tx) (err error) {
		n, err = w.Insert("INSERT INTO users (name, created_ms) VALUES (?, 0)", name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return engine.FormatOwner(n)
}

func NewID() string { return uuid.NewString() }

// NewStart is a turn in a conversation, "" for a new one.
func NewStart(conversation, text string) wire.Start {
	if conversation == "" {
		conversation = NewID()
	}
	return wire.Start{
		Run: NewID(), Conversation: conversation,
		User:     wire.Message{ID: NewID(), Role: "user", Text: text},
		Answer:   NewID(),
		Endpoint: "chat",
		Body:     json.RawMessage(fmt.Sprintf(`{"model":"m-1","messages":[{"role":"user","content":%q}]}`, text)),
	}
}

// RunOf is the run that a start begins.
func RunOf(s wire.Start) wire.Run {
	return wire.Run{
		ID: s.Run, Conversation: s.Conversation, Message: s.Answer, Lane: s.Lane, Endpoint: s.Endpoint,
		Model: "m-1", State: wire.Running, StartedMS: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC).UnixMilli(),
	}
}

// Ended is r with an end that cost something.
func Ended(r wire.Run, cost int64) wire.Run {
	r.State, r.Finish, r.Answered = wire.Done, "stop", "m-1-2026"
	r.ContentType = "text/event-stream"
	r.FirstTokenMS, r.DurationMS = 12, 340
	r.InputTokens, r.OutputTokens = 31, 118
	r.CostNanoUSD, r.Basis, r.CostSource = cost, "31 in × $1.25/M + 118 out × $10/M", "reported"
	return r
}

// Wait turns a call with done into its error.
func Wait(call func(done func(error))) error {
	answer := make(chan error, 1)
	call(func(err error) { answer <- err })
	return <-answer
}

func StartTurn(db *store.DB, owner string, s wire.Start) error {
	return Wait(func(done func(error)) { db.StartTurn(owner, s, RunOf(s), s.User.Text, "", done) })
}

func AppendLog(db *store.DB, owner, run string, from int64, p, times []byte) error {
	return Wait(func(done func(error)) { db.AppendRunLog(owner, run, from, p, times, done) })
}

// Must fails the test on any of errs.
func Must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Problem is what a person would read of err.
func Problem(err error) wire.Problem {
	var p *wire.Problem
	if asProblem(err, &p) {
		return *p
	}
	return wire.Problem{}
}

// PageOf asks for the conversation of s.
func PageOf(s wire.Start) wire.Page { return wire.Page{Conversation: s.Conversation} }

// SomeLanes are two lanes of the conversation of s.
func SomeLanes(s wire.Start) wire.Lanes {
	return wire.Lanes{Conversation: s.Conversation, Lanes: []wire.Lane{
		{Model: "m-1", Params: json.RawMessage(`{"temperature":0.5}`), Leaf: s.Answer}, {Model: "m-2"},
	}}
}

// SomeVote is for the answer of s.
func SomeVote(s wire.Start) wire.Vote {
	return wire.Vote{Conversation: s.Conversation, Message: s.User.ID, Winner: s.Answer, Models: []string{"m-1", "m-2"}}
}
