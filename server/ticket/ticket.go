// Package ticket keeps what a browser has begun and is to finish within minutes,
// in a cookie of that browser: sealed with a key of this process's, so that the
// browser can neither read nor change it, nobody fills the server's memory by
// beginning, and none can be carried to another browser by an address alone. A
// restart ends those under way, unless several processes share a key ([Config.Shared]):
// then each takes what any of them has given. A ticket lets nobody in.
package ticket

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/securecookie"
)

// Why a ticket isn't taken.
var (
	ErrNone    = errors.New("the browser has no ticket of this process")
	ErrExpired = errors.New("the ticket has expired")
	ErrUsed    = errors.New("the ticket was used before")
)

// Config is what tickets of one kind have in common.
type Config struct {
	// Name is that of the cookie, which holds over https only if Secure.
	Name   string
	Secure bool
	// SameSite says whether the cookie comes along from another site.
	SameSite http.SameSite
	Lasts    time.Duration
	Now      func() time.Time
	// Shared is what several processes have in common; nil: there is this one.
	Shared *Shared
}

// Shared is what the processes have in common that give and take the same tickets.
type Shared struct {
	// Key seals them.
	Key [KeySize]byte
	// Used notes which led somewhere.
	Used Used
}

// KeySize is the size of a key, in bytes: one half signs, the other encrypts.
const KeySize = 64

// Used notes which tickets led somewhere.
type Used interface {
	// UseTicket notes that one does; false: it did before.
	UseTicket(ctx context.Context, id string, now, expires time.Time) (first bool, err error)
	// FreeTicket takes such a note back.
	FreeTicket(ctx context.Context, id string) error
}

// Tickets hold a T each. Make them with New.
type Tickets[T any] struct {
	Config
	codec *securecookie.SecureCookie

	mu   sync.Mutex
	used map[string]time.Time // ids of those that led somewhere, until they expire
}

// A Ticket is one that a browser holds.
type Ticket[T any] struct {
	ID      string
	Expires time.Time
	Of      T
}

// New returns Tickets.
func New[T any](c Config) *Tickets[T] {
	var key [KeySize]byte
	if c.Shared != nil {
		key = c.Shared.Key
	} else {
		rand.Read(key[:]) // never fails
	}
	codec := securecookie.New(key[:KeySize/2], key[KeySize/2:])
	codec.SetSerializer(securecookie.JSONEncoder{})
	codec.MaxAge(0) // Expires is judged, by Now
	return &Tickets[T]{Config: c, codec: codec, used: map[string]time.Time{}}
}

func (s *Tickets[T]) cookie(value string, age int) *http.Cookie {
	return &http.Cookie{Name: s.Name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: s.Secure, SameSite: s.SameSite}
}

// Give gives a browser a ticket; the one that it had is void.
func (s *Tickets[T]) Give(w http.ResponseWriter, of T) error {
	value, err := s.codec.Encode(s.Name, Ticket[T]{ID: rand.Text(), Expires: s.Now().Add(s.Lasts), Of: of})
	if err == nil {
		http.SetCookie(w, s.cookie(value, int(s.Lasts.Seconds())))
	}
	return err
}

// Take returns the ticket that a request comes with, and takes it from the
// browser.
func (s *Tickets[T]) Take(w http.ResponseWriter, r *http.Request) (t Ticket[T], err error) {
	cookie, err := r.Cookie(s.Name)
	if err != nil {
		return t, ErrNone
	}
	http.SetCookie(w, s.cookie("", -1))
	if s.codec.Decode(s.Name, cookie.Value, &t) != nil {
		return Ticket[T]{}, ErrNone
	}
	if !s.Now().Before(t.Expires) {
		return Ticket[T]{}, ErrExpired
	}
	return t, nil
}

// Use notes that a ticket leads somewhere, and fails with ErrUsed if it did before.
func (s *Tickets[T]) Use(ctx context.Context, t Ticket[T]) error {
	if s.Shared != nil {
		first, err := s.Shared.Used.UseTicket(ctx, t.ID, s.Now(), t.Expires)
		if err == nil && !first {
			err = ErrUsed
		}
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Now()
	for id, expires := range s.used {
		if !now.Before(expires) {
			delete(s.used, id)
		}
	}
	if _, used := s.used[t.ID]; used {
		return ErrUsed
	}
	s.used[t.ID] = t.Expires
	return nil
}

// Failed takes a note of Use back: it led nowhere. So only as many stay noted as
// people have got somewhere.
func (s *Tickets[T]) Failed(ctx context.Context, t Ticket[T]) error {
	if s.Shared != nil {
		return s.Shared.Used.FreeTicket(context.WithoutCancel(ctx), t.ID)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.used, t.ID)
	return nil
}
