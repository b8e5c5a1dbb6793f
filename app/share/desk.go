package share

import (
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Path is the address of the list; with ?by=me it is what the person shares.
const Path = "/shared"

// address is where shares are made, listed and ended.
const address = "/api/shares"

// Options are what a Desk works with.
type Options struct {
	API     session.API
	Session *session.Session
	Now     func() time.Time
	// Midnight is the first moment of a day by the viewer's clock, in ms; the
	// 32nd of a month is the 1st or so of the next.
	Midnight func(year int, month time.Month, day int) int64
	After    func(d time.Duration, f func()) (cancel func())
	// Changed is called when something is to be drawn, Mistaken when something of
	// the dialog that was sent is found wrong, Shared when it was shared.
	Changed, Mistaken, Shared func()
	// Say has something read out.
	Say func(words string)
}

// Desk is all of sharing. It is not safe for concurrent use: the page uses it on
// the UI goroutine only.
type Desk struct {
	Options
	Dialog Dialog

	Came    bool
	Problem *wire.Problem // with the list; what is there is as it was

	Query string // what the list is narrowed to

	// Asked is the share of which is asked whether it shall end, Ending the one
	// that is being ended; "" is none. Trouble is why one could not be.
	Asked, Ending string
	Trouble       *wire.Problem

	byMe         bool // asked for by the address
	mine, withMe []wire.Share
	fetching     bool
	stale        bool   // what is fetched may be old already
	wake         func() // calls off the draw at the next end of a share
}

// New returns a Desk that knows nothing yet.
func New(o Options) *Desk {
	d := &Desk{Options: o}
	d.Dialog.desk = d
	return d
}

// News takes what the server tells unasked.
func (d *Desk) News(n session.News) {
	switch n.(type) {
	case session.Greeting, session.SharesChanged:
		d.Fetch()
	}
}

// Fetch asks for the shares. While they are on their way it is enough to ask once
// more.
func (d *Desk) Fetch() {
	if d.Session.Me() == nil {
		return
	}
	if d.fetching {
		d.stale = true
		return
	}
	d.fetching = true
	d.API.Ask("GET", address, nil, func(data json.RawMessage, p *wire.Problem) {
		d.fetching = false
		var all wire.Shares
		if d.Problem = session.Read(data, p, &all); d.Problem == nil {
			d.Came, d.mine, d.withMe = true, all.Mine, all.WithMe
		}
		if d.stale {
			d.stale = false
			d.Fetch()
		}
		d.changed()
	})
}

// changed has the desk drawn, and once more when the next share ends by itself.
func (d *Desk) changed() {
	if d.wake != nil {
		d.wake()
		d.wake = nil
	}
	now, next := d.Now().UnixMilli(), int64(0)
	for _, s := range slices.Concat(d.mine, d.withMe) {
		if s.ExpiresMS > now && (next == 0 || s.ExpiresMS < next) {
			next = s.ExpiresMS
		}
	}
	if next > 0 {
		d.wake = d.After(min(time.Duration(next-now)*time.Millisecond, 24*time.Hour), d.changed)
	}
	d.Changed()
}

// Go shows what is at the list's address.
func (d *Desk) Go(query url.Values) {
	d.byMe = query.Get("by") == "me"
	d.Asked, d.Trouble = "", nil
	d.changed()
}

// ByMe says that the list shows what the person shares.
func (d *Desk) ByMe() bool { return d.byMe && d.May() }

// May says whether the person may share what is theirs.
func (d *Desk) May() bool { return d.Session.Me() != nil && !d.Session.Guest() }

// Mine and WithMe are the shares that hold, the newest first.
func (d *Desk) Mine() []wire.Share   { return d.holding(d.mine) }
func (d *Desk) WithMe() []wire.Share { return d.holding(d.withMe) }

func (d *Desk) holding(list []wire.Share) []wire.Share {
	now := d.Now().UnixMilli()
	return slices.DeleteFunc(slices.Clone(list), func(s wire.Share) bool { return s.ExpiresMS != 0 && s.ExpiresMS <= now })
}

// Of are the person's shares of a conversation or a clip.
func (d *Desk) Of(kind, id string) []wire.Share {
	return slices.DeleteFunc(d.Mine(), func(s wire.Share) bool { return s.Kind != kind || s.Subject != id })
}

// Listed are the shares of the list that have every word that is typed.
func (d *Desk) Listed() []wire.Share {
	all := d.WithMe()
	if d.ByMe() {
		all = d.Mine()
	}
	return slices.DeleteFunc(all, func(s wire.Share) bool { return !has(said(s), d.Query) })
}

// Search narrows the list.
func (d *Desk) Search(query string) {
	d.Query = query
	d.changed()
}

// Ask asks whether a share shall end; "" leaves it.
func (d *Desk) Ask(id string) {
	d.Asked, d.Trouble = id, nil
	d.changed()
}

// End ends a share at once; done is called when nobody sees it any more.
func (d *Desk) End(id string, done func()) {
	if d.Ending != "" {
		return
	}
	d.Ending, d.Trouble = id, nil
	d.API.Ask("DELETE", address+"/"+id, nil, func(_ json.RawMessage, p *wire.Problem) {
		d.Ending = ""
		if p != nil && p.Code != wire.CodeNotFound { // it is gone already
			d.Trouble = p
			d.changed()
			return
		}
		d.Asked = ""
		d.mine = slices.DeleteFunc(slices.Clone(d.mine), func(s wire.Share) bool { return s.ID == id })
		if m := d.Dialog.Made; m != nil && m.ID == id {
			d.Dialog.Made = nil
		}
		d.Say("Sharing stopped.")
		d.Fetch()
		d.changed()
		done()
	})
	d.changed()
}

// State tells apart what is shared: it is another when that is.
func (d *Desk) State() string {
	b, _ := json.Marshal([]any{d.Came, d.Session.Guest(), d.Mine(), d.WithMe()})
	return string(b)
}
