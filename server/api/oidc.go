package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"screentest/server/account"
	"screentest/server/people"
	"screentest/shared/wire"
)

// Provider is one of single sign-on; see package oidc.
type Provider interface {
	Begin(w http.ResponseWriter, r *http.Request, back, owner string) (address string, err error)
	Finish(w http.ResponseWriter, r *http.Request) (s account.SignOn, back string, err error)
}

// SignOns finds or makes the accounts of those who come by single sign-on.
type SignOns interface {
	SignOn(ctx context.Context, s account.SignOn, groups []wire.Group) (account.Signed, error)
}

// SingleSignOn has the addresses of single sign-on. A browser is led there and
// back, so that what is wrong isn't answered but said by the sign-in page, whose
// address carries the code.
type SingleSignOn struct {
	People   *people.Directory
	Provider Provider
	Store    SignOns
	Desk     Proofs
	Logger   *slog.Logger
}

// Routes are the addresses.
func (s *SingleSignOn) Routes() map[string]Handler {
	return map[string]Handler{
		"GET /api/oidc/start":    s.start,
		"GET /api/oidc/callback": s.callback,
	}
}

// start leads to the provider; "to" in its query is the page to come back to.
func (s *SingleSignOn) start(w http.ResponseWriter, r *http.Request, who people.Person) error {
	address, err := s.Provider.Begin(w, r, r.URL.Query().Get("to"), who.Owner)
	if err != nil {
		return s.refuse(w, r, err)
	}
	return lead(w, r, address)
}

// callback is where the provider leads back to.
func (s *SingleSignOn) callback(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	ctx := r.Context()
	if err := s.Desk.Returned(ctx, s.People.Address(r)); err != nil {
		return s.refuse(w, r, err)
	}
	on, back, err := s.Provider.Finish(w, r)
	if err != nil {
		return s.refuse(w, r, err)
	}
	signed, err := s.Store.SignOn(ctx, on, s.People.Policies().Groups)
	if err != nil {
		return s.refuse(w, r, err)
	}
	if err := s.People.Changed(ctx, signed.Owner); err != nil {
		return s.refuse(w, r, err)
	}
	if signed.Dropped {
		if err := s.People.EndAll(ctx, signed.Owner); err != nil {
			return s.refuse(w, r, err)
		}
	}
	s.note(r, signed)
	who, err := s.People.SignInAs(w, r, signed.Owner, account.ByOIDC)
	if err != nil {
		return s.refuse(w, r, err)
	}
	s.People.Note(ctx, people.Event{Person: who.Owner, Action: "signin.ok", Object: who.Session, Detail: map[string]any{"how": account.ByOIDC}, Address: s.People.Address(r)})
	return lead(w, r, back)
}

// note has the audit told what became of a sign-on.
func (s *SingleSignOn) note(r *http.Request, signed account.Signed) {
	tell := func(action string, detail map[string]any) {
		object := ""
		if a, err := s.People.Account(signed.Owner); err == nil {
			object = a.Me.ID
		}
		s.People.Note(r.Context(), people.Event{Person: signed.Owner, Action: action, Object: object, Detail: detail, Address: s.People.Address(r)})
	}
	if signed.Made {
		tell("person.made", map[string]any{"how": account.ByOIDC})
	}
	if signed.Linked {
		tell("oidc.linked", map[string]any{"other_ways_dropped": signed.Dropped})
	}
	if signed.Mapped() {
		detail := map[string]any{}
		for name, ids := range map[string][]string{"teams_in": signed.TeamsIn, "teams_out": signed.TeamsOut, "lead_in": signed.LeadIn, "lead_out": signed.LeadOut} {
			if len(ids) > 0 {
				detail[name] = ids
			}
		}
		if signed.Role != signed.RoleWas {
			detail["role"], detail["role_was"] = signed.Role, signed.RoleWas
		}
		if signed.LastAdmin {
			detail["stays"] = wire.CodeLastAdmin
		}
		tell("oidc.mapped", detail)
	}
}

// refuse leads to the sign-in page, which says what is wrong.
func (s *SingleSignOn) refuse(w http.ResponseWriter, r *http.Request, err error) error {
	code := "server_error"
	var p *wire.Problem
	if errors.As(err, &p) {
		code = p.Code
	}
	// Who comes without having been at the provider is counted, and not noted.
	if s.Desk.Failed(r.Context(), s.People.Address(r)) == nil {
		s.Logger.Warn("single sign-on let nobody in", "code", code, "err", err)
		if code != wire.CodeOIDCExpired && code != wire.CodeOIDCUnreachable && code != wire.CodeTooMany {
			s.People.Note(r.Context(), people.Event{Action: "signin.failed", Detail: map[string]any{"how": account.ByOIDC, "why": code}, Address: s.People.Address(r)})
		}
	}
	return lead(w, r, "/signin#error="+code)
}

// lead leads a browser on. What it was asked for stays in no cache.
func lead(w http.ResponseWriter, r *http.Request, address string) error {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, address, http.StatusSeeOther)
	return nil
}
