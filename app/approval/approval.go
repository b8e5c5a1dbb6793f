// Package approval is what the page knows of clips that wait until a lead of their
// team releases them: one's own, and those that one decides. It is plain Go, with
// neither go-app nor the browser in it.
package approval

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Storage is the browser's own store.
type Storage interface {
	Get(name string) string // "" where there is none
	Set(name, value string)
}

// Options are what a Desk needs from outside.
type Options struct {
	Server  session.Server
	Storage Storage
	Changed func()
}

// Desk is what waits and what was decided. It is not safe for concurrent use.
type Desk struct {
	o Options

	known     map[string]wire.Approval
	fetching  int
	told      []wire.Approval // while all were on their way, and may lack these
	busy      map[string]bool
	problems  map[string]*wire.Problem
	dismissed []string // ids of refused ones that were read, in this browser
}

// dismissedKey is where the browser keeps which were read, and maxDismissed how many.
const (
	dismissedKey = "screentest.approvals-read"
	maxDismissed = 100
)

// NewDesk returns an empty Desk, which asks with the greeting.
func NewDesk(o Options) *Desk {
	return &Desk{o: o, known: map[string]wire.Approval{}, busy: map[string]bool{}, problems: map[string]*wire.Problem{},
		dismissed: strings.Fields(o.Storage.Get(dismissedKey))}
}

// News takes what the server tells unasked.
func (d *Desk) News(n session.News) {
	switch n := n.(type) {
	case session.Greeting:
		if n.Me != nil {
			d.fetch()
		}
	case wire.Approval:
		if d.fetching > 0 {
			d.told = append(d.told, n)
		}
		d.put(n)
		d.o.Changed()
	}
}

func (d *Desk) fetch() {
	d.fetching++
	d.o.Server.Call(wire.OpApprovals, wire.Page{}, func(data json.RawMessage, p *wire.Problem) {
		d.fetching--
		told := d.told
		if d.fetching == 0 {
			d.told = nil
		}
		var list wire.Approvals
		if session.Read(data, p, &list) != nil {
			return // it comes again with the next greeting
		}
		clear(d.known) // also of what is not one's own to see any more
		for _, v := range list.Approvals {
			d.known[v.ID] = v
		}
		for _, v := range told {
			d.put(v)
		}
		d.o.Changed()
	})
}

// put keeps one as it is told, unless it was decided already.
func (d *Desk) put(v wire.Approval) {
	if was := d.known[v.ID]; was.State == "" || was.State == wire.ApprovalAsked {
		d.known[v.ID] = v
	}
	if v.State != wire.ApprovalAsked {
		delete(d.problems, v.ID)
	}
}

// Find returns one of them.
func (d *Desk) Find(id string) (v wire.Approval, known bool) {
	v, known = d.known[id]
	return v, known
}

// Shown are those that stand above the clips: first what one decides, then what one
// has asked for and waits, or was refused and not read yet; each the newest first.
func (d *Desk) Shown() []wire.Approval {
	var list []wire.Approval
	for _, v := range d.known {
		if v.Decides || v.Mine && (v.State == wire.ApprovalAsked || v.State == wire.ApprovalRefused && !slices.Contains(d.dismissed, v.ID)) {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b wire.Approval) int {
		if a.Decides != b.Decides {
			if a.Decides {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.AskedMS, a.AskedMS), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Dismiss has a refused one not shown any more.
func (d *Desk) Dismiss(id string) {
	d.dismissed = append(d.dismissed, id)
	d.dismissed = d.dismissed[max(0, len(d.dismissed)-maxDismissed):]
	d.o.Storage.Set(dismissedKey, strings.Join(d.dismissed, " "))
	d.o.Changed()
}

// Busy says that the server has not answered a decision yet, Problem why the last
// one came to nothing.
func (d *Desk) Busy(id string) bool             { return d.busy[id] }
func (d *Desk) Problem(id string) *wire.Problem { return d.problems[id] }

// Release releases one at the price that is shown.
func (d *Desk) Release(id string) {
	d.decide(wire.Decision{ID: id, State: wire.ApprovalReleased, PriceNanoUSD: d.known[id].Clip.PriceNanoUSD}, func() {})
}

// Refuse refuses one with a reason; done is called when it is.
func (d *Desk) Refuse(id, reason string, done func()) {
	d.decide(wire.Decision{ID: id, State: wire.ApprovalRefused, Reason: reason}, done)
}

// Withdraw takes back what one asked for.
func (d *Desk) Withdraw(id string) {
	d.decide(wire.Decision{ID: id, State: wire.ApprovalWithdrawn}, func() {})
}

func (d *Desk) decide(how wire.Decision, done func()) {
	if d.busy[how.ID] {
		return
	}
	d.busy[how.ID] = true
	delete(d.problems, how.ID)
	d.o.Server.Call(wire.OpDecide, how, func(data json.RawMessage, p *wire.Problem) {
		delete(d.busy, how.ID)
		var v wire.Approval
		if p = session.Read(data, p, &v); p != nil {
			d.problems[how.ID] = p
		} else {
			d.put(v)
			done()
		}
		d.o.Changed()
	})
	d.o.Changed()
}
