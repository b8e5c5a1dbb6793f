package chat

import (
	"slices"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Retry asks for another version of an answer in the lane. One that the server
// never took is sent again as it was.
func (l *Lane) Retry(id string) {
	c := l.of
	m := c.messages[id]
	if m == nil || l.Running() {
		return
	}
	c.Refusal = nil
	if m.unsent != nil && m.Run.Problem != nil && session.Unanswered(m.Run.Problem) {
		m.Run.State, m.Run.Problem = wire.Running, nil
		m.Rev++
		c.changed(PartThread | PartComposer)
		c.send(m)
		return
	}
	if c.Answers(m) {
		user := c.messages[m.Parent]
		l.again(user.Message, l.pathTo(user))
	}
}

// Answers says that a message follows one that a model can be asked to answer: not
// another answer, nor nothing.
func (c *Conversation) Answers(m *Message) bool {
	above := c.messages[m.Parent]
	return above != nil && above.Role != "assistant"
}

// RetryWith asks another model for a version of an answer; the lane goes on with the
// model that it had.
func (l *Lane) RetryWith(id, model string) {
	own := l.Model()
	if l.Running() || l.of.messages[id] == nil {
		return
	}
	l.model = model
	l.Retry(id)
	l.model = own
	l.of.tellLanes(0)
	l.of.changed(PartThread | PartLanes)
}

// ContinueText is what a model is told that is to go on with an answer which was cut.
const ContinueText = "Continue exactly where you stopped, without repeating anything."

// Cut says that an answer ended before its end, so that it can be continued: at a
// bound of its length, or because it was stopped or broke off after some text.
func (m *Message) Cut() bool {
	if m.Run == nil || m.Text == "" || len(m.Calls()) > 0 {
		return false
	}
	switch m.Run.State {
	case wire.Stopped, wire.Interrupted:
		return true
	case wire.Incomplete:
		return m.Run.Finish != "content_filter"
	}
	return m.Run.State == wire.Done && m.Run.Finish == "length"
}

// Continue asks the lane's model to go on with an answer, in a message of its own.
func (l *Lane) Continue(id string) {
	c := l.of
	m := c.messages[id]
	if m == nil || l.Running() || !m.Cut() {
		return
	}
	user := &Message{Message: wire.Message{
		ID: c.chat.o.NewID(), Parent: id, Lane: l.Number, Role: "user", Text: ContinueText, CreatedMS: c.chat.o.Now().UnixMilli(),
	}, Rev: 1}
	path := append(slices.Clone(l.pathTo(m)), user)
	c.Refusal = nil
	c.add(user)
	if !l.again(user.Message, path) {
		c.drop(user)
	}
}

// again asks the lane to answer user, the last message of path.
func (l *Lane) again(user wire.Message, path []*Message) bool {
	start, r := l.prepare(user, path)
	if r != nil {
		l.of.Refusal = r
		l.of.changed(PartComposer)
		return false
	}
	l.begin(start)
	l.of.tellLanes(0)
	return true
}

// prepare is the turn by which the lane answers user, the last message of path,
// or why it can't be asked.
func (l *Lane) prepare(user wire.Message, path []*Message) (wire.Start, *Refusal) {
	r := l.of.chat.mayNotSend()
	if r == nil {
		r = l.of.unread(path)
	}
	if r != nil {
		return wire.Start{}, r
	}
	start, r := l.turn(turns(path), user)
	start.Before = before(path)
	return start, r
}

// Edit sends a message of the person's again with another text, in its place:
// the lane then shows the new one, and the old one with all that followed is a
// version beside it. It returns false, with Refusal set, when that can't be.
func (l *Lane) Edit(id, text string) bool {
	c := l.of
	old := c.messages[id]
	if text = TrimDraft(text); old == nil || text == "" && len(old.Images) == 0 {
		return false
	}
	if l.Running() {
		c.Refusal = stillRunning()
		c.changed(PartComposer)
		return false
	}
	user := l.inPlaceOf(old, text)
	path := slices.Clone(l.pathTo(old))
	path[len(path)-1] = user
	c.Refusal = nil
	c.add(user)
	if l.again(user.Message, path) {
		return true
	}
	c.drop(user)
	return false
}

// inPlaceOf is a new message that will stand beside old.
func (l *Lane) inPlaceOf(old *Message, text string) *Message {
	return &Message{Message: wire.Message{
		ID: l.of.chat.o.NewID(), Parent: old.Parent, Lane: l.Number, Role: old.Role, Text: text, Images: old.Images,
		CreatedMS: l.of.chat.o.Now().UnixMilli(),
	}, Rev: 1}
}

// EditAll sends a message of the lane again with another text, in every lane that
// shows the same text at that place.
func (l *Lane) EditAll(id, text string) bool {
	c := l.of
	old := c.messages[id]
	text = TrimDraft(text)
	at := slices.Index(l.Path(), old)
	if old == nil || text == "" && len(old.Images) == 0 || at < 0 {
		return false
	}
	c.Refusal = nil
	made := map[string]*Message{} // by the old one: lanes that share that share the new one
	starts := map[*Lane]wire.Start{}
	for _, l := range c.Lanes {
		path := l.Path()
		r := c.unread(path[:min(at+1, len(path))]) // what is not here yet may be the same text
		if l.Running() {
			r = stillRunning()
		}
		if r == nil && at < len(path) && path[at].Role == old.Role && path[at].Text == old.Text {
			user := made[path[at].ID]
			if user == nil {
				user = l.inPlaceOf(path[at], text)
				made[path[at].ID] = user
			}
			starts[l], r = l.prepare(user.Message, append(slices.Clone(path[:at]), user))
		}
		if r != nil { // all of them or none
			c.Refusal = r
			c.changed(PartComposer)
			return false
		}
	}
	for _, l := range c.Lanes {
		start, asked := starts[l]
		if !asked {
			continue
		}
		if c.messages[start.User.ID] == nil {
			c.add(&Message{Message: start.User, Rev: 1})
		}
		l.begin(start)
	}
	c.tellLanes(0)
	return true
}
