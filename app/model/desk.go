package model

import (
	"encoding/json"
	"slices"
	"time"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Part names what is to be drawn again.
type Part uint

// The parts.
const (
	PartList     Part = 1 << iota // the list of conversations
	PartThread                    // the messages of the conversation shown, or their states
	PartStream                    // the text of a running answer grew
	PartComposer                  // the draft's model, refusal, or whether it may be sent
	PartBar                       // the title, the connection, the gateway
	PartSettings                  // the gateway, the key, the theme
	PartNotice                    // what is offered to be undone
	PartAll      = PartList | PartThread | PartStream | PartComposer | PartBar | PartSettings | PartNotice
)

// kept bounds the conversations held besides the one shown and those with an
// answer under way.
const kept = 8

// Options are what a Desk needs from outside.
type Options struct {
	Session *session.Session
	Server  session.Server
	Storage Storage
	Now     func() time.Time
	// Midnight is when the viewer's day began that is so many days back: 0 is
	// today. Go has no time zones in the browser, and a day there may begin at
	// one o'clock.
	Midnight func(back int) time.Time
	NewID    func() string // a UUID
	// After calls f on the Desk's goroutine when d has passed, unless the
	// returned function is called before.
	After   func(d time.Duration, f func()) (cancel func())
	Changed func(Part)
	// Resend has a text sent again that Send held back until the rest of the
	// conversation was here, unless something else is in the composer by now.
	Resend func(text string)
}

// Desk is what the tab knows. See the package's comment.
type Desk struct {
	*session.Session
	server  session.Server
	storage Storage
	now     func() time.Time
	// midnight is Options.Midnight.
	midnight func(back int) time.Time
	newID    func() string
	after    func(time.Duration, func()) func()
	changed  func(Part)
	resend   func(text string)

	List      []wire.Summary // of conversations, in no order; see Groups
	ListReady bool
	ListMore  bool // there are older ones
	before    string
	reach     int64 // when the oldest changed that is listed for its age, Unix ms
	listing   bool

	// Current is the conversation that is shown; nil is one that has yet to
	// be begun.
	Current *Conversation
	// Focused is the lane of the conversation shown that the drawer shows.
	Focused int
	// Library is what the person saved, by name; see FetchLibrary.
	Library []wire.LibraryEntry
	results map[callKey]string
	fresh   *Conversation // what a new conversation begins with; see On
	// Refusal is why the draft was not sent; nil when nothing is wrong.
	Refusal *Refusal
	held    *held // nil if nothing is held back
	// Recalled counts the drafts that were put back; see Draft.
	Recalled int
	// Deleted is the conversation that can still be had back; nil if none.
	Deleted *wire.Summary
	forget  func() // ends the time for that
	closed  *Closed
	// Notice is a sentence that is shown for a while; "" if none.
	Notice       string
	forgetNotice func()

	choice        string // model for a conversation not yet begun
	conversations map[string]*Conversation
	recent        []string // of conversations, the one shown last
	streams       map[string]*streamOf
}

// streamOf is a stream with the message it fills.
type streamOf struct {
	*Stream
	conversation *Conversation
	message      *Message
	asking       bool // an OpRead is on its way
}

// NewDesk returns an empty Desk.
func NewDesk(o Options) *Desk {
	d := &Desk{
		Session: o.Session, server: o.Server, storage: o.Storage, now: o.Now, midnight: o.Midnight, newID: o.NewID, after: o.After,
		changed: o.Changed, resend: o.Resend,
		choice:        o.Storage.Get(modelName),
		conversations: map[string]*Conversation{},
		streams:       map[string]*streamOf{},
		fresh:         newFresh(),
		results:       map[callKey]string{},
	}
	d.recallFresh()
	return d
}

func (d *Desk) currentID() string {
	if d.Current == nil {
		return ""
	}
	return d.Current.ID
}

// Show goes to a conversation; "" is a new one.
func (d *Desk) Show(id string) {
	d.Refusal, d.Focused = nil, 0
	d.changed(PartList | PartThread | PartComposer | PartBar)
	if id == "" {
		d.Current = nil
		return
	}
	c := d.conversations[id]
	fresh := c == nil || c.Phase == Broken || c.Phase == Missing
	if fresh {
		c = newConversation(id)
		for _, s := range d.List {
			if s.ID == id {
				c.Summary = s
			}
		}
		d.conversations[id] = c
	}
	d.Current = c
	d.remember(id)
	if fresh {
		d.fetch(c)
	} else {
		d.after(fillFirst, func() { d.fill(c) })
	}
}

// remember keeps a conversation and lets go of what was not shown for long.
func (d *Desk) remember(id string) {
	recent := []string{id}
	for _, r := range d.recent {
		c := d.conversations[r]
		switch {
		case r == id || c == nil:
		case len(recent) <= kept || c.Running():
			recent = append(recent, r)
		default:
			delete(d.conversations, r)
		}
	}
	d.recent = recent
}

// fetch asks for the newest messages of a conversation.
func (d *Desk) fetch(c *Conversation) {
	d.server.Call(wire.OpOpen, wire.Page{Conversation: c.ID}, func(data json.RawMessage, p *wire.Problem) {
		var o wire.Opened
		if p = session.Read(data, p, &o); p != nil {
			switch {
			case p.Code == "not_found" && !c.kept.unborn:
				c.Phase = Missing
				d.foundGone(c.ID)
			case c.Phase != Loading: // a renewal; what is there stays
			default:
				c.Phase, c.Problem = Broken, p
			}
		} else {
			c.Phase = Ready
			c.merge(o)
			d.follow(c)
			d.Outline(c)
		}
		d.recall(c)
		d.drawn(c, PartList|PartThread|PartComposer|PartBar)
	})
}

// Refetch tries again to fetch a conversation that could not be.
func (d *Desk) Refetch() {
	if c := d.Current; c != nil && c.Phase == Broken {
		c.Phase, c.Problem = Loading, nil
		d.fetch(c)
		d.changed(PartThread)
	}
}

// Choose sets the model that answers next in a lane.
func (d *Desk) Choose(lane int, id string) {
	c := d.On()
	if lane < 0 || lane >= len(c.Lanes) {
		return
	}
	if lane == 0 {
		d.choice = id
		d.storage.Set(modelName, id)
	}
	listed := slices.ContainsFunc(d.Models, func(m gateway.Model) bool { return m.ID == id })
	if c == d.fresh && len(c.Lanes) == 1 && listed {
		id = "" // the last one chosen anywhere
	}
	c.Lanes[lane].Model = id
	d.Refusal = nil
	d.keepLanes(c, 0)
	d.changed(PartComposer | PartBar)
}

// LaneModel returns the model that answers next in a lane: the one chosen
// there, else the one that answered last, else the last one chosen anywhere,
// else the catalogue's first.
func (d *Desk) LaneModel(lane int) string {
	c := d.On()
	if lane < 0 || lane >= len(c.Lanes) {
		return ""
	}
	if m := c.Lanes[lane].Model; m != "" {
		return m
	}
	path := c.Path(lane)
	for i := len(path) - 1; i >= 0; i-- {
		if r := path[i].Run; r != nil && r.Model != "" {
			return r.Model
		}
	}
	for _, m := range d.Models {
		if m.ID == d.choice {
			return m.ID
		}
	}
	if len(d.Models) > 0 {
		return d.Models[0].ID
	}
	return ""
}

// Turn leads a lane to another version of a message: by is -1 or 1.
func (d *Desk) Turn(lane int, id string, by int) {
	c := d.Current
	if c == nil || c.messages[id] == nil || lane >= len(c.Lanes) {
		return
	}
	versions := c.Versions(lane, c.messages[id])
	for i, v := range versions {
		if v == id && i+by >= 0 && i+by < len(versions) {
			c.choose(lane, versions[i+by])
			d.keepLanes(c, 0)
			d.changed(PartThread | PartComposer)
			return
		}
	}
}

// drawn says that parts of c changed, if it is the one shown.
func (d *Desk) drawn(c *Conversation, parts Part) {
	if c == d.Current {
		d.changed(parts)
	}
}
