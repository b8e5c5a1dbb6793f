package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"screentest/shared/wire"
)

func asProblem(err error, p **wire.Problem) bool { return errors.As(err, p) }

// A whole turn, read back in every way there is.
func TestTurn(t *testing.T) {
	ctx := context.Background()
	db, owner := openLocal(t)
	s := newStart("", "Hello,\n\tworld \u0000!")
	log := bytes.Repeat([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"wörd \"}}]}\n\n"), 20_000)
	times := []byte{1, 2, 3, 4, 5, 6}

	must(t, startTurn(db, owner, s))
	running, err := db.Run(ctx, owner, s.Run)
	must(t, err)
	if want := runOf(s); !reflect.DeepEqual(running, want) {
		t.Errorf("a started run:\n got %+v\nwant %+v", running, want)
	}
	if body, err := db.RunRequest(ctx, owner, s.Run); err != nil || !bytes.Equal(body, s.Body) {
		t.Errorf("request = %q, %v; want %q", body, err, s.Body)
	}

	must(t, wait(func(done func(error)) {
		db.RunReplied(owner, s.Run, 200, "text/event-stream; charset=utf-8", "req-1", done)
	}))
	must(t, appendLog(db, owner, s.Run, 0, log[:1000], times[:2]))
	must(t, appendLog(db, owner, s.Run, 1000, log[1000:70_000], times[2:4]))
	running, err = db.Run(ctx, owner, s.Run)
	must(t, err)
	if running.Bytes != 70_000 || running.ContentType != "text/event-stream; charset=utf-8" {
		t.Errorf("a run under way: %d bytes of %q", running.Bytes, running.ContentType)
	}
	checkLog(t, db, owner, s.Run, log[:70_000], times[:4])
	opened, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: s.Conversation})
	must(t, err)
	if opened.Summary.Running != 1 || opened.Messages[1].Text != "" || opened.Messages[1].Run.State != wire.Running {
		t.Errorf("a conversation under way: %+v", opened)
	}

	end := ended(running, 1_218_750)
	must(t, db.FinishRun(ctx, owner, end, "wörd wörd", log, times, []byte(`{"in":"1.25"}`)))
	end.Bytes = int64(len(log))
	got, err := db.Run(ctx, owner, s.Run)
	must(t, err)
	if !reflect.DeepEqual(got, end) {
		t.Errorf("a finished run:\n got %+v\nwant %+v", got, end)
	}
	checkLog(t, db, owner, s.Run, log, times)

	opened, err = db.OpenConversation(ctx, owner, wire.Page{Conversation: s.Conversation})
	must(t, err)
	want := wire.Opened{
		Summary: wire.Summary{
			ID: s.Conversation, Title: "Hello, world !", Models: "m-1", CostNanoUSD: 1_218_750,
			CreatedMS: end.StartedMS, UpdatedMS: end.StartedMS + end.DurationMS,
		},
		Messages: []wire.Message{
			{ID: s.User.ID, Role: "user", Text: s.User.Text, CreatedMS: end.StartedMS},
			{ID: s.Answer, Parent: s.User.ID, Role: "assistant", Text: "wörd wörd", CreatedMS: end.StartedMS, Run: &end},
		},
	}
	if !reflect.DeepEqual(opened, want) {
		t.Errorf("the conversation:\n got %+v\nwant %+v", opened, want)
	}
	var count int
	must(t, db.EachRunning(ctx, func(string, wire.Run) error { count++; return nil }))
	if count != 0 {
		t.Errorf("%d runs are still running", count)
	}
}

func TestStartTwiceIsOneRun(t *testing.T) {
	ctx := context.Background()
	db, owner := openLocal(t)
	s := newStart("", "once")
	if _, found, err := db.CheckStart(ctx, owner, s); found || err != nil {
		t.Fatalf("before: found %v, %v", found, err)
	}
	must(t, startTurn(db, owner, s), startTurn(db, owner, s))
	end := ended(runOf(s), 5)
	must(t, db.FinishRun(ctx, owner, end, "answer", []byte("log"), nil, nil))
	must(t, startTurn(db, owner, s)) // again, after its end: the end stays
	got, found, err := db.CheckStart(ctx, owner, s)
	end.Bytes = 3
	if err != nil || !found || !reflect.DeepEqual(got, end) {
		t.Errorf("CheckStart = %+v, %v, %v; want %+v", got, found, err, end)
	}
	opened, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: s.Conversation})
	must(t, err)
	if len(opened.Messages) != 2 || opened.Messages[1].Text != "answer" || opened.Summary.CostNanoUSD != 5 {
		t.Errorf("after three starts: %+v", opened)
	}

	must(t, db.FinishRun(ctx, owner, end, "another text", []byte("other"), nil, nil))
	other := end
	other.State = wire.Stopped
	if err := db.FinishRun(ctx, owner, other, "", nil, nil, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("another end for a finished run: %v", err)
	}
	opened, err = db.OpenConversation(ctx, owner, wire.Page{Conversation: s.Conversation})
	must(t, err)
	if opened.Messages[1].Text != "answer" || opened.Summary.CostNanoUSD != 5 {
		t.Errorf("a second end changed the first: %+v", opened)
	}
}

// What CheckStart says before a send, StartTurn says of the write.
func TestStartRefused(t *testing.T) {
	ctx := context.Background()
	db, owner := openLocal(t)
	first, second := newStart("", "first"), newStart("", "second")
	must(t, startTurn(db, owner, first), startTurn(db, owner, second))
	must(t, db.FinishRun(ctx, owner, ended(runOf(first), 1), "a", nil, nil, nil))

	next := func(change func(*wire.Start)) wire.Start {
		s := newStart(first.Conversation, "next")
		s.User.Parent = first.Answer
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		start wire.Start
		is    error
		code  string
	}{
		"fits":                                {start: next(func(*wire.Start) {})},
		"run id of another answer":            {next(func(s *wire.Start) { s.Run = second.Run }), fs.ErrExist, "conflict"},
		"message of another conversation":     {next(func(s *wire.Start) { s.User.ID = second.User.ID }), fs.ErrExist, "conflict"},
		"answer id where a message should be": {next(func(s *wire.Start) { s.User.ID = first.Answer }), fs.ErrExist, "conflict"},
		"answer of another message":           {next(func(s *wire.Start) { s.Answer = first.Answer }), fs.ErrExist, "conflict"},
		"answer being written": {func() wire.Start {
			s := second
			s.Run = newID()
			return s
		}(), fs.ErrExist, "conflict"},
		"parent is not there":            {next(func(s *wire.Start) { s.User.Parent = newID() }), fs.ErrNotExist, "not_found"},
		"parent in another conversation": {next(func(s *wire.Start) { s.User.Parent = second.User.ID }), fs.ErrNotExist, "not_found"},
		"parent in a new conversation":   {next(func(s *wire.Start) { s.Conversation = newID() }), fs.ErrNotExist, "not_found"},
		"run id no UUID":                 {next(func(s *wire.Start) { s.Run = "1" }), nil, "bad_id"},
		"id in capitals":                 {next(func(s *wire.Start) { s.Answer = strings.ToUpper(s.Answer[:35] + "a") }), nil, "bad_id"},
		"one id for message and answer":  {next(func(s *wire.Start) { s.Answer = s.User.ID }), nil, "bad_id"},
		"lane out of bounds":             {next(func(s *wire.Start) { s.Lane = 64 }), nil, "bad_lane"},
		"an assistant's message to send": {next(func(s *wire.Start) { s.User.Role = "assistant" }), nil, "bad_role"},
		"parent that is no id":           {next(func(s *wire.Start) { s.User.Parent = "x" }), nil, "bad_id"},
	} {
		t.Run(name, func(t *testing.T) {
			_, found, checked := db.CheckStart(ctx, owner, c.start)
			if found {
				t.Error("found")
			}
			if c.code == "" {
				if checked != nil {
					t.Errorf("CheckStart: %v", checked)
				}
				return
			}
			before := countRows(t, db)
			started := startTurn(db, owner, c.start)
			for call, err := range map[string]error{"CheckStart": checked, "StartTurn": started} {
				if problem(err).Code != c.code || (c.is != nil && !errors.Is(err, c.is)) {
					t.Errorf("%s: %v; want code %s and %v", call, err, c.code, c.is)
				}
			}
			if after := countRows(t, db); after != before {
				t.Errorf("a refused start changed the number of rows: %s, before %s", after, before)
			}
		})
	}
}

// countRows is the number of rows of every table.
func countRows(t *testing.T, db *DB) string {
	t.Helper()
	var out string
	for _, table := range []string{"conversations", "messages", "runs", "run_requests", "run_log", "ledger", "sessions", "settings"} {
		var n int
		must(t, db.Engine().At(context.Background()).scan("SELECT count(*) FROM "+table, nil, &n))
		out += fmt.Sprintf("%s %d ", table, n)
	}
	return out
}

func TestRetryAndLanes(t *testing.T) {
	ctx := context.Background()
	db, owner := openLocal(t)
	first := newStart("", "compare")
	must(t, startTurn(db, owner, first))
	must(t, db.FinishRun(ctx, owner, ended(runOf(first), 10), "one", nil, nil, nil))

	retry := first // the same answer, filled again
	retry.Run = newID()
	must(t, startTurn(db, owner, retry))
	must(t, db.FinishRun(ctx, owner, ended(runOf(retry), 20), "two", nil, nil, nil))

	lane := first // the same message, answered by another model
	lane.Run, lane.Answer, lane.Lane = newID(), newID(), 1
	must(t, wait(func(done func(error)) {
		r := runOf(lane)
		r.Model = "m-2"
		db.StartTurn(owner, lane, r, "", "", done)
	}))

	opened, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: first.Conversation})
	must(t, err)
	if len(opened.Messages) != 3 {
		t.Fatalf("%d messages, want the person's and two answers", len(opened.Messages))
	}
	a, b := opened.Messages[1], opened.Messages[2]
	if a.Text != "two" || a.Run.ID != retry.Run || a.Run.CostNanoUSD != 20 {
		t.Errorf("the answer shows %q of %+v, want that of the newest run", a.Text, a.Run)
	}
	if b.Lane != 1 || b.Parent != first.User.ID || b.Run.Lane != 1 || b.Run.Model != "m-2" {
		t.Errorf("the second lane: %+v", b)
	}
	if s := opened.Summary; s.Models != "m-1, m-2" || s.CostNanoUSD != 30 || s.Running != 1 {
		t.Errorf("summary %+v", s)
	}
}

// What the last process left running is found with its text and its kind, and
// can be finished as interrupted.
func TestInterruptedRunIsRecovered(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db, err := Open(ctx, dir, Options{})
	must(t, err)
	owner, err := db.EnsureLocalUser(ctx)
	must(t, err)
	s := newStart("", "x")
	must(t, startTurn(db, owner, s))
	must(t, wait(func(done func(error)) { db.RunReplied(owner, s.Run, 200, "application/json", "", done) }))
	must(t, appendLog(db, owner, s.Run, 0, []byte("half an ans"), []byte{7}))
	must(t, db.Close())

	db = open(t, dir, Options{})
	again, err := db.EnsureLocalUser(ctx)
	if err != nil || again != owner {
		t.Fatalf("local user %q, %v; was %q", again, err, owner)
	}
	seen := 0
	must(t, db.EachRunning(ctx, func(who string, r wire.Run) error {
		seen++
		if who != owner || r.ID != s.Run || r.Bytes != 11 || r.ContentType != "application/json" {
			t.Errorf("left running: %s %+v", who, r)
		}
		log, err := db.ReadRunLog(ctx, who, r.ID, 0, int(r.Bytes))
		must(t, err)
		times, err := db.RunTimes(ctx, who, r.ID)
		must(t, err)
		r.State, r.Problem = wire.Interrupted, &wire.Problem{Code: "interrupted", Message: "The server ended."}
		return db.FinishRun(ctx, who, r, "half an ans", log, times, nil)
	}))
	got, err := db.Run(ctx, owner, s.Run)
	if err != nil || seen != 1 || got.State != wire.Interrupted || got.Problem.Code != "interrupted" || got.Bytes != 11 {
		t.Errorf("recovered %d: %+v, %v", seen, got, err)
	}
	checkLog(t, db, owner, s.Run, []byte("half an ans"), []byte{7})
	if spent, _ := db.Conversation(ctx, owner, s.Conversation); spent.CostNanoUSD != 0 {
		t.Errorf("a run without a cost was charged %d", spent.CostNanoUSD)
	}
}

// An error in the middle of EachRunning ends it and is given back.
func TestEachRunningStopsAtAnError(t *testing.T) {
	db, owner := openLocal(t)
	must(t, startTurn(db, owner, newStart("", "a")), startTurn(db, owner, newStart("", "b")))
	stop, calls := errors.New("stop"), 0
	err := db.EachRunning(context.Background(), func(string, wire.Run) error { calls++; return stop })
	if err != stop || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// What is no id is simply not there.
func TestIDsThatAreNone(t *testing.T) {
	ctx := context.Background()
	db, owner := openLocal(t)
	must(t, startTurn(db, owner, newStart("", "x")))
	for _, id := range []string{"", "1", "x", "00000000-0000-0000-0000-000000000000", "{" + newID() + "}", "urn:uuid:" + newID(), strings.Repeat("f", 1<<20)} {
		for name, err := range map[string]error{
			"Run":                second(db.Run(ctx, owner, id)),
			"RunRequest":         second(db.RunRequest(ctx, owner, id)),
			"ReadRunLog":         second(db.ReadRunLog(ctx, owner, id, 0, 1)),
			"RunTimes":           second(db.RunTimes(ctx, owner, id)),
			"Conversation":       second(db.Conversation(ctx, owner, id)),
			"OpenConversation":   second(db.OpenConversation(ctx, owner, wire.Page{Conversation: id})),
			"RenameConversation": second(db.RenameConversation(ctx, owner, wire.Rename{ID: id, Title: "x"})),
			"DeleteConversation": db.DeleteConversation(ctx, owner, id),
			"AppendRunLog":       appendLog(db, owner, id, 0, nil, nil),
			"RunReplied":         wait(func(done func(error)) { db.RunReplied(owner, id, 0, "", "", done) }),
		} {
			if !errors.Is(err, fs.ErrNotExist) || problem(err).Code != "not_found" {
				t.Errorf("%s(%.40q): %v", name, id, err)
			}
		}
	}
	if err := db.FinishRun(ctx, owner, wire.Run{ID: "x", State: wire.Done}, "", nil, nil, nil); problem(err).Code != "bad_id" {
		t.Errorf("FinishRun: %v", err)
	}
}
