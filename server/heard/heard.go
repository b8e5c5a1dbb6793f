// Package heard tells a replica what others have changed of what it holds in memory:
// an [Ear] listens to a channel of the database that all share. It connects again by
// itself for as long as it lives, and has everything read again each time, since
// nobody repeats what was told meanwhile.
//
// A connection that is cut without a word is found by asking it, a few times a second
// ([Ear.Fresh]). Nothing that was told is missed by who believes the ear only then.
package heard

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Source is a channel that can be listened to. Hear calls alive at first, and again
// and again, with when that was asked for, as long as the connection answers: all
// that was told before then has been given to fn. It returns with the connection's
// end, or ctx's.
type Source interface {
	Hear(ctx context.Context, channel string, every time.Duration, alive func(asked time.Time), fn func(payload string)) error
}

// Config is what an Ear works with. Source, Channel, All and Some must be given.
type Config struct {
	Source  Source
	Channel string
	// All has everything read again that may be another.
	All func(ctx context.Context) error
	// Some has that read again of which was told, each once: what was told at the
	// same time comes together. An error has everything read again.
	Some func(ctx context.Context, told []string) error
	// AtOnce is for what must not wait behind a reading: it says whether it was that.
	// It must not wait itself. nil: nothing is.
	AtOnce func(told string) bool
	// Check is called again and again while the ear isn't fresh. nil: nothing is.
	Check  func(ctx context.Context)
	Logger *slog.Logger
}

const (
	// askEvery is how often the connection is asked whether it is there, TrustFor how
	// long an answer is believed, from when it was asked for. So what is told while
	// the connection is cut is found out within TrustFor.
	askEvery = 200 * time.Millisecond
	TrustFor = 750 * time.Millisecond
	// gatherFor is the least time between two readings.
	gatherFor = 10 * time.Millisecond
	// againAfter is the wait before it is connected, or read, once more.
	againAfter = 250 * time.Millisecond
	// readWithin bounds a reading.
	readWithin = 10 * time.Second
)

// An Ear listens. Make one with New, Start it, and Close it.
type Ear struct {
	Config
	ctx    context.Context
	cancel context.CancelFunc
	ended  sync.WaitGroup
	wake   chan struct{} // holds one
	met    sync.Once
	first  chan struct{} // closed by met

	mu      sync.Mutex
	all     bool // everything is to be read again
	told    []string
	read    bool // everything was, since the connection was made
	heardAt time.Time
	behind  time.Time // since when something that was told isn't read; zero: all is
}

// New returns an Ear that hears nothing yet.
func New(c Config) *Ear {
	if c.AtOnce == nil {
		c.AtOnce = func(string) bool { return false }
	}
	if c.Check == nil {
		c.Check = func(context.Context) {}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	e := &Ear{Config: c, wake: make(chan struct{}, 1), first: make(chan struct{})}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	return e
}

// Start begins to listen.
func (e *Ear) Start() {
	e.ended.Go(e.listen)
	e.ended.Go(e.reading)
	e.ended.Go(e.checking)
}

// First is closed once it has listened for the first time, and everything was read.
func (e *Ear) First() <-chan struct{} { return e.first }

// Close ends it.
func (e *Ear) Close() {
	e.cancel()
	e.ended.Wait()
}

// Fresh says whether all that others had changed TrustFor ago is known here, or about
// to be read.
func (e *Ear) Fresh() bool {
	return e.freshFor() > 0
}

// freshFor is how long Fresh stays true if nothing more is heard.
func (e *Ear) freshFor() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.read {
		return 0
	}
	since := e.heardAt
	if !e.behind.IsZero() && e.behind.Before(since) {
		since = e.behind
	}
	return TrustFor - time.Since(since)
}

// listen connects again and again.
func (e *Ear) listen() {
	for {
		first := true
		err := e.Source.Hear(e.ctx, e.Channel, askEvery, func(asked time.Time) {
			e.mu.Lock()
			e.heardAt = asked
			if first {
				first, e.all, e.read = false, true, false
			}
			e.mu.Unlock()
			e.signal()
		}, e.hear)
		e.mu.Lock()
		e.read = false
		e.mu.Unlock()
		if e.ctx.Err() != nil {
			return
		}
		if !first {
			e.Logger.Warn("what other replicas change isn't told any more: it is read again and again until it is", "err", err)
		}
		select {
		case <-e.ctx.Done():
			return
		case <-time.After(againAfter):
		}
	}
}

// hear takes in what was told.
func (e *Ear) hear(told string) {
	if e.AtOnce(told) {
		return
	}
	e.mu.Lock()
	e.told = append(e.told, told)
	if e.behind.IsZero() {
		e.behind = time.Now()
	}
	e.mu.Unlock()
	e.signal()
}

func (e *Ear) signal() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// reading reads what was told of.
func (e *Ear) reading() {
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-e.wake:
		}
		e.mu.Lock()
		all, told := e.all, e.told
		e.all, e.told = false, nil
		e.mu.Unlock()
		if !all && len(told) == 0 {
			continue
		}
		pause := gatherFor
		began := time.Now()
		err := e.readAgain(all, told)
		e.mu.Lock()
		switch {
		case err != nil:
			e.all, e.read = true, false
			pause = againAfter
			e.signal()
		case len(e.told) > 0:
			e.behind = began
		default:
			e.behind = time.Time{}
		}
		e.mu.Unlock()
		if err != nil && e.ctx.Err() == nil {
			e.Logger.Error("what other replicas have changed was not read, and is again", "err", err)
		}
		select {
		case <-e.ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

func (e *Ear) readAgain(all bool, told []string) error {
	ctx, cancel := context.WithTimeout(e.ctx, readWithin)
	defer cancel()
	if !all {
		slices.Sort(told)
		return e.Some(ctx, slices.Compact(told))
	}
	if err := e.All(ctx); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.all { // a connection was made meanwhile
		return nil
	}
	e.read = true
	e.met.Do(func() { close(e.first) })
	return nil
}

// checking looks while nothing is sure.
func (e *Ear) checking() {
	for {
		wait := e.freshFor()
		if wait <= 0 {
			wait = TrustFor
		}
		select {
		case <-e.ctx.Done():
			return
		case <-time.After(wait):
		}
		if !e.Fresh() {
			ctx, cancel := context.WithTimeout(e.ctx, readWithin)
			e.Check(ctx)
			cancel()
		}
	}
}
