package replica_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"screentest/server/replica"
)

var errGone = errors.New("gone")

// database is what replicas share, in memory, so that a test has a clock of its own.
type database struct {
	mu    sync.Mutex
	rows  map[int64]*row
	last  int64
	away  bool // it can't be reached
	owned map[string]int64
	skew  time.Duration
}

type row struct {
	replica.Beat
	gone bool
}

func newDatabase() *database {
	return &database{rows: map[int64]*row{}, owned: map[string]int64{}}
}

// client is the database as one replica sees it.
type client struct {
	db      *database
	n       int64
	stopped chan struct{} // its process is stopped while this is open; nil: it isn't
	busy    chan struct{} // all but beats wait until it is closed; nil: they don't
}

func (c *client) call() error {
	c.db.mu.Lock()
	stopped := c.stopped
	c.db.mu.Unlock()
	if stopped != nil {
		<-stopped
	}
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	if c.db.away {
		return errors.New("connection refused")
	}
	return nil
}

// wait has what isn't a beat wait while the database is busy.
func (c *client) wait() {
	c.db.mu.Lock()
	busy := c.busy
	c.db.mu.Unlock()
	if busy != nil {
		<-busy
	}
}

// keepBusy has all but beats wait until what it gives is closed.
func (c *client) keepBusy() chan struct{} {
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	c.busy = make(chan struct{})
	return c.busy
}

// stop stops the process until what it gives is closed.
func (c *client) stop() chan struct{} {
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	c.stopped = make(chan struct{})
	return c.stopped
}

func (d *database) own(what string, of int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owned[what] = of
}

func (d *database) ownerOf(what string) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.owned[what]
}

func (d *database) goAway(away bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.away = away
}

func (c *client) Join(_ context.Context, address, version string) (int64, error) {
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	c.db.last++
	c.n = c.db.last
	c.db.rows[c.n] = &row{Beat: replica.Beat{N: c.n, Address: address, Version: version}}
	return c.n, nil
}

func (c *client) Beat(context.Context) (there []replica.Beat, err error) {
	if err := c.call(); err != nil {
		return nil, err
	}
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	if c.db.rows[c.n].gone {
		return nil, errGone
	}
	c.db.rows[c.n].Beats++
	for n := int64(1); n <= c.db.last; n++ {
		if r := c.db.rows[n]; !r.gone {
			there = append(there, r.Beat)
		}
	}
	return there, nil
}

func (c *client) TakeOver(_ context.Context, n int64) (bool, error) {
	c.wait()
	if err := c.call(); err != nil {
		return false, err
	}
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	if c.db.rows[c.n].gone {
		return false, errGone
	}
	if c.db.rows[n].gone {
		return false, nil
	}
	c.db.rows[n].gone = true
	c.db.take(n, c.n)
	return true, nil
}

func (d *database) take(n, to int64) (some bool) {
	for what, of := range d.owned {
		if of == n {
			d.owned[what], some = to, true
		}
	}
	return some
}

func (c *client) Adopt(context.Context) (bool, error) {
	c.wait()
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	return c.db.take(0, c.n), nil
}

func (c *client) Leave(context.Context) error {
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	c.db.rows[c.n].Leaving = true
	return nil
}

func (c *client) Left(context.Context) error {
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	c.db.rows[c.n].gone = true
	c.db.take(c.n, 0)
	return nil
}

func (c *client) Clock(context.Context) (int64, error) {
	return time.Now().Add(c.db.skew).UnixMilli(), nil
}

func (c *client) Gone(err error) bool { return errors.Is(err, errGone) }

// member is a replica with what it was told.
type member struct {
	*replica.Member
	*client
	mu    sync.Mutex
	taken []int64
	peers [][]replica.Peer
	fails int // of what is taken over, how often it does
}

func join(t *testing.T, db *database, address string) *member {
	t.Helper()
	m := joined(t, db, address)
	m.Start()
	return m
}

// joined is a replica that isn't through with its start.
func joined(t *testing.T, db *database, address string) *member {
	t.Helper()
	m := &member{client: &client{db: db}}
	var err error
	m.Member, err = replica.Join(t.Context(), replica.Config{
		Store: m.client, Address: address, Version: "test",
		TakenOver: func(_ context.Context, n int64) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.taken = append(m.taken, n)
			if m.fails--; m.fails >= 0 {
				return errors.New("not yet")
			}
			return nil
		},
		Changed: func(p []replica.Peer) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.peers = append(m.peers, p)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *member) told() []int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.taken)
}

func (m *member) lost() bool {
	select {
	case <-m.Lost():
		return true
	default:
		return false
	}
}

// three runs a test with three replicas on one database.
func three(t *testing.T, test func(t *testing.T, db *database, a, b, c *member)) {
	synctest.Test(t, func(t *testing.T) {
		db := newDatabase()
		a, b, c := join(t, db, "http://a:1"), join(t, db, "http://b:1"), join(t, db, "http://c:1")
		time.Sleep(15 * time.Second)
		test(t, db, a, b, c)
		for _, m := range []*member{a, b, c} {
			if err := m.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestWhoIsStoppedIsTakenOverOnce(t *testing.T) {
	three(t, func(t *testing.T, db *database, a, b, c *member) {
		db.own("run", a.N())
		stopped := a.stop()
		time.Sleep(8 * time.Second)
		if taken := append(b.told(), c.told()...); len(taken) != 0 {
			t.Errorf("after 8 s %v is taken over", taken)
		}
		time.Sleep(8 * time.Second)
		if taken := append(b.told(), c.told()...); !slices.Equal(taken, []int64{a.N()}) {
			t.Errorf("%v was taken over, want %d once", taken, a.N())
		}
		if of := db.ownerOf("run"); of != b.N() && of != c.N() {
			t.Errorf("the run is of %d", of)
		}
		if p := b.Peers(); len(p) != 1 || p[0].N != c.N() {
			t.Errorf("the others are %v", p)
		}
		if a.lost() {
			t.Error("it knows while it is stopped")
		}
		close(stopped) // it wakes up
		time.Sleep(2 * time.Second)
		if !a.lost() {
			t.Error("it doesn't know that it was taken over")
		}
		if b.lost() || c.lost() {
			t.Error("those that go on were found gone")
		}
	})
}

// What a replica reads and writes may take long, also what it takes over: it beats
// meanwhile.
func TestWhoIsBusyIsThere(t *testing.T) {
	three(t, func(t *testing.T, db *database, a, b, c *member) {
		busy := a.keepBusy()
		stopped := c.stop()
		time.Sleep(60 * time.Second)
		close(busy)
		time.Sleep(2 * time.Second)
		if taken := append(a.told(), b.told()...); !slices.Equal(taken, []int64{c.N()}) {
			t.Errorf("%v was taken over, want %d once", taken, c.N())
		}
		if a.lost() || b.lost() {
			t.Error("who was busy was found gone")
		}
		close(stopped)
		time.Sleep(2 * time.Second)
	})
}

// A start may take longer than the others wait for a beat. Until its end nothing is
// taken over, and nobody is told of others.
func TestWhoStartsIsThere(t *testing.T) {
	three(t, func(t *testing.T, db *database, a, b, c *member) {
		d := joined(t, db, "http://d:1")
		stopped := c.stop()
		time.Sleep(60 * time.Second)
		if taken := append(a.told(), b.told()...); !slices.Equal(taken, []int64{c.N()}) {
			t.Errorf("%v was taken over, want %d once", taken, c.N())
		}
		if d.mu.Lock(); len(d.taken) != 0 || len(d.peers) != 0 {
			t.Errorf("before its start is over it was told of %v, and of the others %v", d.taken, d.peers)
		}
		d.mu.Unlock()
		d.Start()
		time.Sleep(2 * time.Second)
		if d.lost() || len(d.Peers()) != 2 {
			t.Errorf("it is lost: %v; the others are %v", d.lost(), d.Peers())
		}
		close(stopped)
		time.Sleep(2 * time.Second)
		if err := d.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestADatabaseThatIsAwayMakesNobodyGone(t *testing.T) {
	three(t, func(t *testing.T, db *database, a, b, c *member) {
		db.goAway(true)
		time.Sleep(25 * time.Second)
		db.goAway(false)
		time.Sleep(25 * time.Second)
		if taken := slices.Concat(a.told(), b.told(), c.told()); len(taken) != 0 || a.lost() || b.lost() || c.lost() {
			t.Errorf("%v were taken over", taken)
		}
	})
}

// A machine that sleeps with all of them on it wakes them in any order.
func TestAllStoppedTogetherMakesNobodyGone(t *testing.T) {
	three(t, func(t *testing.T, db *database, a, b, c *member) {
		stopped := []chan struct{}{a.stop(), b.stop(), c.stop()}
		time.Sleep(60 * time.Second)
		for _, s := range stopped {
			close(s)
		}
		time.Sleep(25 * time.Second)
		if taken := slices.Concat(a.told(), b.told(), c.told()); len(taken) != 0 {
			t.Errorf("%v were taken over", taken)
		}
	})
}

func TestWhoLeavesLeavesWhatItHeld(t *testing.T) {
	three(t, func(t *testing.T, db *database, a, b, c *member) {
		db.own("clip", c.N())
		if err := c.Member.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if p, ok := a.Peer(c.N()); !ok || !p.Leaving {
			t.Errorf("the others see %v, %v", p, ok)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if taken := append(a.told(), b.told()...); !slices.Equal(taken, []int64{0}) {
			t.Errorf("%v was gone on with, want nobody's once", taken)
		}
		if _, ok := a.Peer(c.N()); ok {
			t.Error("it is still there")
		}
	})
}

func TestWhatDoesNotGoOnIsTriedAgain(t *testing.T) {
	three(t, func(t *testing.T, db *database, a, b, c *member) {
		a.mu.Lock()
		a.fails = 2
		a.mu.Unlock()
		stopped := []chan struct{}{b.stop(), c.stop()}
		time.Sleep(20 * time.Second)
		if taken := a.told(); len(taken) != 4 {
			t.Errorf("told %v, want one of the two three times, and the other once", taken)
		}
		for _, s := range stopped {
			close(s)
		}
		time.Sleep(2 * time.Second)
	})
}

func TestAClockThatIsWrongIsRefused(t *testing.T) {
	for _, tt := range []struct {
		skew time.Duration
		want string
	}{{-time.Minute, "1m0s ahead of"}, {time.Minute, "1m0s behind"}, {2 * time.Second, ""}} {
		synctest.Test(t, func(t *testing.T) {
			db := newDatabase()
			db.skew = tt.skew
			m, err := replica.Join(t.Context(), replica.Config{Store: &client{db: db}})
			if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("skew %s: %v", tt.skew, err)
			}
			if err == nil {
				if err := m.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
