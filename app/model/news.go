package model

import (
	"encoding/json"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// SetLink takes the state of the connection. When it opens, the Desk asks for
// everything that may have changed, and goes on reading its logs from the
// byte it has reached.
func (d *Desk) SetLink(l session.Link) {
	d.Link = l
	d.changed(PartBar | PartComposer)
	if l != session.LinkOpen {
		return
	}
	d.FetchList()
	for _, s := range d.streams {
		s.asking = false
		d.read(s)
	}
	for id, c := range d.conversations {
		switch {
		case c == d.Current:
			if c.Phase == Ready {
				d.fetch(c)
			}
		case !c.Running():
			delete(d.conversations, id) // fetched again when it is shown
		}
	}
}

// News takes what the server tells unasked.
func (d *Desk) News(news session.News) {
	switch n := news.(type) {
	case session.Greeting:
		d.changed(PartAll)
	case wire.Summary:
		if n.ID != "" {
			d.summary(n)
		}
	case session.Deleted:
		c := d.conversations[n.ID]
		d.gone(n.ID)
		d.changed(PartList)
		if c != nil {
			d.drawn(c, PartThread|PartComposer|PartBar)
		}
	case wire.Lanes:
		d.hearLanes(n)
	case wire.Vote:
		d.hearVote(n)
	case wire.LibraryEntry:
		d.hearEntry(n)
	case wire.Run:
		d.run(n)
	}
}

func (d *Desk) summary(s wire.Summary) {
	if d.Deleted != nil && d.Deleted.ID == s.ID {
		return
	}
	d.List = putSummary(d.List, s)
	if c := d.conversations[s.ID]; c != nil {
		c.Summary = s
		d.drawn(c, PartBar)
	}
	d.changed(PartList)
}

// run takes the news that a run began or ended, in this tab or another.
func (d *Desk) run(r wire.Run) {
	c := d.conversations[r.Conversation]
	if c == nil {
		return
	}
	m := c.messages[r.Message]
	if m == nil {
		if c.Phase == Ready {
			d.fetch(c) // begun elsewhere: its question is not known either
		}
		return
	}
	if m.Stub {
		d.need(c, []*Message{m}, nil)
		return
	}
	if m.Run != nil && m.Run.ID != r.ID && r.StartedMS < m.Run.StartedMS {
		return // of an older run
	}
	if m.Run != nil && m.Run.ID == r.ID && m.Run.State != wire.Running && r.State == wire.Running {
		return // overtaken by the run's end
	}
	if m.unsent != nil {
		d.taken(m.unsent.User.ID)
		m.sent = d.now().UnixMilli()
	}
	m.unsent = nil
	m.Run = &r
	m.Rev++
	if r.State == wire.Running {
		d.open(c, m)
	} else {
		m.stopping = false
		d.settle(m)
		c.compare()
	}
	d.drawn(c, PartThread|PartComposer)
}

// follow reads the logs of a conversation's running answers.
func (d *Desk) follow(c *Conversation) {
	for _, m := range c.order {
		if !m.Ended() && m.unsent == nil {
			d.open(c, m)
		}
		if m.Ended() && m.Stream != nil {
			// The server has sent the whole text. After a crash its log may
			// even be shorter than what this tab has read of it.
			delete(d.streams, m.Stream.Run)
			if m.Stream.Ended {
				m.Answer = m.Stream.Answer()
			}
			m.Stream, m.looked = nil, false
			m.Rev++
		}
	}
}

// open begins to read the log of the run that fills m.
func (d *Desk) open(c *Conversation, m *Message) {
	if m.Stream != nil && m.Stream.Run == m.Run.ID {
		return
	}
	m.Stream = newStream(m.Run.ID, gateway.Endpoint(m.Run.Endpoint))
	s := &streamOf{Stream: m.Stream, conversation: c, message: m}
	d.streams[m.Run.ID] = s
	d.read(s)
}

// read asks for a log from where the stream has come to.
func (d *Desk) read(s *streamOf) {
	if s.asking || s.Ended {
		return
	}
	s.asking = true
	d.server.Once(wire.OpRead, wire.Read{Run: s.Run, From: s.Offset}, func(data json.RawMessage, p *wire.Problem) {
		s.asking = false
		if p == nil {
			var r wire.Run
			if session.Read(data, p, &r) == nil && r.ID == s.Run {
				d.run(r)
				if r.State != wire.Running && r.Bytes < s.Offset {
					d.fetch(s.conversation) // its end was lost with the server
				}
			}
			return
		}
		if p.Code == "disconnected" || p.Code == "no_answer" {
			return // asked again when the connection is back
		}
		delete(d.streams, s.Run)
		s.message.Stream = nil
		if !s.message.looked {
			d.fetch(s.conversation)
		}
	})
}

// Log takes a stretch of a run's log.
func (d *Desk) Log(h wire.LogFrame, p []byte) {
	s := d.streams[h.Run]
	if s == nil {
		return
	}
	if !s.accept(h, p) {
		d.read(s)
		return
	}
	m := s.message
	if m.firstToken == 0 && s.reader != nil && s.Answer().Began() {
		m.firstToken = d.now().UnixMilli()
	}
	if s.Ended {
		d.settle(m)
		s.conversation.compare()
		d.drawn(s.conversation, PartThread|PartComposer)
	}
	d.drawn(s.conversation, PartStream)
}

// settle puts a stream away when its log was read to the end and its run has
// ended: then the message holds all there is.
func (d *Desk) settle(m *Message) {
	s := m.Stream
	if s == nil || !s.Ended || !m.Ended() {
		return
	}
	if a := s.Answer(); a != nil {
		m.Answer = a
		if !m.looked {
			m.Text = a.Text()
		}
	}
	m.Stream, m.looked = nil, true
	delete(d.streams, s.Run)
	m.Rev++
}

// Details reads the log of an answer that came whole, for what is not in its
// text: the reasoning, the calls, the citations. It asks once.
func (d *Desk) Details(id string) {
	c := d.Current
	if c == nil {
		return
	}
	m := c.messages[id]
	if m == nil || m.Run == nil || m.Running() || m.Answer != nil || m.looked || m.Run.Bytes == 0 {
		return
	}
	m.looked = true
	d.open(c, m)
}
