// Package retention removes what is not to be kept any longer: wire events and
// clips that are older than their owner wants, clips that were deleted a while
// ago, and sessions that have expired, with the sealed keys in them. Messages and
// the ledger are always kept. Make a [Sweeper] and start it: it sweeps once a day,
// and when a setting changes.
package retention

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"screentest/shared/wire"
)

const sweepEvery = 24 * time.Hour

// settingName is the setting that holds a wire.Retention as JSON.
const settingName = "retention"

// Store keeps the settings and the wire events; see package store for what each
// does.
type Store interface {
	Setting(ctx context.Context, owner, name string) (string, error)
	SetSetting(ctx context.Context, owner, name, value string) error
	EachSetting(ctx context.Context, name string, fn func(owner, value string) error) error
	DropWire(ctx context.Context, owner string, before time.Time) (runs int, err error)
	SweepSessions(ctx context.Context) (sessions int, err error)
	DropImageDrafts(ctx context.Context) (images int, err error)
}

// Config is what a Sweeper works with. Store must be given.
type Config struct {
	Store Store
	// DropClips removes the owner's archived clips that were saved before
	// before and are no favourites. nil: there is no archive.
	DropClips func(ctx context.Context, owner string, before time.Time) (clips int, err error)
	// PurgeClips removes everybody's clips that were deleted before before, for
	// good. nil: there are none.
	PurgeClips func(ctx context.Context, before time.Time) (clips int, err error)
	// First says whether this process does what is enough for one of several to do each
	// day; nil: it is the only one. A second one would find nothing to remove.
	First  func() bool
	Now    func() time.Time
	Logger *slog.Logger
}

// Sweeper removes what is too old. Close it.
type Sweeper struct {
	Config
	again  chan struct{} // holds one
	ctx    context.Context
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

// New returns a Sweeper that has not begun.
func New(c Config) *Sweeper {
	if c.First == nil {
		c.First = func() bool { return true }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Sweeper{Config: c, again: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Start has it sweep at once, and then once a day.
func (s *Sweeper) Start() { s.ended.Go(func() { s.loop(s.ctx) }) }

// Close ends what is under way; it goes on with the next start.
func (s *Sweeper) Close() {
	s.cancel()
	s.ended.Wait()
}

func (s *Sweeper) loop(ctx context.Context) {
	for due := true; ; {
		if due {
			if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
				s.Logger.Error("what is too old was not removed", "err", err)
			}
		}
		due = true
		select {
		case <-time.After(sweepEvery):
			due = s.First()
		case <-s.again:
		case <-ctx.Done():
			return
		}
	}
}

// sweep removes what is too old, of everybody. What fails for one person or kind
// does not stop the others.
func (s *Sweeper) sweep(ctx context.Context) error {
	var failed []error
	if _, err := s.Store.SweepSessions(ctx); err != nil {
		failed = append(failed, fmt.Errorf("expired sessions: %w", err))
	}
	if _, err := s.Store.DropImageDrafts(ctx); err != nil {
		failed = append(failed, fmt.Errorf("images that were not sent: %w", err))
	}
	if s.PurgeClips != nil {
		n, err := s.PurgeClips(ctx, s.Now().AddDate(0, 0, -wire.TrashDays))
		if n > 0 {
			s.Logger.Info("removed for good what was deleted long ago", "what", "clips", "days", wire.TrashDays, "removed", n)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("deleted clips: %w", err))
		}
	}
	err := s.Store.EachSetting(ctx, settingName, func(owner, value string) error {
		var r wire.Retention
		if err := json.Unmarshal([]byte(value), &r); err != nil {
			failed = append(failed, fmt.Errorf("setting %s: %w", settingName, err))
			return nil
		}
		for _, kind := range []struct {
			name string
			days int
			drop func(context.Context, string, time.Time) (int, error)
		}{{"wire events", r.WireDays, s.Store.DropWire}, {"clips", r.ClipDays, s.DropClips}} {
			if kind.days == 0 || kind.drop == nil {
				continue
			}
			n, err := kind.drop(ctx, owner, s.Now().AddDate(0, 0, -kind.days))
			if n > 0 {
				s.Logger.Info("removed what was too old", "what", kind.name, "days", kind.days, "removed", n)
			}
			if err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", kind.name, err))
			}
		}
		return ctx.Err()
	})
	return errors.Join(append(failed, err)...)
}

// Retention returns the owner's settings; both are 0 at first, for ever.
func (s *Sweeper) Retention(ctx context.Context, owner string) (r wire.Retention, err error) {
	text, err := s.Store.Setting(ctx, owner, settingName)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &r)
	}
	return r, err
}

// SetRetention changes the owner's settings; what is too old by them is removed
// soon. An error that a person may read is a *wire.Problem.
func (s *Sweeper) SetRetention(ctx context.Context, owner string, r wire.Retention) (wire.Retention, error) {
	for field, days := range map[string]int{"wire_days": r.WireDays, "clip_days": r.ClipDays} {
		if days < 0 || days > wire.MaxKeepDays {
			return r, &wire.Problem{Code: "invalid_retention", Field: field,
				Message: fmt.Sprintf("It can be kept for 1 to %d days, or with 0 for ever.", wire.MaxKeepDays)}
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		return r, err
	}
	if err := s.Store.SetSetting(ctx, owner, settingName, string(text)); err != nil {
		return r, err
	}
	select {
	case s.again <- struct{}{}:
	default: // it is about to sweep
	}
	return r, nil
}
