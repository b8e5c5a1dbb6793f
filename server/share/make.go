package share

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"

	"screentest/shared/wire"
)

// Make shares something of an owner's. token is that of a link, which is kept
// nowhere; "" for a share by name.
func (s *Service) Make(ctx context.Context, owner, name string, n wire.NewShare) (id, token string, err error) {
	if err := s.wantShare(n); err != nil {
		return "", "", err
	}
	if n.Audience == wire.ShareByLink {
		token = rand.Text() // 130 bits
	}
	var snapshot []byte
	title := ""
	if n.Kind == wire.ShareConversation && !n.Live {
		var none *wire.Problem
		snapshot, title, err = s.Snapshot(ctx, owner, n.ID)
		if errors.Is(err, fs.ErrNotExist) && errors.As(err, &none) {
			p := *none
			p.Field = "id"
			return "", "", &p
		}
		if err != nil {
			return "", "", err
		}
	}
	if id, err = s.Store.Make(ctx, owner, n, token, snapshot); err != nil {
		return "", "", err
	}
	if n.Audience == wire.ShareByLink && !s.Links() { // an admin has ended all links meanwhile
		return "", "", cmp.Or(s.Store.Revoke(ctx, owner, id), noLinks())
	}
	s.Note(ctx, "share.made", id, map[string]any{"kind": n.Kind, "of": n.ID, "audience": n.Audience, "to": []string(n.To), "live": n.Live, "wire": n.Wire, "hours": n.Hours})
	audience, err := s.Store.Audience(ctx, id)
	if err != nil {
		s.Logger.Error("who sees a share can't be read, and isn't told of it", "err", err)
	}
	s.Recheck(append(audience, owner), false) // it may be the next that is over
	if n.Audience == wire.ShareWithPeople && len(audience) > 1 && s.Notify != nil {
		if v, err := s.Store.Sight(ctx, id, owner); err == nil {
			title = v.Title
		}
		s.Notify(ctx, audience[1:], wire.Notice{Kind: wire.NoticeShare, By: name, Path: wire.SharePath + id, Text: title})
	}
	return id, token, nil
}

// wantShare says what is wrong with a share that is asked for.
func (s *Service) wantShare(n wire.NewShare) error {
	invalid := func(field, message, hint string) error {
		return &wire.Problem{Code: "invalid_request", Field: field, Message: message, Hint: hint}
	}
	switch {
	case n.Kind != wire.ShareConversation && n.Kind != wire.ShareClip:
		return invalid("kind", "There is no such kind.", "It is conversation or clip.")
	case n.Hours < 0 || n.Hours > wire.MaxShareHours:
		return invalid("hours", fmt.Sprintf("A share ends after 1 to %d hours, or with 0 not by itself.", wire.MaxShareHours), "7 days are 168.")
	}
	switch n.Audience {
	case wire.ShareWithPeople:
		if len(n.To) < 1 || len(n.To) > wire.MaxSharePeople {
			return invalid("to", fmt.Sprintf("It is shared with 1 to %d people by name.", wire.MaxSharePeople), "Share with a team, or with everyone.")
		}
	case wire.ShareWithTeam:
		if len(n.To) != 1 {
			return invalid("to", "It is shared with one team.", "Share once more for another one.")
		}
	case wire.ShareWithAll, wire.ShareByLink:
		if len(n.To) > 0 {
			return invalid("to", "Nobody is named where everyone, or who has the link, may see it.", "Leave it out.")
		}
		if n.Audience == wire.ShareByLink && !s.Links() {
			return noLinks()
		}
	default:
		return invalid("audience", "There is no such audience.", "It is people, team, everyone or link.")
	}
	return nil
}

func noLinks() error {
	return &wire.Problem{Code: wire.CodeNotAllowed, Field: "audience", Message: "This instance doesn't allow links that anybody can open.", Hint: "Share with people, a team or everyone, or ask an admin."}
}

// List are an owner's shares, and those that others share with them.
func (s *Service) List(ctx context.Context, owner string) (wire.Shares, error) {
	return s.Store.List(ctx, owner)
}

// Of are the shares of one thing of an owner's.
func (s *Service) Of(ctx context.Context, owner, kind, id string) ([]wire.Share, error) {
	return s.Store.Of(ctx, owner, kind, id)
}

// Revoke takes back a share of an owner's: who looks at it is sent away at once.
func (s *Service) Revoke(ctx context.Context, owner, id string) error {
	audience, err := s.Store.Audience(ctx, id)
	if err != nil {
		return err
	}
	if err := s.Store.Revoke(ctx, owner, id); err != nil {
		return err
	}
	s.Note(ctx, "share.revoked", id, nil)
	s.Recheck(audience, false)
	return nil
}

// LinksOff takes back all links, for good: they don't come back when links are
// allowed again.
func (s *Service) LinksOff(ctx context.Context) error {
	owners, err := s.Store.RevokeLinks(ctx)
	if err == nil {
		s.Recheck(owners, false)
	}
	return err
}
