package model

import (
	"encoding/json"
	"slices"
	"time"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Lane is one way through a conversation's tree, with what answers next.
type Lane struct {
	// Number marks the lane's answers (wire.Message.Lane). It stays the same
	// when other lanes are closed.
	Number int
	Model  string // answers next; "" is the one that answered last
	Leaf   string // the last message of the way; "" before the first
	Params Params
	// pinned: the person chose this version, so newer siblings don't take over.
	pinned bool
}

// paramsDelay is how long the server is not told of a change of parameters,
// for a slider makes many.
const paramsDelay = 400 * time.Millisecond

// On is the conversation shown, or, where that has yet to be begun, what its
// lanes will be.
func (d *Desk) On() *Conversation {
	if d.Current != nil {
		return d.Current
	}
	return d.fresh
}

// Focus makes a lane the one that the drawer shows.
func (d *Desk) Focus(lane int) {
	if lane == d.Focused || lane < 0 || lane >= len(d.On().Lanes) {
		return
	}
	d.Focused = lane
	d.changed(PartComposer)
}

// AddLane opens a lane beside the others with the model id; it goes on from
// where the focused one is. It returns false when there are as many as there
// can be.
func (d *Desk) AddLane(id string) bool {
	c := d.On()
	if len(c.Lanes) >= wire.MaxLanes {
		return false
	}
	d.forgetClosed()
	from := c.Lanes[min(d.Focused, len(c.Lanes)-1)]
	d.settleModels(c)
	c.Lanes = append(c.Lanes, Lane{
		Number: c.freeNumber(), Model: id, Leaf: from.Leaf, Params: from.Params.clone(), pinned: true,
	})
	d.Focused = len(c.Lanes) - 1
	d.lanesChanged(c)
	return true
}

// settleModels writes down which model answers next in each lane, for a lane
// without one takes it from its messages.
func (d *Desk) settleModels(c *Conversation) {
	for i := range c.Lanes {
		if c.Lanes[i].Model == "" {
			c.Lanes[i].Model = d.LaneModel(i)
		}
	}
}

func (d *Desk) lanesChanged(c *Conversation) {
	d.Refusal = nil
	d.keepLanes(c, 0)
	d.changed(PartList | PartThread | PartComposer | PartBar)
}

// freeNumber is the least number that no lane has.
func (c *Conversation) freeNumber() int {
	for n := 0; ; n++ {
		if !slices.ContainsFunc(c.Lanes, func(l Lane) bool { return l.Number == n }) {
			return n
		}
	}
}

// LaneRunning says that an answer is under way at the end of a lane.
func (c *Conversation) LaneRunning(lane int) bool {
	m := c.messages[c.Lanes[lane].Leaf]
	return m != nil && m.Running()
}

// lanesKept is what the server was told of a conversation's lanes.
type lanesKept struct {
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

// keepLanes lets the server keep the lanes, so that a reload, another tab and
// another device show the same.
func (d *Desk) keepLanes(c *Conversation, delay time.Duration) {
	if c == d.fresh {
		d.keepFresh()
		return
	}
	k := &c.kept
	k.dirty = true
	if k.planned != nil {
		if delay > 0 {
			return
		}
		k.planned()
	}
	k.planned = d.after(delay, func() {
		k.planned = nil
		d.tellLanes(c)
	})
}

func (d *Desk) tellLanes(c *Conversation) {
	k := &c.kept
	if !k.dirty || k.asking || k.unborn {
		return
	}
	if k.planned != nil {
		k.planned()
		k.planned = nil
	}
	k.dirty, k.asking = false, true
	d.server.Call(wire.OpLanes, c.wireLanes(), func(data json.RawMessage, p *wire.Problem) {
		k.asking = false
		var w wire.Lanes
		if session.Read(data, p, &w) == nil {
			k.rev = max(k.rev, w.Rev)
		}
		if k.dirty {
			d.tellLanes(c)
			return
		}
		if h := k.heard; h != nil {
			k.heard = nil
			d.hearLanes(*h)
		}
	})
}

func (c *Conversation) wireLanes() wire.Lanes {
	w := wire.Lanes{Conversation: c.ID, Blind: c.Blind}
	for _, l := range c.Lanes {
		state, err := json.Marshal(laneState{Params: l.Params, Number: l.Number, Pinned: l.pinned})
		if err != nil { // a number that JSON can't write; nothing in a form gives one
			state = nil
		}
		w.Lanes = append(w.Lanes, wire.Lane{Model: l.Model, Leaf: l.Leaf, Params: state})
	}
	return w
}

// hearLanes takes the lanes as the server keeps them. Changes of our own that
// it has not taken yet come after them.
func (d *Desk) hearLanes(w wire.Lanes) {
	c := d.conversations[w.Conversation]
	for i := range d.List {
		if s := &d.List[i]; s.ID == w.Conversation {
			s.Blind = w.Blind
			s.Models = w.Listed(s.Models)
			d.changed(PartList)
		}
	}
	if c == nil || len(w.Lanes) == 0 {
		return
	}
	k := &c.kept
	if w.Rev <= k.rev {
		return
	}
	if k.dirty || k.asking {
		if k.heard == nil || k.heard.Rev < w.Rev {
			k.heard = &w
		}
		return
	}
	k.rev = w.Rev
	c.setLanes(w)
	if d.closed != nil && d.closed.conversation == c {
		d.forgetClosed()
	}
	if c == d.Current {
		d.Focused = min(d.Focused, len(c.Lanes)-1)
	}
	for _, l := range c.Lanes {
		if l.Leaf != "" && c.messages[l.Leaf] == nil && c.Phase == Ready {
			d.fetch(c)
			break
		}
	}
	d.changed(PartList)
	d.drawn(c, PartThread|PartComposer|PartBar)
}

func (c *Conversation) setLanes(w wire.Lanes) {
	c.Blind = w.Blind
	c.Lanes = nil
	for _, in := range w.Lanes {
		var s laneState
		if len(in.Params) > 0 && json.Unmarshal(in.Params, &s) != nil {
			s = laneState{} // of a later build
		}
		taken := slices.ContainsFunc(c.Lanes, func(l Lane) bool { return l.Number == s.Number })
		if taken || s.Number < 0 || s.Number >= wire.MaxLanes {
			s.Number = c.freeNumber()
		}
		c.Lanes = append(c.Lanes, Lane{Number: s.Number, Model: in.Model, Leaf: in.Leaf, Params: s.Params, pinned: s.Pinned})
	}
}

// followLeaves leads each lane to the end of its way, after messages came.
func (c *Conversation) followLeaves() {
	for i := range c.Lanes {
		l := &c.Lanes[i]
		switch {
		case len(c.order) == 0:
			if !c.kept.unborn {
				l.Leaf = ""
			}
		case len(c.Lanes) == 1 && !l.pinned && c.kept.rev == 0:
			l.Leaf = c.order[len(c.order)-1].ID // lanes were never kept
		case c.messages[l.Leaf] != nil:
			l.Leaf = c.newestBelow(l.Leaf, l.Number)
		default:
			l.Leaf = c.newestOf(l.Number)
		}
	}
}

// newestOf is the newest message of a lane, or of all where it has none.
func (c *Conversation) newestOf(number int) string {
	for i := len(c.order) - 1; i >= 0; i-- {
		if c.order[i].Lane == number {
			return c.order[i].ID
		}
	}
	return c.order[len(c.order)-1].ID
}

// Preview returns exactly what sending draft would post for a lane, and what
// the validator says of it. Without a model the body is nil.
func (d *Desk) Preview(lane int, draft string) (ep gateway.Endpoint, body []byte, v gateway.Verdict) {
	c := d.On()
	if lane < 0 || lane >= len(c.Lanes) || d.LaneModel(lane) == "" {
		return "", nil, gateway.Verdict{}
	}
	ts := append(turns(c.Path(lane)), gateway.Turn{Role: "user", Text: TrimDraft(draft)})
	return d.compose(lane, ts)
}

// Endpoint is where a lane's model is asked.
func (d *Desk) Endpoint(lane int) gateway.Endpoint {
	m, _ := d.laneModel(lane)
	return m.Endpoint
}

// compose builds and judges the request of a lane for these turns.
func (d *Desk) compose(lane int, ts []gateway.Turn) (gateway.Endpoint, []byte, gateway.Verdict) {
	m, switched := d.laneModel(lane)
	body := m.TextBody(ts, d.textParams(m, d.On().Lanes[lane].Params))
	return m.Endpoint, body, d.Catalogue.Validate(m.Endpoint, body, gateway.Options{StreamOptions: d.Hello.Gateway.StreamOptions, Switched: switched})
}
