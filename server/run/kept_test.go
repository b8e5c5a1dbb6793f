package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"screentest/server/run"
	"screentest/server/store"
	"screentest/server/tails"
	"screentest/shared/wire"
)

// slowKeeper keeps what the test lets it.
type slowKeeper struct {
	here atomic.Bool
	came chan []tails.Tail
	err  chan error
}

func (k *slowKeeper) Send(ctx context.Context, batch []byte) error {
	if !k.here.Swap(true) {
		return tails.ErrAnew
	}
	if len(batch) == 0 {
		return nil
	}
	all, err := tails.Parse(batch)
	if err != nil {
		return err
	}
	k.came <- all
	select {
	case err := <-k.err:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (*slowKeeper) Close() {}

func TestReadersGetNothingThatIsNotKept(t *testing.T) {
	k := &slowKeeper{came: make(chan []tails.Tail, 1), err: make(chan error)}
	w := newWorld(t, func(c *run.Config) { c.Keeper, c.FlushEvery = k, time.Hour })
	w.PeersChanged()
	s := turn()
	w.start(s)
	c := w.call()
	c.stream(events)
	_, log, err := w.Open(t.Context(), w.owner, s.Run)
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{log: log, news: make(chan struct{}, 1)}
	log.Watch(r.news)
	defer log.Unwatch(r.news)
	c.send(t, "first ")
	first := <-k.came
	if len(first) != 1 || string(first[0].Data) != "first " || first[0].Type != events || first[0].From != 0 {
		t.Fatalf("handed over: %+v", first)
	}
	c.send(t, "second")
	if n, _ := log.Size(); n != 0 {
		t.Errorf("%d bytes are shown that nobody keeps", n)
	}
	k.err <- nil
	r.have(t, "first ")
	second := <-k.came
	if string(second[0].Data) != "second" || second[0].From != 6 {
		t.Fatalf("handed over: %+v", second)
	}
	if n, _ := log.Size(); n != 6 {
		t.Errorf("%d bytes are shown, 6 are kept", n)
	}
	// Another one is to keep it, and has nothing: all goes again.
	k.err <- tails.ErrAnew
	if all := <-k.came; string(all[0].Data) != "first second" || all[0].From != 0 {
		t.Fatalf("handed over: %+v", all)
	}
	k.err <- nil
	r.have(t, "first second")
	// Nobody is left: all is shown.
	c.send(t, " third")
	<-k.came
	k.err <- tails.ErrAlone
	r.have(t, "first second third")
	c.send(t, " fourth")
	r.have(t, "first second third fourth")
	// Somebody has taken over: nothing more is, and nothing is stored.
	k.here.Store(false)
	w.PeersChanged()
	if all := <-k.came; string(all[0].Data) != "first second third fourth" {
		t.Fatalf("handed over: %+v", all)
	}
	k.err <- nil
	c.send(t, " fifth")
	<-k.came
	k.err <- tails.ErrGone
	<-c.ctx.Done()
	if n, over := log.Size(); n != int64(len("first second third fourth")) || over {
		t.Errorf("%d bytes are shown, end %v", n, over)
	}
}

func TestReadersGetWhatIsKeptOrStored(t *testing.T) {
	w := newTwins(t, func(c *run.Config) { c.FlushEvery = 20 * time.Millisecond })
	w.b.cutOff()
	w.b.server.CloseClientConnections()
	w.b.server.Close()
	// With nobody to keep it: what is stored.
	s := turn()
	w.a.start(s)
	c := w.a.call()
	c.stream(events)
	r := w.a.reader(s.Run)
	c.send(t, "%s", chunk("stored"))
	r.have(t, chunk("stored"))
	if n, err := w.a.db.Run(t.Context(), w.owner, s.Run); err != nil || n.Bytes != int64(len(chunk("stored"))) {
		t.Errorf("%d bytes are stored, %v", n.Bytes, err)
	}
	c.send(t, "%s", finish+done)
	c.pipe.Close()
	if got := r.toEnd(t); got != chunk("stored")+finish+done {
		t.Errorf("read %q", got)
	}
}

// Another replica may be wrong that this one is gone. The database knows.
func TestWhoIsSaidToBeGoneAsks(t *testing.T) {
	unsettled := errors.New("unsettled")
	k := &slowKeeper{came: make(chan []tails.Tail, 1), err: make(chan error)}
	said := make(chan error)
	w := newWorld(t, func(c *run.Config) {
		c.Keeper, c.FlushEvery = k, time.Hour
		c.Asked = func(context.Context) error { return <-said }
		c.Gone = func(err error) bool { return errors.Is(err, unsettled) }
	})
	w.PeersChanged()
	s := turn()
	w.start(s)
	c := w.call()
	c.stream(events)
	for _, answer := range []error{nil, errors.New("away")} {
		c.send(t, "text ")
		<-k.came
		k.here.Store(false) // it is connected again
		k.err <- tails.ErrGone
		said <- answer
		all := <-k.came // to the next one, from the start on
		if err := context.Cause(c.ctx); err != nil {
			t.Fatalf("after %v it is ended: %v", answer, err)
		}
		k.err <- nil
		if all[0].From != 0 || len(all[0].Data) == 0 {
			t.Errorf("handed over: %+v", all)
		}
	}
	c.send(t, "text ")
	<-k.came
	k.err <- tails.ErrGone
	said <- unsettled
	<-c.ctx.Done()
}

// awayKeeper keeps what comes while it is not away, and is a new one afterwards.
type awayKeeper struct {
	away, here atomic.Bool
	tried      chan struct{} // while it is away
	came       chan tails.Tail
}

func (k *awayKeeper) Send(_ context.Context, batch []byte) error {
	if k.away.Load() {
		k.here.Store(false)
		select {
		case k.tried <- struct{}{}:
		default:
		}
		return tails.ErrUnreached
	}
	if !k.here.Swap(true) {
		return tails.ErrAnew
	}
	all, err := tails.Parse(batch)
	for _, t := range all {
		k.came <- t
	}
	return err
}

func (*awayKeeper) Close() {}

// stuck is a store that stores nothing of what a run brings, until it does.
type stuck struct {
	*store.DB
	works *atomic.Bool
}

func (s stuck) AppendRunLog(owner, id string, from int64, p, times []byte, done func(error)) {
	if !s.works.Load() {
		go done(errors.New("away"))
		return
	}
	s.DB.AppendRunLog(owner, id, from, p, times, done)
}

func (s stuck) FinishRun(ctx context.Context, owner string, r wire.Run, text string, log, times []byte, prices json.RawMessage) error {
	if !s.works.Load() {
		return errors.New("away")
	}
	return s.DB.FinishRun(ctx, owner, r, text, log, times, prices)
}

// An answer that has ended while the database and its keeper were away is handed over
// when that one is back.
func TestAnEndThatIsNotStoredIsKept(t *testing.T) {
	k := &awayKeeper{tried: make(chan struct{}), came: make(chan tails.Tail, 10)}
	var works atomic.Bool
	w := newWorld(t, func(c *run.Config) {
		c.Keeper, c.Store, c.FlushEvery = k, stuck{c.Store.(*store.DB), &works}, time.Hour
	})
	w.PeersChanged()
	s := turn()
	w.start(s)
	c := w.call()
	c.stream(events)
	c.send(t, "first")
	<-k.came
	k.away.Store(true)
	c.send(t, " second")
	<-k.tried
	c.send(t, " third") // waits to be handed over
	<-k.tried
	c.pipe.Close()
	if r := w.wait(s.Run); r.Problem == nil {
		t.Errorf("it ended with %+v", r)
	}
	for range 3 { // it was looked at after its end
		<-k.tried
	}
	k.away.Store(false)
	select {
	case got := <-k.came:
		if string(got.Data) != "first second third" {
			t.Errorf("handed over: %q", got.Data)
		}
	case <-time.After(20 * time.Second):
		t.Error("nothing is handed over")
	}
	works.Store(true)
	if r := w.wait(s.Run); r.Bytes != int64(len("first second third")) {
		t.Errorf("stored are %d bytes", r.Bytes)
	}
}

// lonely is a keeper where there is no other replica.
type lonely struct{}

func (lonely) Send(context.Context, []byte) error { return tails.ErrAlone }
func (lonely) Close()                             {}

// A process that was stopped for long may have been found gone: it shows nothing
// before it has heard.
func TestWhoWasStoppedShowsNothingBeforeItHasHeard(t *testing.T) {
	var awake atomic.Bool
	awake.Store(true)
	w := newWorld(t, func(c *run.Config) { c.Keeper, c.Awake, c.FlushEvery = lonely{}, awake.Load, time.Hour })
	w.PeersChanged()
	s := turn()
	w.start(s)
	c := w.call()
	c.stream(events)
	_, log, err := w.Open(t.Context(), w.owner, s.Run)
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{log: log, news: make(chan struct{}, 1)}
	log.Watch(r.news)
	defer log.Unwatch(r.news)
	c.send(t, "before")
	r.have(t, "before")
	awake.Store(false)
	c.send(t, " while")
	c.send(t, " it slept") // the one before was taken in
	if n, _ := log.Size(); n != int64(len("before")) {
		t.Errorf("%d bytes are shown", n)
	}
	awake.Store(true)
	r.have(t, "before while it slept")
}
