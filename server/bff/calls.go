package bff

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"screentest/shared/wire"
)

// callTimeout bounds the work on one call. A start takes that long only if the
// database hangs: it does not wait for the gateway.
const callTimeout = 20 * time.Second

// call does what a call asks for and returns the answer, and the log to read
// once it is queued.
func (s *Server) call(k *socket, c wire.Call) (wire.Push, *cursor) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	var start *cursor
	data, err := s.do(ctx, k, c, &start)
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

func (s *Server) do(ctx context.Context, k *socket, c wire.Call, start **cursor) (any, error) {
	switch c.Op {
	case wire.OpPing:
		return nil, nil
	case wire.OpConversations:
		return with(c, func(p wire.Page) (any, error) { return s.Conversations.Conversations(ctx, k.owner, p) })
	case wire.OpOpen:
		return with(c, func(p wire.Page) (any, error) { return s.Conversations.OpenConversation(ctx, k.owner, p) })
	case wire.OpRename:
		return with(c, func(r wire.Rename) (any, error) {
			sum, err := s.Conversations.RenameConversation(ctx, k.owner, r)
			if err == nil {
				s.hub.tell(k.owner, "conversation "+sum.ID, wire.EventConversation, sum)
			}
			return sum, err
		})
	case wire.OpDelete:
		return with(c, func(t wire.Target) (any, error) { return nil, s.deleteConversation(ctx, k.owner, t) })
	case wire.OpStart:
		return with(c, func(st wire.Start) (any, error) {
			key, err := s.keyFor(ctx, k.sessionID())
			if err != nil {
				return nil, err
			}
			return s.Runs.Start(ctx, k.owner, key, st)
		})
	case wire.OpStop:
		return with(c, func(t wire.Target) (any, error) { return nil, s.Runs.Stop(ctx, k.owner, t.ID) })
	case wire.OpRead:
		return with(c, func(r wire.Read) (any, error) {
			run, cur, err := s.readRun(ctx, k, r)
			*start = cur
			return run, err
		})
	case wire.OpUnread:
		return with(c, func(t wire.Target) (any, error) { k.removeCursor(t.ID); return nil, nil })
	}
	return nil, &wire.Problem{Code: "unknown_call", Message: "The server does not know this call.",
		Hint: "The page may be of another version than the server: reload it."}
}

// with decodes a call's arguments.
func with[A any](c wire.Call, f func(A) (any, error)) (any, error) {
	var args A
	if len(c.Args) > 0 {
		if err := json.Unmarshal(c.Args, &args); err != nil {
			return nil, &wire.Problem{Code: "invalid_call", Message: "The call's arguments cannot be read."}
		}
	}
	return f(args)
}

// readRun opens a run's log for reading from an offset on.
func (s *Server) readRun(ctx context.Context, k *socket, r wire.Read) (wire.Run, *cursor, error) {
	run, log, err := s.Runs.Open(ctx, k.owner, r.Run)
	if err != nil {
		return wire.Run{}, nil, err
	}
	if size, _ := log.Size(); r.From < 0 || r.From > size {
		return wire.Run{}, nil, &wire.Problem{Code: "invalid_offset", Field: "from", Message: "The log is not that long."}
	}
	if !k.canRead() {
		return wire.Run{}, nil, &wire.Problem{Code: "too_many_reads", Message: "This tab reads too many answers at a time."}
	}
	return run, &cursor{run: r.Run, log: log, at: r.From}, nil
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
