package api

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"time"

	"screentest/server/account"
	"screentest/server/people"
	"screentest/shared/wire"
)

// What an invitation is where nothing else is asked for.
const (
	inviteHours = 7 * 24
	inviteUses  = 1
)

// maxInviteTeams bounds the teams of an invitation.
const maxInviteTeams = 50

// InviteBook is where invitations are kept.
type InviteBook interface {
	MakeInvite(ctx context.Context, owner, token string, i wire.Invite) (id string, err error)
	Invites(ctx context.Context) ([]wire.Invite, error)
	RevokeInvite(ctx context.Context, id string) error
}

// Invites has the addresses of invitations.
type Invites struct {
	Directory *people.Directory
	Book      InviteBook
	// URL is how browsers reach this server, without a slash at its end.
	URL string
	Now func() time.Time
}

// Routes are the addresses.
func (s *Invites) Routes() map[string]Handler {
	return map[string]Handler{
		"GET /api/invites":         s.list,
		"POST /api/invites":        s.invite,
		"DELETE /api/invites/{id}": s.revoke,
	}
}

func (s *Invites) list(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	all, err := s.Book.Invites(r.Context())
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, all)
}

// invite makes an invitation, whose link is shown this once.
func (s *Invites) invite(w http.ResponseWriter, r *http.Request, who people.Person) error {
	var i wire.Invite
	if err := read(w, r, &i); err != nil {
		return err
	}
	if err := checkInvite(&i); err != nil {
		return err
	}
	token, now := rand.Text(), s.Now()
	i = wire.Invite{Role: i.Role, Teams: i.Teams, Hours: i.Hours, Uses: i.Uses,
		By: who.Me.Name, CreatedMS: now.UnixMilli(), ExpiresMS: now.Add(time.Duration(i.Hours) * time.Hour).UnixMilli()}
	var err error
	if i.ID, err = s.Book.MakeInvite(r.Context(), who.Owner, token, i); err != nil {
		return err
	}
	i.Link = s.URL + "/join#" + token
	s.Directory.Note(r.Context(), people.Event{Action: "invite.made", Object: i.ID,
		Detail: map[string]any{"role": i.Role, "teams": i.Teams, "hours": i.Hours, "uses": i.Uses}})
	return answer(w, http.StatusOK, i)
}

// checkInvite says what is wrong with an invitation that is asked for, and puts
// in what isn't said.
func checkInvite(i *wire.Invite) error {
	if i.Role == "" {
		i.Role = wire.RoleMember
	}
	if i.Hours == 0 {
		i.Hours = inviteHours
	}
	if i.Uses == 0 {
		i.Uses = inviteUses
	}
	if i.Teams == nil {
		i.Teams = []string{}
	}
	switch {
	case i.Hours < 1 || i.Hours > wire.MaxInviteHrs:
		return invalid("hours", fmt.Sprintf("An invitation is open for 1 to %d hours.", wire.MaxInviteHrs), "7 days are 168.")
	case i.Uses < 1 || i.Uses > wire.MaxInviteUses:
		return invalid("uses", fmt.Sprintf("An invitation can be used 1 to %d times.", wire.MaxInviteUses), "")
	case len(i.Teams) > maxInviteTeams:
		return invalid("teams", fmt.Sprintf("An invitation leads into %d teams at most.", maxInviteTeams), "")
	}
	return account.Role(i.Role)
}

func (s *Invites) revoke(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	id := r.PathValue("id")
	if err := s.Book.RevokeInvite(r.Context(), id); err != nil {
		return err
	}
	s.Directory.Note(r.Context(), people.Event{Action: "invite.revoked", Object: id})
	return done(w)
}
