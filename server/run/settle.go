package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"screentest/shared/gateway"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// Ends that are worked on at a time; each has the whole log in memory, in a
// buffer that is kept for the next up to keepBuffer bytes.
const (
	maxSettles = 4
	keepBuffer = 4 << 20
)

// storeEnd judges a run whose log is closed and stores its end; cause says why
// the log closed, nil being the end of the reply. Where that fails the run it
// gives is what could be found out.
func (l *live) storeEnd(r wire.Run, cause error) (wire.Run, error) {
	m := l.m
	buf := <-m.settles
	defer func() { m.settles <- buf }()
	l.flush.Lock() // a write under way ends first; there is none after it
	defer l.flush.Unlock()

	// The end must be stored although the run's own context is done.
	ctx := context.Background()
	log, times, err := l.whole(ctx, buf)
	if buf = log[:0]; cap(buf) > keepBuffer {
		buf = nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		// Its conversation was deleted meanwhile. What it cost is booked, as far
		// as what is left of the reply tells.
		gone := l.judged
		if gone.run.ID == "" {
			rest, times := l.log.unstoredEnd(nil)
			gone = m.judge(ctx, l.key.owner, r, rest, times, cause)
		}
		return gone.run, m.Store.FinishRun(ctx, l.key.owner, gone.run, "", nil, nil, gone.prices)
	}
	if err != nil {
		r.State = wire.Failed
		r.Problem = &wire.Problem{Code: "storage_failed", Message: "The server could not read its database to finish this answer."}
		return r, err
	}
	final := m.judge(ctx, l.key.owner, r, log, times, cause)
	if err := m.Store.FinishRun(ctx, l.key.owner, final.run, final.text, log, times, final.prices); errors.Is(err, fs.ErrExist) {
		m.Logger.Error("run has ended in the store already", "run", r.ID, "state", final.run.State, "err", err)
	} else if err != nil {
		l.judged = final
		l.judged.text = "" // it can be long
		return final.run, err
	}
	l.log.allStored()
	return final.run, nil
}

// readStep is how much of a stored log is read back at a time, in bytes.
const readStep = 1 << 20

// whole appends a closed log to buf, and gives its times: what the store has,
// and the rest.
func (l *live) whole(ctx context.Context, buf []byte) (log, times []byte, err error) {
	size, stored := l.log.sizes()
	log = slices.Grow(buf, int(size))
	for stored > int64(len(log)) {
		p, err := l.m.Store.ReadRunLog(ctx, l.key.owner, l.key.run, int64(len(log)), int(min(stored-int64(len(log)), readStep)))
		if err != nil {
			return log, nil, fmt.Errorf("read log: %w", err)
		}
		if len(p) == 0 {
			return log, nil, fmt.Errorf("read log: %d bytes are stored instead of %d", len(log), stored)
		}
		log = append(log, p...)
	}
	if stored > 0 {
		if times, err = l.m.Store.RunTimes(ctx, l.key.owner, l.key.run); err != nil {
			return log, nil, fmt.Errorf("read times: %w", err)
		}
	}
	log, rest := l.log.unstoredEnd(log)
	return log, append(times, rest...), nil
}

// final is the end of a run, as it is stored.
type final struct {
	run    wire.Run
	text   string
	prices json.RawMessage // that the cost was worked out from
}

// judge reads a whole log and says how the run ended. What the gateway said
// comes before how the connection ended: a stream that had its end mark is
// done, whatever happened to it afterwards.
func (m *Manager) judge(ctx context.Context, owner string, r wire.Run, log, times []byte, cause error) final {
	rd := reply.NewReader(gateway.Endpoint(r.Endpoint), r.ContentType)
	r.FirstTokenMS = pushTimed(rd, log, parseTimes(times, int64(len(log))))
	ended := rd.Ended()
	rd.Close()
	a := rd.Answer()
	r.Bytes = int64(len(log))
	r.Answered, r.Finish = a.Model, a.Finish
	switch {
	case ended || cause == nil:
		r.State, r.Problem = fromAnswer(a)
	case errors.Is(cause, errStopped):
		r.State = wire.Stopped
	case errors.Is(cause, errShutdown):
		r.State = wire.Interrupted
	default:
		r.State = wire.Failed
		r.Problem = asProblem(cause, wire.Problem{Code: "gateway_failed", Message: "The connection to the gateway broke.",
			Hint: "Try again; what had come is kept."})
	}
	r.ReasoningBytes, r.Sources = int64(len(a.Reasoning())), len(a.Searches)+len(a.Citations)
	for _, c := range a.ToolCalls {
		r.Calls = append(r.Calls, wire.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments()})
	}
	f := final{text: a.Text()}
	f.run, f.prices = m.priced(ctx, owner, r, a)
	return f
}

// pushTimed feeds a log to a reader read by read until something of the answer
// has come, and returns when that was; then the rest at once.
func pushTimed(rd *reply.Reader, log []byte, times []read) (firstMS int64) {
	for _, t := range times {
		rd.Push(log[:t.len])
		log = log[t.len:]
		if rd.Answer().Began() {
			// 0 would mean that there was none.
			firstMS = max(int64(t.ms), 1)
			break
		}
	}
	const stretch = 256 << 10
	for len(log) > 0 {
		n := min(len(log), stretch)
		rd.Push(log[:n])
		log = log[n:]
	}
	return firstMS
}

func fromAnswer(a *reply.Answer) (wire.RunState, *wire.Problem) {
	switch a.State {
	case reply.Done:
		return wire.Done, a.Problem
	case reply.Incomplete:
		return wire.Incomplete, a.Problem
	}
	if a.Problem != nil {
		return wire.Failed, a.Problem
	}
	return wire.Failed, &wire.Problem{Code: "truncated", Message: "The gateway's answer stopped before its end.",
		Hint: "Try again; what had come is kept."}
}

// Recover ends the runs that an earlier process left under way: interrupted,
// with the text that had been stored; done, if the stored log has the end.
func (m *Manager) Recover(ctx context.Context) error {
	type left struct {
		owner string
		run   wire.Run
	}
	var runs []left
	err := m.Store.EachRunning(ctx, func(owner string, r wire.Run) error {
		runs = append(runs, left{owner, r})
		return nil
	})
	if err != nil {
		return fmt.Errorf("find the runs that were under way: %w", err)
	}
	for _, x := range runs {
		if err := m.recoverRun(ctx, x.owner, x.run); err != nil {
			return fmt.Errorf("recover run %s: %w", x.run.ID, err)
		}
	}
	if len(runs) > 0 {
		m.Logger.Info("ended the runs that the last process left under way", "runs", len(runs))
	}
	return nil
}

func (m *Manager) recoverRun(ctx context.Context, owner string, r wire.Run) error {
	l := newLive(m, key{owner, r.ID}, r)
	defer l.cancel(errEnded)
	l.log = storedLog(r.Bytes, r.ContentType, l.log.fetch)
	log, times, err := l.whole(ctx, nil)
	if err != nil {
		return err
	}
	for _, t := range parseTimes(times, int64(len(log))) {
		r.DurationMS = int64(t.ms)
	}
	f := m.judge(ctx, owner, r, log, times, errShutdown)
	return m.Store.FinishRun(ctx, owner, f.run, f.text, log, times, f.prices)
}
