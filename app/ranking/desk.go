// Package ranking is the page of a team's ranking of models without its drawing:
// what it asks for, when it asks again, and what it says.
package ranking

import (
	"encoding/json"
	"slices"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// renewAfter is how long after a vote the ranking is asked for again, so that many
// votes are one question.
const renewAfter = 2 * time.Second

// Options are what a Desk needs from outside.
type Options struct {
	Server session.Server
	// After calls f on the Desk's goroutine when d has passed.
	After func(d time.Duration, f func()) (cancel func())
	// Midnight is when the viewer's day began, so many days ago.
	Midnight func(back int) time.Time
	// Changed says that something is to be drawn again.
	Changed func()
}

// Desk is what the tab knows of rankings.
type Desk struct {
	Options

	View View
	// Shown says that the page is there to be seen: only then it is kept up to date.
	Shown   bool
	Ranking *wire.Ranking // of the view; nil before it came
	Problem *wire.Problem

	// Tags are those of the team that are known, in the order in which they came to
	// be known: each keeps its place in the list to choose from.
	Tags []string

	me      *wire.Me
	charge  string // a team's id, or that of another charge
	of      View   // whose ranking it is
	asked   int    // questions so far: an answer to an older one is dropped
	renewal bool
}

// NewDesk returns a Desk that has asked for nothing yet.
func NewDesk(o Options) *Desk { return &Desk{Options: o, View: ParseView(nil)} }

// Go shows a view.
func (d *Desk) Go(v View) {
	d.View, d.Shown = v, true
	d.fetch()
}

// Leave says that another page is shown.
func (d *Desk) Leave() { d.Shown = false }

// Retry asks again.
func (d *Desk) Retry() { d.fetch() }

// News takes what the server tells unasked.
func (d *Desk) News(n session.News) {
	switch n := n.(type) {
	case session.Greeting:
		d.me, d.charge = n.Me, n.Charge.ID
		if d.Shown { // what happened without a connection isn't told
			d.fetch()
		}
	case wire.RankingChanged:
		if d.Shown && n.Team == d.Team().ID && !d.renewal {
			d.renewal = true
			d.After(renewAfter, func() {
				d.renewal = false
				if d.Shown {
					d.fetch()
				}
			})
		}
	}
}

// Teams are those whose rankings one sees.
func (d *Desk) Teams() []wire.MyTeam {
	if d.me == nil {
		return nil
	}
	return d.me.Teams
}

// Guest says whether one can only look.
func (d *Desk) Guest() bool { return d.me != nil && d.me.Role == wire.RoleGuest }

// Team is the one that is shown: the view's, or what sends are charged to, or the
// first. Its id is "" where one is in none.
func (d *Desk) Team() (t wire.MyTeam) {
	for _, id := range []string{d.View.Team, d.charge} {
		if i := slices.IndexFunc(d.Teams(), func(t wire.MyTeam) bool { return t.ID == id }); i >= 0 {
			return d.Teams()[i]
		}
		if id != "" && id == d.View.Team {
			return wire.MyTeam{ID: id} // the server says what of it
		}
	}
	if len(d.Teams()) > 0 {
		return d.Teams()[0]
	}
	return t
}

func (d *Desk) fetch() {
	d.Changed()
	team := d.Team().ID
	if team == "" {
		return // the greeting is yet to come, or there is no team
	}
	of := d.View
	of.Team = team
	if of.Team != d.of.Team {
		d.Tags = nil
	}
	if of != d.of {
		d.of, d.Ranking = of, nil // another's is not shown meanwhile
	}
	if of.Tag != "" {
		d.know(of.Tag)
	}
	d.asked++
	asked := d.asked
	q := wire.RankingQuery{Team: team, Tag: of.Tag, From: of.Time.from(d.Midnight)}
	d.Server.Call(wire.OpRanking, q, func(data json.RawMessage, p *wire.Problem) {
		if asked != d.asked {
			return
		}
		var r wire.Ranking
		if d.Problem = session.Read(data, p, &r); d.Problem == nil {
			d.Ranking = &r
			d.know(r.Tags...)
		}
		d.Changed()
	})
}

func (d *Desk) know(tags ...string) {
	for _, t := range tags {
		if !slices.Contains(d.Tags, t) {
			d.Tags = append(d.Tags, t)
		}
	}
}
