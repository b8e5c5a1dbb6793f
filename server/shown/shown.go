// Package shown is the page of what somebody shows others, at /s/…: HTML that the
// server writes, the same for everybody who may see it, and a small script. Make a
// [Service] with [New]; its Serve methods answer the addresses.
//
// Whether somebody may see something is asked of [Sights] with every request, and
// once more while a page is open. A page that is open follows what it shows by a
// stream of patches ([Service.ServeLive]): there is one [show] of a conversation
// however many look on, which reads each answer under way as one more cursor in its
// log, turns it once into patches, and every viewer is a cursor in these.
//
// In the order of a page: serve.go, page.go, thread.go, answer.go, html.go; of a
// stream: show.go, patch.go, grow.go, stream.go. clip.go, wire.go and snapshot.go are
// what their names say.
package shown

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"screentest/server/sight"
	"screentest/shared/wire"
)

// Sights says who sees what. See returns fs.ErrNotExist for what is not shown to
// asker, or not any more; key is a share's id, or the token of a link.
type Sights interface {
	See(ctx context.Context, key, asker string) (sight.Sight, error)
	// Hold has cancel called as soon as asker doesn't see a share any more.
	Hold(share, asker string, cancel func()) (release func())
}

// Conversations are read as their owner reads them.
type Conversations interface {
	OpenConversation(ctx context.Context, owner string, p wire.Page) (wire.Opened, error)
	Outline(ctx context.Context, owner, conversation string) (wire.Outline, error)
	Messages(ctx context.Context, owner string, q wire.MessageQuery) (wire.Messages, error)
	ImageOfConversation(ctx context.Context, owner, conversation, id string) (wire.Image, []byte, error)
}

// Runs are the calls behind answers. Errors that a person may read are
// *wire.Problem.
type Runs interface {
	Open(ctx context.Context, owner, id string) (wire.Run, Log, error)
	Request(ctx context.Context, owner, id string) (wire.RunRequest, error)
	Times(ctx context.Context, owner, id string) (wire.RunTimes, error)
}

// Log is a run's log as a reader sees it; see package run.
type Log interface {
	Read(ctx context.Context, dst []byte, from int64, max int) (p []byte, end bool, err error)
	ContentType() string
	Watch(c chan<- struct{})
	Unwatch(c chan<- struct{})
}

// Videos are the clips.
type Videos interface {
	Open(ctx context.Context, owner, id string) (wire.VideoOpened, error)
	ServeMedia(w http.ResponseWriter, r *http.Request, owner, task string, index int) error
	ServePoster(w http.ResponseWriter, r *http.Request, owner, task string, index int) error
}

// Reviews know the versions of a clip; fs.ErrNotExist of one that isn't shown.
type Reviews interface {
	Version(ctx context.Context, s sight.Sight, version int) (owner, task string, err error)
}

// Config is what a Service works with. All but the last group must be given.
type Config struct {
	Sights        Sights
	Conversations Conversations
	Runs          Runs
	Videos        Videos
	// File is the address of a file of the page's, with the hash of its content.
	File func(path string) string

	Reviews Reviews // nil: a clip has no other versions
	// Secrets are texts that are masked wherever they stand in the wire's content,
	// such as the gateway's address.
	Secrets func() []string
	Limits  Limits
	Now     func() time.Time
	Logger  *slog.Logger
}

// Limits bound what who looks on can have the server do. What is 0 is as
// [DefaultLimits] say.
type Limits struct {
	Viewers          int // of streams, in all
	ViewersOfOne     int // share's
	ViewersOfAddress int
	Pages            int // that an address may ask for at once, then one each PageEvery
	PageEvery        time.Duration
	Files            int // of clips and posters, likewise: a player asks for pieces
	FileEvery        time.Duration
	Backlog          int // bytes of patches kept for who is behind
}

// DefaultLimits let an office of some hundred people look on from one address.
var DefaultLimits = Limits{
	Viewers: 2000, ViewersOfOne: 500, ViewersOfAddress: 250,
	Pages: 200, PageEvery: 250 * time.Millisecond,
	Files: 1000, FileEvery: 20 * time.Millisecond,
	Backlog: 1 << 20,
}

// Viewer is who asks for something.
type Viewer struct {
	Owner string // "": nobody is signed in
	// Session is the one that they are signed in by: with it their streams end.
	Session string
	// Member says that they may make things of their own.
	Member  bool
	Address string
}

// A Service answers at /s/….
type Service struct {
	Config
	limits *limits
	life   context.Context
	end    context.CancelFunc
	ended  sync.WaitGroup
	made   chan struct{} // holds one for each page that is being made

	mu      sync.Mutex
	shows   map[string]*show
	viewers map[string]int // streams, by "" (all), the share and the address
	signed  map[*context.CancelFunc]string
}

// maxMaking is how many pages are made at a time.
const maxMaking = 8

// New returns a Service.
func New(c Config) *Service {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Limits = c.Limits.orDefault()
	s := &Service{Config: c, limits: newLimits(c.Limits), shows: map[string]*show{}, viewers: map[string]int{}, signed: map[*context.CancelFunc]string{}, made: make(chan struct{}, maxMaking)}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

func (l Limits) orDefault() Limits {
	or := func(n *int, usual int) {
		if *n == 0 {
			*n = usual
		}
	}
	d := DefaultLimits
	or(&l.Viewers, d.Viewers)
	or(&l.ViewersOfOne, d.ViewersOfOne)
	or(&l.ViewersOfAddress, d.ViewersOfAddress)
	or(&l.Pages, d.Pages)
	or(&l.Files, d.Files)
	or(&l.Backlog, d.Backlog)
	if l.PageEvery == 0 {
		l.PageEvery = d.PageEvery
	}
	if l.FileEvery == 0 {
		l.FileEvery = d.FileEvery
	}
	return l
}

// Close ends the streams; their pages come back for them. When ctx is done it
// doesn't wait for the rest.
func (s *Service) Close(ctx context.Context) error {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.ended.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return errors.New("streams of shared pages are still being read")
	}
}

// Changed has those who look at a conversation or a clip shown what has changed in
// it; where both are "", those who look at any. It never waits.
func (s *Service) Changed(owner, subject string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sh := range s.shows {
		if owner+subject == "" || sh.owner == owner && sh.subject == subject {
			sh.changed()
		}
	}
}

// SessionsEnded ends the streams of who is signed in no more. Their pages ask again,
// as who they are now.
func (s *Service) SessionsEnded(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for end, session := range s.signed {
		if slices.Contains(ids, session) {
			(*end)()
		}
	}
}

// PeopleChanged is the business of Sights.
func (s *Service) PeopleChanged([]string) {}

// during is a context that ends with a session.
func (s *Service) during(ctx context.Context, session string) (context.Context, func()) {
	ctx, end := context.WithCancel(ctx)
	if session == "" {
		return ctx, end
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signed[&end] = session
	return ctx, func() {
		s.mu.Lock()
		delete(s.signed, &end)
		s.mu.Unlock()
		end()
	}
}

// enter counts a stream, or says that there are too many.
func (s *Service) enter(names ...string) (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		return nil, false
	}
	left, ok := s.count(names...)
	if !ok {
		return nil, false
	}
	s.ended.Add(1)
	return func() {
		left()
		s.ended.Done()
	}, true
}

// sends counts a file that is sent, likewise: who doesn't read it holds it open.
func (s *Service) sends(names ...string) (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count(names...)
}

// count counts one by names, in all, of a share and to an address. It is called with
// the lock; leave isn't.
func (s *Service) count(names ...string) (leave func(), ok bool) {
	bounds := []int{s.Limits.Viewers, s.Limits.ViewersOfOne, s.Limits.ViewersOfAddress}
	for i, name := range names {
		if s.viewers[name] >= bounds[i] {
			return nil, false
		}
	}
	for _, name := range names {
		s.viewers[name]++
	}
	return func() {
		s.mu.Lock()
		for _, name := range names {
			if s.viewers[name]--; s.viewers[name] == 0 {
				delete(s.viewers, name)
			}
		}
		s.mu.Unlock()
	}, true
}
