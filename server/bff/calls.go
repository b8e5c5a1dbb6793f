package bff

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"time"

	"screentest/shared/wire"
)

// callTimeout bounds the work on one call. A start takes that long only if the
// database hangs: it does not wait for the gateway.
const callTimeout = 20 * time.Second

// A handler does one kind of call and returns what answers it.
type handler func(ctx context.Context, s *Server, k *socket, args json.RawMessage) (any, error)

// handlers are the calls that the server knows; each part of the program has a
// table of its own.
func handlers() map[wire.Op]handler {
	all := map[wire.Op]handler{}
	for _, table := range []map[wire.Op]handler{chatCalls()} {
		maps.Copy(all, table)
	}
	return all
}

// chatCalls are those of conversations and their runs.
func chatCalls() map[wire.Op]handler {
	return map[wire.Op]handler{
		wire.OpPing: with(func(context.Context, *Server, *socket, struct{}) (any, error) { return nil, nil }),
		wire.OpConversations: with(func(ctx context.Context, s *Server, k *socket, p wire.Page) (any, error) {
			return s.Conversations.Conversations(ctx, k.owner, p)
		}),
		wire.OpOpen: with(func(ctx context.Context, s *Server, k *socket, p wire.Page) (any, error) {
			return s.Conversations.OpenConversation(ctx, k.owner, p)
		}),
		wire.OpRename: with(func(ctx context.Context, s *Server, k *socket, r wire.Rename) (any, error) {
			sum, err := s.Conversations.RenameConversation(ctx, k.owner, r)
			if err == nil {
				s.hub.tell(k.owner, "conversation "+sum.ID, wire.EventConversation, sum)
			}
			return sum, err
		}),
		wire.OpDelete: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return nil, s.deleteConversation(ctx, k.owner, t)
		}),
		wire.OpStart: with(func(ctx context.Context, s *Server, k *socket, st wire.Start) (any, error) {
			key, err := s.keyFor(ctx, k.sessionID())
			if err != nil {
				return nil, err
			}
			return s.Runs.Start(ctx, k.owner, key, st)
		}),
		wire.OpStop: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return nil, s.Runs.Stop(ctx, k.owner, t.ID)
		}),
		wire.OpRead: with(func(ctx context.Context, s *Server, k *socket, r wire.Read) (any, error) {
			return s.readRun(ctx, k, r)
		}),
		wire.OpUnread: with(func(_ context.Context, _ *Server, k *socket, t wire.Target) (any, error) {
			k.removeCursor(t.ID)
			return nil, nil
		}),
	}
}

// with decodes a call's arguments.
func with[A any](f func(ctx context.Context, s *Server, k *socket, args A) (any, error)) handler {
	return func(ctx context.Context, s *Server, k *socket, raw json.RawMessage) (any, error) {
		var args A
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &args); err != nil {
				return nil, &wire.Problem{Code: "invalid_call", Message: "The call's arguments cannot be read."}
			}
		}
		return f(ctx, s, k, args)
	}
}

// call does what a call asks for and returns the answer, and the log to read
// once it is queued.
func (s *Server) call(k *socket, c wire.Call) (wire.Push, *cursor) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	do, known := s.handlers[c.Op]
	if !known {
		return wire.Push{ID: c.ID, Problem: &wire.Problem{Code: "unknown_call", Message: "The server does not know this call.",
			Hint: "The page may be of another version than the server: reload it."}}, nil
	}
	data, err := do(ctx, s, k, c.Args)
	var start *cursor
	if r, is := data.(reading); is {
		data, start = r.run, r.cursor
	}
	return s.pushOf(c, data, err), start
}

func (s *Server) pushOf(c wire.Call, data any, err error) wire.Push {
	if err == nil && data != nil {
		var raw []byte
		if raw, err = json.Marshal(data); err == nil {
			return wire.Push{ID: c.ID, Data: raw}
		}
	}
	if err != nil {
		return wire.Push{ID: c.ID, Problem: s.problemOf(c.Op, err)}
	}
	return wire.Push{ID: c.ID, Data: json.RawMessage("null")}
}

// reading answers a call and has a log sent after it.
type reading struct {
	run    wire.Run
	cursor *cursor
}

// readRun opens a run's log for reading from an offset on.
func (s *Server) readRun(ctx context.Context, k *socket, r wire.Read) (any, error) {
	run, log, err := s.Runs.Open(ctx, k.owner, r.Run)
	if err != nil {
		return nil, err
	}
	if size, _ := log.Size(); r.From < 0 || r.From > size {
		return nil, &wire.Problem{Code: "invalid_offset", Field: "from", Message: "The log is not that long."}
	}
	if !k.canRead() {
		return nil, &wire.Problem{Code: "too_many_reads", Message: "This tab reads too many answers at a time."}
	}
	return reading{run, &cursor{run: r.Run, log: log, at: r.From}}, nil
}

func (s *Server) deleteConversation(ctx context.Context, owner string, t wire.Target) error {
	if err := s.Runs.StopConversation(ctx, owner, t.ID); err != nil {
		return err
	}
	if err := s.Conversations.DeleteConversation(ctx, owner, t.ID); err != nil {
		return err
	}
	s.hub.tell(owner, "conversation "+t.ID, wire.EventDeleted, t)
	return nil
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
