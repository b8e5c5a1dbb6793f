package heard

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// source is a channel in the hands of a test: a connection lasts until it is cut, and
// answers while it isn't dumb.
type source struct {
	mu    sync.Mutex
	dumb  bool
	cut   chan struct{}
	tell  func(string)
	times int
}

func (s *source) Hear(ctx context.Context, _ string, every time.Duration, alive func(time.Time), fn func(string)) error {
	s.mu.Lock()
	s.times++
	s.cut, s.tell = make(chan struct{}), fn
	cut := s.cut
	s.mu.Unlock()
	for {
		s.mu.Lock()
		dumb := s.dumb
		s.mu.Unlock()
		if !dumb {
			alive(time.Now())
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-cut:
			return errors.New("the connection is gone")
		case <-time.After(every):
		}
	}
}

func (s *source) setDumb(dumb bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dumb = dumb
}

// reader writes down what it was to read.
type reader struct {
	mu         sync.Mutex
	all, check int
	some       [][]string
	fails      bool
}

func (r *reader) failing(fails bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fails = fails
}

func (r *reader) now() (all, check int, some [][]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all, r.check, slices.Clone(r.some)
}

// ear runs a test with an ear that hears, in a bubble with a clock of its own.
func ear(t *testing.T, test func(e *Ear, s *source, r *reader)) {
	synctest.Test(t, func(t *testing.T) {
		s, r := &source{}, &reader{}
		fail := func() error {
			if r.fails {
				return errors.New("the database is away")
			}
			return nil
		}
		e := New(Config{
			Source: s,
			All: func(context.Context) error {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.all++
				return fail()
			},
			Some: func(_ context.Context, told []string) error {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.some = append(r.some, told)
				return fail()
			},
			Check: func(context.Context) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.check++
			},
		})
		if e.Fresh() {
			t.Error("it is fresh before it hears")
		}
		e.Start()
		defer e.Close()
		synctest.Wait()
		if all, _, _ := r.now(); all != 1 || !e.Fresh() {
			t.Fatalf("%d readings of everything, fresh: %v", all, e.Fresh())
		}
		time.Sleep(time.Minute)
		test(e, s, r)
	})
}

// Who waits for its first hearing goes on when everything is read, and not before.
func TestTheFirstHearing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var away atomic.Bool
		away.Store(true)
		e := New(Config{Source: &source{}, All: func(context.Context) error {
			if away.Load() {
				return errors.New("the database is away")
			}
			return nil
		}})
		e.Start()
		defer e.Close()
		time.Sleep(3 * againAfter)
		select {
		case <-e.First():
			t.Error("it has heard before anything was read")
		default:
		}
		away.Store(false)
		time.Sleep(2 * againAfter)
		select {
		case <-e.First():
		default:
			t.Error("it has not heard")
		}
	})
}

func TestManyAreReadTogether(t *testing.T) {
	ear(t, func(e *Ear, s *source, r *reader) {
		s.tell("accounts")
		synctest.Wait() // at once, and the next ones gather
		for range 1000 {
			s.tell("accounts")
			s.tell("setting x")
		}
		time.Sleep(2 * gatherFor)
		synctest.Wait()
		all, check, some := r.now()
		if all != 1 || check != 0 || len(some) != 2 || !slices.Equal(some[1], []string{"accounts", "setting x"}) || !e.Fresh() {
			t.Errorf("%d of everything, %d looks, %q", all, check, some)
		}
	})
}

func TestASilentConnectionIsNotBelieved(t *testing.T) {
	ear(t, func(e *Ear, s *source, r *reader) {
		s.setDumb(true)
		time.Sleep(TrustFor + time.Millisecond)
		synctest.Wait()
		if _, check, _ := r.now(); e.Fresh() || check != 1 {
			t.Errorf("fresh: %v, after %d looks", e.Fresh(), check)
		}
		time.Sleep(3 * TrustFor)
		synctest.Wait()
		if _, check, _ := r.now(); check != 4 {
			t.Errorf("%d looks", check)
		}
		s.setDumb(false)
		time.Sleep(TrustFor)
		synctest.Wait()
		if _, check, _ := r.now(); !e.Fresh() || check > 5 {
			t.Errorf("fresh: %v, after %d looks", e.Fresh(), check)
		}
	})
}

func TestEverythingIsReadAfterEachConnection(t *testing.T) {
	ear(t, func(e *Ear, s *source, r *reader) {
		for i := range 3 {
			close(s.cut)
			synctest.Wait()
			if e.Fresh() {
				t.Error("it is fresh without a connection")
			}
			time.Sleep(2 * againAfter)
			synctest.Wait()
			if all, _, _ := r.now(); all != i+2 || !e.Fresh() {
				t.Errorf("%d readings of everything, fresh: %v", all, e.Fresh())
			}
		}
	})
}

func TestWhatCanNotBeReadIsReadAgain(t *testing.T) {
	ear(t, func(e *Ear, s *source, r *reader) {
		r.failing(true)
		s.tell("accounts")
		synctest.Wait()
		if e.Fresh() {
			t.Error("it is fresh, and has not read what it was told of")
		}
		time.Sleep(10 * againAfter)
		r.failing(false)
		time.Sleep(2 * againAfter)
		synctest.Wait()
		if all, _, some := r.now(); all < 10 || len(some) != 1 || !e.Fresh() {
			t.Errorf("%d readings of everything, %q, fresh: %v", all, some, e.Fresh())
		}
	})
}
