package chat

import (
	"encoding/json"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// streamOf is a stream with the message it fills.
type streamOf struct {
	*Stream
	conversation *Conversation
	message      *Message
	asking       bool // an OpRead is on its way
}

// run takes the news that a run began or ended, in this tab or another.
func (ch *Chat) run(r wire.Run) {
	c := ch.conversations[r.Conversation]
	if c == nil {
		return
	}
	m := c.messages[r.Message]
	if m == nil {
		if c.Phase == Ready {
			c.fetch() // begun elsewhere: its question is not known either
		}
		return
	}
	if m.Stub {
		c.need([]*Message{m}, nil)
		return
	}
	if m.Run != nil && m.Run.ID != r.ID && r.StartedMS < m.Run.StartedMS {
		return // of an older run
	}
	if m.Run != nil && m.Run.ID == r.ID && m.Run.State != wire.Running && r.State == wire.Running {
		return // overtaken by the run's end
	}
	if m.unsent != nil {
		ch.arrived(m.unsent.User.ID)
		m.sent = ch.o.Now().UnixMilli()
	}
	m.unsent = nil
	m.Run = &r
	m.Rev++
	if r.State == wire.Running {
		c.open(m)
	} else {
		m.stopping = false
		if m.Stream != nil && r.State == wire.Interrupted && r.Bytes < m.Stream.Offset {
			c.fetch() // its end was lost with the server
		}
		ch.finish(m)
		c.compare()
	}
	c.changed(PartThread | PartComposer)
}

// follow reads the logs of a conversation's running answers.
func (c *Conversation) follow() {
	for _, m := range c.order {
		if !m.Ended() && m.unsent == nil {
			c.open(m)
		}
		if m.Ended() && m.Stream != nil {
			// The server has sent the whole text. After a crash its log may
			// even be shorter than what this tab has read of it.
			delete(c.chat.streams, m.Stream.Run)
			if m.Stream.Ended {
				m.Answer = m.Stream.Answer()
			}
			m.Stream, m.looked = nil, false
			m.Rev++
		}
	}
}

// open begins to read the log of the run that fills m.
func (c *Conversation) open(m *Message) {
	if m.Stream == nil || m.Stream.Run != m.Run.ID {
		c.chat.read(c.stream(m))
	}
}

// stream makes place for the log of the run that fills m.
func (c *Conversation) stream(m *Message) *streamOf {
	m.Stream = newStream(m.Run.ID, gateway.Endpoint(m.Run.Endpoint))
	s := &streamOf{Stream: m.Stream, conversation: c, message: m}
	c.chat.streams[m.Run.ID] = s
	return s
}

// read asks for a log from where the stream has come to.
func (ch *Chat) read(s *streamOf) {
	if s.asking || s.Ended {
		return
	}
	s.asking = true
	ch.o.Server.Once(wire.OpRead, wire.Read{Run: s.Run, From: s.Offset}, func(data json.RawMessage, p *wire.Problem) {
		s.asking = false
		if p == nil {
			var r wire.Run
			if session.Read(data, p, &r) == nil && r.ID == s.Run {
				ch.run(r)
				if r.State != wire.Running && r.Bytes < s.Offset {
					s.conversation.fetch() // its end was lost with the server
				}
			}
			return
		}
		if session.Unanswered(p) {
			return // asked again when the connection is back
		}
		delete(ch.streams, s.Run)
		s.message.Stream = nil
		if !s.message.looked {
			s.conversation.fetch()
		}
	})
}

// Log takes a stretch of a run's log.
func (ch *Chat) Log(h wire.LogFrame, p []byte) {
	s := ch.streams[h.Run]
	if s == nil {
		return
	}
	if !s.accept(h, p) {
		ch.read(s)
		return
	}
	m := s.message
	if m.firstToken == 0 && s.reader != nil && s.Answer().Began() {
		m.firstToken = ch.o.Now().UnixMilli()
	}
	if s.Ended {
		ch.finish(m)
		s.conversation.compare()
		s.conversation.changed(PartThread | PartComposer)
	}
	if s.conversation == ch.Current {
		ch.o.Grew()
	}
}

// finish lets go of a stream when its log was read to the end and its run has
// ended: then the message has all there is.
func (ch *Chat) finish(m *Message) {
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
	delete(ch.streams, s.Run)
	m.Rev++
}

// Details reads the log of an answer that came whole, for what is not in its
// text: the reasoning, the calls, the citations. It asks once.
func (c *Conversation) Details(id string) {
	m := c.messages[id]
	if m == nil || m.Run == nil || m.Running() || m.Answer != nil || m.looked || m.Run.Bytes == 0 {
		return
	}
	m.looked = true
	c.open(m)
}
