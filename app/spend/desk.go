package spend

import (
	"encoding/json"
	"strconv"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// renewAfter is how long after a change the figures are asked for again, so
// that many changes are one question.
const renewAfter = 400 * time.Millisecond

// Options are what a Desk needs from outside.
type Options struct {
	Server session.Server
	Clock  Clock
	// After calls f on the Desk's goroutine when d has passed.
	After func(d time.Duration, f func()) (cancel func())
	Now   func() time.Time
	// Tell shows a sentence for a while, whatever page is open.
	Tell func(words string)
	// Changed says that something is to be drawn again.
	Changed func()
}

// Desk is what the tab knows of spend.
type Desk struct {
	Options

	View View
	Me   *wire.Me // nil where there are no accounts
	// Sandbox says that the sandbox answers now, whose prices are samples.
	Sandbox bool
	// Shown says that the page is there to be seen: only then it is kept up
	// to date.
	Shown bool
	// Trouble is why the view's days can't be shown; "" when they can.
	Trouble string

	Spend   *wire.Spend // nil before it came
	Problem *wire.Problem

	Rows        []wire.LedgerRow
	Total       *wire.Sum // of all rows that the view finds, nil before it came
	More        bool      // there are older ones
	Fetching    bool
	RowsProblem *wire.Problem
	before      string

	Budgets    Budgets
	Hook       Hook
	Retention  Retention
	Correction Correction

	asked   int // questions so far: an answer to an older one is dropped
	renewal bool
}

// NewDesk returns a Desk that has asked for nothing yet.
func NewDesk(o Options) *Desk {
	d := &Desk{Options: o, View: ParseView(nil)}
	d.Budgets.desk, d.Hook.desk, d.Retention.desk, d.Correction.desk = d, d, d, d
	return d
}

// Go shows a view.
func (d *Desk) Go(v View) {
	d.View, d.Shown = v, true
	d.fetch()
}

// Leave says that another page is shown.
func (d *Desk) Leave() { d.Shown = false }

// fetch asks for everything of the view.
func (d *Desk) fetch() {
	d.Trouble = d.View.check()
	d.Changed()
	if d.Trouble != "" {
		return
	}
	d.asked++
	asked := d.asked
	d.Server.Call(wire.OpSpend, d.View.query(d.Clock), func(data json.RawMessage, p *wire.Problem) {
		if asked != d.asked {
			return
		}
		var s wire.Spend
		if d.Problem = session.Read(data, p, &s); d.Problem == nil {
			d.Spend = &s
		}
		d.Changed()
	})
	d.rows("")
}

// FetchMore asks for older rows of the ledger.
func (d *Desk) FetchMore() {
	if d.More && !d.Fetching {
		d.rows(d.before)
	}
}

func (d *Desk) rows(before string) {
	q := d.View.rows(d.Clock)
	q.Before = before
	asked := d.asked
	d.Fetching = true
	d.Server.Call(wire.OpLedger, q, func(data json.RawMessage, p *wire.Problem) {
		if asked != d.asked {
			return
		}
		d.Fetching = false
		var page wire.LedgerPage
		if d.RowsProblem = session.Read(data, p, &page); d.RowsProblem == nil {
			if before == "" {
				d.Rows, d.Total = nil, page.Total
			}
			d.Rows = append(d.Rows, page.Rows...)
			d.before, d.More = page.Before, page.Before != ""
		}
		d.Changed()
		if row := d.Correction.booked; row != 0 {
			if d.Correction.booked = 0; d.Correction.Booked != nil {
				d.Correction.Booked(row)
			}
		}
	})
	d.Changed()
}

// Retry asks again for what could not be had.
func (d *Desk) Retry() { d.fetch() }

// News takes what the server tells unasked.
func (d *Desk) News(news session.News) {
	switch n := news.(type) {
	case session.Greeting:
		d.Retention.runs, d.Me, d.Sandbox = n.Runs, n.Me, n.Gateway.Sandbox
		d.Budgets.renew()
		d.Hook.renew()
		d.Retention.renew()
		d.renew()
	case wire.Run:
		if n.State != wire.Running {
			d.spent()
		}
	case wire.VideoTask:
		d.spent()
	case wire.Budgets:
		d.Budgets.set(n)
		d.Changed()
		d.renew()
	case wire.Retention:
		d.Retention.Now = &n
		d.Changed()
	case wire.BudgetState:
		d.Tell(Words(n, d.Clock))
		d.Budgets.refreshSoon()
	}
}

// spent looks again at the figures and the budgets after something was paid
// for.
func (d *Desk) spent() {
	d.renew()
	d.Budgets.refreshSoon()
}

// renew asks again in a moment, if the page is shown and was not scrolled far
// down the ledger: its rows would jump.
func (d *Desk) renew() {
	if !d.Shown || d.renewal {
		return
	}
	d.renewal = true
	d.After(renewAfter, func() {
		d.renewal = false
		if d.Shown && len(d.Rows) <= 50 {
			d.fetch()
		}
	})
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
