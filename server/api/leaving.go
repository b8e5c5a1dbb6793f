package api

import (
	"context"
	"errors"
	"io/fs"
	"net/http"

	"screentest/server/account"
	"screentest/server/people"
	"screentest/shared/wire"
)

// SeeingOff hands over from people, and erases them.
type SeeingOff interface {
	DryRun(ctx context.Context, v account.Leaving) (wire.Erasing, error)
	Do(ctx context.Context, v account.Leaving) (wire.Erasing, error)
}

// Leaving has the addresses of who leaves. Both must be given.
type Leaving struct {
	Off SeeingOff
	// ByID is the account of an id as people see it.
	ByID func(id string) (account.Account, error)
}

// Routes are its addresses.
func (l *Leaving) Routes() map[string]Handler {
	return map[string]Handler{
		"POST /api/people/{id}/erase":     l.erase,
		"POST /api/people/{id}/hand_over": l.handOver,
	}
}

// erase erases somebody, or counts what that would take.
func (l *Leaving) erase(w http.ResponseWriter, r *http.Request, who people.Person) error {
	var in struct {
		DryRun     bool   `json:"dry_run"`
		HandOverTo string `json:"hand_over_to"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	v, err := l.leaving(r, who, in.HandOverTo, "hand_over_to")
	if err != nil {
		return err
	}
	v.Erase = true
	do := l.Off.Do
	if in.DryRun {
		do = l.Off.DryRun
	}
	return see(w, r, v, do)
}

// handOver gives what somebody made to somebody else.
func (l *Leaving) handOver(w http.ResponseWriter, r *http.Request, who people.Person) error {
	var in struct {
		To string `json:"to"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	if in.To == "" {
		return noHeir("to")
	}
	v, err := l.leaving(r, who, in.To, "to")
	if err != nil {
		return err
	}
	err = see(w, r, v, l.Off.Do)
	if p, is := errors.AsType[*wire.Problem](err); is && p.Code == "bad_heir" {
		p.Field = "to"
		return p
	}
	return err
}

func (l *Leaving) leaving(r *http.Request, who people.Person, heir, field string) (v account.Leaving, err error) {
	leaver, err := l.ByID(r.PathValue("id"))
	if err != nil {
		return v, err
	}
	v = account.Leaving{Person: leaver.Owner, By: who.Owner, From: people.AddressOf(r.Context())}
	if heir != "" {
		to, err := l.ByID(heir)
		if errors.Is(err, fs.ErrNotExist) {
			return v, noHeir(field)
		}
		if err != nil {
			return v, err
		}
		v.Heir = to.Owner
	}
	return v, nil
}

func noHeir(field string) error {
	return &wire.Problem{Code: "bad_heir", Field: field, Message: "It can't be handed over to this person.", Hint: "Choose somebody else who is active and no guest."}
}

func see(w http.ResponseWriter, r *http.Request, v account.Leaving, do func(context.Context, account.Leaving) (wire.Erasing, error)) error {
	e, err := do(r.Context(), v)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, e)
}
