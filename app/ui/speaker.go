//go:build js && wasm

package ui

import (
	"time"

	"screentest/app/model"
	"screentest/shared/wire"
)

// tick is how often figures of a running answer are drawn again, and the
// longest that a screen reader waits for a sentence.
const tick = 500 * time.Millisecond

// speaker keeps the running answer's figures moving and announces its text by
// sentence.
type speaker struct {
	id      string // of the answer that is followed
	cut     model.Announcer
	ticking bool
	queue   []string
}

// follow begins to tick when an answer is under way.
func (s *speaker) follow(p *page) {
	c := p.desk.Current
	if c == nil {
		s.id = ""
		return
	}
	for i := range c.Lanes {
		if m := c.Message(c.Lanes[i].Leaf); m != nil && m.Running() && s.id != m.ID {
			s.id, s.cut = m.ID, model.Announcer{}
		}
	}
	if s.id != "" && !s.ticking {
		s.ticking = true
		p.After(tick, func() { s.tick(p) })
	}
}

func (s *speaker) tick(p *page) {
	s.ticking = false
	c := p.desk.Current
	if c == nil || s.id == "" {
		return
	}
	m := c.Message(s.id)
	if m == nil {
		s.id = ""
		return
	}
	if words := s.cut.Next(m.Content(), !m.Running()); words != "" {
		s.queue = append(s.queue, words)
	}
	if !m.Running() {
		s.queue = append(s.queue, ending(m))
		s.id = ""
	}
	if len(s.queue) > 0 {
		p.DOM.ByID("say").Set("textContent", s.queue[0])
		s.queue = s.queue[1:]
	}
	p.tickState(m)
	if s.id != "" || len(s.queue) > 0 {
		s.ticking = true
		p.After(tick, func() { s.tick(p) })
	}
}

// say announces a sentence at once.
func (s *speaker) say(p *page, words string) {
	p.DOM.ByID("say").Set("textContent", words)
}

func ending(m *model.Message) string {
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

// tickState draws a running answer's figures again.
func (p *page) tickState(m *model.Message) {
	if m.Running() {
		m.Rev++
		p.changed(model.PartThread)
	}
}
