package chat_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// A whole turn, read back in every way there is.
func TestTurn(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s := storetest.NewStart("", "Hello,\n\tworld \u0000!")
	log := bytes.Repeat([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"wörd \"}}]}\n\n"), 20_000)
	times := []byte{1, 2, 3, 4, 5, 6}

	storetest.Must(t, storetest.StartTurn(db, owner, s))
	running, err := db.Run(ctx, owner, s.Run)
	storetest.Must(t, err)
	if want := storetest.RunOf(s); !reflect.DeepEqual(running, want) {
		t.Errorf("a started run:\n got %+v\nwant %+v", running, want)
	}
	if body, err := db.RunRequest(ctx, owner, s.Run); err != nil || !bytes.Equal(body, s.Body) {
		t.Errorf("request = %q, %v; want %q", body, err, s.Body)
	}

	storetest.Must(t, storetest.Wait(func(done func(error)) {
		db.RunReplied(owner, s.Run, 200, "text/event-stream; charset=utf-8", "req-1", done)
	}))
	storetest.Must(t, storetest.AppendLog(db, owner, s.Run, 0, log[:1000], times[:2]))
	storetest.Must(t, storetest.AppendLog(db, owner, s.Run, 1000, log[1000:70_000], times[2:4]))
	running, err = db.Run(ctx, owner, s.Run)
	storetest.Must(t, err)
	if running.Bytes != 70_000 || running.ContentType != "text/event-stream; charset=utf-8" {
		t.Errorf("a run under way: %d bytes of %q", running.Bytes, running.ContentType)
	}
	checkLog(t, db, owner, s.Run, log[:70_000], times[:4])
	opened, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: s.Conversation})
	storetest.Must(t, err)
	if opened.Summary.Running != 1 || opened.Messages[1].Text != "" || opened.Messages[1].Run.State != wire.Running {
		t.Errorf("a conversation under way: %+v", opened)
	}

	end := storetest.Ended(running, 1_218_750)
	storetest.Must(t, db.FinishRun(ctx, owner, end, "wörd wörd", log, times, []byte(`{"in":"1.25"}`)))
	end.Bytes = int64(len(log))
	got, err := db.Run(ctx, owner, s.Run)
	storetest.Must(t, err)
	if !reflect.DeepEqual(got, end) {
		t.Errorf("a finished run:\n got %+v\nwant %+v", got, end)
	}
	checkLog(t, db, owner, s.Run, log, times)

	opened, err = db.OpenConversation(ctx, owner, wire.Page{Conversation: s.Conversation})
	storetest.Must(t, err)
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
	storetest.Must(t, db.EachRunning(ctx, func(string, wire.Run) error { count++; return nil }))
	if count != 0 {
		t.Errorf("%d runs are still running", count)
	}
}

func TestStartTwiceIsOneRun(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s := storetest.NewStart("", "once")
	if _, found, err := db.CheckStart(ctx, owner, s); found || err != nil {
		t.Fatalf("before: found %v, %v", found, err)
	}
	storetest.Must(t, storetest.StartTurn(db, owner, s), storetest.StartTurn(db, owner, s))
	end := storetest.Ended(storetest.RunOf(s), 5)
	storetest.Must(t, db.FinishRun(ctx, owner, end, "answer", []byte("log"), nil, nil))
	storetest.Must(t, storetest.StartTurn(db, owner, s)) // again, after its end: the end stays
	got, found, err := db.CheckStart(ctx, owner, s)
	end.Bytes = 3
	if err != nil || !found || !reflect.DeepEqual(got, end) {
		t.Errorf("CheckStart = %+v, %v, %v; want %+v", got, found, err, end)
	}
	opened, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: s.Conversation})
	storetest.Must(t, err)
	if len(opened.Messages) != 2 || opened.Messages[1].Text != "answer" || opened.Summary.CostNanoUSD != 5 {
		t.Errorf("after three starts: %+v", opened)
	}

	storetest.Must(t, db.FinishRun(ctx, owner, end, "another text", []byte("other"), nil, nil))
	other := end
	other.State = wire.Stopped
	if err := db.FinishRun(ctx, owner, other, "", nil, nil, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("another end for a finished run: %v", err)
	}
	opened, err = db.OpenConversation(ctx, owner, wire.Page{Conversation: s.Conversation})
	storetest.Must(t, err)
	if opened.Messages[1].Text != "answer" || opened.Summary.CostNanoUSD != 5 {
		t.Errorf("a second end changed the first: %+v", opened)
	}
}

// What CheckStart says before a send, StartTurn says of the write.
func TestStartRefused(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	first, second := storetest.NewStart("", "first"), storetest.NewStart("", "second")
	storetest.Must(t, storetest.StartTurn(db, owner, first), storetest.StartTurn(db, owner, second))
	storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(first), 1), "a", nil, nil, nil))

	next := func(change func(*wire.Start)) wire.Start {
		s := storetest.NewStart(first.Conversation, "next")
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
			s.Run = storetest.NewID()
			return s
		}(), fs.ErrExist, "conflict"},
		"parent is not there":            {next(func(s *wire.Start) { s.User.Parent = storetest.NewID() }), fs.ErrNotExist, "not_found"},
		"parent in another conversation": {next(func(s *wire.Start) { s.User.Parent = second.User.ID }), fs.ErrNotExist, "not_found"},
		"parent in a new conversation":   {next(func(s *wire.Start) { s.Conversation = storetest.NewID() }), fs.ErrNotExist, "not_found"},
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
			started := storetest.StartTurn(db, owner, c.start)
			for call, err := range map[string]error{"CheckStart": checked, "StartTurn": started} {
				if storetest.Problem(err).Code != c.code || (c.is != nil && !errors.Is(err, c.is)) {
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
func countRows(t *testing.T, db *store.DB) string {
	t.Helper()
	var out string
	for _, table := range []string{"conversations", "messages", "runs", "run_requests", "run_log", "ledger", "sessions", "settings"} {
		var n int
		storetest.Must(t, db.Engine().At(context.Background()).Scan("SELECT count(*) FROM "+table, nil, &n))
		out += fmt.Sprintf("%s %d ", table, n)
	}
	return out
}

func TestRetryAndLanes(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	first := storetest.NewStart("", "compare")
	storetest.Must(t, storetest.StartTurn(db, owner, first))
	storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(first), 10), "one", nil, nil, nil))

	retry := first // the same answer, filled again
	retry.Run = storetest.NewID()
	storetest.Must(t, storetest.StartTurn(db, owner, retry))
	storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(retry), 20), "two", nil, nil, nil))

	lane := first // the same message, answered by another model
	lane.Run, lane.Answer, lane.Lane = storetest.NewID(), storetest.NewID(), 1
	storetest.Must(t, storetest.Wait(func(done func(error)) {
		r := storetest.RunOf(lane)
		r.Model = "m-2"
		db.StartTurn(owner, lane, r, "", "", done)
	}))

	opened, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: first.Conversation})
	storetest.Must(t, err)
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
	db, err := storetest.TryOpen(t, dir, store.Options{})
	storetest.Must(t, err)
	owner, err := db.EnsureLocalUser(ctx)
	storetest.Must(t, err)
	s := storetest.NewStart("", "x")
	storetest.Must(t, storetest.StartTurn(db, owner, s))
	storetest.Must(t, storetest.Wait(func(done func(error)) { db.RunReplied(owner, s.Run, 200, "application/json", "", done) }))
	storetest.Must(t, storetest.AppendLog(db, owner, s.Run, 0, []byte("half an ans"), []byte{7}))
	storetest.Must(t, db.Close())

	db = storetest.Open(t, dir, store.Options{})
	again, err := db.EnsureLocalUser(ctx)
	if err != nil || again != owner {
		t.Fatalf("local user %q, %v; was %q", again, err, owner)
	}
	seen := 0
	storetest.Must(t, db.EachRunning(ctx, func(who string, r wire.Run) error {
		seen++
		if who != owner || r.ID != s.Run || r.Bytes != 11 || r.ContentType != "application/json" {
			t.Errorf("left running: %s %+v", who, r)
		}
		log, err := db.ReadRunLog(ctx, who, r.ID, 0, int(r.Bytes))
		storetest.Must(t, err)
		times, err := db.RunTimes(ctx, who, r.ID)
		storetest.Must(t, err)
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
	db, owner := storetest.OpenLocal(t)
	storetest.Must(t, storetest.StartTurn(db, owner, storetest.NewStart("", "a")), storetest.StartTurn(db, owner, storetest.NewStart("", "b")))
	stop, calls := errors.New("stop"), 0
	err := db.EachRunning(context.Background(), func(string, wire.Run) error { calls++; return stop })
	if err != stop || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// What is no id is simply not there.
func TestIDsThatAreNone(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	storetest.Must(t, storetest.StartTurn(db, owner, storetest.NewStart("", "x")))
	for _, id := range []string{"", "1", "x", "00000000-0000-0000-0000-000000000000", "{" + storetest.NewID() + "}", "urn:uuid:" + storetest.NewID(), strings.Repeat("f", 1<<20)} {
		for name, err := range map[string]error{
			"Run":                storetest.Second(db.Run(ctx, owner, id)),
			"RunRequest":         storetest.Second(db.RunRequest(ctx, owner, id)),
			"ReadRunLog":         storetest.Second(db.ReadRunLog(ctx, owner, id, 0, 1)),
			"RunTimes":           storetest.Second(db.RunTimes(ctx, owner, id)),
			"Conversation":       storetest.Second(db.Conversation(ctx, owner, id)),
			"OpenConversation":   storetest.Second(db.OpenConversation(ctx, owner, wire.Page{Conversation: id})),
			"RenameConversation": storetest.Second(db.RenameConversation(ctx, owner, wire.Rename{ID: id, Title: "x"})),
			"DeleteConversation": db.DeleteConversation(ctx, owner, id),
			"AppendRunLog":       storetest.AppendLog(db, owner, id, 0, nil, nil),
			"RunReplied":         storetest.Wait(func(done func(error)) { db.RunReplied(owner, id, 0, "", "", done) }),
		} {
			if !errors.Is(err, fs.ErrNotExist) || storetest.Problem(err).Code != "not_found" {
				t.Errorf("%s(%.40q): %v", name, id, err)
			}
		}
	}
	if err := db.FinishRun(ctx, owner, wire.Run{ID: "x", State: wire.Done}, "", nil, nil, nil); storetest.Problem(err).Code != "bad_id" {
		t.Errorf("FinishRun: %v", err)
	}
}
