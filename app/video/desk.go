package video

import (
	"slices"
	"time"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Storage is the browser's own store for drafts. A key never goes into it.
type Storage interface {
	Get(name string) string // "" where there is none
	Set(name, value string)
	Remove(name string)
}

// Part names what is to be drawn again.
type Part uint

// The parts.
const (
	PartForm    Part = 1 << iota // the form: fields, price, button
	PartGallery                  // the results beside the form, the page of a clip, the comparison
	PartAll     = PartForm | PartGallery
)

// Options are what a Desk needs from outside.
type Options struct {
	Server  session.Server
	Storage Storage
	Files   Files
	Now     func() time.Time
	NewID   func() string // a UUID
	// After calls f on the Desk's goroutine when d has passed, unless the
	// returned function is called before.
	After   func(d time.Duration, f func()) (cancel func())
	Changed func(Part)
	// Seen and Tell are for what happens while one is elsewhere: see
	// TasksOptions. Both may be nil.
	Seen func() bool
	Tell func(Notice)
}

// Desk is what the tab knows of videos. See the package's comment.
type Desk struct {
	o Options

	Greeted bool
	Gateway wire.Gateway       // zero before the greeting
	Cat     *gateway.Catalogue // never nil; empty before the greeting
	Charge  wire.Charge        // what a clip is charged to

	Form  *Form
	Tasks *Tasks
}

// NewDesk returns a Desk with the drafts that the Storage holds.
func NewDesk(o Options) *Desk {
	d := &Desk{o: o, Cat: &gateway.Catalogue{}}
	d.Form = newForm(d)
	d.Tasks = NewTasks(TasksOptions{
		Call: o.Server.Call, Now: o.Now, After: o.After, Changed: d.tasksChanged,
		Cat: func() *gateway.Catalogue { return d.Cat }, Seen: o.Seen, Tell: o.Tell,
	})
	return d
}

// tasksChanged draws what shows tasks: the form too while it offers them to start
// from.
func (d *Desk) tasksChanged() {
	parts := PartGallery
	if f := d.Form; !f.Mode.Generates() && f.draft.Source == nil {
		parts = PartAll
	}
	d.o.Changed(parts)
}

// News takes what the server tells unasked.
func (d *Desk) News(news session.News) {
	if g, is := news.(session.Greeting); is {
		d.Greeted, d.Gateway = true, g.Gateway
		// It comes again with each connection: what was typed is fitted to a
		// catalogue that is new, or to a payer of other models, and else left alone.
		other := g.Catalogue != d.Cat || !slices.Equal(g.Charge.Models, d.Charge.Models)
		d.Cat, d.Charge = g.Catalogue, g.Charge
		if other {
			d.Form.setCatalogue()
		} else {
			d.Form.check()
		}
		d.o.Changed(PartAll)
	}
	d.Tasks.News(news)
	if t, is := news.(wire.VideoTask); is {
		d.Form.follow(t)
	}
}
