package run

import (
	"context"
	"encoding/json"
	"errors"

	"screentest/shared/gateway"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

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
