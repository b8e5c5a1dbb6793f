package video

import (
	"encoding/json"
	"time"

	"screentest/app/line"
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
	Line    line.Line
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
	catText string             // that it was read from

	Form  *Form
	Tasks *Tasks
}

// NewDesk returns a Desk with the drafts that the Storage holds.
func NewDesk(o Options) *Desk {
	d := &Desk{o: o, Cat: &gateway.Catalogue{}}
	d.Form = newForm(d)
	d.Tasks = NewTasks(TasksOptions{
		Call: o.Line.Call, Now: o.Now, After: o.After, Changed: func() { o.Changed(PartGallery) },
		Cat: func() *gateway.Catalogue { return d.Cat }, Seen: o.Seen, Tell: o.Tell,
	})
	return d
}

// News takes a push of the server that answers no call.
func (d *Desk) News(p wire.Push) {
	if p.Event == wire.EventHello {
		var h wire.Hello
		if json.Unmarshal(p.Data, &h) != nil {
			return
		}
		d.Greeted, d.Gateway = true, h.Gateway
		// It comes again with each connection: what was typed is fitted to a
		// catalogue that is new, and else left alone.
		if text := string(h.Catalogue); text != d.catText {
			if cat, err := gateway.ParseCatalogue(h.Catalogue); err == nil {
				d.Cat, d.catText = cat, text
			}
			d.Form.greet()
		} else {
			d.Form.check()
		}
		d.o.Changed(PartAll)
	}
	d.Tasks.News(p)
	if p.Event == wire.EventTask {
		var t wire.VideoTask
		if json.Unmarshal(p.Data, &t) == nil {
			d.Form.told(t)
		}
	}
}

// answered reads the data of an answer into v, or returns what went wrong.
func answered(data json.RawMessage, p *wire.Problem, v any) *wire.Problem {
	return line.Answered(data, p, v)
}
