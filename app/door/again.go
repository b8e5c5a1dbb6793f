package door

import (
	"encoding/json"
	"net/url"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Again asks to sign in again over what is there, when a session ended while
// somebody was at work. What is drawn stays, what was asked waits, and both go on
// when the same person has signed in.
type Again struct {
	*Gate      // nil before the first time
	Open  bool // it is asked

	o       AgainOptions
	who     wire.Me // whose page it is
	waiting []func()
}

// AgainOptions are what an Again works with. All must be given.
type AgainOptions struct {
	Server   Knocker
	Passkeys Passkeys
	// Changed has it drawn.
	Changed func()
	// Same is called when the one whose page it is has signed in again; Other
	// when somebody else has, or when the page was nobody's yet.
	Same, Other func()
}

// NewAgain returns an Again that asks nothing yet.
func NewAgain(o AgainOptions) *Again { return &Again{o: o} }

// Of says whose page it is.
func (a *Again) Of(me wire.Me) { a.who = me }

// Ask begins to ask; where it is asked already it goes on. then, unless it is
// nil, is called when the same person is signed in.
func (a *Again) Ask(then func()) {
	if then != nil {
		a.waiting = append(a.waiting, then)
	}
	if a.Open {
		return
	}
	a.Open = true
	a.Gate = NewGate(&url.URL{Path: SignInPath}, Options{
		Server: a.o.Server, Passkeys: a.o.Passkeys, Changed: a.o.Changed, In: a.Look,
	})
	a.Gate.Email = a.who.Email
	a.Gate.Start()
}

// Look asks who is signed in now: somebody has come in, perhaps in another tab.
func (a *Again) Look() {
	if !a.Open {
		return
	}
	a.o.Server.Knock("GET", "/api/me", nil, func(data json.RawMessage, p *wire.Problem) {
		var me wire.Me
		if p = session.Read(data, p, &me); p != nil {
			if a.Gate.Stage == Entered { // it went wrong after all
				a.Gate.Start()
			}
			return
		}
		if !a.Open {
			return // meanwhile it was answered
		}
		if me.ID != a.who.ID {
			a.o.Other()
			return
		}
		waiting := a.waiting
		a.Open, a.waiting = false, nil
		a.o.Changed()
		a.o.Same()
		for _, then := range waiting {
			then()
		}
	})
}
