// Package notices is what the page knows of notices: what the person is told of
// what concerns them. It is plain Go, with neither go-app nor the browser in it.
package notices

import (
	"encoding/json"
	"slices"

	"screentest/app/session"
	"screentest/shared/wire"
)

// page is how many notices are fetched at a time.
const page = 50

// Options are what a Desk needs from outside.
type Options struct {
	Server session.Server
	// Looking says that the person looks at the notices at this moment.
	Looking func() bool
	Changed func()
	// Tell is called with each new notice that the person does not look at.
	Tell func(wire.Notice)
}

// Desk is the person's notices. It is not safe for concurrent use.
type Desk struct {
	o Options

	List    []wire.Notice // the newest first
	Unseen  int
	Came    bool
	Loading bool
	Problem *wire.Problem // why a page did not come

	before string          // of the next page; "" at the end
	told   []wire.Notice   // while a page was on its way, which may lack them
	fresh  map[string]bool // ids of those that were new when the person came to look
}

// NewDesk returns an empty Desk, which asks with the greeting.
func NewDesk(o Options) *Desk { return &Desk{o: o, fresh: map[string]bool{}} }

// News takes what the server tells unasked.
func (d *Desk) News(n session.News) {
	switch n := n.(type) {
	case session.Greeting:
		if n.Me != nil {
			d.Fetch()
		}
	case wire.Notice:
		if !d.add(n) {
			return
		}
		if d.Loading {
			d.told = append(d.told, n)
		}
		if d.o.Looking() {
			d.Look()
		} else {
			d.o.Tell(n)
		}
		d.o.Changed()
	case session.NoticesSeen:
		d.seen(n.ID)
		d.o.Changed()
	}
}

// add puts a new one above the others, unless it is there.
func (d *Desk) add(n wire.Notice) bool {
	if slices.ContainsFunc(d.List, func(v wire.Notice) bool { return v.ID == n.ID }) {
		return false
	}
	d.List = append([]wire.Notice{n}, d.List...)
	d.Unseen++
	return true
}

// Fetch asks for the newest.
func (d *Desk) Fetch() { d.fetch("") }

// FetchMore asks for older ones, if there are any and none are on their way.
func (d *Desk) FetchMore() {
	if d.More() && !d.Loading {
		d.fetch(d.before)
	}
}

// More says that there are older ones.
func (d *Desk) More() bool { return d.before != "" }

func (d *Desk) fetch(before string) {
	d.Loading = true
	d.o.Server.Call(wire.OpNotices, wire.Page{Before: before, Limit: page}, func(data json.RawMessage, p *wire.Problem) {
		told := d.told
		d.Loading, d.told = false, nil
		var v wire.Notices
		if d.Problem = session.Read(data, p, &v); d.Problem == nil {
			if before == "" {
				d.List, d.Unseen = v.Notices, v.Unseen
				for _, n := range told {
					d.add(n)
				}
			} else {
				d.List = append(d.List, v.Notices...)
			}
			d.before, d.Came = v.Before, true
			if d.o.Looking() {
				d.Look()
			}
		}
		d.o.Changed()
	})
	d.o.Changed()
}

// Fresh says that one was new when the person came to look.
func (d *Desk) Fresh(n wire.Notice) bool { return !n.Seen || d.fresh[n.ID] }

// Look takes all that there are as seen. What was new stays marked until Leave.
func (d *Desk) Look() {
	if d.Unseen == 0 || len(d.List) == 0 {
		return
	}
	for _, n := range d.List {
		if !n.Seen {
			d.fresh[n.ID] = true
		}
	}
	newest := d.List[0].ID
	d.seen(newest)
	d.o.Server.Call(wire.OpNoticesSeen, wire.Target{ID: newest}, nil)
}

// Leave takes it that what was new was read.
func (d *Desk) Leave() { clear(d.fresh) }

// seen notes that one and all older ones were seen.
func (d *Desk) seen(id string) {
	at := slices.IndexFunc(d.List, func(n wire.Notice) bool { return n.ID == id })
	if at < 0 {
		return // an older one than those that are here, or a newer: that comes
	}
	d.Unseen = 0
	for i := range d.List {
		if i >= at {
			d.List[i].Seen = true
		} else if !d.List[i].Seen {
			d.Unseen++
		}
	}
}
