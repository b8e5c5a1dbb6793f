// Package session is a tab's session with the server: whether it is connected,
// what the server greeted it with, the calls that it answers, and what it tells
// unasked. It is plain Go with neither go-app nor the browser in it.
//
// Make a [Session] with [New] and give it every push that answers no call:
// [Session.Hear] decodes each of them once, for whoever wants to know. Calls go
// through a [Server], the addresses of accounts through an [API], and [Read]
// reads what either answers.
package session

import (
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Link is the connection as a person sees it.
type Link int

// The links.
const (
	LinkNew       Link = iota // not yet open, for the first time
	LinkOpen                  // all is well
	LinkLost                  // being dialled again
	LinkNone                  // the device has no network
	LinkSignedOut             // nobody is signed in; not dialled before somebody is
)

// Session is what the tab knows of its server. It is not safe for concurrent
// use: the page uses it on the UI goroutine only.
type Session struct {
	Link    Link
	Greeted bool
	Hello   wire.Hello // zero before the greeting
	// Catalogue is never nil; before the greeting it is empty.
	Catalogue *gateway.Catalogue
	// Models are those for text that a send may be charged for, in the
	// catalogue's order.
	Models []gateway.Model

	build  string // of this page
	text   string // that the catalogue was read from
	charge string // chosen in this tab; "": none
}

// New returns the session of a page of this build, before its greeting.
func New(build string) *Session {
	return &Session{Catalogue: &gateway.Catalogue{}, build: build}
}

// Stale says that the server is of another build than this page.
func (s *Session) Stale() bool {
	return s.Greeted && s.build != "" && s.Hello.Build != "" && s.build != s.Hello.Build
}

// Me is who is signed in; nil where there are no accounts, and before the
// greeting.
func (s *Session) Me() *wire.Me { return s.Hello.Me }

// Admin says whether an account is signed in that runs the instance: an admin's,
// unless they must add a second factor first. Somebody alone, who has no account,
// runs it too and has nobody to administer.
func (s *Session) Admin() bool {
	me := s.Hello.Me
	return me != nil && me.Role == wire.RoleAdmin && !me.FactorNeeded
}

// Guest says whether who is signed in sees what is shared with them, and sends
// nothing.
func (s *Session) Guest() bool {
	me := s.Hello.Me
	return me != nil && me.Role == wire.RoleGuest
}

// Charges are what a send may be charged to; none where there are no accounts.
func (s *Session) Charges() []wire.Charge { return s.Hello.Charges }

// Charge is what a send is charged to: what was chosen in this tab, else charged
// last, else the first that has a key. It is the zero Charge, which allows all
// models, where there are no accounts.
func (s *Session) Charge() wire.Charge {
	var best wire.Charge
	rank := 0
	for _, c := range s.Hello.Charges {
		r := 1
		switch {
		case c.ID == s.charge:
			return c
		case c.Chosen:
			r = 3
		case c.HasKey:
			r = 2
		}
		if r > rank {
			best, rank = c, r
		}
	}
	return best
}

// SetCharge chooses what sends are charged to from now on, and returns what the
// parts of the page are to hear of it.
func (s *Session) SetCharge(id string) News {
	s.charge = id
	s.charged()
	return s.greeting()
}

// charged fits what depends on the Charge to it.
func (s *Session) charged() {
	c := s.Charge()
	if c.ID != "" {
		g := &s.Hello.Gateway
		g.HasKey, g.KeyLast4, g.KeyRefused = c.HasKey, c.KeyLast4, c.KeyRefused
	}
	s.Models = nil
	for _, m := range s.Catalogue.Models {
		if m.Family.Text() && gateway.ModelAllowed(c.Models, m.ID) {
			s.Models = append(s.Models, m)
		}
	}
}

// greeting is what the parts of the page hear of the session.
func (s *Session) greeting() Greeting {
	return Greeting{s.Hello.Gateway, s.Catalogue, s.Hello.Me == nil || s.Admin(), s.Hello.Me, s.Charge()}
}

// Model returns the catalogue's line for an id, or what its name tells.
func (s *Session) Model(id string) gateway.Model {
	m, _ := s.Catalogue.Lookup(id)
	return m
}

// AllModels are the ids of all models: those for text first, then those for
// video.
func (s *Session) AllModels() []string {
	var text, video []string
	for _, m := range s.Catalogue.Models {
		if m.Family.Text() {
			text = append(text, m.ID)
		} else {
			video = append(video, m.ID)
		}
	}
	return append(text, video...)
}

// greet takes the server's greeting, which comes first on every connection and
// again whenever the gateway's state changes. The catalogue is parsed when it is
// another one than before; one that can't be read changes nothing.
func (s *Session) greet(h wire.Hello) {
	s.Hello, s.Greeted = h, true
	if text := string(h.Catalogue); text != s.text {
		if cat, err := gateway.ReadCatalogue(h.Catalogue); err == nil {
			s.Catalogue, s.text = cat, text
		}
	}
	s.charged()
}
