// Package leaving sees off who leaves the instance: what is under way of theirs
// ends, what they made is handed over or deleted, with its files, and they are
// erased if that is asked for. A [Service] does so a step at a time beside
// everything else, and goes on after a start with what the last process left.
package leaving

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"screentest/server/account"
	"screentest/shared/wire"
)

// Store keeps what people made, and how far a leaving is; see package store.
type Store interface {
	Count(ctx context.Context, owner string) (wire.Erasing, error)
	Allowed(ctx context.Context, v account.Leaving, origin string) error
	Begin(ctx context.Context, v account.Leaving, origin string) (wire.Erasing, error)
	Unfinished(ctx context.Context) ([]account.Leaving, error)
	Step(ctx context.Context, v account.Leaving) (files [][]byte, uploads [][2]string, more bool, err error)
	Finish(ctx context.Context, v account.Leaving, e wire.Erasing) (more bool, err error)
}

// Clips are those of who leaves.
type Clips interface {
	// GiveUp ends the tasks of an owner that nobody is asked about any more.
	GiveUp(ctx context.Context, owner string) error
	// Discard removes files that nobody has in use.
	Discard(ctx context.Context, files [][]byte, uploads [][2]string)
	// HandedOver goes on with what is to be copied of an owner's clips.
	HandedOver(ctx context.Context, owner string) error
}

// Config is what a Service works with. All must be given.
type Config struct {
	Store Store
	Clips Clips
	// Origin is the gateway that clips are made at.
	Origin string
	// Changed has accounts read again: who is not active any more is signed out.
	Changed func(ctx context.Context, owners ...string) error
	// StopRuns ends an owner's answers under way.
	StopRuns func(ctx context.Context, owner string) error
	// Withdraw has what who is erased asked approval for wait no more, and tells those
	// who decide.
	Withdraw func(ctx context.Context, v account.Leaving) error
	// Handed tells an heir's tabs of what they were handed. It must not wait.
	Handed func(heir string, e wire.Erasing)
	Logger *slog.Logger
}

// Service sees people off. Close it before its store.
type Service struct {
	Config
	life   context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu    sync.Mutex
	doing map[string]*task // by who leaves
}

// task is a leaving under way in this process.
type task struct {
	done chan struct{} // closed at the end
	err  error
}

// New returns a Service that does nothing yet.
func New(c Config) *Service {
	s := &Service{Config: c, doing: map[string]*task{}}
	s.life, s.cancel = context.WithCancel(context.Background())
	return s
}

// Start goes on with what the last process left, or another replica, whose part this
// one has taken over.
func (s *Service) Start(ctx context.Context) error {
	all, err := s.Store.Unfinished(ctx)
	for _, v := range all {
		e, err := s.Store.Count(ctx, v.Person)
		if err != nil {
			return err
		}
		s.begin(v, e)
	}
	return err
}

// Close ends the steps under way. The next process goes on.
func (s *Service) Close() {
	s.cancel()
	s.work.Wait()
}

// DryRun counts what a leaving would hand over or delete, and says why it could
// not be; that clips are being made passes with the time.
func (s *Service) DryRun(ctx context.Context, v account.Leaving) (wire.Erasing, error) {
	err := s.Store.Allowed(ctx, v, s.Origin)
	var p *wire.Problem
	if err != nil && !(errors.As(err, &p) && p.Code == wire.CodeClipsUnderWay) {
		return wire.Erasing{}, err
	}
	e, err := s.Store.Count(ctx, v.Person)
	e.DryRun, e.HandedOver = true, v.Heir != ""
	return e, err
}

// Do sees somebody off and returns when that is done, or ctx is over: then it goes
// on nevertheless.
func (s *Service) Do(ctx context.Context, v account.Leaving) (wire.Erasing, error) {
	e, err := s.Store.Begin(ctx, v, s.Origin)
	if err != nil {
		return e, err
	}
	t := s.begin(v, e)
	select {
	case <-t.done:
		return e, t.err
	case <-ctx.Done():
		return e, ctx.Err()
	}
}

// begin does a leaving that was noted, unless it is being done.
func (s *Service) begin(v account.Leaving, e wire.Erasing) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.doing[v.Person]; t != nil {
		return t
	}
	t := &task{done: make(chan struct{})}
	s.doing[v.Person] = t
	s.work.Go(func() {
		t.err = s.do(s.life, v, e)
		s.mu.Lock()
		delete(s.doing, v.Person)
		s.mu.Unlock()
		if t.err != nil && s.life.Err() == nil {
			s.Logger.Error("seeing somebody off was broken off; it goes on at the next start, or when it is asked for again", "owner", v.Person, "err", t.err)
		}
		close(t.done)
	})
	return t
}

func (s *Service) do(ctx context.Context, v account.Leaving, e wire.Erasing) error {
	if err := s.Changed(ctx, v.Person); err != nil {
		return err
	}
	if v.Erase {
		if err := s.Withdraw(ctx, v); err != nil {
			return err
		}
	}
	for more := true; more; {
		// Each time: something may have begun in the moment before they were out.
		if err := s.StopRuns(ctx, v.Person); err != nil {
			return err
		}
		if err := s.Clips.GiveUp(ctx, v.Person); err != nil {
			return err
		}
		if err := s.steps(ctx, v); err != nil {
			return err
		}
		var err error
		if more, err = s.Store.Finish(ctx, v, e); err != nil {
			return err
		}
	}
	if v.Heir != "" {
		if err := s.Clips.HandedOver(ctx, v.Heir); err != nil {
			return err
		}
		s.Handed(v.Heir, e)
	}
	return s.Changed(ctx, v.Person)
}

func (s *Service) steps(ctx context.Context, v account.Leaving) error {
	for more := true; more; {
		files, uploads, again, err := s.Store.Step(ctx, v)
		if err != nil {
			return err
		}
		s.Clips.Discard(ctx, files, uploads)
		more = again
	}
	return nil
}
