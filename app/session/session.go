// Package session is a tab's session with the server: whether it is connected,
// what the server greeted it with, the calls that it answers, and what it tells
// unasked. It is plain Go with neither go-app nor the browser in it.
//
// Make a [Session] with [New] and give it every push that answers no call:
// [Session.Hear] decodes each of them once, for whoever wants to know. Calls go
// through a [Server], and [Read] reads what it answers.
package session

import (
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Link is the connection as a person sees it.
type Link int

// The links.
const (
	LinkNew  Link = iota // not yet open, for the first time
	LinkOpen             // all is well
	LinkLost             // being dialled again
	LinkNone             // the device has no network
)

// Session is what the tab knows of its server. It is not safe for concurrent
// use: the page uses it on the UI goroutine only.
type Session struct {
	Link    Link
	Greeted bool
	Hello   wire.Hello // zero before the greeting
	// Catalogue is never nil; before the greeting it is empty.
	Catalogue *gateway.Catalogue
	Models    []gateway.Model // for text, in the catalogue's order

	build string // of this page
	text  string // that the catalogue was read from
}

// New returns the session of a page of this build, before its greeting.
func New(build string) *Session {
	return &Session{Catalogue: &gateway.Catalogue{}, build: build}
}

// Stale says that the server is of another build than this page.
func (s *Session) Stale() bool {
	return s.Greeted && s.build != "" && s.Hello.Build != "" && s.build != s.Hello.Build
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
		if cat, err := gateway.ParseCatalogue(h.Catalogue); err == nil {
			s.Catalogue, s.text, s.Models = cat, text, nil
			for _, m := range cat.Models {
				if m.Family.Text() {
					s.Models = append(s.Models, m)
				}
			}
		}
	}
}
