// Package notices tells people in the page of what concerns them: a mention, a
// share, a review, an approval. Each notice is kept, and told to the tabs that
// are open. Whoever notifies asks first who may know of it.
package notices

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"screentest/shared/wire"
)

// Store keeps notices; see package store.
type Store interface {
	Add(owners []string, by string, n wire.Notice, done func(given map[string]wire.Notice, err error))
	List(ctx context.Context, owner string, p wire.Page) (wire.Notices, error)
	Seen(ctx context.Context, owner, id string) error
}

// Config is what a Service works with. All must be given.
type Config struct {
	Store Store
	// Tell tells the tabs of owners. It must not wait.
	Tell func(owners []string, key string, event wire.Event, data any)
	// Asking is the owner who asks in ctx; "" is the server itself.
	Asking func(ctx context.Context) string
	Logger *slog.Logger
}

// Service tells and keeps notices.
type Service struct{ Config }

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// Notify tells each of some owners something: Kind, Path, Subject and Text of n.
// Who did it is who asks in ctx, and is told nothing. Path is of this page. Text
// stays with them when what it tells of is no longer theirs to see: it is a few
// words with a short title at most. It waits for nothing.
func (s *Service) Notify(ctx context.Context, owners []string, n wire.Notice) {
	by := s.Asking(ctx)
	owners = slices.Compact(slices.Sorted(slices.Values(owners)))
	owners = slices.DeleteFunc(owners, func(o string) bool { return o == by || o == "" })
	if len(owners) == 0 {
		return
	}
	n.Text, n.By, n.Seen = wire.Cut(strings.Join(strings.Fields(n.Text), " "), wire.MaxNotice), "", false
	if !strings.HasPrefix(n.Path, "/") || strings.HasPrefix(n.Path, "//") || strings.Contains(n.Path, `\`) || len(n.Path) > wire.MaxNotice {
		s.Logger.Error("a notice leads nowhere in the page", "kind", n.Kind, "subject", n.Subject)
		n.Path = "/"
	}
	s.Store.Add(owners, by, n, func(given map[string]wire.Notice, err error) {
		if err != nil {
			s.Logger.Error("a notice was not kept", "kind", n.Kind, "subject", n.Subject, "err", err)
			return
		}
		for owner, n := range given {
			s.Tell([]string{owner}, "notice "+n.ID, wire.EventNotice, n)
		}
	})
}

// List returns a page of an owner's notices, the newest first.
func (s *Service) List(ctx context.Context, owner string, p wire.Page) (wire.Notices, error) {
	return s.Store.List(ctx, owner, p)
}

// Seen notes that an owner has seen one and all before it, and tells their tabs.
func (s *Service) Seen(ctx context.Context, owner, id string) error {
	if err := s.Store.Seen(ctx, owner, id); err != nil {
		return err
	}
	s.Tell([]string{owner}, "notices seen", wire.EventSeen, wire.Target{ID: id})
	return nil
}
