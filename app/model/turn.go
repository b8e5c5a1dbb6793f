package model

import (
	"encoding/json"
	"strings"

	"screentest/app/line"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Refusal is why a draft was not sent. The draft stays.
type Refusal struct {
	Issues []gateway.Issue
}

func refuse(field, code, message, hint string) *Refusal {
	return &Refusal{Issues: []gateway.Issue{{Field: field, Code: code, Message: message, Hint: hint}}}
}

// Send sends the draft text as the next turn of every lane. It returns false,
// with Refusal set, when that can't be; a new conversation is in Current
// afterwards.
func (d *Desk) Send(text string) bool {
	d.Refusal = nil
	d.changed(PartComposer)
	text = strings.TrimSpace(text)
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
		d.Refusal = refuse("", "running", "An answer is still being made.", "Stop it first, or wait for its end.")
		return false
	}
	if r := d.keyMissing(); r != nil {
		d.Refusal = r
		return false
	}

	c, begun := d.Current, false
	if c == nil {
		c, begun = newConversation(d.newID()), true
		c.Phase, c.fetched = Ready, true
	}
	var path []*Message
	if !begun {
		path = c.Path(0)
		if r := d.unread(c, path); r != nil {
			d.Refusal = r
			return false
		}
	}
	user := wire.Message{ID: d.newID(), Role: "user", Text: text, CreatedMS: d.now().UnixMilli()}
	if n := len(path); n > 0 {
		user.Parent = path[n-1].ID
	}
	start, r := d.turn(c, 0, d.LaneModel(0), append(turns(path), gateway.Turn{Role: "user", Text: text}), user)
	if r != nil {
		d.Refusal = r
		return false
	}

	d.storage.Remove(draftName + d.currentID())
	if begun {
		c.Summary.Title = firstLine(text)
		c.Summary.CreatedMS, c.Summary.UpdatedMS = user.CreatedMS, user.CreatedMS
		c.Summary.Models = d.LaneModel(0)
		c.Lanes[0].Model = d.LaneModel(0)
		d.conversations[c.ID] = c
		d.List = putSummary(d.List, c.Summary)
		d.Current = c
		d.remember(c.ID)
		d.changed(PartList | PartBar)
	}
	c.add(&Message{Message: user, Rev: 1})
	d.begin(c, start)
	return true
}

// Retry asks for another version of an answer. One that the server never took
// is sent again as it was.
func (d *Desk) Retry(id string) {
	c := d.Current
	if c == nil || c.messages[id] == nil || c.Running() {
		return
	}
	m := c.messages[id]
	d.Refusal = nil
	if m.unsent != nil && m.Run.Problem != nil && m.Run.Problem.Code == "no_answer" {
		m.Run.State, m.Run.Problem = wire.Running, nil
		m.sent = d.now().UnixMilli()
		m.Rev++
		d.changed(PartThread | PartComposer)
		d.send(c, m)
		return
	}
	user := c.messages[m.Parent]
	if user == nil {
		return
	}
	if r := d.keyMissing(); r != nil {
		d.Refusal = r
		d.changed(PartComposer)
		return
	}
	var path []*Message
	for _, o := range c.Path(0) {
		path = append(path, o)
		if o == user {
			break
		}
	}
	if r := d.unread(c, path); r != nil {
		d.Refusal = r
		d.changed(PartComposer)
		return
	}
	start, r := d.turn(c, m.Lane, d.LaneModel(m.Lane), turns(path), user.Message)
	if r != nil {
		d.Refusal = r
		d.changed(PartComposer)
		return
	}
	d.begin(c, start)
}

// Stop ends the answers under way in the conversation shown; what they have
// said is kept.
func (d *Desk) Stop() {
	if d.Current == nil {
		return
	}
	for _, m := range d.Current.running() {
		if m.Ended() {
			continue // only its text is still on the way
		}
		m.stopping = true
		m.Rev++
		if m.unsent == nil {
			d.stop(m)
		}
	}
	d.changed(PartThread | PartComposer)
}

func (d *Desk) stop(m *Message) {
	d.line.Call(wire.OpStop, wire.Target{ID: m.Run.ID}, func(_ json.RawMessage, p *wire.Problem) {
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
func (d *Desk) turn(c *Conversation, lane int, model string, ts []gateway.Turn, user wire.Message) (wire.Start, *Refusal) {
	if model == "" {
		return wire.Start{}, refuse("model", "no_model", "No model is chosen.", "Choose one above the conversation.")
	}
	m, _ := d.cat.Lookup(model)
	body := m.TextBody(ts, gateway.TextParams{
		Stream:       true,
		IncludeUsage: d.Hello.Gateway.StreamOptions && m.Endpoint == gateway.Chat,
	})
	v := d.cat.Validate(m.Endpoint, body, gateway.Options{StreamOptions: d.Hello.Gateway.StreamOptions})
	if !v.OK() {
		return wire.Start{}, &Refusal{Issues: v.Errors}
	}
	return wire.Start{
		Run: d.newID(), Conversation: c.ID, Lane: lane, User: user, Answer: d.newID(),
		Endpoint: string(m.Endpoint), Body: body,
	}, nil
}

// begin shows the answer to come and sends the turn.
func (d *Desk) begin(c *Conversation, start wire.Start) {
	now := d.now().UnixMilli()
	model := d.LaneModel(start.Lane)
	m := &Message{
		Message: wire.Message{
			ID: start.Answer, Parent: start.User.ID, Lane: start.Lane, Role: "assistant", CreatedMS: now,
			Run: &wire.Run{
				ID: start.Run, Conversation: c.ID, Message: start.Answer, Lane: start.Lane,
				Endpoint: start.Endpoint, Model: model, State: wire.Running, StartedMS: now,
			},
		},
		Rev: 1, unsent: &start, sent: now,
	}
	c.add(m)
	c.Lanes[start.Lane].Leaf = m.ID
	c.Lanes[start.Lane].pinned = false
	d.changed(PartThread | PartComposer)
	// A long conversation takes a moment to write: first the turn is shown.
	d.after(0, func() { d.send(c, m) })
}

// send sends a turn that the server has not taken yet.
func (d *Desk) send(c *Conversation, m *Message) {
	d.line.Call(wire.OpStart, *m.unsent, func(data json.RawMessage, p *wire.Problem) {
		var r wire.Run
		if p = line.Answered(data, p, &r); p != nil {
			if m.unsent == nil {
				return // it was taken after all: news of it has come
			}
			m.Run.State, m.Run.Problem = wire.Failed, p
			m.stopping = false
			m.Rev++
			d.drawn(c, PartThread|PartComposer)
			return
		}
		d.run(r)
		if m.stopping && !m.Ended() {
			d.stop(m)
		}
	})
}

// turns is the history as the gateway gets it: it keeps none itself (F107).
// An answer that said nothing is left out.
func turns(path []*Message) []gateway.Turn {
	var ts []gateway.Turn
	for _, m := range path {
		if text := m.Content(); m.Role == "user" || text != "" {
			ts = append(ts, gateway.Turn{Role: m.Role, Text: text})
		}
	}
	return ts
}

// firstLine is the title of a conversation until the server gives it one.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	if r := []rune(line); len(r) > 60 {
		line = strings.TrimSpace(string(r[:59])) + "…"
	}
	return line
}
