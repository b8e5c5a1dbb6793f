package socket

import (
	"encoding/json"
	"slices"
	"time"

	"screentest/shared/wire"
)

// dial gives up what there is and starts a new connection.
func (s *Socket) dial() {
	s.drop()
	s.gen++
	gen := s.gen
	mine := func(f func()) func() {
		return func() {
			if s.gen == gen {
				f()
			}
		}
	}
	s.tries++
	s.watchFor(dialTimeout, s.lost)
	s.conn = s.o.Dial(Events{
		Open: func() {}, // the greeting counts, not the handshake
		Text: func(msg []byte) { mine(func() { s.text(msg) })() },
		Binary: func(msg []byte) {
			mine(func() {
				s.heard()
				h, p, err := wire.ParseLogFrame(msg)
				if err != nil {
					s.o.OnFault("a log frame", err)
					return
				}
				s.o.OnLog(h, p)
			})()
		},
		Closed: func(status int) {
			mine(func() {
				if status == wire.StatusSignedOut {
					s.SignOut()
					return
				}
				refused := s.state != Open
				s.lost()
				if refused && s.o.OnRefused != nil {
					s.o.OnRefused()
				}
			})()
		},
	})
}

// text takes one text message.
func (s *Socket) text(msg []byte) {
	s.heard()
	var p wire.Push
	if err := json.Unmarshal(msg, &p); err != nil {
		s.o.OnFault("a message", err)
		return
	}
	if p.ID != 0 {
		c, ok := s.calls[p.ID]
		if !ok {
			return // expired meanwhile
		}
		if p.Problem != nil && p.Problem.Code == wire.CodeSignedOut {
			s.SignOut() // the server is about to close the connection; nothing was done
			return
		}
		delete(s.calls, p.ID)
		c.expiry.Stop()
		c.done(p.Data, p.Problem)
		return
	}
	greeted := p.Event == wire.EventHello && s.state != Open
	if greeted {
		s.tries = 0
	}
	s.o.OnNews(p)
	if greeted {
		s.setState(Open)
		s.heard()
		waiting := s.waiting
		s.waiting = nil
		for _, c := range waiting {
			s.send(c)
		}
	}
}

// heard notes a sign of life. While there are many, the timer is set anew once a
// second only.
func (s *Socket) heard() {
	if s.state == Open && (s.probe || time.Since(s.watched) >= time.Second) {
		s.watchFor(quietFor, func() { s.ping(pongTimeout) })
		s.watched = time.Now()
	}
	s.probe = false
}

// ping asks whether the server is there. Any message at all is a yes.
func (s *Socket) ping(patience time.Duration) {
	s.probe = true
	s.watchFor(patience, s.lost)
	s.next++
	s.conn.Send(envelope(s.next, wire.OpPing, nil))
}

// lost takes the connection for dead and plans the next one.
func (s *Socket) lost() {
	s.drop()
	s.setAside()
	if s.state != Offline {
		s.setState(Reconnecting)
	}
	s.redialAfter(s.backoff())
}

// drop closes the connection and stops the timers; late events are ignored.
func (s *Socket) drop() {
	s.gen++
	s.probe, s.watched = false, time.Time{}
	if s.conn != nil {
		s.conn.Close()
		s.conn = nil
	}
	for _, t := range []*time.Timer{s.pause, s.watch} {
		if t != nil {
			t.Stop()
		}
	}
}

// setAside has the calls that may be repeated wait for the next connection, in
// the order in which they were made, and fails the others.
func (s *Socket) setAside() {
	var failed []*call
	for _, c := range s.takeAll() {
		if c.again {
			s.waiting = append(s.waiting, c)
		} else {
			failed = append(failed, c)
		}
	}
	for _, c := range failed {
		c.fail(disconnected)
	}
}

// takeAll empties the list of calls under way, then those that wait.
func (s *Socket) takeAll() []*call {
	ids := make([]uint64, 0, len(s.calls))
	for id := range s.calls {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	all := make([]*call, 0, len(ids)+len(s.waiting))
	for _, id := range ids {
		all = append(all, s.calls[id])
	}
	clear(s.calls)
	all = append(all, s.waiting...)
	s.waiting = nil
	return all
}

// backoff returns the pause before the next dial: doubling from 0.4 to 15 s,
// of which the last half is random, so that a restarted server is not met by
// all its tabs at once.
func (s *Socket) backoff() time.Duration {
	d := longestPause
	if s.tries < 8 {
		d = min(longestPause, firstPause<<max(0, s.tries-1))
	}
	return d/2 + time.Duration(s.o.Rand()*float64(d/2))
}

func (s *Socket) redialAfter(d time.Duration) {
	gen := s.gen
	s.pause = s.after(d, func() {
		if s.gen == gen && s.state != Closed {
			s.dial()
		}
	})
}

// watchFor calls f after d unless it is called again or the connection is dropped.
func (s *Socket) watchFor(d time.Duration, f func()) {
	if s.watch != nil {
		s.watch.Stop()
	}
	gen := s.gen
	var t *time.Timer
	t = s.after(d, func() {
		if s.gen == gen && s.watch == t {
			f()
		}
	})
	s.watch = t
}
