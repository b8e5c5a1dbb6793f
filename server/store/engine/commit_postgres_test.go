package engine_test

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"screentest/server/store/engine"
	"screentest/server/store/storetest"
)

// A way is a network to a database that can be cut at one moment: with the next
// message there, or with the next one back.
type way struct {
	listener net.Listener
	to       string
	cut      atomic.Pointer[string] // "there", "back" or nil
	cutting  func()                 // called before the cut is noticed
	done     sync.WaitGroup
}

func newWay(t *testing.T, address string) (w *way, through string) {
	t.Helper()
	u, err := url.Parse(address)
	storetest.Must(t, err)
	w = &way{to: u.Host}
	w.listener, err = net.Listen("tcp", "127.0.0.1:0")
	storetest.Must(t, err)
	w.done.Go(func() {
		for {
			c, err := w.listener.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial("tcp", w.to)
			if err != nil {
				c.Close()
				continue
			}
			w.done.Go(func() { w.carry("there", s, c) })
			w.done.Go(func() { w.carry("back", c, s) })
		}
	})
	t.Cleanup(func() { w.listener.Close(); w.done.Wait() })
	u.Host = w.listener.Addr().String()
	return w, u.String()
}

func (w *way) carry(direction string, to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	for b := make([]byte, 64<<10); ; {
		n, err := from.Read(b)
		if at := w.cut.Load(); at != nil && *at == direction {
			w.cut.Store(nil)
			if w.cutting != nil {
				w.cutting()
			}
			return
		}
		if err != nil {
			return
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}

// A commit whose answer is lost is asked after: what is stored isn't written again,
// and what isn't, is. Nobody is told of either.
func TestACommitWhoseAnswerIsLost(t *testing.T) {
	for _, where := range []string{"there", "back"} {
		t.Run(where, func(t *testing.T) {
			way, through := newWay(t, storetest.Database(t))
			db := storetest.OpenShared(t, through)
			owner, err := db.EnsureLocalUser(t.Context())
			storetest.Must(t, err)
			want := ""
			for range 3 {
				ran := 0
				storetest.Must(t, db.Engine().Write(t.Context(), 0, put(owner, "x", "u", nil))) // all is prepared now
				storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error {
					if ran++; ran == 1 { // what comes next on the wire is the commit
						way.cut.Store(&where)
					}
					return put(owner, "x", "v", nil)(w)
				}))
				want += "uv"
				if got := settings(t, db); !slices.Equal(got, []string{"x=" + want}) {
					t.Fatalf("stored %v, want %q once more", got, want)
				}
				if ran != map[string]int{"there": 2, "back": 1}[where] {
					t.Errorf("it was carried out %d times", ran)
				}
			}
		})
	}
}

// One whose mark isn't there was lost by the server, as in a crash, whatever number
// the server gives its transactions since.
func TestACommitThatTheServerLost(t *testing.T) {
	url := storetest.Database(t)
	way, through := newWay(t, url)
	db, other := storetest.OpenShared(t, through), storetest.OpenShared(t, url)
	owner, err := db.EnsureLocalUser(t.Context())
	storetest.Must(t, err)
	storetest.Must(t, db.Engine().Write(t.Context(), 0, put(owner, "y", "u", nil))) // all is prepared now
	ran := 0
	storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error {
		if ran++; ran == 1 {
			way.cutting = func() {
				storetest.Must(t, other.Engine().Write(t.Context(), 0, func(w *engine.Tx) error {
					_, err := w.Exec("DELETE FROM commits WHERE writer <> (SELECT writer FROM commits ORDER BY at DESC LIMIT 1)")
					return errors.Join(err, put(owner, "x", "the other's", nil)(w))
				}))
			}
			back := "back"
			way.cut.Store(&back)
		}
		return put(owner, "y", "v", nil)(w)
	}))
	// The test itself took away the mark of what was stored, so it is stored twice.
	if got := settings(t, db); ran != 2 || !slices.Equal(got, []string{"x=the other's", "y=uvv"}) {
		t.Errorf("carried out %d times, stored %v", ran, got)
	}
}
