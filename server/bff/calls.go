package bff

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"time"

	"screentest/server/news"
	"screentest/server/people"
	"screentest/server/rights"
	"screentest/shared/wire"
)

// callTimeout bounds the work on one call. A start takes that long only if the
// database hangs: it does not wait for the gateway.
const callTimeout = 20 * time.Second

// A handler does one kind of call and returns what answers it.
type handler func(ctx context.Context, s *Server, k *socket, args json.RawMessage) (any, error)

// A Call answers a call that another part of the program adds to those of this
// package. Who asks is in the context, see package people.
type Call = func(ctx context.Context, tab news.Tab, args json.RawMessage) (any, error)

// Calling is a Call with its arguments decoded.
func Calling[A any](f func(ctx context.Context, tab news.Tab, args A) (any, error)) Call {
	return func(ctx context.Context, tab news.Tab, raw json.RawMessage) (any, error) {
		args, err := decoded[A](raw)
		if err != nil {
			return nil, err
		}
		return f(ctx, tab, args)
	}
}

func decoded[A any](raw json.RawMessage) (args A, err error) {
	if len(raw) > 0 && json.Unmarshal(raw, &args) != nil {
		err = &wire.Problem{Code: "invalid_call", Message: "The call's arguments cannot be read."}
	}
	return args, err
}

// handlers are the calls that the server knows: each part of this package has a
// table of its own, and others add theirs.
func handlers(added map[wire.Op]Call) map[wire.Op]handler {
	all := map[wire.Op]handler{}
	for op, call := range added {
		all[op] = func(ctx context.Context, _ *Server, k *socket, raw json.RawMessage) (any, error) {
			return call(ctx, k, raw)
		}
	}
	for _, table := range []map[wire.Op]handler{runCalls(), conversationCalls(), spendCalls(), videoCalls()} {
		maps.Copy(all, table)
	}
	for op := range all {
		if rights.OfCall(op) == rights.Nobody {
			panic("bff: the call " + string(op) + " isn't in the table of rights")
		}
	}
	return all
}

// slow says whether a call waits for another host, or looks at all that is
// stored. Such a call is answered from a goroutine of its own, so that the
// socket's other calls go on.
func slow(op wire.Op) bool {
	switch op {
	case wire.OpVideoMeasure, wire.OpVideoSettle, wire.OpVideoCheck, wire.OpStorage, wire.OpRanking:
		return true
	}
	return false
}

// maxSlow is how many slow calls a socket may have under way; the next one is
// waited for.
const maxSlow = 4

// with decodes a call's arguments.
func with[A any](f func(ctx context.Context, s *Server, k *socket, args A) (any, error)) handler {
	return func(ctx context.Context, s *Server, k *socket, raw json.RawMessage) (any, error) {
		args, err := decoded[A](raw)
		if err != nil {
			return nil, err
		}
		return f(ctx, s, k, args)
	}
}

// call does what a call asks for and returns the answer, and the log to read
// once it is queued.
func (s *Server) call(k *socket, c wire.Call) (wire.Push, *cursor) {
	ctx, cancel := context.WithTimeout(s.life, callTimeout)
	defer cancel()
	do, known := s.handlers[c.Op]
	if !known {
		return wire.Push{ID: c.ID, Problem: &wire.Problem{Code: "unknown_call", Message: "The server does not know this call.",
			Hint: "The page may be of another version than the server: reload it."}}, nil
	}
	who := k.person()
	if p := rights.Refuse(who, rights.OfCall(c.Op), ""); p != nil {
		return wire.Push{ID: c.ID, Problem: p}, nil
	}
	if c.Op != wire.OpPing { // which a tab makes by itself
		s.People.Seen(who)
	}
	began := time.Now()
	ctx = people.WithAddress(people.With(ctx, who), k.address)
	data, err := do(ctx, s, k, c.Args)
	if err == nil {
		s.noteCall(ctx, c)
	}
	var start *cursor
	if r, is := data.(reading); is {
		data, start = r.run, r.cursor
	}
	push := s.pushOf(c, data, err)
	s.Called(c.Op, time.Since(began), push.Problem != nil)
	return push, start
}

func (s *Server) pushOf(c wire.Call, data any, err error) wire.Push {
	if err == nil && data != nil {
		var raw []byte
		if raw, err = json.Marshal(data); err == nil {
			return wire.Push{ID: c.ID, Data: raw}
		}
	}
	if err != nil {
		return wire.Push{ID: c.ID, Problem: s.problemOf(c.Op, err).Bounded()}
	}
	return wire.Push{ID: c.ID, Data: json.RawMessage("null")}
}

// problemOf is what a person may read of an error; the rest is for the log.
func (s *Server) problemOf(op wire.Op, err error) *wire.Problem {
	var p *wire.Problem
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, fs.ErrNotExist):
		return &wire.Problem{Code: "not_found", Message: "There is no such conversation. It may have been deleted."}
	}
	s.Logger.Error("call failed", "op", op, "err", err)
	return &wire.Problem{Code: "server_error", Message: "The server could not do this.",
		Hint: "Try again; the server's log has the details."}
}
