package main

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"time"

	"screentest/server/peer"
	"screentest/server/replica"
	"screentest/server/video"
	"screentest/shared/wire"
)

// What several replicas do with clips, money and daily work between them.

// takeUpRest goes on with what another replica held, but for the answers: with its
// clips, with who is being seen off, and with what it had set aside or staged and not
// come to use.
func (s *server) takeUpRest(ctx context.Context) error {
	return errors.Join(s.videos.TakeUp(ctx), s.budget.TakeUp(ctx), s.leaving.Start(ctx), s.store.DropStaged(ctx))
}

// first says whether this replica does what one of them is enough for. For a moment two
// may think so of themselves, or none: what they do is done in transactions that change
// nothing the second time, and comes again.
func (s *server) first() bool {
	if s.member == nil {
		return true
	}
	for _, p := range s.member.Peers() {
		if p.N < s.member.N() && !p.Leaving {
			return false
		}
	}
	return true
}

// clipsElsewhere are the other replicas as package video asks them; nil where there
// can be none.
func (s *server) clipsElsewhere() video.Elsewhere {
	if s.member == nil {
		return nil
	}
	return &clipsElsewhere{s: s, rooms: roomNews{tell: s.tellRoom}}
}

type clipsElsewhere struct {
	s     *server
	rooms roomNews
}

// askFor is how long another replica is waited for.
const askFor = 15 * time.Second

// away says that a replica which holds a clip can't be asked.
func away() *wire.Problem {
	return &wire.Problem{Code: "replica_away", Message: "The part of the server that makes this clip does not answer.",
		Hint: "Another one takes over within some seconds. Try it again then.", Status: http.StatusServiceUnavailable}
}

func (c *clipsElsewhere) Look(ctx context.Context, owner, task string) (here bool, err error) {
	n, err := c.s.store.Replicas().ClipHolder(ctx, owner, task)
	if err != nil || n == c.s.member.N() {
		return err == nil, err
	}
	p, there := c.s.member.Peer(n)
	if !there || c.s.peers == nil {
		return false, away()
	}
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	resp, err := c.s.peers.Ask(ctx, p.Address, http.MethodPost, "/internal/clip/"+url.PathEscape(owner)+"/"+url.PathEscape(task)+"/look", nil)
	var told *wire.Problem
	switch {
	case errors.As(err, &told):
		return false, err
	case err != nil:
		c.s.log.Warn("another replica was not asked about a clip that it holds", "replica", n, "err", err)
		return false, away()
	}
	return false, resp.Body.Close()
}

func (c *clipsElsewhere) Room(owner string) {
	if c.s.peers == nil {
		return
	}
	for _, p := range c.s.member.Peers() {
		c.rooms.add(p, owner)
	}
}

func (s *server) tellRoom(p replica.Peer, owner string) error {
	ctx, cancel := context.WithTimeout(context.Background(), askFor)
	defer cancel()
	resp, err := s.peers.Ask(ctx, p.Address, http.MethodPost, "/internal/archive/"+url.PathEscape(owner)+"/room", nil)
	if err != nil { // it looks by itself, after a while
		s.log.Info("another replica was not told that there is room in an archive", "replica", p.N, "err", err)
		return err
	}
	return resp.Body.Close()
}

// answerClips answers what other replicas ask about clips.
func (s *server) answerClips() {
	s.peers.Handle("POST /internal/clip/{owner}/{task}/look", func(w http.ResponseWriter, r *http.Request) {
		owner, task := r.PathValue("owner"), r.PathValue("task")
		n, err := s.store.Replicas().ClipHolder(r.Context(), owner, task)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = &wire.Problem{Code: "not_found", Message: "This clip is no more.", Status: http.StatusNotFound}
		case err == nil && n != s.member.N(): // it has another holder by now
			err = away()
		case err == nil:
			err = s.videos.Look(r.Context(), owner, task)
		}
		if err != nil {
			peer.Refuse(w, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	s.peers.Handle("POST /internal/archive/{owner}/room", func(w http.ResponseWriter, r *http.Request) {
		s.videos.RoomChanged(r.PathValue("owner"))
		w.WriteHeader(http.StatusNoContent)
	})
}
