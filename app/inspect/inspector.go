package inspect

import (
	"encoding/json"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// timesEvery is how often the times of a run under way are asked for.
const timesEvery = time.Second

// Options are what an Inspector needs from outside.
type Options struct {
	Server session.Server
	// After calls f on the page's goroutine when d has passed, unless the
	// returned function is called before.
	After func(d time.Duration, f func()) (cancel func())
	// Changed says that there is something new to draw.
	Changed func()
}

// Inspector fetches what was sent for one run and, when that is wanted, what
// came. It is not safe for concurrent use: the page calls it on its own
// goroutine only.
type Inspector struct {
	o Options

	// Run is the one that is inspected; with no ID there is none.
	Run wire.Run
	// Request is what was sent; nil while it is not known.
	Request *wire.RunRequest
	// Log is what came, as far as it was read.
	Log *Log
	// Problem says why the request or the log could not be had.
	Problem *wire.Problem
	// Rev grows with every change, Fresh with every other run.
	Rev, Fresh int

	asked   bool // the request was asked for
	reading bool // the log is wanted
	asking  bool // an OpRead is on its way
	cancel  func()
}

// New returns an Inspector of nothing.
func New(o Options) *Inspector { return &Inspector{o: o, Log: &Log{}} }

// Show inspects a run; the same one again takes its newer state. A run that
// the server has yet to take has no request there: then only its id is kept.
func (i *Inspector) Show(r wire.Run, unsent bool) {
	if r.ID != i.Run.ID {
		if i.cancel != nil {
			i.cancel()
		}
		*i = Inspector{o: i.o, Log: &Log{}, Fresh: i.Fresh + 1, Run: r}
		i.changed()
	}
	ended := r.State != i.Run.State
	i.Run = r
	if r.ID != "" && !unsent && (!i.asked || ended) {
		i.asked = true
		i.fetchRequest()
	}
}

// NotAsked says that a budget refused the run: the gateway never had the request.
func (i *Inspector) NotAsked() bool {
	return i.Run.Problem != nil && i.Run.Problem.ByBudget()
}

// Read begins to read the log, too.
func (i *Inspector) Read() {
	if !i.reading && i.Run.ID != "" && i.Request != nil {
		i.reading = true
		i.read()
		i.fetchTimes()
	}
}

// Reading says that the log is being read or was read to its end.
func (i *Inspector) Reading() bool { return i.reading }

// Reconnected asks again for what a lost connection may have cut.
func (i *Inspector) Reconnected() {
	i.asking = false
	if i.asked && i.Request == nil {
		i.fetchRequest()
	}
	if i.reading && !i.Log.Ended {
		i.read()
		i.fetchTimes()
	}
}

func (i *Inspector) changed() {
	i.Rev++
	i.o.Changed()
}

// ask calls the server; its answer is dropped when another run is shown by
// then.
func (i *Inspector) ask(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
	fresh := i.Fresh
	i.o.Server.Once(op, args, func(data json.RawMessage, p *wire.Problem) {
		if i.Fresh == fresh {
			done(data, p)
			i.changed()
		}
	})
}

func (i *Inspector) fetchRequest() {
	i.ask(wire.OpRunRequest, wire.Target{ID: i.Run.ID}, func(data json.RawMessage, p *wire.Problem) {
		var r wire.RunRequest
		switch p = session.Read(data, p, &r); {
		case p == nil:
			i.Request, i.Problem = &r, nil
		case !session.Unanswered(p):
			i.Problem = p
		}
	})
}

func (i *Inspector) read() {
	if i.asking || i.Log.Ended {
		return
	}
	i.asking = true
	i.ask(wire.OpRead, wire.Read{Run: i.Run.ID, From: i.Log.Len()}, func(data json.RawMessage, p *wire.Problem) {
		i.asking = false
		var r wire.Run
		if p = session.Read(data, p, &r); p != nil && !session.Unanswered(p) {
			i.Problem = p
		}
	})
}

// fetchTimes asks for the time index, and again for as long as more comes.
func (i *Inspector) fetchTimes() {
	i.cancel = nil
	i.ask(wire.OpRunTimes, wire.Target{ID: i.Run.ID}, func(data json.RawMessage, p *wire.Problem) {
		var t wire.RunTimes
		if session.Read(data, p, &t) == nil {
			i.Log.SetTimes(t)
		}
		if i.cancel == nil && !(i.Log.Ended && i.Log.TimesTo() >= i.Log.Len()) && (p == nil || session.Unanswered(p)) {
			i.cancel = i.o.After(timesEvery, i.fetchTimes)
		}
	})
}

// Frame takes a stretch of a log; those of other runs are left alone.
func (i *Inspector) Frame(h wire.LogFrame, p []byte) {
	if !i.reading || h.Run != i.Run.ID || i.Log.Ended {
		return
	}
	have := i.Log.Len()
	if h.From > have {
		i.read() // the page reads the same run for its text, from where that stands
		return
	}
	if h.From == 0 && h.Type != "" {
		i.Log.ContentType = h.Type
	}
	if skip := have - h.From; skip < int64(len(p)) {
		i.Log.Push(p[skip:])
	}
	if h.End {
		i.Log.End()
		if i.cancel != nil {
			i.cancel()
		}
		i.fetchTimes()
		i.fetchRequest() // its reply's head is known now
	}
	i.changed()
}
