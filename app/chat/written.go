package chat

import (
	"encoding/json"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Handwritten says that a person wrote the answer, and no model.
func (m *Message) Handwritten() bool { return m.Role == "assistant" && m.Run == nil && !m.Stub }

// Rewrite puts an answer of the person's own beside an answer; the lane then shows
// it. done tells whether it was kept: where it wasn't, Refusal says why.
func (l *Lane) Rewrite(id, text string, done func(kept bool)) {
	if old := l.of.messages[id]; old != nil {
		l.write(wire.Message{Parent: old.Parent, Lane: l.Number, Role: old.Role, Text: text}, done)
	}
}

// Insert puts a message below another one of the lane, in the role of the person or
// of the model. What has followed there is a version beside it.
func (l *Lane) Insert(below, role, text string, done func(kept bool)) {
	l.write(wire.Message{Parent: below, Lane: l.Number, Role: role, Text: text}, done)
}

// AddDraft puts the draft at the end of the lane that has the focus, and of those
// that are at the same place, without asking a model: a conversation may begin so.
func (c *Conversation) AddDraft(done func(kept bool)) {
	if len(c.attached) > 0 {
		c.refuse(refuse("", "images", "Images can’t be added without asking.", "Send them, or take them out."))
		return
	}
	l, draft := c.Lane(c.Focused), c.draft
	at := l.Leaf
	l.write(wire.Message{Parent: at, Lane: l.Number, Role: "user", Text: draft}, func(kept bool) {
		for _, other := range c.Lanes {
			if kept && other.Leaf == at {
				other.Leaf, other.pinned = l.Leaf, true
			}
		}
		if kept && c.draft == draft {
			c.SetDraft("")
		}
		done(kept)
	})
}

func (c *Conversation) refuse(r *Refusal) {
	c.Refusal = r
	c.changed(PartComposer)
}

// write has the server keep a message, and then leads the lane to it.
func (l *Lane) write(m wire.Message, done func(kept bool)) {
	c, ch := l.of, l.of.chat
	m.Text = TrimDraft(m.Text)
	switch {
	case m.Text == "" || l.Index() < 0:
		return
	case c.writing:
		c.refuse(refuse("", "writing", "What you wrote before is on its way.", "Save again in a moment."))
		return
	case l.Running():
		c.refuse(stillRunning())
		return
	}
	conversation := c.ID
	fresh := !c.begun()
	if fresh {
		conversation = ch.o.NewID()
	}
	m.ID, m.CreatedMS = ch.o.NewID(), ch.o.Now().UnixMilli()
	if w := c.unsure; w != nil && w.Message.Parent == m.Parent && w.Message.Lane == m.Lane && w.Message.Role == m.Role && w.Message.Text == m.Text {
		conversation, m = w.Conversation, w.Message
	}
	c.writing, c.Refusal, c.unsure = true, nil, nil
	ch.o.Server.Call(wire.OpWrite, wire.Written{Conversation: conversation, Message: m}, func(data json.RawMessage, p *wire.Problem) {
		c.writing = false
		var s wire.Summary
		if p = session.Read(data, p, &s); p != nil {
			if session.Unanswered(p) {
				c.unsure = &wire.Written{Conversation: conversation, Message: m}
			}
			c.refuse(refuse(p.Field, p.Code, "Your text wasn’t kept: "+p.Message, p.Hint))
			done(false)
			return
		}
		if fresh {
			ch.beginHere(c, conversation, m)
		}
		if c.messages[m.ID] == nil {
			c.add(&Message{Message: m, Rev: 1})
		}
		ch.summary(s)
		l.Leaf, l.pinned = m.ID, true
		c.tellLanes(0)
		c.changed(PartThread | PartLanes | PartComposer)
		done(true)
	})
}

// beginHere makes what was to be begun the conversation that the server has made.
// What is shown meanwhile stays.
func (ch *Chat) beginHere(c *Conversation, id string, m wire.Message) {
	ch.o.Storage.Remove(draftName)
	shown := ch.Current
	ch.begin(id, m.Text, m.CreatedMS)
	c.lanes.unborn = false
	if shown != nil {
		ch.Current = shown
	}
	if c.draft != "" {
		store(ch.o.Storage, draftName+id, c.draft)
	}
}
