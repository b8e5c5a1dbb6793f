package chat

import (
	"cmp"
	"encoding/json"
	"strings"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Send sends the draft text as the next turn of every lane. It returns false,
// with Refusal set, when that can't be, or can't be yet: see Options.Resend. A
// conversation that had yet to be begun is the Chat's Current afterwards.
func (c *Conversation) Send(text string) bool {
	c.Refusal, c.waiting = nil, ""
	c.changed(PartComposer)
	if text = TrimDraft(text); text == "" && len(c.attached) == 0 {
		return false
	}
	images, r := c.images()
	if r == nil {
		if r = c.notReady(); r != nil && (c.Phase == Loading || !c.chat.session.Greeted) {
			c.waiting = cmp.Or(text, " ") // of images alone
		}
	}
	if r == nil && c.Running() {
		r = stillRunning()
	}
	if r == nil && c.writing {
		r = refuse("", "writing", "What you added is on its way.", "Send again in a moment.")
	}
	if r == nil {
		r = c.chat.mayNotSend()
	}
	if r != nil {
		c.Refusal = r
		return false
	}

	ch, id := c.chat, c.ID
	if !c.begun() {
		id = ch.o.NewID()
		if c.Blind && len(c.Lanes) > 1 {
			c.nameModels()
			c.shuffle()
		}
	}
	now := ch.o.Now().UnixMilli()
	type place struct {
		leaf   string
		images bool
	}
	users := map[place]wire.Message{} // lanes that are at one place share one, but for who is asked without images
	starts := make([]wire.Start, 0, len(c.Lanes))
	for _, l := range c.Lanes {
		images := images
		if l.leavesImages() {
			images = nil
		}
		at := place{l.Leaf, len(images) > 0}
		user, ok := users[at]
		if !ok {
			user = wire.Message{ID: ch.o.NewID(), Parent: l.Leaf, Lane: l.Number, Role: "user", Text: text, Images: images, CreatedMS: now}
			users[at] = user
		}
		if text == "" && len(images) == 0 {
			c.Refusal = refuse("", "no_text", l.Name()+" is asked without the images, so there is nothing to ask it.", "Write something, too.")
			return false
		}
		if c.Earlier || missing(l.Path()) {
			c.wait(text)
			return false
		}
		start, r := l.turn(append(turns(l.Path()), gateway.Turn{Role: "user", Text: text, Images: imageLinks(images)}), user)
		if r != nil {
			c.Refusal = r
			return false
		}
		start.Conversation = id
		starts = append(starts, start)
	}

	c.draft, c.attached = "", nil
	ch.o.Storage.Remove(draftName + c.ID)
	ch.o.Storage.Remove(imagesName + c.ID)
	if !c.begun() {
		ch.begin(id, text, now)
	}
	for i, l := range c.Lanes {
		if u := starts[i].User; c.messages[u.ID] == nil {
			c.add(&Message{Message: u, Rev: 1})
		}
		l.begin(starts[i])
	}
	c.tellLanes(0)
	return true
}

// begin makes what was to be begun a conversation.
func (ch *Chat) begin(id, text string, now int64) {
	c := ch.fresh
	c.nameModels()
	c.ID, c.lanes.unborn = id, true
	c.Summary = wire.Summary{ID: id, Title: firstLine(text), Blind: c.Blind && len(c.Lanes) > 1, CreatedMS: now, UpdatedMS: now}
	var models []string
	for _, l := range c.Lanes {
		models = append(models, l.model)
	}
	c.Summary.Models = strings.Join(models, ", ")
	ch.conversations[id] = c
	ch.List.put(c.Summary)
	ch.Current, ch.fresh = c, ch.newFresh()
	ch.fresh.Lanes[0].params = c.Lane(c.Focused).params.forAnother()
	ch.storeFresh()
	ch.remember(id)
	ch.o.Changed(PartList | PartBar)
}

// turn builds and judges a turn of the lane.
func (l *Lane) turn(ts []gateway.Turn, user wire.Message) (wire.Start, *Refusal) {
	if l.Model() == "" {
		return wire.Start{}, refuse("model", "no_model", "No model chosen.", "Choose one above the conversation.")
	}
	c := l.of
	if r := c.chat.notAllowed(l.Model()); r != nil {
		r.Lane, r.Many = l.Index(), len(c.Lanes) > 1
		return wire.Start{}, r
	}
	if r := l.noImages(ts); r != nil {
		return wire.Start{}, r
	}
	ep, body, v := l.compose(ts)
	if !v.OK() {
		return wire.Start{}, &Refusal{Issues: v.Errors, Lane: l.Index(), Many: len(c.Lanes) > 1}
	}
	_, switched := l.next()
	return wire.Start{
		Switched: switched, Run: c.chat.o.NewID(), Conversation: c.ID, Lane: l.Number, User: user, Answer: c.chat.o.NewID(),
		Endpoint: string(ep), Body: body, Charge: c.chat.session.Charge().ID,
	}, nil
}

// begin shows the answer to come and sends the turn.
func (l *Lane) begin(start wire.Start) *Message {
	c, ch := l.of, l.of.chat
	now := ch.o.Now().UnixMilli()
	m := &Message{
		Message: wire.Message{
			ID: start.Answer, Parent: start.User.ID, Lane: start.Lane, Role: "assistant", CreatedMS: now,
			Run: &wire.Run{
				ID: start.Run, Conversation: c.ID, Message: start.Answer, Lane: start.Lane,
				Endpoint: start.Endpoint, Model: l.Model(), State: wire.Running, StartedMS: now,
			},
		},
		Rev: 1, unsent: &start,
	}
	if start.User.Role == "user" {
		ch.storeUnsent(unsent{Conversation: c.ID, Message: start.User.ID, Text: start.User.Text, Images: start.User.Images})
	}
	c.add(m)
	l.Leaf = m.ID
	l.pinned = false
	c.changed(PartThread | PartComposer)
	// A long conversation takes a moment to write: first the turn is shown.
	ch.o.After(0, func() { c.send(m) })
	return m
}

// send sends a turn that the server has not taken yet.
func (c *Conversation) send(m *Message) {
	ch := c.chat
	start := *m.unsent
	start.Read = true
	ch.o.Server.Call(wire.OpStart, start, func(data json.RawMessage, p *wire.Problem) {
		var r wire.Run
		if p = session.Read(data, p, &r); p != nil {
			if m.unsent == nil {
				return // it was taken after all: news of it has come
			}
			m.Run.State, m.Run.Problem = wire.Failed, p
			m.stopping = false
			m.Rev++
			if !session.Unanswered(p) {
				ch.refused(m.unsent.User.ID, p.Message)
			}
			c.changed(PartThread | PartComposer)
			return
		}
		if m.unsent != nil && r.State == wire.Running {
			m.Run = &r
			c.stream(m) // the server sends its log by itself
		}
		ch.run(r)
		if c.lanes.unborn {
			c.lanes.unborn = false
			c.tellLanesNow()
		}
		if m.stopping && !m.Ended() {
			c.stop(m)
		}
	})
}

// halt stops an answer, at once or when the server has taken its turn.
func (c *Conversation) halt(m *Message) {
	if m.Ended() || m.stopping {
		return // only its text is still on the way
	}
	m.stopping = true
	m.Rev++
	if m.unsent == nil {
		c.stop(m)
	}
	c.changed(PartThread | PartComposer)
}

func (c *Conversation) stop(m *Message) {
	c.chat.o.Server.Call(wire.OpStop, wire.Target{ID: m.Run.ID}, func(_ json.RawMessage, p *wire.Problem) {
		if p != nil {
			m.stopping = false
			m.Rev++
			c.changed(PartThread | PartComposer)
		}
	})
}
