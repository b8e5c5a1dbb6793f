//go:build js && wasm

package chat

import (
	"time"

	"screentest/app/chat"
	"screentest/shared/wire"
)

// tick is how often figures of a running answer are drawn again, and the
// longest that a screen reader waits for a sentence.
const tick = 500 * time.Millisecond

// speaker keeps the running answer's figures moving and announces its text by
// sentence.
type speaker struct {
	id      string // of the answer that is followed
	cut     chat.Announcer
	ticking bool
	queue   []string
}

// follow begins to tick when an answer is under way.
func (s *speaker) follow(p *Page) {
	c := p.chat.Current
	if c == nil {
		s.id = ""
		return
	}
	if m := c.Message(s.id); m == nil {
		s.id = s.next(p, c)
	}
	if s.id != "" && !s.ticking {
		s.ticking = true
		p.After(tick, func() { s.tick(p) })
	}
}

// next is the answer to follow: that of the focused lane, else of the first
// that has one under way. Several at a time could not be listened to.
func (s *speaker) next(p *Page, c *chat.Conversation) string {
	s.cut = chat.Announcer{}
	for i := -1; i < len(c.Lanes); i++ {
		lane := i
		if i < 0 {
			lane = min(p.chat.Shown().Focused, len(c.Lanes)-1)
		}
		if m := c.Message(c.Lanes[lane].Leaf); m != nil && m.Running() {
			return m.ID
		}
	}
	return ""
}

func (s *speaker) tick(p *Page) {
	s.ticking = false
	c := p.chat.Current
	if c == nil {
		s.queue = nil
		return
	}
	if m := c.Message(s.id); m != nil {
		if words := s.cut.Next(m.Content(), !m.Running()); words != "" {
			s.queue = append(s.queue, words)
		}
		if !m.Running() {
			s.queue = append(s.queue, p.ending(c, m))
			p.awaitResult(c, m)
			s.id = s.next(p, c)
		}
		p.tickStates(c)
	} else {
		s.id = ""
	}
	if len(s.queue) > 0 {
		p.Say(s.queue[0])
		s.queue = s.queue[1:]
	}
	if s.id != "" || len(s.queue) > 0 {
		s.ticking = true
		p.After(tick, func() { s.tick(p) })
	}
}

func (p *Page) ending(c *chat.Conversation, m *chat.Message) string {
	words := ending(m)
	for i := range c.Lanes {
		if c.Lanes[i].Leaf != m.ID {
			continue
		}
		if p.chat.Lane(i).Awaits(m) {
			words = "It calls " + m.Calls()[0].Name + " and is waiting for your result."
		}
		if len(c.Lanes) > 1 {
			return p.chat.Lane(i).Name() + ": " + words
		}
	}
	return words
}

func ending(m *chat.Message) string {
	switch m.Run.State {
	case wire.Done:
		return "Answer complete."
	case wire.Stopped:
		return "Answer stopped."
	}
	words := "Answer ended: " + string(m.Run.State) + "."
	if p := trouble(m.Run); p != nil {
		words += " " + p.Message + " " + p.Hint
	}
	return words
}

// tickStates renews the running answers' figures, each in its place: drawing
// the page again for them would hold up six lanes at once. Only an answer that
// has come to another state is drawn again.
func (p *Page) tickStates(c *chat.Conversation) {
	for i := range c.Lanes {
		m := c.Message(c.Lanes[i].Leaf)
		if m == nil || !m.Running() {
			continue
		}
		body := p.DOM.ByID(partID("body", i, m.ID))
		if !body.Truthy() {
			continue
		}
		line := body.Call("closest", ".message").Call("querySelector", ".state")
		f := p.chat.Figures(m)
		if line.IsNull() || line.Call("querySelector", ".state-name").Get("textContent").String() != f.State {
			m.Rev++
			p.changed(chat.PartThread)
			continue
		}
		first := ""
		if f.FirstToken != "" {
			first = "first token " + f.FirstToken
		}
		figure := func(class, text string) {
			// The text node stays the one that go-app knows.
			if e := line.Call("querySelector", class); text != "" && e.Truthy() && e.Get("firstChild").Truthy() {
				e.Get("firstChild").Set("data", text)
				e.Set("hidden", false)
			}
		}
		figure(".first", first)
		figure(".speed", f.Speed)
	}
}
