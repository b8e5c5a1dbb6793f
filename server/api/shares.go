package api

import (
	"context"
	"net/http"

	"screentest/server/people"
	"screentest/shared/wire"
)

// Sharing keeps what people show each other. What isn't there, or isn't for who
// asks, is an fs.ErrNotExist.
type Sharing interface {
	// Make gives the token of a link, which can't be had again; "" for a share by
	// name.
	Make(ctx context.Context, owner, name string, n wire.NewShare) (id, token string, err error)
	List(ctx context.Context, owner string) (wire.Shares, error)
	Of(ctx context.Context, owner, kind, id string) ([]wire.Share, error)
	Revoke(ctx context.Context, owner, id string) error
	Copy(ctx context.Context, owner, key string, what wire.CopyShare) (id string, err error)
	Reuse(ctx context.Context, owner, key string) (wire.Reuse, error)
}

// Shares has the addresses of shares.
type Shares struct {
	Sharing Sharing
	// URL is how browsers reach this server, without a slash at its end.
	URL string
}

// Routes are the addresses.
func (s *Shares) Routes() map[string]Handler {
	return map[string]Handler{
		"GET /api/shares":             s.list,
		"POST /api/shares":            s.share,
		"DELETE /api/shares/{id}":     s.revoke,
		"POST /api/shares/{id}/copy":  s.copy,
		"POST /api/shares/{id}/reuse": s.reuse,
	}
}

// list gives all shares, or with kind and id those of one thing of one's own.
func (s *Shares) list(w http.ResponseWriter, r *http.Request, who people.Person) error {
	var all wire.Shares
	var err error
	q := r.URL.Query()
	switch kind := q.Get("kind"); {
	case kind == "" && !q.Has("id"):
		all, err = s.Sharing.List(r.Context(), who.Owner)
	case kind != wire.ShareConversation && kind != wire.ShareClip:
		return invalid("kind", "There is no such kind.", "It is conversation or clip.")
	default:
		all.WithMe = []wire.Share{}
		all.Mine, err = s.Sharing.Of(r.Context(), who.Owner, kind, q.Get("id"))
	}
	if err != nil {
		return err
	}
	for _, list := range [][]wire.Share{all.Mine, all.WithMe} {
		for i := range list {
			if list[i].Audience != wire.ShareByLink {
				list[i].Link = s.URL + wire.SharePath + list[i].ID
			}
		}
	}
	return answer(w, http.StatusOK, all)
}

// share shares something. A link for who has it is shown this once.
func (s *Shares) share(w http.ResponseWriter, r *http.Request, who people.Person) error {
	var n wire.NewShare
	if err := read(w, r, &n); err != nil {
		return err
	}
	id, token, err := s.Sharing.Make(r.Context(), who.Owner, who.Me.Name, n)
	if err != nil {
		return err
	}
	key := id
	if token != "" {
		key = token
	}
	return answer(w, http.StatusOK, wire.Share{ID: id, Link: s.URL + wire.SharePath + key, Kind: n.Kind, Subject: n.ID, Owner: who.Me.Name, Mine: true,
		Audience: n.Audience, Live: n.Live, Wire: n.Wire})
}

func (s *Shares) revoke(w http.ResponseWriter, r *http.Request, who people.Person) error {
	if err := s.Sharing.Revoke(r.Context(), who.Owner, r.PathValue("id")); err != nil {
		return err
	}
	return done(w)
}

// copy makes a conversation of one's own of one that is shown to one.
func (s *Shares) copy(w http.ResponseWriter, r *http.Request, who people.Person) error {
	var what wire.CopyShare
	if r.ContentLength != 0 { // none: all of it
		if err := read(w, r, &what); err != nil {
			return err
		}
	}
	id, err := s.Sharing.Copy(r.Context(), who.Owner, r.PathValue("id"), what)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, wire.Target{ID: id})
}

func (s *Shares) reuse(w http.ResponseWriter, r *http.Request, who people.Person) error {
	settings, err := s.Sharing.Reuse(r.Context(), who.Owner, r.PathValue("id"))
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, settings)
}
