package bff

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"sync"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// keyFor returns the key that calls of a session are made with.
func (s *Server) keyFor(ctx context.Context, session string) (string, error) {
	if s.SandboxKey != "" {
		return s.SandboxKey, nil
	}
	return s.sessions.key(ctx, session)
}

// gatewayFor is the gateway as a session sees it.
func (s *Server) gatewayFor(ctx context.Context, session string) (wire.Gateway, error) {
	g := s.Gateway
	key, err := s.keyFor(ctx, session)
	g.HasKey, g.KeyLast4 = key != "", last4(key)
	g.KeyRefused = s.refused.has(key)
	return g, err
}

// KeyJudged takes from a reply whether the gateway refused a key or took it. The
// tabs are told of what is new in that. It never waits.
func (s *Server) KeyJudged(key string, refused bool) {
	if s.refused.note(key, refused) {
		s.News.GatewayChanged()
	}
}

// refusedKeys are the keys that the gateway has refused and not taken since, for
// as long as the server runs; by their sums, so that no key lies about.
type refusedKeys struct {
	mu   sync.Mutex
	keys map[[sha256.Size]byte]struct{}
}

// maxRefused bounds the keys that are remembered: each is one that a person
// entered.
const maxRefused = 1000

// note remembers what became of a key, and says whether that is new.
func (r *refusedKeys) note(key string, refused bool) (changed bool) {
	sum := sha256.Sum256([]byte(key))
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.keys[sum]; known == refused {
		return false
	}
	if !refused {
		delete(r.keys, sum)
		return true
	}
	if r.keys == nil || len(r.keys) >= maxRefused {
		r.keys = map[[sha256.Size]byte]struct{}{}
	}
	r.keys[sum] = struct{}{}
	return true
}

func (r *refusedKeys) has(key string) bool {
	sum := sha256.Sum256([]byte(key))
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.keys[sum]
	return known
}

// last4 is what may be seen of a key: its last four characters, if that is no
// great part of it.
func last4(key string) string {
	if len(key) < 12 {
		return ""
	}
	return key[len(key)-4:]
}

func (s *Server) handleSetKey(w http.ResponseWriter, r *http.Request) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		problem(w, http.StatusUnsupportedMediaType, wire.Problem{Code: "invalid_request", Message: "The key is sent as application/json."})
		return
	}
	var in struct {
		Key string `json:"key"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&in); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			problem(w, http.StatusRequestEntityTooLarge, wire.Problem{Code: "body_too_large",
				Message: fmt.Sprintf("The request is longer than %d bytes.", large.Limit)})
			return
		}
		problem(w, http.StatusBadRequest, wire.Problem{Code: "invalid_request", Message: `The body must be {"key":"…"}.`})
		return
	}
	if msg := gateway.KeyMistake(in.Key); msg != "" {
		problem(w, http.StatusBadRequest, wire.Problem{Code: "invalid_key", Field: "key", Message: msg})
		return
	}
	s.setKey(w, r, in.Key)
}

func (s *Server) handleForgetKey(w http.ResponseWriter, r *http.Request) { s.setKey(w, r, "") }

// setKey changes the session's key and tells its sockets. The session gets
// another id with it: one that was known before is worth nothing after.
func (s *Server) setKey(w http.ResponseWriter, r *http.Request, key string) {
	if s.SandboxKey != "" {
		problem(w, http.StatusConflict, wire.Problem{Code: "sandbox_key", Message: "The sandbox has a key of its own.",
			Hint: "Start the server with -gateway to use another gateway."})
		return
	}
	session, err := s.sessions.Get(r, s.sessions.name)
	old := session.ID
	if err == nil && old != "" {
		err = s.sessions.db.DeleteSession(r.Context(), old)
	}
	if err == nil {
		session.ID, session.Values[keyValue] = "", key
		err = session.Save(r, w)
	}
	if err != nil {
		s.Logger.Error("session not changed", "err", err)
		problem(w, http.StatusInternalServerError, wire.Problem{Code: "storage_failed", Message: "The server could not keep the key.",
			Hint: "See whether its disk is full; its log has the details."})
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	for _, k := range s.sockets.rename(old, session.ID) {
		s.greet(r.Context(), k)
	}
	if key != "" && s.Videos != nil {
		if err := s.Videos.KeyEntered(context.WithoutCancel(r.Context()), s.Owner, key); err != nil {
			s.Logger.Error("open video tasks did not get the new key", "err", err)
		}
	}
}
