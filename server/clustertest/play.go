package clustertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Turn is a first message to a model that answers on an endpoint. The run's id is in
// what is asked, so that the gateway's notes tell whose a request is.
func Turn(ep gateway.Endpoint, prompt string) wire.Start {
	run := uuid.NewString()
	prompt += " " + run
	text, _ := json.Marshal(prompt) // a string marshals
	body := fmt.Sprintf(`{"model":"vendor/model-a","messages":[{"role":"user","content":%s}],"stream":true,"stream_options":{"include_usage":true}}`, text)
	if ep == gateway.Responses {
		body = fmt.Sprintf(`{"model":"vendor/beta-4.5","input":%s,"stream":true}`, text)
	}
	return wire.Start{
		Run: run, Conversation: uuid.NewString(), Answer: uuid.NewString(),
		User:     wire.Message{ID: uuid.NewString(), Role: "user", Text: prompt},
		Endpoint: string(ep), Body: json.RawMessage(body),
	}
}

// Played is a run, as a browser has seen it.
type Played struct {
	Start  wire.Start
	Shown  []byte // of its log: what has come over all sockets, each byte once
	Socket int    // how many there were
	// Answer is the answer as it is stored, whose Run tells how it ended.
	Answer wire.Message
}

// Play starts a run and reads it to its end, as a browser does: where a socket ends,
// it asks on the next one for what comes after the bytes that it has shown, and starts
// again, with the same ids, what it doesn't know to be started. A refusal is a
// *wire.Problem; where again says so of it, the start is repeated as well.
func (p *Person) Play(ctx context.Context, s wire.Start, again func(*wire.Problem) bool) (*Played, error) {
	played := &Played{Start: s}
	started := false
	for {
		ended, err := p.follow(ctx, played, &started)
		switch refused := (*wire.Problem)(nil); {
		case ctx.Err() != nil:
			return played, fmt.Errorf("run %s, started %v, %d bytes shown, socket %d: %w", s.Run, started, len(played.Shown), played.Socket, errors.Join(err, ctx.Err()))
		case errors.As(err, &refused) && (again == nil || !again(refused)):
			return played, err
		case ended:
			played.Answer, err = p.settled(ctx, s)
			return played, err
		}
		if err != nil {
			select {
			case <-time.After(50 * time.Millisecond): // the browser waits longer
			case <-ctx.Done():
			}
		}
	}
}

// follow reads as long as one socket lasts.
func (p *Person) follow(ctx context.Context, played *Played, started *bool) (ended bool, err error) {
	c, err := p.Dial(ctx)
	if err != nil {
		return false, err
	}
	defer c.Close()
	played.Socket++
	if !*started {
		if err := c.Call(ctx, wire.OpStart, played.Start, nil); err != nil {
			return false, err
		}
		*started = true
	}
	if err := c.Call(ctx, wire.OpRead, wire.Read{Run: played.Start.Run, From: int64(len(played.Shown))}, nil); err != nil {
		return false, err
	}
	l, err := c.Log(ctx, played.Start.Run, wiretest.Whole)
	if err != nil { // what has come before the socket's end was shown all the same
		l, _ = c.Log(ctx, played.Start.Run, func(wiretest.Log) bool { return true })
	}
	if len(l.Bytes) > 0 && l.From != int64(len(played.Shown)) {
		return false, &wire.Problem{Code: "gap", Message: fmt.Sprintf("%d bytes were shown, and the next to come are from %d", len(played.Shown), l.From)}
	}
	played.Shown = append(played.Shown, l.Bytes...)
	return l.End, err
}

// settled waits until the answer is stored.
func (p *Person) settled(ctx context.Context, s wire.Start) (wire.Message, error) {
	for {
		m, err := p.Stored(ctx, s)
		if err != nil || m.Run != nil && m.Run.State != wire.Running {
			return m, err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return m, fmt.Errorf("run %s is still %s: %w", s.Run, m.Run.State, ctx.Err())
		}
	}
}

// Stored is an answer as it is stored.
func (p *Person) Stored(ctx context.Context, s wire.Start) (wire.Message, error) {
	var o wire.Opened
	if err := p.Call(ctx, wire.OpOpen, wire.Page{Conversation: s.Conversation}, &o); err != nil {
		return wire.Message{}, err
	}
	for _, m := range o.Messages {
		if m.ID == s.Answer {
			return m, nil
		}
	}
	return wire.Message{}, fmt.Errorf("run %s: its answer is not in its conversation", s.Run)
}

// Log reads the whole log of a run that has ended.
func (p *Person) Log(ctx context.Context, run string) ([]byte, error) {
	c, err := p.Dial(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := c.Call(ctx, wire.OpRead, wire.Read{Run: run}, nil); err != nil {
		return nil, err
	}
	l, err := c.Log(ctx, run, wiretest.Whole)
	return l.Bytes, err
}

func isProblem(err error) bool {
	var p *wire.Problem
	return errors.As(err, &p)
}
