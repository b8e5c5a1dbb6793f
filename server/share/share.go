// Package share says who may look at what somebody else shows them, and ends their
// looking when they may no more. A [Service] is the one place that asks: [Service.See]
// gives what a share shows, and who streams or shows something of it says so by
// [Service.Hold], to be told when it is over.
package share

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"screentest/server/sight"
	"screentest/shared/wire"
)

// Store keeps shares. What isn't there, or isn't for who asks, is an
// fs.ErrNotExist.
type Store interface {
	Sight(ctx context.Context, key, asker string) (sight.Sight, error)
	// Still says whether somebody may go on to look at the share of an id, by name
	// or by its link.
	Still(ctx context.Context, id, asker string) error
	// Known is the Sight of whom Still lets go on.
	Known(ctx context.Context, id, asker string) (sight.Sight, error)
	Make(ctx context.Context, owner string, n wire.NewShare, token string, snapshot []byte) (id string, err error)
	List(ctx context.Context, owner string) (wire.Shares, error)
	Of(ctx context.Context, owner, kind, id string) ([]wire.Share, error)
	Audience(ctx context.Context, id string) (owners []string, err error)
	Revoke(ctx context.Context, owner, id string) error
	RevokeLinks(ctx context.Context) (owners []string, err error)
	// NextEnd is when a share is over by itself, in Unix milliseconds; 0: none is.
	NextEnd(ctx context.Context) (at int64, err error)
	// Expire forgets what is over, and gives whose it was and who saw it.
	Expire(ctx context.Context) (owners []string, err error)
}

// Config is what a Service works with.
type Config struct {
	Store Store
	// Links says whether the instance allows links that anybody can open.
	Links func() bool
	// Tell tells owners that what they share, or is shared with them, has changed.
	// Everybody are all owners there are.
	Tell      func(owners []string)
	Everybody func() []string
	// Snapshot is a conversation of an owner's as it is now, and its title.
	Snapshot func(ctx context.Context, owner, conversation string) (snapshot []byte, title string, err error)
	// CopyTo makes a conversation of an owner's own of what is shown to them.
	CopyTo func(ctx context.Context, owner string, from sight.Sight, what wire.CopyShare) (id string, err error)
	// Clip is a clip of an owner's.
	Clip func(ctx context.Context, owner, id string) (wire.VideoTask, error)
	// Note notes for the audit what whoever asks did.
	Note func(ctx context.Context, action, object string, detail map[string]any)
	// Notify tells owners of what concerns them; nil: nobody is told.
	Notify func(ctx context.Context, owners []string, n wire.Notice)
	Now    func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: discards
}

// Service is what people show each other. Make one with New, and Close it.
type Service struct {
	Config
	quit  chan struct{}
	wake  chan struct{}
	ended sync.WaitGroup
	once  sync.Once

	mu      sync.Mutex
	held    map[looker]map[*hold]struct{}
	changed bool     // of people something is another
	told    []string // the owners who are to be told of a change
}

// A looker is somebody who looks at a share; asker is "" for who came by a link.
type looker struct{ share, asker string }

// hold is one look of a looker.
type hold struct{ cancel func() }

// readWithin bounds what is read for nobody who waits.
const readWithin = 10 * time.Second

// New returns a Service.
func New(c Config) *Service {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Service{Config: c, quit: make(chan struct{}), wake: make(chan struct{}, 1), held: map[looker]map[*hold]struct{}{}}
	s.ended.Go(s.loop)
	return s
}

// Close ends nobody's looking: who shows something ends by itself.
func (s *Service) Close() {
	s.once.Do(func() { close(s.quit) })
	s.ended.Wait()
}

// See is what a share shows to who asks: by its id an owner who is in its audience,
// or whose it is; by a link's token anybody, asker "" too, while the instance
// allows links. fs.ErrNotExist: nothing, and it isn't told why.
func (s *Service) See(ctx context.Context, key, asker string) (sight.Sight, error) {
	v, err := s.Store.Sight(ctx, key, asker)
	if err == nil && v.ByLink && v.Owner != asker && !s.Links() {
		return sight.Sight{}, errNone
	}
	return v, err
}

// noShare is an fs.ErrNotExist that people can read.
type noShare struct{}

func (noShare) Error() string { return "There is no such share. It may have been deleted." }

func (noShare) Unwrap() []error {
	return []error{fs.ErrNotExist, &wire.Problem{Code: wire.CodeNotFound, Message: noShare{}.Error()}}
}

var errNone error = noShare{}

// Hold has cancel called, once at most, as soon as an asker may not look at the
// share of an id any more: at once if that is so already. Call release when they
// look away. cancel must return at once.
func (s *Service) Hold(share, asker string, cancel func()) (release func()) {
	who, h := looker{share, asker}, &hold{cancel}
	s.mu.Lock()
	if s.held[who] == nil {
		s.held[who] = map[*hold]struct{}{}
	}
	s.held[who][h] = struct{}{}
	s.mu.Unlock()
	s.check(who) // it may have ended between their seeing it and here
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.held[who], h)
		if len(s.held[who]) == 0 {
			delete(s.held, who)
		}
	}
}

// check ends the looks of somebody who may not look. What can't be read is not
// shown either. Each has its own time: many who look don't use up each other's.
func (s *Service) check(who looker) {
	ctx, done := context.WithTimeout(context.Background(), readWithin)
	defer done()
	err := s.Store.Still(ctx, who.share, who.asker)
	if err == nil {
		return
	}
	if !errors.Is(err, fs.ErrNotExist) {
		s.Logger.Error("who may see a share can't be read: whoever looks at it is sent away", "err", err)
	}
	s.mu.Lock()
	of := s.held[who]
	delete(s.held, who)
	s.mu.Unlock()
	for h := range of {
		h.cancel()
	}
}

// SessionsEnded is of no concern: who has signed out sees to it that what their
// socket holds ends.
func (s *Service) SessionsEnded([]string) {}

// Ending is called before something of an owner's is deleted, and ended after: who
// looks at it by a share is sent away, and told.
func (s *Service) Ending(ctx context.Context, owner, kind, id string) (ended func()) {
	sees := s.whoSees(ctx, owner, kind, id)
	return func() { s.Recheck(sees, false) }
}

// Turned is Ending for what still has its shares, but shows nothing, or shows
// something again. It doesn't wait.
func (s *Service) Turned(owner, kind, id string) {
	s.ended.Go(func() {
		ctx, done := context.WithTimeout(context.Background(), readWithin)
		defer done()
		s.Recheck(s.whoSees(ctx, owner, kind, id), false)
	})
}

// whoSees are the owners who see something of an owner's by name, and whose it is;
// none if it isn't shared.
func (s *Service) whoSees(ctx context.Context, owner, kind, id string) (owners []string) {
	all, err := s.Store.Of(ctx, owner, kind, id)
	for _, one := range all {
		var of []string
		if err == nil {
			of, err = s.Store.Audience(ctx, one.ID)
		}
		owners = append(owners, of...)
	}
	if err != nil {
		s.Logger.Error("who sees a share can't be read, and isn't told that it has ended", "err", err)
	}
	return owners
}

// PeopleChanged has everybody who looks at something asked for anew: somebody may
// have left a team, or the instance.
func (s *Service) PeopleChanged([]string) { s.Recheck(nil, true) }

// Recheck has everybody who looks at something asked for anew, soon, and owners
// told that their shares have changed; everybody, if people have.
func (s *Service) Recheck(owners []string, people bool) {
	s.mu.Lock()
	s.changed = s.changed || people
	s.told = append(s.told, owners...)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// loop asks for everybody anew after each change, and ends what is over in time.
func (s *Service) loop() {
	var pause time.Duration
	for {
		end := time.NewTimer(max(pause, s.untilNextEnd()))
		select {
		case <-s.quit:
			end.Stop()
			return
		case <-s.wake:
			end.Stop()
		case <-end.C:
		}
		pause = 0
		if err := s.recheck(); err != nil {
			pause = retryAfter
		}
	}
}

// retryAfter is how long it waits when what is over can't be forgotten: of a full
// disk, say. Nobody sees it any more meanwhile.
const retryAfter = time.Second

// lookAgain is how long until it is looked again, if nothing changes.
const lookAgain = time.Hour

func (s *Service) untilNextEnd() time.Duration {
	ctx, done := context.WithTimeout(context.Background(), readWithin)
	defer done()
	at, err := s.Store.NextEnd(ctx)
	switch {
	case err != nil:
		return retryAfter // a store that is closing; or try again
	case at == 0:
		return lookAgain
	}
	return max(time.Millisecond, min(lookAgain, time.UnixMilli(at).Sub(s.Now())))
}

func (s *Service) recheck() error {
	s.mu.Lock()
	all := make([]looker, 0, len(s.held))
	for who := range s.held {
		all = append(all, who)
	}
	told, people := s.told, s.changed
	s.told, s.changed = nil, false
	s.mu.Unlock()
	for _, who := range all {
		select {
		case <-s.quit:
			return nil
		default:
			s.check(who)
		}
	}
	ctx, done := context.WithTimeout(context.Background(), readWithin)
	defer done()
	over, err := s.expire(ctx)
	if people {
		told = s.Everybody()
	}
	if told = append(told, over...); len(told) > 0 {
		s.Tell(distinct(told))
	}
	return err
}

// expire forgets what is over, and gives whose it was and who saw it.
func (s *Service) expire(ctx context.Context) (owners []string, err error) {
	at, err := s.Store.NextEnd(ctx)
	if err != nil || at == 0 || time.UnixMilli(at).After(s.Now()) {
		return nil, err
	}
	if owners, err = s.Store.Expire(ctx); err != nil {
		s.Logger.Error("shares that are over are not forgotten", "err", err)
	}
	return owners, err
}

func distinct(owners []string) (each []string) {
	seen := map[string]bool{}
	for _, o := range owners {
		if !seen[o] {
			seen[o] = true
			each = append(each, o)
		}
	}
	return each
}
