package model

import (
	"cmp"
	"reflect"
	"slices"

	"screentest/shared/reply"
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
	ID      string
	Summary wire.Summary
	Phase   Phase
	Problem *wire.Problem        // with Broken
	Lanes   []Lane               // 1 to wire.MaxLanes
	Blind   bool                 // the models' names are hidden until a vote
	Votes   map[string]wire.Vote // by the person's message

	// Earlier says that there are older messages on the server of which not
	// even the outline is here; see Desk.Outline.
	Earlier bool
	// Fetching says that the outline is under way.
	Fetching bool

	kept     lanesKept
	voting   bool // a vote is under way
	fetched  bool
	outlined bool // the outline is here

	messages map[string]*Message
	order    []*Message            // as the server has it, by time
	kids     map[string][]*Message // by the message they follow, in that order
	shape    int                   // grows when messages are put in or reordered
	paths    []pathOf              // by lane
	fetches  int                   // OpMessages under way
}

// pathOf is a lane's path, until its leaf or the tree changes.
type pathOf struct {
	leaf  string
	shape int
	path  []*Message
}

// Message is one message as this tab holds it.
type Message struct {
	wire.Message
	// Stream is the cursor into the log of the run that is filling it, or nil.
	Stream *Stream
	// Answer is what the whole log said, once it was read: the reasoning, the
	// calls, the citations. The text is in Text.
	Answer *reply.Answer
	// Rev grows with every change but that of a streaming text.
	Rev int
	// Stub says that only its place is known, of its text only the Size: see
	// Desk.Need.
	Stub bool

	size  int  // of a stub's text, in bytes
	place int  // in the outline, from 1 on; 0: it came later
	asked bool // a stub's text is under way
	// unsent is the turn that the server has not taken yet. A retry sends it
	// again with the ids it has, so that it can't become two.
	unsent *wire.Start
	// sent is when the server had taken the turn that this tab sent, and called
	// the gateway; firstToken is when the first piece of the answer came. Both
	// are Unix milliseconds of this tab's clock, 0 where unknown.
	sent, firstToken int64
	stopping         bool
	looked           bool // the log is read for the details only; see Desk.Details
}

// Ended says that the run that fills the message is over.
func (m *Message) Ended() bool { return m.Run == nil || m.Run.State != wire.Running }

// Running says that the message may still grow: its run is not over, or its
// log was not read to the end.
func (m *Message) Running() bool {
	return !m.Ended() || m.Stream != nil && !m.looked
}

// Stopping says that the person has asked the answer to stop.
func (m *Message) Stopping() bool { return m.stopping && !m.Ended() }

// Content returns the text so far.
func (m *Message) Content() string {
	if m.Stream != nil && m.Stream.reader != nil && !m.looked {
		return m.Stream.Answer().Text()
	}
	return m.Text
}

// Size is how many bytes the text has so far, also where it is not here.
func (m *Message) Size() int {
	if m.Stub {
		return m.size
	}
	return len(m.Content())
}

// Calls are the functions that the answer wants called: as the run's end tells
// them, or as far as its log has come.
func (m *Message) Calls() []wire.ToolCall {
	if m.Run != nil && len(m.Run.Calls) > 0 {
		return m.Run.Calls
	}
	a := m.Reply()
	if a == nil {
		return nil
	}
	var calls []wire.ToolCall
	for _, c := range a.ToolCalls {
		calls = append(calls, wire.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments()})
	}
	return calls
}

// Reply returns what the log has said so far, or nil: the reasoning, the
// calls, the citations.
func (m *Message) Reply() *reply.Answer {
	if m.Stream != nil && !m.looked {
		return m.Stream.Answer()
	}
	return m.Answer
}

func newConversation(id string) *Conversation {
	return &Conversation{
		ID:       id,
		Summary:  wire.Summary{ID: id},
		Lanes:    []Lane{{}},
		Votes:    map[string]wire.Vote{},
		messages: map[string]*Message{},
		kids:     map[string][]*Message{},
	}
}

// Message returns the message with this id, or nil.
func (c *Conversation) Message(id string) *Message { return c.messages[id] }

// Path returns a lane's messages, oldest first, as far back as they are known.
// It is not to be changed.
func (c *Conversation) Path(lane int) []*Message {
	for len(c.paths) <= lane {
		c.paths = append(c.paths, pathOf{shape: -1})
	}
	p, leaf := &c.paths[lane], c.Lanes[lane].Leaf
	if p.leaf == leaf && p.shape == c.shape {
		return p.path
	}
	var path []*Message
	for m := c.messages[leaf]; m != nil && len(path) <= len(c.order); m = c.messages[m.Parent] {
		path = append(path, m)
	}
	slices.Reverse(path)
	*p = pathOf{leaf, c.shape, path}
	return path
}

// Versions returns what stands beside m in a lane, m among it, oldest first:
// the answers of one lane to the same message, or the messages of the person's
// that were sent in one another's place.
func (c *Conversation) Versions(lane int, m *Message) []string {
	number := m.Lane
	if m.Role != "assistant" {
		number = c.Lanes[lane].Number
	}
	var asked map[string]bool // messages that the lane answered
	if m.Role != "assistant" {
		asked = map[string]bool{}
		for _, o := range c.kids[m.Parent] {
			asked[o.ID] = slices.ContainsFunc(c.kids[o.ID], func(a *Message) bool { return a.Role == "assistant" && a.Lane == number })
		}
	}
	var ids []string
	for _, o := range c.kids[m.Parent] {
		if o == m || o.Role == m.Role && (o.Lane == number || asked[o.ID]) {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// choose leads the lane through the message id, down to its newest descendant.
func (c *Conversation) choose(lane int, id string) {
	l := &c.Lanes[lane]
	l.Leaf, l.pinned = c.newestBelow(id, l.Number), true
}

// newestBelow returns the newest message of a lane that descends from id, or id
// itself. Answers of other lanes are not followed.
func (c *Conversation) newestBelow(id string, number int) string {
	below := map[string]bool{id: true}
	newest := id
	for _, o := range c.order {
		if !below[o.Parent] || o.Role == "assistant" && o.Lane != number {
			continue
		}
		below[o.ID] = true
		if o.Lane == number {
			newest = o.ID
		}
	}
	return newest
}

// add puts a new message at the end.
func (c *Conversation) add(m *Message) {
	c.messages[m.ID] = m
	c.order = append(c.order, m)
	c.kids[m.Parent] = append(c.kids[m.Parent], m)
	c.shape++
}

// sort brings the messages into the outline's order, and those that it has not
// behind it by their time.
func (c *Conversation) sort() {
	before := func(a, b *Message) int {
		switch {
		case a.place > 0 && b.place > 0:
			return cmp.Compare(a.place, b.place)
		case a.place > 0:
			return -1
		case b.place > 0:
			return 1
		}
		return cmp.Compare(a.CreatedMS, b.CreatedMS)
	}
	if slices.IsSortedFunc(c.order, before) {
		return
	}
	slices.SortStableFunc(c.order, before)
	clear(c.kids)
	for _, m := range c.order {
		c.kids[m.Parent] = append(c.kids[m.Parent], m)
	}
	c.shape++
}

// drop takes a message out that was never sent.
func (c *Conversation) drop(m *Message) {
	is := func(o *Message) bool { return o == m }
	delete(c.messages, m.ID)
	c.order = slices.DeleteFunc(c.order, is)
	c.kids[m.Parent] = slices.DeleteFunc(c.kids[m.Parent], is)
	c.shape++
}

// running returns the answers under way.
func (c *Conversation) running() []*Message {
	var ms []*Message
	for _, m := range c.order {
		if m.Running() {
			ms = append(ms, m)
		}
	}
	return ms
}

// Running says that an answer of the conversation is under way.
func (c *Conversation) Running() bool { return len(c.running()) > 0 }

// merge takes the newest messages from the server, which knows better.
func (c *Conversation) merge(o wire.Opened) {
	c.Summary = o.Summary
	if c.fetched && !c.overlaps(o.Messages) {
		// So much happened elsewhere that there is a gap: begin again.
		c.messages, c.order, c.kids = map[string]*Message{}, nil, map[string][]*Message{}
		c.fetched, c.outlined = false, false
		c.shape++
	}
	if !c.fetched {
		c.Earlier = o.Before != ""
	}
	c.fetched = true
	for _, in := range o.Messages {
		c.take(in)
	}
	c.sort()
	for _, v := range o.Votes {
		c.Votes[v.Message] = v
	}
	if k := &c.kept; o.Lanes != nil && len(o.Lanes.Lanes) > 0 && o.Lanes.Rev > k.rev && !k.dirty && !k.asking {
		k.rev = o.Lanes.Rev
		c.setLanes(*o.Lanes)
	}
	c.followLeaves()
}

// take puts in one message of the server's.
func (c *Conversation) take(in wire.Message) {
	m := c.messages[in.ID]
	if m == nil {
		c.add(&Message{Message: in, Rev: 1})
		return
	}
	m.unsent = nil
	m.Stub, m.asked = false, false
	if m.Text != in.Text || !sameRun(m.Run, in.Run) {
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
