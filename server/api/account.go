package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"screentest/server/account"
	"screentest/server/people"
	"screentest/shared/wire"
)

// Desk is where people get in by what they know; see package signin.
type Desk interface {
	SignIn(ctx context.Context, in wire.SignIn, from string) (owner string, err error)
	SetPassword(ctx context.Context, me wire.Me, owner, old, pass, from string, fresh func() error) error
	Link(ctx context.Context, token string) (wire.Link, error)
	SetUp(ctx context.Context, in wire.Join) (owner string, err error)
	Join(ctx context.Context, in wire.Join, from string) (owner, invite string, err error)
	Reset(ctx context.Context, in wire.Join) (owner string, err error)
}

// Account has the addresses of who one is, and of how one gets in and out.
type Account struct {
	People *people.Directory
	// Ways are those in.
	Ways func() wire.Ways
	// Desk is nil where there are no accounts; then Local is who everybody is.
	Desk  Desk
	Local wire.Me
	Now   func() time.Time
}

// Routes are the addresses. Without accounts there is nothing but who one is.
func (s *Account) Routes() map[string]Handler {
	if s.Desk == nil {
		return map[string]Handler{
			"GET /api/me": func(w http.ResponseWriter, _ *http.Request, _ people.Person) error {
				return answer(w, http.StatusOK, s.Local)
			},
			"GET /api/ways": s.ways,
		}
	}
	return map[string]Handler{
		"GET /api/me":        s.me,
		"GET /api/ways":      s.ways,
		"POST /api/link":     s.link,
		"POST /api/setup":    s.setUp,
		"POST /api/join":     s.join,
		"POST /api/reset":    s.reset,
		"POST /api/signin":   s.signIn,
		"POST /api/signout":  s.signOut,
		"POST /api/password": s.setPassword,
	}
}

func (s *Account) ways(w http.ResponseWriter, _ *http.Request, who people.Person) error {
	ways := s.Ways()
	ways.Refused = who.Refused
	return answer(w, http.StatusOK, ways)
}

func (s *Account) me(w http.ResponseWriter, _ *http.Request, who people.Person) error {
	if who.Me == nil {
		return &wire.Problem{Code: wire.CodeSignedOut, Message: "Nobody is signed in here.", Hint: "Sign in, and try again."}
	}
	return answer(w, http.StatusOK, who.Me)
}

func (s *Account) link(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	var in struct {
		Token string `json:"token"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	l, err := s.Desk.Link(r.Context(), in.Token)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, l)
}

func (s *Account) setUp(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	var in wire.Join
	if err := read(w, r, &in); err != nil {
		return err
	}
	if err := s.asNamed(r, in.Email); err != nil {
		return err
	}
	owner, err := s.Desk.SetUp(r.Context(), in)
	if err != nil {
		return err
	}
	if err := s.People.Vouch(r, owner); err != nil {
		return err
	}
	return s.welcome(w, r, people.Event{Person: owner, Action: "setup.claimed"})
}

func (s *Account) join(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	var in wire.Join
	if err := read(w, r, &in); err != nil {
		return err
	}
	if err := s.asNamed(r, in.Email); err != nil {
		return err
	}
	owner, invite, err := s.Desk.Join(r.Context(), in, s.People.Address(r))
	if err != nil {
		return err
	}
	if err := s.People.Vouch(r, owner); err != nil {
		return err
	}
	return s.welcome(w, r, people.Event{Person: owner, Action: "invite.used", Object: invite})
}

func (s *Account) reset(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	var in wire.Join
	if err := read(w, r, &in); err != nil {
		return err
	}
	owner, err := s.Desk.Reset(r.Context(), in)
	if err != nil {
		return err
	}
	if err := s.People.EndAll(r.Context(), owner); err != nil {
		return err
	}
	return s.welcome(w, r, people.Event{Person: owner, Action: "person.reset_used"})
}

// asNamed fails if a proxy in front names somebody by another address of mail: an
// account with this one could never be reached through it.
func (s *Account) asNamed(r *http.Request, email string) error {
	named := s.People.Named(r)
	if given, err := account.Email(email); named == "" || err != nil || given == named { // what is no address is told of elsewhere
		return nil
	}
	return invalid("email", "The proxy in front says that you are "+named+".", "Give that address.")
}

// welcome signs in who has just used a link. e says what came of it; its object,
// if it names none, is the account.
func (s *Account) welcome(w http.ResponseWriter, r *http.Request, e people.Event) error {
	if err := s.People.Changed(r.Context()); err != nil {
		return err
	}
	if e.Address = s.People.Address(r); e.Object == "" {
		e.Object = s.id(e.Person)
	}
	s.People.Note(r.Context(), e)
	who, err := s.People.SignInAs(w, r, e.Person, account.ByLink)
	if err != nil {
		return err
	}
	s.signedIn(r, who, account.ByLink)
	return answer(w, http.StatusCreated, who.Me)
}

// id is an owner's as people see it, "" if there is no such account.
func (s *Account) id(owner string) string {
	a, err := s.People.Account(owner)
	if err != nil {
		return ""
	}
	return a.Me.ID
}

func (s *Account) signIn(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	var in wire.SignIn
	if err := read(w, r, &in); err != nil {
		return err
	}
	owner, err := s.Desk.SignIn(r.Context(), in, s.People.Address(r))
	if err != nil {
		s.failed(r, owner, in.Code, err)
		return err
	}
	who, err := s.People.SignInAs(w, r, owner, account.ByPassword)
	if err != nil {
		return err
	}
	s.signedIn(r, who, account.ByPassword)
	return done(w)
}

func (s *Account) signedIn(r *http.Request, who people.Person, how string) {
	s.People.Note(r.Context(), people.Event{Person: who.Owner, Action: "signin.ok", Object: who.Session, Detail: map[string]any{"how": how}, Address: s.People.Address(r)})
}

// failed has the audit told of an attempt that came to nothing. Those that a limit
// turned away are not among them, so their number is bounded, too.
func (s *Account) failed(r *http.Request, owner, code string, err error) {
	var p *wire.Problem
	if !errors.As(err, &p) {
		return
	}
	e := people.Event{Action: "signin.failed", Object: s.id(owner), Detail: map[string]any{"how": account.ByPassword, "why": p.Code}, Address: s.People.Address(r)}
	switch {
	case p.Code == wire.CodeWrong, p.Code == wire.CodeDeactivated:
	case p.Code == wire.CodeCodeNeeded && code != "":
		e.Action = "signin.code_failed"
	default:
		return
	}
	s.People.Note(r.Context(), e)
}

func (s *Account) signOut(w http.ResponseWriter, r *http.Request, who people.Person) error {
	if err := s.People.SignOut(w, r); err != nil {
		return err
	}
	s.People.Note(r.Context(), people.Event{Person: who.Owner, Action: "signout", Object: who.Session, Address: s.People.Address(r)})
	return done(w)
}

// setPassword changes one's own password, and ends one's sessions in other browsers.
func (s *Account) setPassword(w http.ResponseWriter, r *http.Request, who people.Person) error {
	var in struct {
		Old string `json:"old"`
		New string `json:"new"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	fresh := func() error { return wantFresh(s.People, who, s.Now()) }
	if err := s.Desk.SetPassword(r.Context(), *who.Me, who.Owner, in.Old, in.New, s.People.Address(r), fresh); err != nil {
		return err
	}
	s.People.Note(r.Context(), people.Event{Person: who.Owner, Action: "person.changed", Object: who.Me.ID, Detail: map[string]any{"what": "password"}, Address: s.People.Address(r)})
	if err := s.People.EndOthers(r.Context(), who); err != nil {
		return err
	}
	return done(w)
}
