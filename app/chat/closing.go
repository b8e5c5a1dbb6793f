package chat

import (
	"slices"
	"strconv"
)

// Closed are lanes that were closed a moment ago and can be had back.
type Closed struct {
	Words string // what was done

	conversation *Conversation
	lanes        []*Lane // all of them, as they were
	blind        bool
	focused      int
	forget       func() // ends the time for that
}

// Close closes the lane, until UndoClose. What was said there stays stored. An
// answer under way there is stopped.
func (l *Lane) Close() { l.of.close(func(o *Lane) bool { return o == l }) }

// KeepOnly closes all other lanes in the same way.
func (l *Lane) KeepOnly() {
	if l.Index() >= 0 {
		l.of.close(func(o *Lane) bool { return o != l })
	}
}

func (c *Conversation) close(closes func(*Lane) bool) {
	c.nameModels()
	was := &Closed{conversation: c, lanes: slices.Clone(c.Lanes), blind: c.Blind, focused: c.Focused}
	var left []*Lane
	stopped, focused := 0, 0
	for i, l := range c.Lanes {
		if !closes(l) {
			if i <= c.Focused {
				focused = len(left)
			}
			left = append(left, l)
		}
	}
	closed := len(c.Lanes) - len(left)
	if len(left) == 0 || closed == 0 {
		return
	}
	for _, l := range c.Lanes {
		if closes(l) && l.Running() {
			stopped++
			l.Stop()
		}
	}
	c.Lanes, c.Focused = left, focused
	if len(left) == 1 {
		c.Blind = false
	}
	was.Words = "Closed a lane."
	if closed > 1 {
		was.Words = "Closed " + strconv.Itoa(closed) + " lanes."
	}
	switch {
	case stopped == 1:
		was.Words += " The running answer was stopped."
	case stopped > 1:
		was.Words += " " + strconv.Itoa(stopped) + " running answers were stopped."
	}
	ch := c.chat
	ch.endUndoClose()
	was.forget = ch.o.After(undoFor, func() {
		ch.closed = nil
		ch.o.Changed(PartUndo)
	})
	ch.closed = was
	c.lanesChanged()
	ch.o.Changed(PartUndo)
}

// Closed are the lanes of the conversation shown that can be had back, nil if
// none.
func (ch *Chat) Closed() *Closed {
	if ch.closed == nil || ch.closed.conversation != ch.Shown() {
		return nil
	}
	return ch.closed
}

// UndoClose opens the lanes again that were closed last, with all that was in
// them. What the others have come to since stays.
func (ch *Chat) UndoClose() {
	was := ch.Closed()
	if was == nil {
		return
	}
	ch.endUndoClose()
	c := was.conversation
	lanes := slices.Clone(was.lanes)
	for i := range lanes {
		for _, left := range c.Lanes {
			if left.Number == lanes[i].Number {
				lanes[i] = left
			}
		}
	}
	if len(c.Lanes) == 1 { // else a vote may have shown the names since
		c.Blind = was.blind
	}
	c.Lanes, c.Focused = lanes, was.focused
	c.lanesChanged()
	ch.o.Changed(PartUndo)
}

// endUndoClose ends the offer: the time is over, or the lanes are others by now.
func (ch *Chat) endUndoClose() {
	if ch.closed != nil {
		ch.closed.forget()
		ch.closed = nil
		ch.o.Changed(PartUndo)
	}
}
