package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"

	"screentest/server/account"
	"screentest/server/people"
	"screentest/shared/wire"
)

// resetLasts is how long a link to a new password can be used.
const resetLasts = 24 * time.Hour

// Register is what the store knows of people.
type Register interface {
	// Persons are the accounts as an admin sees them, by name; their teams are
	// left out.
	Persons(ctx context.Context) ([]wire.Person, error)
	ChangePerson(ctx context.Context, owner string, c wire.PersonChange) error
	MakeLink(ctx context.Context, kind, owner, by string, hash [sha256.Size]byte, lasts time.Duration) error
}

// People has the addresses of accounts that admins use.
type People struct {
	Directory *people.Directory
	Register  Register
	// URL is how browsers reach this server, without a slash at its end.
	URL string
	// Passwords says that people may have passwords.
	Passwords bool
	// Deactivated is told who was deactivated, for what is under way of theirs.
	Deactivated func(ctx context.Context, owner string)
}

// Routes are the addresses.
func (s *People) Routes() map[string]Handler {
	return map[string]Handler{
		"GET /api/people":             s.list,
		"PATCH /api/people/{id}":      s.change,
		"POST /api/people/{id}/reset": s.reset,
	}
}

func (s *People) list(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	all, err := s.persons(r.Context())
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, all)
}

func (s *People) persons(ctx context.Context) ([]wire.Person, error) {
	all, err := s.Register.Persons(ctx)
	if err != nil {
		return nil, err
	}
	teams := map[string][]wire.MyTeam{}
	for _, a := range s.Directory.All() {
		teams[a.Me.ID] = a.Me.Teams
	}
	for i, p := range all {
		if all[i].Teams = teams[p.ID]; all[i].Teams == nil {
			all[i].Teams = []wire.MyTeam{}
		}
	}
	return all, nil
}

func (s *People) change(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	was, err := s.Directory.ByID(r.PathValue("id"))
	if err != nil {
		return err
	}
	var c wire.PersonChange
	if err := read(w, r, &c); err != nil {
		return err
	}
	if c.Name != nil {
		name, err := account.Name(*c.Name)
		if err != nil {
			return err
		}
		c.Name = &name
	}
	if c.Role != nil {
		if err := account.Role(*c.Role); err != nil {
			return err
		}
	}
	if c.Limits != nil {
		if err := checkLimits("limits", *c.Limits); err != nil {
			return err
		}
	}
	ctx := r.Context()
	if err := s.Register.ChangePerson(ctx, was.Owner, c); err != nil {
		return err
	}
	if err := s.Directory.Changed(ctx, was.Owner); err != nil {
		return err
	}
	s.note(ctx, was, c)
	if was.Active && c.Active != nil && !*c.Active && s.Deactivated != nil {
		s.Deactivated(context.WithoutCancel(ctx), was.Owner)
	}
	all, err := s.persons(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.ID == was.Me.ID {
			return answer(w, http.StatusOK, p)
		}
	}
	return fmt.Errorf("the person %s is gone after a change", was.Me.ID)
}

// note has the audit told of a change.
func (s *People) note(ctx context.Context, was account.Account, c wire.PersonChange) {
	detail := map[string]any{}
	if c.Role != nil && *c.Role != was.Me.Role {
		detail["role"], detail["role_before"] = *c.Role, was.Me.Role
	}
	if c.Name != nil && *c.Name != was.Me.Name {
		detail["name_changed"] = true
	}
	deactivated := c.Active != nil && !*c.Active && was.Active
	if c.Active != nil && *c.Active && !was.Active {
		detail["activated"] = true
	}
	if len(detail) > 0 {
		s.Directory.Note(ctx, people.Event{Action: "person.changed", Object: was.Me.ID, Detail: detail})
	}
	if deactivated {
		s.Directory.Note(ctx, people.Event{Action: "person.deactivated", Object: was.Me.ID})
	}
	if c.Limits != nil {
		s.Directory.Note(ctx, people.Event{Action: "limits.changed", Object: was.Me.ID, Detail: limitsDetail(*c.Limits)})
	}
}

// reset makes a link to a new password, which is shown this once.
func (s *People) reset(w http.ResponseWriter, r *http.Request, who people.Person) error {
	a, err := s.Directory.ByID(r.PathValue("id"))
	if err != nil {
		return err
	}
	switch {
	case !s.Passwords:
		return &wire.Problem{Code: wire.CodeNotAllowed, Message: "Nobody signs in with a password here.", Hint: "Who can't sign in asks who runs the provider of single sign-on."}
	case !a.Active:
		return &wire.Problem{Code: "deactivated_account", Message: "This account was deactivated.", Hint: "Activate it first."}
	}
	token := rand.Text()
	if err := s.Register.MakeLink(r.Context(), "reset", a.Owner, who.Owner, account.Hash(token), resetLasts); err != nil {
		return err
	}
	s.Directory.Note(r.Context(), people.Event{Action: "person.reset", Object: a.Me.ID})
	return answer(w, http.StatusOK, map[string]string{"link": s.URL + "/reset#" + token})
}
