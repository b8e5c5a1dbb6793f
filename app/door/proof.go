package door

import (
	"encoding/json"
	"strings"

	"screentest/shared/wire"
)

// What adds a way in or takes one away may want a proof that it is still the
// person who signed in: somebody else may sit before their browser.

// Proof is asked for where the server wants one.
type Proof struct {
	Open           bool
	Password, Code string
	Busy           bool
	Problem        *wire.Problem
	again          func(wire.Proof)
}

// proven asks an address that may want a proof. Where it does, the person is
// asked for it, and then the address again.
func (s *Security) proven(method, path, part string, done func(data json.RawMessage)) {
	var ask func(proof wire.Proof)
	ask = func(proof wire.Proof) {
		s.o.Server.Ask(method, path, proof, func(data json.RawMessage, p *wire.Problem) {
			if p != nil && (p.Code == wire.CodeProofNeeded || s.Proof.Open && (p.Code == wire.CodeWrong || p.Code == wire.CodeTooMany)) {
				if !s.Proof.Open {
					s.Proof = Proof{Open: true, again: ask}
				} else {
					s.Proof.Busy, s.Proof.Problem = false, p
				}
				s.o.Focus("proof")
				s.o.Changed()
				return
			}
			s.Proof = Proof{}
			if p != nil {
				s.say(part, "", p)
				return
			}
			done(data)
		})
	}
	s.Outcome = Outcome{}
	ask(wire.Proof{})
}

// Prove sends the proof that was asked for.
func (s *Security) Prove() {
	f := &s.Proof
	if f.Busy || !f.Open {
		return
	}
	if f.Password == "" && strings.TrimSpace(f.Code) == "" {
		f.Problem = &wire.Problem{Code: "invalid_request", Message: "Enter your password or a code."}
		s.o.Focus("proof")
		s.o.Changed()
		return
	}
	f.Busy, f.Problem = true, nil
	s.o.Changed()
	f.again(wire.Proof{Password: f.Password, Code: strings.ReplaceAll(f.Code, " ", "")})
}

// DontProve lets go of what a proof was asked for.
func (s *Security) DontProve() {
	s.Proof = Proof{}
	s.o.Changed()
}
