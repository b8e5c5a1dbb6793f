package chat_test

import (
	"context"
	"errors"
	"io/fs"
	"reflect"
	"testing"

	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestFunctionResultsAreStoredAsMessages(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s, _ := storetest.Talk(t, db, owner, "", "weather?", func(r *wire.Run) string {
		r.Calls = []wire.ToolCall{{ID: "call-0", Name: "get_weather", Arguments: `{"city":"Oslo"}`}, {ID: "call-1", Name: "get_weather", Arguments: `{}`}}
		r.ReasoningBytes, r.Sources = 12, 3
		return ""
	})
	next := storetest.ResultOf(s, "3 °C", "4 °C")
	storetest.Must(t, storetest.StartTurn(db, owner, next), storetest.StartTurn(db, owner, next))
	opened, err := db.OpenConversation(ctx, owner, storetest.PageOf(s))
	storetest.Must(t, err)
	var got []string
	for _, m := range opened.Messages {
		got = append(got, m.Role+" "+m.Tool+" "+m.ToolCall+" "+m.Text)
	}
	want := []string{"user   weather?", "assistant   ", "tool get_weather call-0 3 °C", "tool get_weather call-1 4 °C", "assistant   "}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for i, m := range opened.Messages[1:] {
		if m.Parent != opened.Messages[i].ID {
			t.Errorf("message %d does not follow the one before it", i+1)
		}
	}
	r := opened.Messages[1].Run
	if len(r.Calls) != 2 || r.Calls[0].Arguments != `{"city":"Oslo"}` || r.ReasoningBytes != 12 || r.Sources != 3 {
		t.Errorf("the run brought %+v", r)
	}
	// Another version of the answer to the results.
	again := next
	again.Run, again.Answer = storetest.NewID(), storetest.NewID()
	storetest.Must(t, storetest.StartTurn(db, owner, again))
}

func TestAtMostEightRounds(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	s := storetest.NewStart("", "q")
	storetest.Must(t, storetest.StartTurn(db, owner, s))
	last := s
	for round := 1; round <= wire.MaxRounds; round++ {
		last = storetest.ResultOf(last, "a", "b")
		if _, _, err := db.CheckStart(context.Background(), owner, last); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		storetest.Must(t, storetest.StartTurn(db, owner, last))
	}
	more := storetest.ResultOf(last, "a")
	for _, err := range []error{storetest.Second(discard(db.CheckStart(context.Background(), owner, more))), storetest.StartTurn(db, owner, more)} {
		if storetest.Problem(err).Code != "too_many_rounds" {
			t.Errorf("round %d: %v", wire.MaxRounds+1, err)
		}
	}
	// The last answer once more is no other round.
	again := last
	again.Run, again.Answer = storetest.NewID(), storetest.NewID()
	storetest.Must(t, storetest.StartTurn(db, owner, again))
	// A message of the person's begins anew.
	follow := storetest.NewStart(s.Conversation, "go on")
	follow.User.Parent = last.Answer
	storetest.Must(t, storetest.StartTurn(db, owner, follow))
	storetest.Must(t, storetest.StartTurn(db, owner, storetest.ResultOf(follow, "a")))
}

func discard(r wire.Run, _ bool, err error) (wire.Run, error) { return r, err }

func TestMessagesThatCannotStandThere(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	s := storetest.NewStart("", "q")
	storetest.Must(t, storetest.StartTurn(db, owner, s))
	for name, change := range map[string]func(*wire.Start){
		"a result after a question":    func(n *wire.Start) { n.User.Parent = s.User.ID },
		"a result after nothing":       func(n *wire.Start) { n.User.Parent = "" },
		"a result of no call":          func(n *wire.Start) { n.User.ToolCall = "" },
		"a result with a long id":      func(n *wire.Start) { n.User.ToolCall = string(make([]byte, wire.MaxToolName+1)) },
		"a long name":                  func(n *wire.Start) { n.User.Tool = string(make([]byte, wire.MaxToolName+1)) },
		"a question that names a call": func(n *wire.Start) { n.User.Role = "user" },
		"an answer that is sent":       func(n *wire.Start) { n.User.Role = "assistant" },
		"an id twice":                  func(n *wire.Start) { n.Before = []wire.Message{n.User} },
		"the answer's id":              func(n *wire.Start) { n.Answer = n.User.ID },
		"a message beside the one before": func(n *wire.Start) {
			n.Before = []wire.Message{{ID: storetest.NewID(), Parent: s.Answer, Role: "user"}}
		},
		"too many before": func(n *wire.Start) { n.Before = make([]wire.Message, wire.MaxBefore+1) },
	} {
		next := storetest.ResultOf(s, "a")
		change(&next)
		if _, _, err := db.CheckStart(context.Background(), owner, next); storetest.Problem(err).Field == "" {
			t.Errorf("%s: %v, want a problem with a field", name, err)
		}
		if err := storetest.StartTurn(db, owner, next); storetest.Problem(err).Field == "" {
			t.Errorf("%s, stored: %v", name, err)
		}
	}
	lost := storetest.ResultOf(s, "a", "b")
	lost.Before[0].Parent = storetest.NewID()
	if err := storetest.StartTurn(db, owner, lost); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after what is not there: %v", err)
	}
}

func TestRequestSentSaysWhereTo(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s := storetest.NewStart("", "q")
	storetest.Must(t, storetest.Wait(func(done func(error)) {
		db.StartTurn(owner, s, storetest.RunOf(s), "t", "https://gateway.example.com/v1", done)
	}))
	storetest.Must(t, storetest.Wait(func(done func(error)) { db.RunReplied(owner, s.Run, 200, "application/json", "req-1", done) }))
	got, err := db.RequestSent(ctx, owner, s.Run)
	want := wire.RunRequest{Run: s.Run, Endpoint: "chat", Model: "m-1", BaseURL: "https://gateway.example.com/v1", Body: string(s.Body),
		StartedMS: storetest.RunOf(s).StartedMS, Status: 200, RequestID: "req-1", ContentType: "application/json"}
	if err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}
