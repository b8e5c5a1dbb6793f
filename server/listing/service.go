package listing

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"screentest/shared/gateway"
)

// Store keeps the last list of each gateway; see package store.
type Store interface {
	// Listing is a gateway's; fs.ErrNotExist: there is none.
	Listing(ctx context.Context, gateway string) (body []byte, at time.Time, err error)
	KeepListing(ctx context.Context, gateway string, body []byte, at time.Time) error
}

// A Source is a gateway that may list its models.
type Source interface {
	ListModels(ctx context.Context, key string) (body []byte, err error)
}

// Config is what a Service works with. Store must be given.
type Config struct {
	Store Store
	// Changed is called when the models of a gateway are others than before.
	Changed func(gateway string)
	Now     func() time.Time
	Logger  *slog.Logger
}

// Service knows the models that gateways list. Its methods may be called from any
// goroutine.
type Service struct {
	Config
	ctx    context.Context // of what is asked in the background
	cancel context.CancelFunc
	asking sync.WaitGroup

	mu    sync.Mutex
	known map[string]*list // by gateway
	stop  func()           // ends the last Watch
}

// list is what a gateway listed.
type list struct {
	body   []byte
	models []gateway.Model
	at     time.Time // when; zero: never
}

const (
	// askWithin bounds one question, askEvery is how often a gateway is asked again.
	askWithin = 20 * time.Second
	askEvery  = 6 * time.Hour
)

// New returns a Service.
func New(c Config) *Service {
	if c.Changed == nil {
		c.Changed = func(string) {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Service{Config: c, known: map[string]*list{}, stop: func() {}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Close gives up what is asked.
func (s *Service) Close() {
	s.cancel()
	s.asking.Wait()
}

// Models are those that a gateway listed last, and when; the zero time: it has
// listed none.
func (s *Service) Models(gateway string) ([]gateway.Model, time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.read(gateway)
	return l.models, l.at
}

// read is the list of a gateway as it was kept. The lock is held.
func (s *Service) read(gateway string) *list {
	if l := s.known[gateway]; l != nil {
		return l
	}
	l := &list{}
	s.known[gateway] = l
	body, at, err := s.Store.Listing(s.ctx, gateway)
	if err == nil {
		l.models, err = Read(body)
	}
	switch {
	case err == nil:
		l.body, l.at = body, at
	case !errors.Is(err, fs.ErrNotExist):
		s.Logger.Error("the kept list of models can't be read", "err", err)
	}
	return l
}

// Reread has what was listed read from the store again, where another process keeps
// lists, too.
func (s *Service) Reread() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.known)
}

// Watch asks a gateway for its models, and again every few hours until one is
// watched anew, with another key or elsewhere. It waits for nothing. Whichever key
// asked last decides: a gateway may list fewer for one than for another, and judges
// each call by itself.
func (s *Service) Watch(gateway string, from Source, key string) {
	ctx, stop := context.WithCancel(s.ctx)
	s.watched(stop)
	s.asking.Go(func() {
		defer stop()
		for {
			if _, err := s.Refresh(ctx, gateway, from, key); err != nil && ctx.Err() == nil {
				s.Logger.Info("the gateway lists no models", "why", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(askEvery):
			}
		}
	})
}

// Forget ends what Watch began.
func (s *Service) Forget() { s.watched(func() {}) }

// watched ends the last Watch; stop ends the one that begins.
func (s *Service) watched(stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop()
	s.stop = stop
}

// Refresh asks a gateway for its models, and says how many it lists. What it listed
// before stays where it doesn't answer, or answers with something else.
func (s *Service) Refresh(ctx context.Context, gateway string, from Source, key string) (n int, err error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	body, err := from.ListModels(ctx, key)
	if err != nil {
		return 0, err
	}
	models, err := Read(body)
	if err != nil {
		return 0, err
	}
	now := s.Now()
	s.mu.Lock()
	before := s.read(gateway)
	same := before.at != (time.Time{}) && bytes.Equal(before.body, body)
	s.known[gateway] = &list{body, models, now}
	s.mu.Unlock()
	if err := s.Store.KeepListing(ctx, gateway, body, now); err != nil {
		s.Logger.Error("the list of models was not kept", "err", err)
	}
	if !same {
		s.Changed(gateway)
	}
	return len(models), nil
}
