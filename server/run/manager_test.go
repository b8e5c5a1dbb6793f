package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/payer"
	"screentest/server/run"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestStartingARunTwiceSendsItOnce(t *testing.T) {
	w := newWorld(t, nil)
	s := turn()
	first := w.start(s)
	c := w.call()
	if again := w.start(s); again.ID != first.ID || again.StartedMS != first.StartedMS {
		t.Errorf("while it runs: %+v", again)
	}
	c.stream(events)
	c.send(t, "%s", chunk("x")+done)
	c.pipe.Close()
	ended := w.wait(s.Run)
	if again := w.start(s); again.State != wire.Done || again.Bytes != ended.Bytes {
		t.Errorf("after its end: %+v", again)
	}
	// And many at the same time.
	s = turn()
	var starts sync.WaitGroup
	for range 20 {
		starts.Go(func() { w.start(s) })
	}
	starts.Wait()
	w.call().err <- errors.New("enough")
	w.wait(s.Run)
	select {
	case <-w.calls:
		t.Error("the gateway is called twice for one run")
	default:
	}
}

// An answer can have ended before Start returns; the news of its start must not come
// after that of its end.
func TestAStartIsToldBeforeTheGatewayIsCalled(t *testing.T) {
	var w *world
	told := make(chan int, 1)
	w = newWorld(t, func(c *run.Config) {
		next := c.Changed
		c.Changed = func(owner string, r wire.Run) {
			if r.State == wire.Running {
				time.Sleep(20 * time.Millisecond) // time for a call
				told <- len(w.calls)
			}
			next(owner, r)
		}
	})
	s := turn()
	w.start(s)
	if n := <-told; n != 0 {
		t.Error("the gateway was called before the start was told")
	}
	w.call().err <- errors.New("enough")
	w.wait(s.Run)
}

func TestWhatIsNotSent(t *testing.T) {
	w := newWorld(t, func(c *run.Config) { c.MaxRunning = 2 })
	other := turn()
	w.start(other)
	c := w.call()
	tests := []struct {
		name   string
		change func(s *wire.Start)
		key    string
		code   string
	}{
		{"a body that the contract refuses", func(s *wire.Start) { s.Body = json.RawMessage(`{"model":"vendor/model-a","messages":[]}`) }, canary, "invalid_request"},
		{"the wrong endpoint", func(s *wire.Start) { s.Endpoint = "responses" }, canary, "wrong_endpoint"},
		{"no text endpoint", func(s *wire.Start) { s.Endpoint = "video" }, canary, "invalid_request"},
		{"no key", func(s *wire.Start) {}, "", "key_missing"},
		{"an id that is none", func(s *wire.Start) { s.Answer = "../../etc" }, canary, "invalid_request"},
		{"an id in capitals", func(s *wire.Start) { s.Run = strings.ToUpper(s.Run) }, canary, "invalid_request"},
		{"a body too long", func(s *wire.Start) {
			s.Body = json.RawMessage(`{"model":"` + strings.Repeat("a", wire.MaxBody) + `"}`)
		}, canary, "body_too_large"},
		{"a message to follow that is not there", func(s *wire.Start) { s.User.Parent = uuid.NewString() }, canary, "not_found"},
		{"the id of another run", func(s *wire.Start) { s.Run = other.Run; s.Conversation = uuid.NewString() }, canary, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := turn()
			tt.change(&s)
			r, err := w.Start(t.Context(), payer.Payer{Owner: w.owner, Secret: tt.key}, s)
			if tt.code == "" {
				if err != nil || r.Conversation != other.Conversation {
					t.Errorf("got %+v, %v instead of the run that has the id", r, err)
				}
				return
			}
			var p *wire.Problem
			if !errors.As(err, &p) || p.Code != tt.code || p.Message == "" {
				t.Errorf("the error is %v", err)
			}
		})
	}
	t.Run("a model that the payer may not use", func(t *testing.T) {
		s := turn()
		_, err := w.Start(t.Context(), payer.Payer{Owner: w.owner, Secret: canary, Models: []string{"openai/*"}, Name: "the team red", Ask: "Ask Lea"}, s)
		var p *wire.Problem
		if !errors.As(err, &p) || p.Code != wire.CodeModelNotAllowed || p.Field != "model" || !strings.Contains(p.Message, "vendor/model-a") ||
			!strings.Contains(p.Message, "the team red") || !strings.Contains(p.Hint, "Ask Lea.") {
			t.Errorf("%+v", err)
		}
		if _, err := w.db.Conversation(t.Context(), w.owner, s.Conversation); err == nil {
			t.Error("something of it is stored")
		}
	})
	w.start(turn())
	second := w.call()
	_, err := w.Start(t.Context(), payer.Payer{Owner: w.owner, Secret: canary}, turn())
	var p *wire.Problem
	if !errors.As(err, &p) || p.Code != "too_many_runs" || !strings.Contains(p.Message, "2") {
		t.Errorf("a third run: %v", err)
	}
	if len(w.calls) != 0 {
		t.Error("something refused was sent")
	}
	c.err <- errors.New("enough")
	second.err <- errors.New("enough")
	w.wait(other.Run)
}

func TestSomebodyElsesRunIsNotThere(t *testing.T) {
	w := newWorld(t, nil)
	s := turn()
	w.start(s)
	c := w.call()
	stranger := "999"
	check := func(when string) {
		t.Helper()
		var p *wire.Problem
		if _, _, err := w.Open(t.Context(), stranger, s.Run); !errors.As(err, &p) || p.Code != "run_not_found" {
			t.Errorf("%s: open: %v", when, err)
		}
		if err := w.Stop(t.Context(), stranger, s.Run); !errors.As(err, &p) || p.Code != "run_not_found" {
			t.Errorf("%s: stop: %v", when, err)
		}
	}
	check("while it runs")
	c.stream(events)
	c.send(t, "%s", chunk("x")+done)
	c.pipe.Close()
	if r := w.wait(s.Run); r.State != wire.Done {
		t.Errorf("ended %s", r.State)
	}
	check("after its end")
}

// waitedFor is a context that tells when somebody waits for its end.
type waitedFor struct {
	context.Context
	once  *sync.Once
	asked chan struct{}
}

func (w waitedFor) Done() <-chan struct{} {
	w.once.Do(func() { close(w.asked) })
	return w.Context.Done()
}

// A conversation is deleted while a budget refuses a run of it: nothing is
// waited for that will never be.
func TestStopConversationDoesNotWaitForWhatWasRefused(t *testing.T) {
	stopped := make(chan error, 1)
	s := turn()
	var w *world
	w = newWorld(t, func(c *run.Config) {
		c.Reserve = func(context.Context, payer.Payer, gateway.Model, []byte) (func(), *wire.Problem) {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			asked := waitedFor{ctx, &sync.Once{}, make(chan struct{})}
			go func() {
				defer cancel()
				stopped <- w.StopConversation(asked, w.owner, s.Conversation)
			}()
			<-asked.asked
			return nil, &wire.Problem{Code: "storage_failed", Message: "Nothing was sent."}
		}
	})
	if _, err := w.Start(t.Context(), payer.Payer{Owner: w.owner, Secret: "key"}, s); err == nil {
		t.Fatal("the run was not refused")
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// What a budget refuses was written by somebody: it is there after a reload,
// with the reason, and can be asked again. The gateway hears nothing of it.
func TestWhatABudgetRefusesIsKeptWithTheReason(t *testing.T) {
	for _, code := range []string{wire.CodeBudgetReached, wire.CodePriceUnknown} {
		t.Run(code, func(t *testing.T) { refusalIsKept(t, code) })
	}
}

func refusalIsKept(t *testing.T, code string) {
	room := false
	w := newWorld(t, func(c *run.Config) {
		c.Reserve = func(context.Context, payer.Payer, gateway.Model, []byte) (func(), *wire.Problem) {
			if room {
				return func() {}, nil
			}
			return nil, &wire.Problem{Code: code, Message: "Your budget is $1. Nothing was sent.", Hint: "Raise it."}
		}
	})
	s := turn()
	w.start(s)
	if r := w.wait(s.Run); r.State != wire.Failed || r.Problem == nil || r.Problem.Code != code || r.CostNanoUSD != 0 || r.CostSource != "" {
		t.Errorf("ended as %+v", r)
	}
	m := w.message(s)
	if m.Parent != s.User.ID || m.Run.State != wire.Failed || m.Run.Problem.Message != "Your budget is $1. Nothing was sent." {
		t.Errorf("stored as %+v, %+v", m, m.Run)
	}
	if len(w.calls) != 0 {
		t.Error("the gateway was called")
	}
	room = true
	again := s
	again.Run, again.Answer = uuid.NewString(), uuid.NewString()
	w.start(again)
	w.call().err <- errors.New("enough")
	w.wait(again.Run)
}

func TestStopConversationWaitsForTheEnds(t *testing.T) {
	w := newWorld(t, nil)
	s := turn()
	w.start(s)
	w.call().stream(events)
	other := turn()
	w.start(other)
	c := w.call()
	if err := w.StopConversation(t.Context(), w.owner, s.Conversation); err != nil {
		t.Fatal(err)
	}
	if m := w.message(s); m.Run.State != wire.Stopped {
		t.Errorf("stored as %s", m.Run.State)
	}
	if c.ctx.Err() != nil {
		t.Error("a run of another conversation was stopped")
	}
	c.err <- errors.New("enough")
	w.wait(other.Run)
}
