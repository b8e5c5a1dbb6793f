package shown

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"time"

	"screentest/shared/wire"
)

const (
	// gatherFor is how long changes are gathered before they are shown.
	gatherFor = 100 * time.Millisecond
	// lingers is how long a show goes on that nobody looks at: the next reload finds
	// it as it is.
	lingers = 15 * time.Second
	// readWithin bounds reading what is shown.
	readWithin = 20 * time.Second
)

// A show is something that is shown live to any number of viewers: the nodes as they
// stand, and the last patches that led there, as events of a stream. An event's id
// is epoch-number; who has one from before, or of another show, loads the page again.
type show struct {
	s       *Service
	key     string // in Service.shows
	owner   string
	subject string
	build   func(ctx context.Context, sh *show) (*node, error)
	epoch   string
	alter   chan struct{}
	ctx     context.Context
	stop    context.CancelFunc
	ready   chan struct{} // closed once root or err is there
	seed    maphash.Seed

	// By Service.mu: how many look, and when the last of them left.
	lookers int
	idle    *time.Timer

	mu     sync.Mutex
	root   *node
	title  string // "" where it is as the share says
	err    error  // why there is nothing to show
	ended  bool
	frames [][]byte // the last events; first is the number of the first
	first  int
	size   int
	wake   chan struct{} // closed when there is more
	grows  map[string]*growing

	// What only build touches: finished answers as they were drawn, by their id, and
	// the first question on the page.
	drawn map[string]drawnMessage
	from  string
}

// drawnMessage is an answer as it was drawn, and a sum of what from.
type drawnMessage struct {
	sum  uint64
	node *node
}

// look returns the show of something, made if need be, and a function to say that
// one looks no more.
func (s *Service) look(key, owner, subject string, build func(ctx context.Context, sh *show) (*node, error)) (*show, func(), error) {
	s.mu.Lock()
	if s.life.Err() != nil {
		s.mu.Unlock()
		return nil, nil, s.life.Err()
	}
	sh := s.shows[key]
	if sh == nil {
		sh = &show{s: s, key: key, owner: owner, subject: subject, build: build, epoch: strings.ToLower(rand.Text()[:8]),
			alter: make(chan struct{}, 1), ready: make(chan struct{}), seed: maphash.MakeSeed(), first: 1,
			wake: make(chan struct{}), grows: map[string]*growing{}, drawn: map[string]drawnMessage{}}
		sh.ctx, sh.stop = context.WithCancel(s.life)
		s.shows[key] = sh
		s.ended.Go(sh.run)
	}
	sh.lookers++
	if sh.idle != nil {
		sh.idle.Stop()
		sh.idle = nil
	}
	s.mu.Unlock()
	return sh, sync.OnceFunc(func() { s.leave(sh) }), nil
}

func (s *Service) leave(sh *show) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh.lookers--; sh.lookers > 0 || sh.ctx.Err() != nil {
		return
	}
	sh.idle = time.AfterFunc(lingers, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if sh.lookers == 0 {
			s.drop(sh)
		}
	})
}

// drop ends a show. It is called with the lock.
func (s *Service) drop(sh *show) {
	if s.shows[sh.key] == sh {
		delete(s.shows, sh.key)
	}
	sh.stop()
}

// changed has the show read again soon.
func (sh *show) changed() {
	select {
	case sh.alter <- struct{}{}:
	default:
	}
}

// run reads what is shown, and again when it has changed.
func (sh *show) run() {
	defer sh.close()
	for {
		if err := sh.read(); err != nil {
			if sh.ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
				sh.s.Logger.Error("shared page not read", "err", err)
			}
			return
		}
		select {
		case <-sh.alter:
		case <-sh.ctx.Done():
			return
		}
		gather := time.NewTimer(gatherFor)
		select {
		case <-gather.C:
		case <-sh.ctx.Done():
			gather.Stop()
			return
		}
		select { // what has changed meanwhile is read, too
		case <-sh.alter:
		default:
		}
	}
}

// read builds the nodes anew and tells what is another.
func (sh *show) read() error {
	ctx, cancel := context.WithTimeout(sh.ctx, readWithin)
	defer cancel()
	root, err := sh.build(ctx, sh)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if err != nil {
		if sh.err = err; sh.root == nil {
			close(sh.ready)
		}
		return err
	}
	before := sh.root
	sh.root = root
	still := map[*growing]bool{}
	root.each(func(n *node) {
		if n.grows != nil {
			still[n.grows] = true
		}
	})
	if before == nil {
		close(sh.ready)
	} else {
		sh.tell(diff(nil, &node{kids: []*node{before}}, &node{kids: []*node{root}}))
	}
	for id, g := range sh.grows {
		switch {
		case !still[g]:
			delete(sh.grows, id)
			g.end()
		case g.stop == nil:
			var ctx context.Context
			ctx, g.stop = context.WithCancel(sh.ctx)
			sh.s.ended.Go(func() { g.follow(ctx) })
		}
	}
	return nil
}

// close ends the show: who looks on is told to load the page again.
func (sh *show) close() {
	sh.s.mu.Lock()
	sh.s.drop(sh)
	sh.s.mu.Unlock()
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.root == nil && sh.err == nil {
		sh.err = context.Canceled
		close(sh.ready)
	}
	sh.ended = true
	close(sh.wake)
	sh.wake = make(chan struct{})
}

// tell has patches sent to all who look. It is called with the lock.
func (sh *show) tell(patches []patch) {
	if len(patches) == 0 {
		return
	}
	f := frame(sh.epoch+"-"+strconv.Itoa(sh.first+len(sh.frames)), patches)
	sh.frames = append(sh.frames, f)
	sh.size += len(f)
	for sh.size > sh.s.Limits.Backlog && len(sh.frames) > 1 {
		sh.size -= len(sh.frames[0])
		sh.frames[0] = nil
		sh.frames = sh.frames[1:]
		sh.first++
	}
	close(sh.wake)
	sh.wake = make(chan struct{})
}

// at is what is shown now, and the id of the last patch in it.
func (sh *show) at(ctx context.Context) (content, error) {
	select {
	case <-sh.ready:
	case <-ctx.Done():
		return content{}, ctx.Err()
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return content{title: sh.title, html: sh.root.html(), from: sh.epoch + "-" + strconv.Itoa(sh.first+len(sh.frames)-1)}, sh.err
}

// after returns the number behind an event's id, or false if what came after it is
// not known here.
func (sh *show) after(id string) (next int, ok bool) {
	epoch, number, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(number)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return n + 1, epoch == sh.epoch && err == nil && n+1 >= sh.first && n < sh.first+len(sh.frames)
}

// since appends events from a number on to dst, at least one if there is one and some
// atOnce bytes. wake is closed when there is more; lost says that the events are
// gone, or the show is.
func (sh *show) since(dst []byte, from int) (_ []byte, next int, wake <-chan struct{}, lost bool) {
	const atOnce = 64 << 10
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if from < sh.first {
		return dst, from, nil, true
	}
	for from < sh.first+len(sh.frames) && len(dst) < atOnce {
		dst = append(dst, sh.frames[from-sh.first]...)
		from++
	}
	return dst, from, sh.wake, len(dst) == 0 && sh.ended
}

// conversation builds the nodes of a conversation's newest turns.
func (s *Service) conversation(asker string, withWire bool) func(ctx context.Context, sh *show) (*node, error) {
	return func(ctx context.Context, sh *show) (*node, error) {
		t, err := s.readThread(ctx, sh.owner, sh.subject, "", sh.from)
		if err != nil {
			return nil, err
		}
		if sh.from = ""; len(t.turns) > 0 {
			sh.from = t.turns[0].id
		}
		w := &writer{s: s, owner: sh.owner, asker: asker, wire: withWire, hidden: t.hidden, show: sh, drawn: map[string]drawnMessage{}}
		w.grows = func(m wire.Message) *growing { return sh.growing(ctx, m) }
		doc := w.doc(ctx, t)
		sh.drawn = w.drawn
		sh.mu.Lock()
		sh.title = t.title
		sh.mu.Unlock()
		return doc, nil
	}
}

// growing is the answer under way of a message; nil where it can't be read.
func (sh *show) growing(ctx context.Context, m wire.Message) *growing {
	sh.mu.Lock()
	g := sh.grows[m.ID]
	sh.mu.Unlock()
	if g != nil && g.run == m.Run.ID {
		return g
	}
	fresh := &growing{show: sh, id: m.ID, run: m.Run.ID}
	if err := fresh.open(ctx, sh.owner); err != nil {
		sh.s.Logger.Error("an answer under way can't be shown", "run", m.Run.ID, "err", err)
		return nil
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if g != nil {
		g.end()
	}
	sh.grows[m.ID] = fresh
	return fresh
}

// sum is over all that an answer is drawn from.
func (sh *show) sum(m wire.Message, many, hidden bool) uint64 {
	raw, err := json.Marshal(m)
	if err != nil {
		panic("shown: " + err.Error()) // our own type: it marshals
	}
	return maphash.String(sh.seed, fmt.Sprint(string(raw), many, hidden))
}
