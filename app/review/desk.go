package review

import (
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Storage is the browser's own store for what is typed.
type Storage interface {
	Get(name string) string // "" where there is none
	Set(name, value string)
	Remove(name string)
}

// Options are what a Desk needs from outside.
type Options struct {
	Server  session.Server
	Storage Storage
	Me      func() *wire.Me // who is signed in; nil before the greeting
	NewID   func() string   // a UUID
	// After calls f on the Desk's goroutine when d has passed, unless the returned
	// function is called before.
	After   func(d time.Duration, f func()) (cancel func())
	Changed func()
}

// Desk is what the tab knows of reviews. It is not safe for concurrent use: the
// page uses it on the UI goroutine only.
type Desk struct {
	o       Options
	Thread  *Thread // that is looked at; nil is none
	Gallery Gallery

	left []string // reviews that were found when one had left, to be looked away from
}

// NewDesk returns a Desk that looks at nothing.
func NewDesk(o Options) *Desk {
	d := &Desk{o: o}
	d.Gallery.d = d
	return d
}

// Look opens the thread of a clip or a share, or keeps the one that is open.
func (d *Desk) Look(at wire.Look) *Thread {
	if d.Thread != nil && d.Thread.At == at {
		return d.Thread
	}
	d.Leave()
	d.Thread = &Thread{d: d, At: at, drafts: map[string]*Draft{}, fresh: map[string]bool{}, troubles: map[string]*wire.Problem{}, busy: map[string]bool{}}
	d.Thread.look()
	return d.Thread
}

// Leave closes the thread that is open.
func (d *Desk) Leave() {
	if t := d.Thread; t != nil {
		d.Thread = nil
		t.leave()
	}
}

// found notes that a review was found whose thread is open no more. It may be that
// of the one that is, which is told of it by the same look.
func (d *Desk) found(review string) {
	d.left = append(d.left, review)
	if t := d.Thread; t == nil || t.Phase != Loading {
		d.lookAway()
	}
}

// lookAway looks away from what was left.
func (d *Desk) lookAway() {
	for _, id := range d.left {
		if t := d.Thread; t == nil || t.Review.ID != id {
			d.o.Server.Call(wire.OpLookAway, wire.Target{ID: id}, nil)
		}
	}
	d.left = nil
}

// News takes what the server tells unasked.
func (d *Desk) News(news session.News) {
	if t := d.Thread; t != nil {
		t.news(news)
	}
	switch news.(type) {
	case session.Greeting, session.SharesChanged:
		d.Gallery.again()
	}
}

// me is the id of who is signed in.
func (d *Desk) me() string {
	if me := d.o.Me(); me != nil {
		return me.ID
	}
	return ""
}

// Comments says whether who is signed in may say something: a guest only reads.
func (d *Desk) Comments() bool {
	me := d.o.Me()
	return me != nil && me.Role != wire.RoleGuest
}
