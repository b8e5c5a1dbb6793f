package admin

import (
	"encoding/json"
	"net/url"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// The pages, by their names in the address.
const (
	PagePeople   = "people"
	PageTeams    = "teams"
	PageAudit    = "audit"
	PageInstance = "instance"
)

// Path is the address of a page.
func Path(page string) string { return "/settings/" + page }

// Options are what a Desk works with.
type Options struct {
	API     session.API
	Session *session.Session
	Now     func() time.Time
	// Zone is the viewer's own time zone, by its IANA name; "" is not known.
	Zone func() string
	// Midnight is the first moment of a day by the viewer's clock, in ms; the
	// 32nd of a month is the 1st or so of the next.
	Midnight func(year int, month time.Month, day int) int64
	// Changed is called when something is to be drawn, Mistaken when a field of a
	// form that was sent is found wrong.
	Changed, Mistaken func()
}

// Desk is all of the administration. It is not safe for concurrent use: the page
// uses it on the UI goroutine only.
type Desk struct {
	Options
	People   People
	Invites  Invites
	Teams    Teams
	Audit    Audit
	Instance Instance

	page string // that is shown; "" is none
}

// New returns a Desk that shows nothing yet.
func New(o Options) *Desk {
	d := &Desk{Options: o}
	d.People.desk, d.Invites.desk, d.Teams.desk, d.Audit.desk, d.Instance.desk = d, d, d, d, d
	return d
}

// Go shows what is at an address of one of the pages, and fetches what it has. It
// is called again when something of the instance may be another.
func (d *Desk) Go(page string, query url.Values) {
	d.page = page
	switch page {
	case PagePeople:
		d.People.at(query.Get("person"))
		d.Invites.Shown = query.Has("invitations")
	case PageTeams:
		d.Teams.at(query.Get("team"))
	case PageAudit:
		d.Audit.at(query)
	}
	d.fetch()
}

// Leave is called when another part of the program is shown.
func (d *Desk) Leave() { d.page = "" }

// fetch asks for what the page shows. What an address gives only to others isn't
// asked for.
func (d *Desk) fetch() {
	me := d.Session.Me()
	if me == nil || d.page == "" {
		return
	}
	d.Teams.fetch()
	if !d.Session.Admin() {
		return
	}
	d.People.fetch()
	switch d.page {
	case PagePeople:
		d.Invites.fetch()
	case PageAudit:
		d.Audit.fetch()
	case PageInstance:
		d.Instance.fetch()
	}
}

// get reads what an address has into v.
func (d *Desk) get(path string, v any, done func(p *wire.Problem)) {
	d.API.Ask("GET", path, nil, func(data json.RawMessage, p *wire.Problem) {
		done(session.Read(data, p, v))
		d.Changed()
	})
}

// do asks an address to do something; out may be nil.
func (d *Desk) do(method, path string, in, out any, done func(p *wire.Problem)) {
	d.API.Ask(method, path, in, func(data json.RawMessage, p *wire.Problem) {
		if out != nil {
			p = session.Read(data, p, out)
		}
		done(p)
		if p != nil && p.Field != "" {
			d.Mistaken()
		}
		d.Changed()
	})
	d.Changed()
}

// begin starts to send a form, or tells of what is wrong with it.
func (d *Desk) begin(f *Form) bool {
	if len(f.Wrong) > 0 {
		d.Mistaken()
	}
	return f.begin()
}

// Pages are those that the person who is signed in may see.
func (d *Desk) Pages() []string {
	me := d.Session.Me()
	if me == nil {
		return nil
	}
	if d.Session.Admin() {
		return []string{PagePeople, PageTeams, PageAudit, PageInstance}
	}
	for _, t := range me.Teams {
		if t.Lead {
			return []string{PageTeams}
		}
	}
	return nil
}
