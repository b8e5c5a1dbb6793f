package model

import (
	"encoding/json"
	"strings"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// rawName holds, followed by a conversation's id, the request that the person
// writes as JSON.
const rawName = "screentest.raw."

// RawDraft returns what SetRawDraft kept for the conversation shown, "" for
// nothing.
func (d *Desk) RawDraft() string { return d.storage.Get(rawName + d.currentID()) }

// SetRawDraft keeps a request that is written as JSON for the conversation that
// is shown; "" forgets it.
func (d *Desk) SetRawDraft(text string) {
	if text == "" {
		d.storage.Remove(rawName + d.currentID())
	} else {
		d.storage.Set(rawName+d.currentID(), text)
	}
}

// Kept returns what is kept under a name in the browser's store.
func (d *Desk) Kept(name string) string { return d.storage.Get(name) }

// Keep keeps a choice of the person's in the browser's store; "" forgets it.
func (d *Desk) Keep(name, value string) {
	if value == "" {
		d.storage.Remove(name)
	} else {
		d.storage.Set(name, value)
	}
}

// Unsent says that the server has not taken the turn yet.
func (m *Message) Unsent() bool { return m.unsent != nil }

// Judge says what the validator says of a body for a text endpoint.
func (d *Desk) Judge(ep gateway.Endpoint, body []byte) gateway.Verdict {
	return d.Catalogue.Validate(ep, body, gateway.Options{StreamOptions: d.Hello.Gateway.StreamOptions})
}

// SendRaw sends a body that the person wrote, as it stands, as the next turn of
// a lane; what it asks last is shown as the person's message. It returns what
// is in the way, or nil.
func (d *Desk) SendRaw(lane int, ep gateway.Endpoint, body []byte) *Refusal {
	c := d.On()
	switch {
	case !d.Greeted:
		return refuse("", "not_connected", "The server has not answered yet.", "Wait a moment, then send again.")
	case d.Current != nil && d.Current.Phase != Ready:
		return refuse("", "not_loaded", "This conversation has not been loaded.", "Wait until it is there, or begin a new one.")
	case lane < 0 || lane >= len(c.Lanes):
		return refuse("", "no_lane", "This lane has been closed.", "Choose another one.")
	case d.Current != nil && c.LaneRunning(lane):
		return refuse("", "running", "An answer is still being made.", "Stop it first, or wait for its end.")
	}
	if r := d.keyMissing(); r != nil {
		return r
	}
	if v := d.Judge(ep, body); !v.OK() {
		return &Refusal{Issues: v.Errors, Lane: lane, Many: len(c.Lanes) > 1}
	}
	model, text := question(body)
	begun, now := d.Current == nil, d.now().UnixMilli()
	if begun {
		c.ID = d.newID()
	}
	user := wire.Message{
		ID: d.newID(), Parent: c.Lanes[lane].Leaf, Lane: c.Lanes[lane].Number, Role: "user", Text: text, CreatedMS: now,
	}
	start := wire.Start{
		Run: d.newID(), Conversation: c.ID, Lane: c.Lanes[lane].Number, User: user, Answer: d.newID(),
		Endpoint: string(ep), Body: body,
	}
	d.SetRawDraft("")
	if begun {
		d.born(c, text, now)
	}
	c.add(&Message{Message: user, Rev: 1})
	d.begin(c, lane, start)
	if m := c.messages[start.Answer]; m != nil && model != "" {
		m.Run.Model = model
	}
	d.keepLanes(c, 0)
	return nil
}

// question is the model that a request names, and what it asks last: of chat
// messages the last one of the person's, of an input that is a transcript
// (G10) what stands behind its last "User: ".
func question(body []byte) (model, text string) {
	type item struct {
		Role    string
		Content any
	}
	var r struct {
		Model    string
		Messages []item
		Input    json.RawMessage
	}
	_ = json.Unmarshal(body, &r) // what it has not read is ""
	items := r.Messages
	if json.Unmarshal(r.Input, &text) != nil {
		_ = json.Unmarshal(r.Input, &items)
	}
	if i := strings.LastIndex("\n\n"+text, "\n\nUser: "); i >= 0 {
		text = strings.TrimPrefix(text[max(0, i-2):], "\n\n")
		text = strings.TrimPrefix(text, "User: ")
	}
	for _, m := range items {
		if s, ok := m.Content.(string); ok && m.Role == "user" {
			text = s
		}
	}
	if strings.TrimSpace(text) == "" {
		text = "A request written as JSON."
	}
	return r.Model, text
}
