package bff

import (
	"context"

	"screentest/server/payer"
	"screentest/shared/wire"
)

// runCalls are those of runs: what is sent, stopped and read.
func runCalls() map[wire.Op]handler {
	return map[wire.Op]handler{
		wire.OpPing: with(func(context.Context, *Server, *socket, struct{}) (any, error) { return nil, nil }),
		wire.OpStart: with(func(ctx context.Context, s *Server, k *socket, st wire.Start) (any, error) {
			by, err := s.People.Payer(ctx, k.person(), st.Charge)
			if err != nil {
				return nil, err
			}
			return s.startRun(ctx, k, by, st)
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
		wire.OpRunRequest: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return s.Runs.Request(ctx, k.owner, t.ID)
		}),
		wire.OpRunTimes: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return s.Runs.Times(ctx, k.owner, t.ID)
		}),
	}
}

// reading answers a call and has a log sent after it.
type reading struct {
	run    wire.Run
	cursor *cursor
}

// startRun starts a run and, if that is asked for, opens its log for reading.
func (s *Server) startRun(ctx context.Context, k *socket, by payer.Payer, st wire.Start) (any, error) {
	if st.Read && !k.canRead() {
		return nil, tooManyReads
	}
	run, err := s.Runs.Start(ctx, by, st)
	if err != nil || !st.Read || run.State != wire.Running {
		return run, err
	}
	_, log, err := s.Runs.Open(ctx, k.owner, run.ID)
	if err != nil {
		// It has started: nobody may take that for a refusal, and send it once more.
		s.Logger.Warn("a run has started whose log could not be opened", "run", run.ID, "err", err)
		return nil, &wire.Problem{Code: wire.CodeNoAnswer, Message: "The answer has begun, but the server could not read it.", Hint: "Try again in a moment: nothing is sent twice."}
	}
	return reading{run, &cursor{run: run.ID, log: log}}, nil
}

var tooManyReads = &wire.Problem{Code: "too_many_reads", Message: "This tab reads too many answers at a time."}

// readRun opens a run's log for reading from an offset on.
func (s *Server) readRun(ctx context.Context, k *socket, r wire.Read) (any, error) {
	run, log, err := s.Runs.Open(ctx, k.owner, r.Run)
	if err != nil {
		return nil, err
	}
	// Of a log that still grows, another replica may have shown more than is here by
	// now: the rest comes, or else the end is told from where it is.
	if size, whole := log.Size(); r.From < 0 || whole && r.From > size {
		return nil, &wire.Problem{Code: "invalid_offset", Field: "from", Message: "The log is not that long."}
	}
	if !k.canRead() {
		return nil, tooManyReads
	}
	return reading{run, &cursor{run: r.Run, log: log, at: r.From}}, nil
}
