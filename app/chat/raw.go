package chat

import (
	"encoding/json"
	"strings"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// SendRaw sends a body that the person wrote, as it stands, as the lane's next
// turn; what it asks last is shown as the person's message. It returns what is
// in the way, or nil.
func (l *Lane) SendRaw(ep gateway.Endpoint, body []byte) *Refusal {
	c, ch := l.of, l.of.chat
	r := c.notReady()
	switch {
	case r != nil:
		return r
	case l.Index() < 0:
		return refuse("", "no_lane", "This model was closed.", "Choose another one.")
	case l.Running():
		return refuse("", "running", "An answer is still running.", "Stop it first or wait for it.")
	}
	if r := ch.mayNotSend(); r != nil {
		return r
	}
	if v := ch.Judge(ep, body); !v.OK() {
		return &Refusal{Issues: v.Errors, Lane: l.Index(), Many: len(c.Lanes) > 1}
	}
	model, text, images := question(body)
	if r := ch.notAllowed(model); r != nil {
		return r
	}
	now := ch.o.Now().UnixMilli()
	c.SetRawDraft("")
	if !c.begun() {
		ch.begin(ch.o.NewID(), text, now)
	}
	user := wire.Message{ID: ch.o.NewID(), Parent: l.Leaf, Lane: l.Number, Role: "user", Text: text, Images: images, CreatedMS: now}
	c.add(&Message{Message: user, Rev: 1})
	m := l.begin(wire.Start{
		Run: ch.o.NewID(), Conversation: c.ID, Lane: l.Number, User: user, Answer: ch.o.NewID(),
		Endpoint: string(ep), Body: body, Charge: ch.session.Charge().ID,
	})
	if model != "" {
		m.Run.Model = model
	}
	c.tellLanes(0)
	return nil
}

// question is the model that a request names, and what it asks last: of chat
// messages the last one of the person's, of an input that is a transcript
// (G10) what stands behind its last "User: ". Of what is asked in parts it is the
// text, and the images that are kept.
func question(body []byte) (model, text string, images []wire.Image) {
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
		if m.Role != "user" {
			continue
		}
		switch content := m.Content.(type) {
		case string:
			text, images = content, nil
		case []any:
			text, images = parts(content)
		}
	}
	if strings.TrimSpace(text) == "" && len(images) == 0 {
		text = "A request written as JSON."
	}
	return r.Model, text, images
}

// parts are the text and the kept images of a message's content.
func parts(content []any) (text string, images []wire.Image) {
	for _, part := range content {
		p, _ := part.(map[string]any)
		if s, ok := p["text"].(string); ok {
			text += Gap(text, false) + s
		}
		link, _ := p["image_url"].(string)
		if of, ok := p["image_url"].(map[string]any); ok {
			link, _ = of["url"].(string)
		}
		if id, kept := strings.CutPrefix(link, gateway.ImageScheme); kept && len(images) < wire.MaxImages {
			images = append(images, wire.Image{ID: id})
		}
	}
	return text, images
}
