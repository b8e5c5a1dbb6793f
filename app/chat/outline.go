package chat

import (
	"encoding/json"
	"slices"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// A long conversation is opened by its newest messages and its outline: the
// tree of all messages without their texts. What has no text yet is a stub; its
// text is fetched when it comes near what is shown, and all of a lane's texts
// in the background, for the next turn sends them all.

const (
	// needAtOnce bounds the stubs in one call, and needBytes their text, so
	// that reading the answer holds the page up for some milliseconds only.
	needAtOnce = 48
	needBytes  = 96 << 10
	// fillFirst is how long an opened conversation is left in peace before its
	// older texts are fetched in the background, fillEvery the pause between
	// two stretches of them.
	fillFirst = time.Second
	fillEvery = 30 * time.Millisecond
	// fillUpTo is the text, in bytes, of a lane that is fetched unasked. A
	// turn of more than wire.MaxBody could not be sent anyway.
	fillUpTo = 2 * wire.MaxBody
)

// Outline asks for the shape of the conversation, if only the newest
// messages are here.
func (c *Conversation) Outline() {
	if !c.Earlier || c.outlined || c.Fetching {
		return
	}
	c.Fetching = true
	c.chat.o.Server.Call(wire.OpOutline, wire.Target{ID: c.ID}, func(data json.RawMessage, p *wire.Problem) {
		c.Fetching = false
		var o wire.Outline
		if session.Read(data, p, &o) == nil && c.fetched {
			c.outline(o)
			c.chat.o.After(fillFirst, c.fill)
			c.hasten()
		} else {
			c.giveUp()
		}
		c.changed(PartThread | PartLanes | PartComposer)
	})
	c.changed(PartThread)
}

var outlineRoles = map[byte]string{'u': "user", 'a': "assistant", 't': "tool", 's': "system"}

// outline puts in a stub for every message that is not here.
func (c *Conversation) outline(o wire.Outline) {
	n := o.Len()
	if len(o.IDs) < n*len("00000000-0000-0000-0000-000000000000") || len(o.Roles) < n || len(o.Lanes) < n || len(o.Lengths) < n {
		return
	}
	stubs := make([]Message, n)
	for i := range n {
		id := o.ID(i)
		if m := c.messages[id]; m != nil {
			m.place = i + 1
			continue
		}
		m := &stubs[i]
		m.ID, m.Role, m.Lane = id, outlineRoles[o.Roles[i]], o.Lanes[i]
		if p := o.Parents[i]; p >= 0 && p < n {
			m.Parent = o.ID(p)
		}
		m.Stub, m.size, m.place, m.Rev = true, o.Lengths[i], i+1, 1
		c.add(m)
	}
	c.Earlier, c.outlined = false, true
	c.sort()
	c.followLeaves()
}

// Need asks for the texts of those among ms that have none yet, the last ones
// first, as far as one call takes them. What comes later is asked for when the
// page, drawn again with this answer, needs it still.
func (c *Conversation) Need(ms []*Message) {
	if c.fetches < 2 {
		c.need(ms, nil)
	}
}

func (c *Conversation) need(ms []*Message, then func()) {
	q := wire.MessageQuery{Conversation: c.ID}
	var asked []*Message
	size := 0
	for i := len(ms) - 1; i >= 0 && len(asked) < needAtOnce; i-- {
		m := ms[i]
		if !m.Stub || m.asked {
			continue
		}
		if size += m.size; size > needBytes && len(asked) > 0 {
			break
		}
		m.asked = true
		asked = append(asked, m)
		q.IDs = append(q.IDs, m.ID)
	}
	if len(asked) == 0 {
		return
	}
	c.fetches++
	c.chat.o.Server.Call(wire.OpMessages, q, func(data json.RawMessage, p *wire.Problem) {
		c.fetches--
		var got wire.Messages
		p = session.Read(data, p, &got)
		came := false
		for _, in := range got.Messages {
			if m := c.messages[in.ID]; m != nil && m.Stub {
				c.put(in)
				came = true
			}
		}
		for _, m := range asked {
			m.asked = false
		}
		c.follow()
		if p != nil || !came { // what is gone would be asked for without end
			c.giveUp()
		} else {
			if then != nil {
				then()
			}
			c.chat.o.After(0, c.hasten)
		}
		c.changed(PartThread)
	})
}

// fill fetches the texts of the conversation while it is shown, lane by lane,
// the newest first.
func (c *Conversation) fill() {
	if c != c.chat.Current {
		return // asked again when it is shown
	}
	for _, l := range c.Lanes {
		size := 0
		path := l.Path()
		for at := len(path) - 1; at >= 0 && size <= fillUpTo; at-- {
			m := path[at]
			size += m.Size()
			if m.Stub && !m.asked {
				c.need(path[:at+1], func() { c.chat.o.After(fillEvery, c.fill) })
				return
			}
		}
	}
}

// unread refuses a turn as long as a text before it is missing, and fetches
// that.
func (c *Conversation) unread(path []*Message) *Refusal {
	if missing(path) {
		c.need(path, func() { c.chat.o.After(0, func() { _ = c.unread(path) }) })
		return refuse("", "not_loaded", "Older messages of this conversation are still loading; the model needs them all.", "Send again in a moment.")
	}
	if c.Earlier {
		c.Outline()
		return refuse("", "not_loaded", "Older messages of this conversation haven’t loaded yet; the model needs them all.", "Send again in a moment.")
	}
	return nil
}

// Find returns the lane and the place in its path of the message id, led there
// if it is on another branch; ok is false where it is not known.
func (c *Conversation) Find(id string) (lane, at int, ok bool) {
	m := c.messages[id]
	if m == nil {
		return 0, 0, false
	}
	for i, l := range c.Lanes {
		if at := slices.Index(l.Path(), m); at >= 0 {
			return i, at, true
		}
	}
	lane = max(0, slices.IndexFunc(c.Lanes, func(l *Lane) bool { return l.Number == m.Lane }))
	l := c.Lanes[lane]
	l.choose(id)
	c.tellLanes(0)
	c.changed(PartThread | PartLanes | PartComposer)
	at = slices.Index(l.Path(), m)
	return lane, at, at >= 0
}
