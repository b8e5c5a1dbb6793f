package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"screentest/server/account"
	"screentest/server/people"
	"screentest/shared/wire"
)

// Factors are the ways in besides a password; see package factors.
type Factors interface {
	BeginPasskey(r *http.Request, a account.Account, session string) (json.RawMessage, error)
	FinishPasskey(r *http.Request, a account.Account, session, name string, credential []byte) (wire.PasskeyAdded, error)
	BeginSignIn(w http.ResponseWriter, r *http.Request) (json.RawMessage, error)
	FinishSignIn(w http.ResponseWriter, r *http.Request, credential []byte) (owner, passkey string, cloned bool, err error)
	BeginTOTP(ctx context.Context, owner, session, email string) (wire.TOTPBegun, error)
	FinishTOTP(ctx context.Context, owner, session, code string) (codes []string, err error)
	NewCodes(ctx context.Context, owner string) ([]string, error)
}

// FactorStore keeps them.
type FactorStore interface {
	Security(ctx context.Context, owner string) (wire.Security, error)
	RemovePasskey(ctx context.Context, owner, id string, ways account.Ways) error
	RemoveTOTP(ctx context.Context, owner string) error
}

// Proofs is where people prove who they are; see package signin.
type Proofs interface {
	// Prove takes a password or a code of who is signed in.
	Prove(ctx context.Context, owner, email, from string, p wire.Proof) error
	// Failed counts an attempt that came to nothing; an error says that there were
	// too many from the address.
	Failed(ctx context.Context, from string) error
	// Returned counts who comes back from the provider, likewise.
	Returned(ctx context.Context, from string) error
}

// Security has the addresses of one's own ways in, and of signing in by a passkey.
type Security struct {
	People  *people.Directory
	Factors Factors
	Store   FactorStore
	Desk    Proofs
	// Ways are those that the instance offers besides.
	Ways account.Ways
	Now  func() time.Time
}

// Routes are the addresses.
func (s *Security) Routes() map[string]Handler {
	return map[string]Handler{
		"GET /api/security":               s.security,
		"GET /api/passkeys":               s.passkeys,
		"POST /api/passkeys/begin":        s.beginPasskey,
		"POST /api/passkeys/finish":       s.finishPasskey,
		"DELETE /api/passkeys/{id}":       s.removePasskey,
		"POST /api/totp/begin":            s.beginTOTP,
		"POST /api/totp/finish":           s.finishTOTP,
		"DELETE /api/totp":                s.removeTOTP,
		"POST /api/recovery":              s.newCodes,
		"POST /api/signin/passkey/begin":  s.beginSignIn,
		"POST /api/signin/passkey/finish": s.finishSignIn,
	}
}

// freshFor is how long after signing in nothing needs to be proved again.
const freshFor = 10 * time.Minute

// proved takes the proof in a request's body that it is really the person who
// changes their ways in. A session that somebody else got hold of must neither
// become theirs for good nor shut its owner out.
func (s *Security) proved(w http.ResponseWriter, r *http.Request, who people.Person) error {
	var p wire.Proof
	if r.ContentLength != 0 {
		if err := read(w, r, &p); err != nil {
			return err
		}
	}
	if p == (wire.Proof{}) {
		return wantFresh(s.People, who, s.Now())
	}
	return s.Desk.Prove(r.Context(), who.Owner, who.Me.Email, s.People.Address(r), p)
}

// wantFresh fails unless a person has signed in just now.
func wantFresh(d *people.Directory, who people.Person, now time.Time) error {
	for _, session := range d.MySessions(who) {
		// What a proxy in front says it says again at each request.
		if session.Current && (session.How == account.ByProxy || now.Sub(time.UnixMilli(session.CreatedMS)) < freshFor) {
			return nil
		}
	}
	return &wire.Problem{Code: wire.CodeProofNeeded, Message: "This changes how you get in, and you signed in a while ago.",
		Hint: "Give your password or a code of your authenticator app; without either, sign out and in again."}
}

// note has the audit told what somebody did to their own account.
func (s *Security) note(r *http.Request, who people.Person, action, object string, detail map[string]any) {
	s.People.Note(r.Context(), people.Event{Person: who.Owner, Action: action, Object: object, Detail: detail, Address: s.People.Address(r)})
}

func (s *Security) security(w http.ResponseWriter, r *http.Request, who people.Person) error {
	found, err := s.Store.Security(r.Context(), who.Owner)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, found)
}

func (s *Security) passkeys(w http.ResponseWriter, r *http.Request, who people.Person) error {
	found, err := s.Store.Security(r.Context(), who.Owner)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, found.Passkeys)
}

func (s *Security) beginPasskey(w http.ResponseWriter, r *http.Request, who people.Person) error {
	if err := s.proved(w, r, who); err != nil {
		return err
	}
	a, err := s.People.Account(who.Owner)
	if err != nil {
		return err
	}
	options, err := s.Factors.BeginPasskey(r, a, who.Session)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, wire.PasskeyBegun{Options: options})
}

func (s *Security) finishPasskey(w http.ResponseWriter, r *http.Request, who people.Person) error {
	var f wire.PasskeyFinish
	if err := read(w, r, &f); err != nil {
		return err
	}
	a, err := s.People.Account(who.Owner)
	if err != nil {
		return err
	}
	added, err := s.Factors.FinishPasskey(r, a, who.Session, f.Name, f.Credential)
	if err != nil {
		return err
	}
	s.note(r, who, "passkey.added", added.Passkey.ID, nil)
	return s.changed(r, who, func() error { return answer(w, http.StatusCreated, added) })
}

func (s *Security) removePasskey(w http.ResponseWriter, r *http.Request, who people.Person) error {
	if err := s.proved(w, r, who); err != nil {
		return err
	}
	id := r.PathValue("id")
	if err := s.Store.RemovePasskey(r.Context(), who.Owner, id, s.Ways); err != nil {
		return err
	}
	s.note(r, who, "passkey.removed", id, nil)
	return s.changed(r, who, func() error { return done(w) })
}

func (s *Security) beginTOTP(w http.ResponseWriter, r *http.Request, who people.Person) error {
	if err := s.proved(w, r, who); err != nil {
		return err
	}
	begun, err := s.Factors.BeginTOTP(r.Context(), who.Owner, who.Session, who.Me.Email)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, begun)
}

func (s *Security) finishTOTP(w http.ResponseWriter, r *http.Request, who people.Person) error {
	var f wire.TOTPFinish
	if err := read(w, r, &f); err != nil {
		return err
	}
	codes, err := s.Factors.FinishTOTP(r.Context(), who.Owner, who.Session, f.Code)
	if err != nil {
		return err
	}
	s.note(r, who, "totp.added", "", nil)
	return s.changed(r, who, func() error { return answer(w, http.StatusOK, wire.Codes{Codes: codes}) })
}

func (s *Security) removeTOTP(w http.ResponseWriter, r *http.Request, who people.Person) error {
	if err := s.proved(w, r, who); err != nil {
		return err
	}
	if err := s.Store.RemoveTOTP(r.Context(), who.Owner); err != nil {
		return err
	}
	s.note(r, who, "totp.removed", "", nil)
	return s.changed(r, who, func() error { return done(w) })
}

func (s *Security) newCodes(w http.ResponseWriter, r *http.Request, who people.Person) error {
	if err := s.proved(w, r, who); err != nil {
		return err
	}
	codes, err := s.Factors.NewCodes(r.Context(), who.Owner)
	if err != nil {
		return err
	}
	s.note(r, who, "recovery.made", "", nil)
	return answer(w, http.StatusOK, wire.Codes{Codes: codes})
}

// changed has who asks looked at anew, since what they may do can hang on their
// second factor, and then answers.
func (s *Security) changed(r *http.Request, who people.Person, then func() error) error {
	if err := s.People.Changed(r.Context(), who.Owner); err != nil {
		return err
	}
	return then()
}

func (s *Security) beginSignIn(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	options, err := s.Factors.BeginSignIn(w, r)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, wire.PasskeyBegun{Options: options})
}

func (s *Security) finishSignIn(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	var f wire.PasskeyFinish
	if err := read(w, r, &f); err != nil {
		return err
	}
	owner, passkey, cloned, err := s.Factors.FinishSignIn(w, r, f.Credential)
	if err != nil {
		var p *wire.Problem
		if errors.As(err, &p) && p.Code == wire.CodeWrong {
			// Only what fails is counted: a passkey works while others guess.
			if err := s.Desk.Failed(r.Context(), s.People.Address(r)); err != nil {
				return err
			}
			s.note(r, people.Person{}, "signin.failed", "", map[string]any{"how": account.ByPasskey, "why": p.Code})
		}
		return err
	}
	who, err := s.People.SignInAs(w, r, owner, account.ByPasskey)
	if err != nil {
		return err
	}
	detail := map[string]any{"how": account.ByPasskey, "passkey": passkey}
	if cloned {
		detail["counter_went_back"] = true
	}
	s.note(r, who, "signin.ok", who.Session, detail)
	return done(w)
}
