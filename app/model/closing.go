package model

import (
	"slices"
	"strconv"
)

// Closed are lanes that were closed a moment ago and can be had back.
type Closed struct {
	Words string // what was done

	conversation *Conversation
	lanes        []Lane // all of them, as they were
	blind        bool
	focused      int
	forget       func() // ends the time for that
}

// RemoveLane closes a lane, until UndoClose. What was said there stays stored. An
// answer under way there is stopped.
func (d *Desk) RemoveLane(lane int) { d.closeLanes(func(i int) bool { return i == lane }) }

// KeepOnly closes all lanes but one in the same way.
func (d *Desk) KeepOnly(lane int) {
	if lane >= 0 && lane < len(d.On().Lanes) {
		d.closeLanes(func(i int) bool { return i != lane })
	}
}

func (d *Desk) closeLanes(closes func(int) bool) {
	c := d.On()
	d.settleModels(c)
	was := &Closed{conversation: c, lanes: slices.Clone(c.Lanes), blind: c.Blind, focused: d.Focused}
	var left []Lane
	stopped, focused := 0, 0
	for i, l := range c.Lanes {
		if !closes(i) {
			if i <= d.Focused {
				focused = len(left)
			}
			left = append(left, l)
		}
	}
	closed := len(c.Lanes) - len(left)
	if len(left) == 0 || closed == 0 {
		return
	}
	for i := range c.Lanes {
		if closes(i) && c.LaneRunning(i) {
			stopped++
			d.StopLane(i)
		}
	}
	c.Lanes, d.Focused = left, focused
	if len(left) == 1 {
		c.Blind = false
	}
	was.Words = "Closed a lane."
	if closed > 1 {
		was.Words = "Closed " + strconv.Itoa(closed) + " lanes."
	}
	switch {
	case stopped == 1:
		was.Words += " The answer under way was stopped."
	case stopped > 1:
		was.Words += " " + strconv.Itoa(stopped) + " answers under way were stopped."
	}
	d.forgetClosed()
	was.forget = d.after(undoFor, func() {
		d.closed = nil
		d.changed(PartNotice)
	})
	d.closed = was
	d.lanesChanged(c)
	d.changed(PartNotice)
}

// Closed are the lanes of the conversation shown that can be had back, nil if
// none.
func (d *Desk) Closed() *Closed {
	if d.closed == nil || d.closed.conversation != d.On() {
		return nil
	}
	return d.closed
}

// UndoClose opens the lanes again that were closed last, with all that was in
// them. What the others have come to since stays.
func (d *Desk) UndoClose() {
	was := d.Closed()
	if was == nil {
		return
	}
	d.forgetClosed()
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
	c.Lanes, d.Focused = lanes, was.focused
	d.lanesChanged(c)
	d.changed(PartNotice)
}

// forgetClosed ends the offer: the time is over, or the lanes are others by now.
func (d *Desk) forgetClosed() {
	if d.closed != nil {
		d.closed.forget()
		d.closed = nil
		d.changed(PartNotice)
	}
}
