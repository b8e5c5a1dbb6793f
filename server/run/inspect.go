package run

import (
	"context"
	"errors"
	"io/fs"

	"screentest/shared/wire"
)

// Request returns what was sent to the gateway for a run, under way or not. An
// error is a *wire.Problem.
func (m *Manager) Request(ctx context.Context, owner, id string) (wire.RunRequest, error) {
	if l := m.find(key{owner, id}); l != nil {
		// Its row is on its way to the disk.
		select {
		case <-l.turn:
		case <-ctx.Done():
		}
	}
	r, err := m.Store.RequestSent(ctx, owner, id)
	return r, m.readProblem(id, err)
}

// Times returns when the bytes of a run's log came; of one under way, so far.
// An error is a *wire.Problem.
func (m *Manager) Times(ctx context.Context, owner, id string) (wire.RunTimes, error) {
	r, log, err := m.Open(ctx, owner, id)
	if err != nil {
		return wire.RunTimes{}, err
	}
	stored, rest, ended := log.timesSoFar()
	var entries []read
	if stored > 0 {
		p, err := m.Store.RunTimes(ctx, owner, id)
		if err != nil {
			return wire.RunTimes{}, m.readProblem(id, err)
		}
		entries = parseTimes(p, stored)
	}
	entries = joined(append(entries, rest...), wire.MaxRunTimes)
	t := wire.RunTimes{Run: id, StartedMS: r.StartedMS, Ended: ended, Reads: make([]int64, 0, 2*len(entries))}
	var ms uint32
	for _, e := range entries {
		t.Reads = append(t.Reads, int64(e.ms-ms), int64(e.len))
		ms = e.ms
	}
	return t, nil
}

// timesSoFar are the times of what the store does not have yet, and how many
// bytes it has.
func (l *Log) timesSoFar() (stored int64, rest []read, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stored, append([]read(nil), l.times...), l.closed
}

// joined makes at most most entries of es: neighbours come together at the time
// of the later one.
func joined(es []read, most int) []read {
	per := (len(es) + most - 1) / most
	if per <= 1 {
		return es
	}
	var out []read
	for i, e := range es {
		if i%per == 0 {
			out = append(out, e)
			continue
		}
		last := &out[len(out)-1]
		last.ms, last.len = e.ms, last.len+e.len
	}
	return out
}

// readProblem is what a person may read of the store's error.
func (m *Manager) readProblem(run string, err error) error {
	var p *wire.Problem
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return NotFound()
	case errors.As(err, &p) && p.Code == wire.CodeNoRequest:
		return p
	}
	m.Logger.Error("run not read", "run", run, "err", err)
	return &wire.Problem{Code: "storage_failed", Message: "The server could not read its database.",
		Hint: "Try again; the server's log has the details."}
}
