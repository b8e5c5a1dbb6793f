package run

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"time"

	"screentest/shared/wire"
)

// With Config.DurableStart a turn is stored before its gateway is called. What is not
// known meanwhile is said to be so: a start that may be sent is not refused, and one
// that may be another replica's is not sent.

// beginStored begins the run once its turn is stored. Where another replica has
// stored it before, the run is that one's; where it is this one's all the same, it was
// the answer to the commit that was lost.
func (l *live) beginStored(s wire.Start, apiKey string, req request, refused *wire.Problem) {
	<-l.turn
	if l.turnErr == nil {
		l.begin(apiKey, req, refused)
		return
	}
	m := l.m
	ctx, cancel := context.WithTimeout(context.Background(), checkAgain)
	defer cancel()
	stored, found, err := m.Store.CheckStart(ctx, l.key.owner, s)
	if found {
		if ours, err := l.ours(ctx, stored); ours && err == nil {
			m.Stored(l.key.owner, l.started.Conversation)
			l.begin(apiKey, req, refused)
			return
		}
		l.release()
		l.notMade(stored, nil)
		m.lookout.look()
		return
	}
	l.release()
	m.Logger.Error("turn not stored; nothing was sent", "run", l.key.run, "err", l.turnErr)
	if err != nil && !isVerdict(err) {
		l.notMade(wire.Run{}, notKnown()) // another one may have stored it, and sent it
		return
	}
	l.notMade(wire.Run{}, asProblem(cmp.Or(err, l.turnErr), notStored()))
}

// ours says whether a stored run is this replica's to go on with.
func (l *live) ours(ctx context.Context, stored wire.Run) (bool, error) {
	if stored.State != wire.Running || l.m.Holds == nil {
		return false, nil
	}
	return l.m.Holds(ctx, l.key.owner, l.key.run)
}

// isVerdict tells what the store says of a start from what keeps it from saying so.
func isVerdict(err error) bool {
	var p *wire.Problem
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) || errors.As(err, &p) && p.Field != ""
}

// checkAgain bounds the look at the store for a run that another replica may have
// started.
const checkAgain = 10 * time.Second

// notKnown is the problem of a start whose turn is on its way to the store: it may
// still be sent. Who asked keeps what it wrote, and asks again for the same run.
func notKnown() *wire.Problem {
	return &wire.Problem{Code: wire.CodeNoAnswer, Message: "The server has not stored what was sent yet.",
		Hint: "The answer begins by itself once it is stored. Try again if it does not: nothing is sent twice."}
}

// mayCall says why the gateway is not to be called: the run is not this process' any
// more. One that hung while its turn was stored may have been found gone meanwhile, and
// whoever took over has ended the run.
func (l *live) mayCall() error {
	if l.m.Holds == nil || l.m.Sure() {
		return nil
	}
	ctx, cancel := context.WithTimeout(l.ctx, checkAgain)
	defer cancel()
	held, err := l.m.Holds(ctx, l.key.owner, l.key.run)
	if err == nil && held {
		return nil
	}
	l.m.Logger.Error("it is not sure that the run is this replica's still; nothing was sent", "run", l.key.run, "held", held, "err", err)
	return cmp.Or(context.Cause(l.ctx), error(&wire.Problem{Code: "not_sent", Message: "This part of the server could not make sure that the answer is its to ask for, so nothing was sent to the gateway.",
		Hint: "Send the message again."}))
}
