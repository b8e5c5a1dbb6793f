package chat

import (
	"encoding/json"
	"reflect"
	"slices"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Phase is how far a conversation has been fetched.
type Phase int

// The phases.
const (
	Loading Phase = iota
	Ready
	Missing // it does not exist, or was deleted
	Broken  // it could not be fetched; see Conversation.Problem
)

// Conversation is one conversation as this tab holds it.
type Conversation struct {
	tree
	chat *Chat

	ID      string // "" before it was begun
	Summary wire.Summary
	Phase   Phase
	Problem *wire.Problem // with Broken
	Lanes   []*Lane       // 1 to wire.MaxLanes
	// Focused is the index of the lane that the inspector shows.
	Focused int
	Blind   bool                 // the models' names are hidden until a vote
	Votes   map[string]wire.Vote // by the person's message
	// Refusal is why the draft was not sent; nil when nothing is wrong.
	Refusal *Refusal

	// Earlier says that there are older messages on the server of which not
	// even the outline is here; see Outline.
	Earlier bool
	// Fetching says that the outline is under way.
	Fetching bool

	draft    string
	attached []*Attachment
	lanes    lanesTold
	voting   bool // a vote is under way
	writing  bool // a message that the person wrote is on its way
	// unsure is the message that the person wrote last, where no answer told whether
	// it was kept: the same again goes under the same ids.
	unsure   *wire.Written
	fetched  bool
	outlined bool   // the outline is here
	fetches  int    // OpMessages under way
	waiting  string // a text that is sent once all older messages are here; "" if none
}

func (ch *Chat) newConversation(id string) *Conversation {
	c := &Conversation{chat: ch, tree: newTree(), ID: id, Summary: wire.Summary{ID: id}, Votes: map[string]wire.Vote{}}
	c.Lanes = []*Lane{{of: c}}
	c.readDraft()
	return c
}

// changed has parts drawn again if the conversation is the one shown.
func (c *Conversation) changed(parts Part) {
	if c == c.chat.Shown() {
		c.chat.o.Changed(parts)
	}
}

// begun says that the conversation has been begun.
func (c *Conversation) begun() bool { return c != c.chat.fresh }

// nowhere says that the conversation is none: see Lane.
func (c *Conversation) nowhere() bool { return c.ID == "" && c.begun() }

// fetch asks for the newest messages.
func (c *Conversation) fetch() {
	c.chat.o.Server.Call(wire.OpOpen, wire.Page{Conversation: c.ID}, func(data json.RawMessage, p *wire.Problem) {
		var o wire.Opened
		if p = session.Read(data, p, &o); p != nil {
			switch {
			case p.Code == "not_found" && !c.lanes.unborn:
				c.Phase = Missing
				c.chat.forgetLost(c.ID)
			case c.Phase != Loading: // a renewal; what is there stays
			default:
				c.Phase, c.Problem = Broken, p
			}
		} else {
			c.Phase = Ready
			c.merge(o)
			c.follow()
			c.Outline()
		}
		c.chat.recall(c)
		c.changed(PartThread | PartLanes | PartComposer | PartBar)
		if p == nil {
			c.hasten()
		} else if c.Phase != Ready && c.waiting != "" {
			c.waiting, c.Refusal = "", c.notReady()
		}
	})
}

// Refetch tries again to fetch a conversation that could not be.
func (c *Conversation) Refetch() {
	if c.Phase == Broken {
		c.Phase, c.Problem = Loading, nil
		c.fetch()
		c.changed(PartThread)
	}
}

// merge takes the newest messages from the server, which knows better.
func (c *Conversation) merge(o wire.Opened) {
	c.Summary = o.Summary
	if c.fetched && !c.overlaps(o.Messages) {
		// So much happened elsewhere that there is a gap: begin again.
		c.clear()
		c.fetched, c.outlined = false, false
	}
	if !c.fetched {
		c.Earlier = o.Before != ""
	}
	c.fetched = true
	for _, in := range o.Messages {
		c.put(in)
	}
	c.sort()
	for _, v := range o.Votes {
		c.Votes[v.Message] = v
	}
	if told := &c.lanes; o.Lanes != nil && len(o.Lanes.Lanes) > 0 && o.Lanes.Rev > told.rev && !told.dirty && !told.asking {
		told.rev = o.Lanes.Rev
		c.setLanes(*o.Lanes)
	}
	c.followLeaves()
}

// put puts in one message of the server's.
func (c *Conversation) put(in wire.Message) {
	m := c.messages[in.ID]
	if m == nil {
		c.add(&Message{Message: in, Rev: 1})
		return
	}
	m.unsent = nil
	m.Stub, m.asked = false, false
	if m.Text != in.Text || !slices.Equal(m.Images, in.Images) || !sameRun(m.Run, in.Run) {
		m.Rev++
	}
	m.Message = in
}

// overlaps says whether the conversation knows one of ms, or has nothing that
// the server should know.
func (c *Conversation) overlaps(ms []wire.Message) bool {
	known := false
	for _, m := range c.messages {
		known = known || m.unsent == nil
	}
	return !known || slices.ContainsFunc(ms, func(m wire.Message) bool { return c.messages[m.ID] != nil })
}

// sameRun compares what is shown of two runs.
func sameRun(a, b *wire.Run) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := *a, *b
	x.Problem, y.Problem = nil, nil
	x.Bytes, y.Bytes = 0, 0
	return reflect.DeepEqual(x, y) && (a.Problem == nil) == (b.Problem == nil)
}
