package chat

import (
	"encoding/json"
	"slices"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// paramsDelay is how long the server is not told of a change of parameters,
// for a slider makes many.
const paramsDelay = 400 * time.Millisecond

// AddLane opens a lane beside the others with the model id; it goes on from
// where the focused one is. It returns false when there are as many as there
// can be.
func (c *Conversation) AddLane(id string) bool {
	if c.Full() {
		return false
	}
	c.chat.endUndoClose()
	from := c.Lanes[min(c.Focused, len(c.Lanes)-1)]
	c.nameModels()
	c.Lanes = append(c.Lanes, &Lane{
		of: c, Number: c.freeNumber(), model: id, Leaf: from.Leaf, params: from.params.clone(), pinned: true,
	})
	c.Focused = len(c.Lanes) - 1
	c.lanesChanged()
	return true
}

// nameModels writes down which model answers next in each lane, for a lane
// without one takes it from its messages.
func (c *Conversation) nameModels() {
	for _, l := range c.Lanes {
		l.model = l.Model()
	}
}

func (c *Conversation) lanesChanged() {
	c.Refusal = nil
	c.tellLanes(0)
	c.chat.o.Changed(PartList)
	c.changed(PartThread | PartLanes | PartComposer | PartBar)
}

// freeNumber is the least number that no lane has.
func (c *Conversation) freeNumber() int {
	for n := 0; ; n++ {
		if !slices.ContainsFunc(c.Lanes, func(l *Lane) bool { return l.Number == n }) {
			return n
		}
	}
}

// lanesTold is what the server was told of a conversation's lanes.
type lanesTold struct {
	unborn  bool // the server does not know the conversation yet
	dirty   bool // it has not been told of the last change
	planned func()
	asking  bool
	rev     int64
	heard   *wire.Lanes // the latest that came while there were changes of our own
}

// laneState is what the browser keeps of a lane in wire.Lane.Params.
type laneState struct {
	Params
	Number int  `json:"lane,omitempty"`
	Pinned bool `json:"pinned,omitempty"`
}

// tellLanes lets the server store the lanes after delay, so that a reload,
// another tab and another device show the same.
func (c *Conversation) tellLanes(delay time.Duration) {
	if c.nowhere() {
		return
	}
	if !c.begun() {
		c.chat.storeFresh()
		return
	}
	told := &c.lanes
	told.dirty = true
	if told.planned != nil {
		if delay > 0 {
			return
		}
		told.planned()
	}
	told.planned = c.chat.o.After(delay, func() {
		told.planned = nil
		c.tellLanesNow()
	})
}

func (c *Conversation) tellLanesNow() {
	told := &c.lanes
	if !told.dirty || told.asking || told.unborn {
		return
	}
	if told.planned != nil {
		told.planned()
		told.planned = nil
	}
	told.dirty, told.asking = false, true
	c.chat.o.Server.Call(wire.OpLanes, c.wireLanes(), func(data json.RawMessage, p *wire.Problem) {
		told.asking = false
		var w wire.Lanes
		if session.Read(data, p, &w) == nil {
			told.rev = max(told.rev, w.Rev)
		}
		if told.dirty {
			c.tellLanesNow()
			return
		}
		if h := told.heard; h != nil {
			told.heard = nil
			c.chat.hearLanes(*h)
		}
	})
}

func (c *Conversation) wireLanes() wire.Lanes {
	w := wire.Lanes{Conversation: c.ID, Blind: c.Blind}
	for _, l := range c.Lanes {
		state, err := json.Marshal(laneState{Params: l.params, Number: l.Number, Pinned: l.pinned})
		if err != nil { // a number that JSON can't write; nothing in a form gives one
			state = nil
		}
		w.Lanes = append(w.Lanes, wire.Lane{Model: l.model, Leaf: l.Leaf, Params: state})
	}
	return w
}

// hearLanes takes the lanes as the server stores them. Changes of our own that
// it does not have yet come after them.
func (ch *Chat) hearLanes(w wire.Lanes) {
	if s := ch.List.find(w.Conversation); s != nil {
		s.Blind = w.Blind
		s.Models = w.Listed(s.Models)
		ch.o.Changed(PartList)
	}
	if c := ch.conversations[w.Conversation]; c != nil && len(w.Lanes) > 0 {
		c.hearLanes(w)
	}
}

func (c *Conversation) hearLanes(w wire.Lanes) {
	told := &c.lanes
	if w.Rev <= told.rev {
		return
	}
	if told.dirty || told.asking {
		if told.heard == nil || told.heard.Rev < w.Rev {
			told.heard = &w
		}
		return
	}
	told.rev = w.Rev
	c.setLanes(w)
	if closed := c.chat.closed; closed != nil && closed.conversation == c {
		c.chat.endUndoClose()
	}
	c.Focused = min(c.Focused, len(c.Lanes)-1)
	for _, l := range c.Lanes {
		if l.Leaf != "" && l.last() == nil && c.Phase == Ready {
			c.fetch()
			break
		}
	}
	c.chat.o.Changed(PartList)
	c.changed(PartThread | PartLanes | PartComposer | PartBar)
}

func (c *Conversation) setLanes(w wire.Lanes) {
	c.Blind = w.Blind
	c.Lanes = nil
	for _, in := range w.Lanes {
		var s laneState
		if len(in.Params) > 0 && json.Unmarshal(in.Params, &s) != nil {
			s = laneState{} // of a later build
		}
		taken := slices.ContainsFunc(c.Lanes, func(l *Lane) bool { return l.Number == s.Number })
		if taken || s.Number < 0 || s.Number >= wire.MaxLanes {
			s.Number = c.freeNumber()
		}
		c.Lanes = append(c.Lanes, &Lane{of: c, Number: s.Number, model: in.Model, Leaf: in.Leaf, params: s.Params, pinned: s.Pinned})
	}
}

// followLeaves leads each lane to the end of its way, after messages came.
func (c *Conversation) followLeaves() {
	for _, l := range c.Lanes {
		switch {
		case len(c.order) == 0:
			if !c.lanes.unborn {
				l.Leaf = ""
			}
		case len(c.Lanes) == 1 && !l.pinned && c.lanes.rev == 0:
			l.Leaf = c.order[len(c.order)-1].ID // lanes were never stored
		case l.last() != nil:
			l.Leaf = c.newestBelow(l.Leaf, l.Number)
		default:
			l.Leaf = c.newestOf(l.Number)
		}
	}
}
