// Package review is what people say of clips to each other, live: who looks at a
// review is told what is said of the versions that they see, until they look away
// or may see it no more. Who sees what the store says; see sight.Seen.
//
// A review's news are told by topics: each version has one for its comments and
// states, which only who sees it looks at, and the review has one that says that its
// versions are others: look again.
package review

import (
	"context"
	"log/slog"
	"strconv"
	"sync"

	"screentest/server/sight"
	"screentest/shared/wire"
)

// Store keeps reviews. What isn't there, or isn't seen by who asks, is an
// fs.ErrNotExist.
type Store interface {
	Look(ctx context.Context, owner string, at wire.Look) (sight.Seen, error)
	Read(ctx context.Context, owner, id string) (sight.Seen, error)
	Comment(ctx context.Context, owner string, c wire.Comment) (sight.Said, error)
	Edit(ctx context.Context, owner string, e wire.CommentEdit) (sight.Said, error)
	Step(ctx context.Context, owner string, s wire.ReviewStep) (sight.Stepped, error)
	Clips(ctx context.Context, owner string, q wire.TeamClipQuery) (wire.TeamClips, error)
	// Of is the review of a clip.
	Of(ctx context.Context, owner, clip string) (id string, err error)
}

// A Tab is one of somebody's, that is told news.
type Tab any

// News tells tabs; see package news. None of it waits.
type News interface {
	WhenLeft(owner string, t Tab, left func()) bool
	Look(topic, owner string, t Tab)
	LookAway(topic string, t Tab)
	TellTopic(topic, key string, event wire.Event, data any)
	// TellTopicHere doesn't tell other replicas.
	TellTopicHere(topic, key string, event wire.Event, data any)
	Tell(owners []string, key string, event wire.Event, data any)
}

// Config is what a Service works with. All must be given.
type Config struct {
	Store Store
	News  News
	// Hold has cancel called as soon as an asker may not look at a share any more.
	Hold func(share, asker string, cancel func()) (release func())
	// Notify tells people what concerns them, as who asks in ctx.
	Notify func(ctx context.Context, owners []string, n wire.Notice)
	// Note has the audit told what was done to a review, by who asks in ctx.
	Note   func(ctx context.Context, action, object string, detail map[string]any)
	Logger *slog.Logger
}

// Service is the reviews that are looked at. Make one with New, and Close it.
type Service struct {
	Config
	// order is held while something is stored and told: all are told in the order in
	// which it was stored.
	order sync.Mutex

	mu      sync.Mutex
	reviews map[string]map[*look]struct{} // by id
	tabs    map[Tab]map[string]*look      // by the review's id
	clips   map[[2]string]string          // what was last told of a clip of one that is looked at
	ended   sync.WaitGroup
	closed  bool
}

// look is a tab that looks at a review.
type look struct {
	tab     Tab
	owner   string
	review  string
	seen    sight.Seen
	topics  map[string]bool
	release func()
	over    bool
}

// New returns a Service.
func New(c Config) *Service {
	return &Service{Config: c, reviews: map[string]map[*look]struct{}{}, tabs: map[Tab]map[string]*look{}, clips: map[[2]string]string{}}
}

// Close waits for what is being told.
func (s *Service) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.ended.Wait()
}

// topicOf is that of a review's versions, or of one of them.
func topicOf(review string, version int) string {
	if version == 0 {
		return "review/" + review
	}
	return "review/" + review + "/" + strconv.Itoa(version)
}

// Look is a review as somebody sees it. From then on their tab is told its news.
func (s *Service) Look(ctx context.Context, owner string, tab Tab, at wire.Look) (wire.Review, error) {
	first, err := s.Store.Look(ctx, owner, at)
	if err != nil {
		return wire.Review{}, err
	}
	l := &look{tab: tab, owner: owner, review: first.Review.ID, seen: first, topics: map[string]bool{}, release: func() {}}
	if !s.begin(l) {
		return wire.Review{}, context.Canceled // nobody reads the answer
	}
	if !first.Own {
		release := s.Hold(at.Share, owner, func() { s.lost(l) })
		s.mu.Lock()
		if l.over {
			s.mu.Unlock()
			release()
		} else {
			l.release = release
			s.mu.Unlock()
		}
	}
	// Read once more: what was said before it was looked at is among it, and what is
	// said from here on is told; nothing is said in between. At another replica something
	// may be: where that is a version of which nothing was told yet, it is read again.
	s.order.Lock()
	defer s.order.Unlock()
	for {
		now, err := s.Store.Look(ctx, owner, at)
		if err != nil {
			s.end(l)
			return wire.Review{}, err
		}
		if !s.followed(l, now) {
			return now.Review, nil
		}
	}
}

// followed has a look's tab told of what it sees, and says whether it wasn't before of
// some of it.
func (s *Service) followed(l *look, now sight.Seen) (more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.over {
		return false
	}
	before := l.topics
	s.follow(l, now)
	for topic := range l.topics {
		more = more || !before[topic]
	}
	return more
}

// begin takes a look in, in the place of the same tab's of before.
func (s *Service) begin(l *look) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tabs[l.tab] == nil {
		if !s.News.WhenLeft(l.owner, l.tab, func() { s.left(l.tab) }) {
			return false
		}
		s.tabs[l.tab] = map[string]*look{}
	}
	before := s.tabs[l.tab][l.review]
	s.tabs[l.tab][l.review] = l
	if s.reviews[l.review] == nil {
		s.reviews[l.review] = map[*look]struct{}{}
	}
	s.reviews[l.review][l] = struct{}{}
	s.follow(l, l.seen)
	if before != nil {
		before.over = true
		delete(s.reviews[l.review], before)
		for topic := range before.topics {
			if !l.topics[topic] {
				s.News.LookAway(topic, before.tab)
			}
		}
		go before.release()
	}
	return true
}

// follow has a look's tab told of the versions that it sees, and of no other. The
// lock is held.
func (s *Service) follow(l *look, seen sight.Seen) {
	l.seen = seen
	topics := map[string]bool{topicOf(l.review, 0): true}
	for _, v := range seen.Review.Versions {
		topics[topicOf(l.review, v.Version)] = true
	}
	for topic := range l.topics {
		if !topics[topic] {
			s.News.LookAway(topic, l.tab)
		}
	}
	for topic := range topics {
		if !l.topics[topic] {
			s.News.Look(topic, l.owner, l.tab)
		}
	}
	l.topics = topics
}

// LookAway ends what Look began.
func (s *Service) LookAway(tab Tab, review string) {
	s.mu.Lock()
	l := s.tabs[tab][review]
	s.mu.Unlock()
	if l != nil {
		s.end(l)
	}
}

// left is for a tab that is gone.
func (s *Service) left(tab Tab) {
	s.mu.Lock()
	all := s.tabs[tab]
	delete(s.tabs, tab)
	s.mu.Unlock()
	for _, l := range all {
		s.end(l)
	}
}

// lost is for a look by what is shown no more: at once nothing is told of it, and
// the page hears that it is gone.
func (s *Service) lost(l *look) {
	if s.drop(l) {
		s.News.Tell([]string{l.owner}, "shares", wire.EventShares, nil)
	}
}

func (s *Service) end(l *look) {
	s.drop(l)
	s.mu.Lock()
	release := l.release
	l.release = func() {}
	s.mu.Unlock()
	release()
}

// drop has a look told nothing more; false: it was dropped before.
func (s *Service) drop(l *look) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.over {
		return false
	}
	l.over = true
	for topic := range l.topics {
		s.News.LookAway(topic, l.tab)
	}
	delete(s.reviews[l.review], l)
	if len(s.reviews[l.review]) == 0 {
		delete(s.reviews, l.review)
	}
	if len(s.reviews) == 0 {
		clear(s.clips)
	}
	if s.tabs[l.tab][l.review] == l {
		delete(s.tabs[l.tab], l.review)
	}
	return true
}

// Clips is a page of a team's gallery.
func (s *Service) Clips(ctx context.Context, owner string, q wire.TeamClipQuery) (wire.TeamClips, error) {
	return s.Store.Clips(ctx, owner, q)
}
