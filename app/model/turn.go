package model

import (
	"encoding/json"
	"slices"
	"strings"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Refusal is why a draft was not sent. The draft stays.
type Refusal struct {
	Issues []gateway.Issue
	// Lane is the one that is to blame, of Many.
	Lane int
	Many bool
}

func refuse(field, code, message, hint string) *Refusal {
	return &Refusal{Issues: []gateway.Issue{{Field: field, Code: code, Message: message, Hint: hint}}}
}

// stillRunning is why nothing is sent beside an answer that is under way.
func stillRunning() *Refusal {
	return refuse("", "running", "An answer is still being made, so this was not sent.",
		"Send it when that has ended, or stop that with Esc; what you wrote stays here.")
}

// Refused is the Refusal while it holds: that an answer is under way is none any
// more once it has ended.
func (d *Desk) Refused() *Refusal {
	if r := d.Refusal; r != nil && len(r.Issues) > 0 && r.Issues[0].Code == "running" && !d.Running() {
		return nil
	}
	return d.Refusal
}

// Send sends the draft text as the next turn of every lane. It returns false,
// with Refusal set, when that can't be, or can't be yet: see Options.Resend. A
// new conversation is in Current afterwards.
func (d *Desk) Send(text string) bool {
	d.Refusal, d.held = nil, nil
	d.changed(PartComposer)
	text = TrimDraft(text)
	switch {
	case text == "":
		return false
	case !d.Greeted:
		d.Refusal = refuse("", "not_connected", "The server has not answered yet.", "Wait a moment, then send again.")
		return false
	case d.Current != nil && d.Current.Phase != Ready:
		d.Refusal = refuse("", "not_loaded", "This conversation has not been loaded.", "Wait until it is there, or begin a new one.")
		return false
	case d.Current != nil && d.Current.Running():
		d.Refusal = stillRunning()
		return false
	}
	if r := d.keyMissing(); r != nil {
		d.Refusal = r
		return false
	}

	c, begun := d.On(), d.Current == nil
	if begun {
		c.ID = d.newID()
	}
	if begun && c.Blind && len(c.Lanes) > 1 {
		d.settleModels(c)
		d.shuffle(c)
	}
	now := d.now().UnixMilli()
	users := map[string]wire.Message{} // by what they follow: lanes that are at one place share one
	starts := make([]wire.Start, 0, len(c.Lanes))
	for i, l := range c.Lanes {
		user, ok := users[l.Leaf]
		if !ok {
			user = wire.Message{ID: d.newID(), Parent: l.Leaf, Lane: l.Number, Role: "user", Text: text, CreatedMS: now}
			users[l.Leaf] = user
		}
		if c.Earlier || missing(c.Path(i)) {
			d.hold(c, text)
			return false
		}
		start, r := d.turn(c, i, append(turns(c.Path(i)), gateway.Turn{Role: "user", Text: text}), user)
		if r != nil {
			d.Refusal = r
			return false
		}
		starts = append(starts, start)
	}

	d.storage.Remove(draftName + d.currentID())
	if begun {
		d.born(c, text, now)
	}
	for i := range starts {
		if u := starts[i].User; c.messages[u.ID] == nil {
			c.add(&Message{Message: u, Rev: 1})
		}
		d.begin(c, i, starts[i])
	}
	d.keepLanes(c, 0)
	return true
}

// born makes what was to be begun a conversation.
func (d *Desk) born(c *Conversation, text string, now int64) {
	d.settleModels(c)
	c.kept.unborn = true
	c.Summary = wire.Summary{ID: c.ID, Title: firstLine(text), Blind: c.Blind && len(c.Lanes) > 1, CreatedMS: now, UpdatedMS: now}
	var models []string
	for i := range c.Lanes {
		models = append(models, c.Lanes[i].Model)
	}
	c.Summary.Models = strings.Join(models, ", ")
	d.conversations[c.ID] = c
	d.List = putSummary(d.List, c.Summary)
	d.Current, d.fresh = c, newFresh()
	d.keepFresh()
	d.remember(c.ID)
	d.changed(PartList | PartBar)
}

// Retry asks for another version of an answer in a lane. One that the server
// never took is sent again as it was.
func (d *Desk) Retry(lane int, id string) {
	c := d.Current
	if c == nil || c.messages[id] == nil || lane >= len(c.Lanes) || c.LaneRunning(lane) {
		return
	}
	m := c.messages[id]
	d.Refusal = nil
	if m.unsent != nil && m.Run.Problem != nil && m.Run.Problem.Code == "no_answer" {
		m.Run.State, m.Run.Problem = wire.Running, nil
		m.Rev++
		d.changed(PartThread | PartComposer)
		d.send(c, m)
		return
	}
	if user := c.messages[m.Parent]; user != nil {
		d.again(c, lane, user.Message, c.pathTo(lane, user))
	}
}

// again asks a lane to answer user, the last message of path.
func (d *Desk) again(c *Conversation, lane int, user wire.Message, path []*Message) bool {
	start, r := d.prepare(c, lane, user, path)
	if r != nil {
		d.Refusal = r
		d.changed(PartComposer)
		return false
	}
	d.begin(c, lane, start)
	d.keepLanes(c, 0)
	return true
}

// prepare is the turn by which a lane answers user, the last message of path, or
// why it can't be asked.
func (d *Desk) prepare(c *Conversation, lane int, user wire.Message, path []*Message) (wire.Start, *Refusal) {
	r := d.keyMissing()
	if r == nil {
		r = d.unread(c, path)
	}
	if r != nil {
		return wire.Start{}, r
	}
	start, r := d.turn(c, lane, turns(path), user)
	start.Before = before(path)
	return start, r
}

// pathTo is a lane's way up to and with m.
func (c *Conversation) pathTo(lane int, m *Message) []*Message {
	path := c.Path(lane)
	for i, o := range path {
		if o == m {
			return path[:i+1]
		}
	}
	return []*Message{m}
}

// Edit sends a message of the person's again with another text, in its place:
// the lane then shows the new one, and the old one with all that followed is a
// version beside it. It returns false, with Refusal set, when that can't be.
func (d *Desk) Edit(lane int, id, text string) bool {
	c := d.Current
	text = TrimDraft(text)
	if c == nil || lane >= len(c.Lanes) || c.messages[id] == nil || text == "" {
		return false
	}
	if c.LaneRunning(lane) {
		d.Refusal = stillRunning()
		d.changed(PartComposer)
		return false
	}
	return d.edit(lane, c.messages[id], d.inPlaceOf(lane, c.messages[id], text))
}

// inPlaceOf is a new message that will stand beside old.
func (d *Desk) inPlaceOf(lane int, old *Message, text string) *Message {
	return &Message{Message: wire.Message{
		ID: d.newID(), Parent: old.Parent, Lane: d.Current.Lanes[lane].Number, Role: old.Role, Text: text,
		CreatedMS: d.now().UnixMilli(),
	}, Rev: 1}
}

// edit lets a lane answer user in place of old.
func (d *Desk) edit(lane int, old, user *Message) bool {
	c := d.Current
	path := slices.Clone(c.pathTo(lane, old))
	path[len(path)-1] = user
	d.Refusal = nil
	known := c.messages[user.ID] != nil
	if !known {
		c.add(user)
	}
	if d.again(c, lane, user.Message, path) {
		return true
	}
	if !known {
		c.drop(user)
	}
	return false
}

// EditAll sends a message again with another text in every lane that shows the
// same text at that place.
func (d *Desk) EditAll(lane int, id, text string) bool {
	c := d.Current
	if c == nil || c.messages[id] == nil {
		return false
	}
	old := c.messages[id]
	text = TrimDraft(text)
	at := slices.Index(c.Path(lane), old)
	if text == "" || at < 0 {
		return false
	}
	d.Refusal = nil
	made := map[string]*Message{} // by the old one: lanes that share that share the new one
	starts := map[int]wire.Start{}
	for i := range c.Lanes {
		path := c.Path(i)
		r := d.unread(c, path[:min(at+1, len(path))]) // what is not here yet may be the same text
		if c.LaneRunning(i) {
			r = stillRunning()
		}
		if r == nil && at < len(path) && path[at].Role == old.Role && path[at].Text == old.Text {
			user := made[path[at].ID]
			if user == nil {
				user = d.inPlaceOf(i, path[at], text)
				made[path[at].ID] = user
			}
			starts[i], r = d.prepare(c, i, user.Message, append(slices.Clone(path[:at]), user))
		}
		if r != nil { // all of them or none
			d.Refusal = r
			d.changed(PartComposer)
			return false
		}
	}
	for i := range c.Lanes {
		start, asked := starts[i]
		if !asked {
			continue
		}
		if c.messages[start.User.ID] == nil {
			c.add(&Message{Message: start.User, Rev: 1})
		}
		d.begin(c, i, start)
	}
	d.keepLanes(c, 0)
	return true
}

// Stop ends the answers under way in the conversation shown; what they have
// said is kept.
func (d *Desk) Stop() {
	if c := d.Current; c != nil {
		for _, m := range c.running() {
			d.halt(m)
		}
	}
}

// StopLane ends the answer under way in one lane.
func (d *Desk) StopLane(lane int) {
	c := d.On()
	if lane < 0 || lane >= len(c.Lanes) {
		return
	}
	if m := c.messages[c.Lanes[lane].Leaf]; m != nil {
		d.halt(m)
	}
}

func (d *Desk) halt(m *Message) {
	if m.Ended() || m.stopping {
		return // only its text is still on the way
	}
	m.stopping = true
	m.Rev++
	if m.unsent == nil {
		d.stop(m)
	}
	d.changed(PartThread | PartComposer)
}

func (d *Desk) stop(m *Message) {
	d.server.Call(wire.OpStop, wire.Target{ID: m.Run.ID}, func(_ json.RawMessage, p *wire.Problem) {
		if p != nil {
			m.stopping = false
			m.Rev++
			d.changed(PartThread | PartComposer)
		}
	})
}

// Running says that an answer is under way in the conversation shown.
func (d *Desk) Running() bool { return d.Current != nil && d.Current.Running() }

// keyMissing refuses a turn that the gateway would refuse for want of a key.
func (d *Desk) keyMissing() *Refusal {
	if d.Hello.Gateway.HasKey || d.Hello.Gateway.Sandbox {
		return nil
	}
	return refuse("", "no_key", "This gateway wants a key, and none has been entered.", "Enter it in Settings.")
}

// turn builds and judges a turn of one lane.
func (d *Desk) turn(c *Conversation, lane int, ts []gateway.Turn, user wire.Message) (wire.Start, *Refusal) {
	if d.LaneModel(lane) == "" {
		return wire.Start{}, refuse("model", "no_model", "No model is chosen.", "Choose one above the conversation.")
	}
	ep, body, v := d.compose(lane, ts)
	if !v.OK() {
		return wire.Start{}, &Refusal{Issues: v.Errors, Lane: lane, Many: len(c.Lanes) > 1}
	}
	_, switched := d.laneModel(lane)
	return wire.Start{
		Switched: switched, Run: d.newID(), Conversation: c.ID, Lane: c.Lanes[lane].Number, User: user, Answer: d.newID(),
		Endpoint: string(ep), Body: body,
	}, nil
}

// begin shows the answer to come and sends the turn.
func (d *Desk) begin(c *Conversation, lane int, start wire.Start) {
	now := d.now().UnixMilli()
	model := d.LaneModel(lane)
	m := &Message{
		Message: wire.Message{
			ID: start.Answer, Parent: start.User.ID, Lane: start.Lane, Role: "assistant", CreatedMS: now,
			Run: &wire.Run{
				ID: start.Run, Conversation: c.ID, Message: start.Answer, Lane: start.Lane,
				Endpoint: start.Endpoint, Model: model, State: wire.Running, StartedMS: now,
			},
		},
		Rev: 1, unsent: &start,
	}
	if start.User.Role == "user" {
		d.keepUnsent(unsent{Conversation: c.ID, Message: start.User.ID, Text: start.User.Text})
	}
	c.add(m)
	c.Lanes[lane].Leaf = m.ID
	c.Lanes[lane].pinned = false
	d.changed(PartThread | PartComposer)
	// A long conversation takes a moment to write: first the turn is shown.
	d.after(0, func() { d.send(c, m) })
}

// send sends a turn that the server has not taken yet.
func (d *Desk) send(c *Conversation, m *Message) {
	d.server.Call(wire.OpStart, *m.unsent, func(data json.RawMessage, p *wire.Problem) {
		var r wire.Run
		if p = session.Read(data, p, &r); p != nil {
			if m.unsent == nil {
				return // it was taken after all: news of it has come
			}
			m.Run.State, m.Run.Problem = wire.Failed, p
			m.stopping = false
			m.Rev++
			if p.Code != "no_answer" && p.Code != "disconnected" {
				d.refused(m.unsent.User.ID, p.Message)
			}
			d.drawn(c, PartThread|PartComposer)
			return
		}
		d.run(r)
		if c.kept.unborn {
			c.kept.unborn = false
			d.tellLanes(c)
		}
		if m.stopping && !m.Ended() {
			d.stop(m)
		}
	})
}

// turns is the history as the gateway gets it: it keeps none itself (F107).
// An answer that said nothing is left out, and so are calls without a result,
// which a gateway would refuse.
func turns(path []*Message) []gateway.Turn {
	var ts []gateway.Turn
	for i, m := range path {
		t := gateway.Turn{Role: m.Role, Text: m.Content(), ToolCallID: m.ToolCall}
		if m.Role == "assistant" {
			t.ToolCalls = answeredCalls(m, path[i+1:])
			if t.Text == "" && len(t.ToolCalls) == 0 {
				continue
			}
		}
		ts = append(ts, t)
	}
	return ts
}

// answeredCalls are the calls of m, if all of them have a result in what
// follows.
func answeredCalls(m *Message, after []*Message) []gateway.ToolCall {
	calls := m.Calls()
	results := 0
	for _, o := range after {
		if o.Role != "tool" {
			break
		}
		results++
	}
	if len(calls) == 0 || results < len(calls) {
		return nil
	}
	ts := make([]gateway.ToolCall, 0, len(calls))
	for _, c := range calls {
		ts = append(ts, gateway.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return ts
}

// TrimDraft returns a draft as it is sent.
func TrimDraft(text string) string { return strings.TrimSpace(text) }

// firstLine is the title of a conversation until the server gives it one.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return Short(strings.TrimSpace(line), 60)
}

// Short is text in at most n characters, with an ellipsis for what was cut off.
func Short(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return strings.TrimSpace(string(r[:n-1])) + "…"
	}
	return text
}

// Gap is the white space that sets a text apart, by a blank line, from what is
// written before it or after it.
func Gap(beside string, after bool) string {
	if strings.TrimSpace(beside) == "" {
		return ""
	}
	n := len(beside) - len(strings.TrimRight(beside, "\n"))
	if after {
		n = len(beside) - len(strings.TrimLeft(beside, "\n"))
	}
	return strings.Repeat("\n", max(0, 2-n))
}
