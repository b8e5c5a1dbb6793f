package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// What is said of an address names neither who asks nor their password.
func TestAddress(t *testing.T) {
	c, err := NewConnector("postgres://ann:hunter2@db.example.com:6543/screentest?sslmode=disable")
	if err != nil || c.Address() != "db.example.com:6543/screentest" {
		t.Errorf("%q, %v", c.Address(), err)
	}
	if _, err := NewConnector("postgres://ann:hunter2@db.example.com:no/screentest"); err == nil {
		t.Error("an address without a port that is one was taken")
	}
}

// Whoever goes through rows may ask more of the same connection meanwhile.
func TestQueriesWithinRows(t *testing.T) {
	_, pool := open(t)
	do(t, pool, "INSERT INTO a (number) SELECT * FROM generate_series(1, 500)")
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	rows, err := conn.QueryContext(t.Context(), "SELECT number FROM a ORDER BY n")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	seen := int64(0)
	for rows.Next() {
		var n, same int64
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		if err := conn.QueryRowContext(t.Context(), "SELECT number FROM a WHERE number = ?", n).Scan(&same); err != nil || same != n {
			t.Fatalf("%d: %d, %v", n, same, err)
		}
		seen += n
	}
	if rows.Err() != nil || seen != 500*501/2 {
		t.Errorf("a sum of %d, %v", seen, rows.Err())
	}
}

// A context that is over asks nothing; one that ends while the answer is on its way
// costs nobody the connection.
func TestContextsEnd(t *testing.T) {
	_, pool := open(t)
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	over, end := context.WithCancel(t.Context())
	end()
	if _, err := conn.ExecContext(over, "INSERT INTO a (number) VALUES (?)", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("one that is over: %v", err)
	}
	var before, after, rows int
	backend := func(n *int) {
		t.Helper()
		if err := conn.QueryRowContext(t.Context(), "SELECT pg_backend_pid(), (SELECT count(*) FROM a)").Scan(n, &rows); err != nil {
			t.Fatal(err)
		}
	}
	backend(&before)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = conn.ExecContext(ctx, "INSERT INTO a (number) SELECT CAST(? AS bigint) FROM pg_sleep(0.2)", 1)
	if backend(&after); after != before || rows == 0 && err == nil || rows != 0 && err != nil {
		t.Errorf("the answer was %v, %d rows are stored; connection %d was %d", err, rows, after, before)
	}
}

// A wire is a network between a client and the server at the end of an address, which
// can be cut, or swallow what is sent.
type wire struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	silent   bool
	conns    []net.Conn
	done     sync.WaitGroup
}

func newWire(t *testing.T, address string) (w *wire, behind string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	w = &wire{to: u.Host}
	if w.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	u.Host = w.listener.Addr().String()
	w.done.Go(func() {
		for {
			in, err := w.listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", w.to)
			if err != nil {
				in.Close()
				continue
			}
			w.mu.Lock()
			w.conns = append(w.conns, in, out)
			w.mu.Unlock()
			w.done.Go(func() { w.copy(in, out) })
			w.done.Go(func() { w.copy(out, in) })
		}
	})
	t.Cleanup(func() {
		w.listener.Close()
		w.cut()
		w.done.Wait()
	})
	return w, u.String()
}

func (w *wire) copy(to, from net.Conn) {
	defer to.Close()
	p := make([]byte, 4096)
	for {
		n, err := from.Read(p)
		w.mu.Lock()
		silent := w.silent
		w.mu.Unlock()
		if err != nil && !silent {
			return
		}
		if silent {
			_, _ = io.Copy(io.Discard, from) // until it is cut
			return
		}
		if _, err := to.Write(p[:n]); err != nil {
			return
		}
	}
}

// cut ends all connections.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		c.Close()
	}
	w.conns = nil
}

// fallSilent swallows what is sent from now on.
func (w *wire) fallSilent() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silent = true
}

// A connection that breaks off says so, in an answer and in the next question, and
// the next one is another.
func TestALostConnectionIsSaid(t *testing.T) {
	direct, pool := open(t)
	w, address := newWire(t, "postgres://"+direct.Address())
	for name, end := range map[string]func(backend int){
		"the network is cut": func(int) { w.cut() },
		"the server ends it": func(backend int) { do(t, pool, "SELECT pg_terminate_backend(CAST(? AS bigint)::int)", backend) },
	} {
		c, err := NewConnector(strings.Replace(address, "postgres://", "postgres://postgres@", 1) + "?sslmode=disable")
		if err != nil {
			t.Fatal(err)
		}
		lossy := c.Open(1)
		backend := 0
		ask := func() error { return lossy.QueryRowContext(t.Context(), "SELECT pg_backend_pid()").Scan(&backend) }
		conn, err := lossy.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		begun := make(chan error, 1)
		if err := conn.QueryRowContext(t.Context(), "SELECT pg_backend_pid()").Scan(&backend); err != nil {
			t.Fatal(err)
		}
		go func() {
			_, err := conn.ExecContext(context.Background(), "INSERT INTO a (number) SELECT CAST(? AS bigint) FROM pg_sleep(60)", 1)
			begun <- err
		}()
		for asleep := 0; asleep == 0; {
			if err := pool.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE pid = ? AND wait_event = 'PgSleep'", backend).Scan(&asleep); err != nil {
				t.Fatal(err)
			}
		}
		end(backend)
		var lost *LostError
		if err := <-begun; !errors.As(err, &lost) || lost.Unwrap() == nil || err.Error() == "" {
			t.Errorf("%s: %v, want a lost connection", name, err)
		}
		if _, err := conn.ExecContext(t.Context(), "SELECT 1"); err == nil {
			t.Errorf("%s: it answers once more", name)
		}
		_ = conn.Close() // it is gone
		if was := backend; ask() != nil || backend == was {
			t.Errorf("%s: the next connection is %d, and was %d", name, backend, was)
		}
		if err := lossy.Close(); err != nil {
			t.Error(err)
		}
	}
}

// listening hears a channel until the test ends; heard gives what it is told, ended
// how it ended.
func listening(t *testing.T, c *Connector, channel string) (heard chan string, ended chan error, stop func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ready := make(chan struct{})
	heard, ended = make(chan string, 100), make(chan error, 1)
	go func() {
		ended <- c.Listen(ctx, channel, func() { close(ready) }, func(payload string) { heard <- payload })
	}()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	return heard, ended, stop
}

func notify(t *testing.T, pool *sql.DB, channel, payload string) {
	t.Helper()
	do(t, pool, "SELECT pg_notify(?, ?)", channel, payload)
}

func TestListen(t *testing.T) {
	t.Parallel()
	c, pool := open(t)
	heard, ended, stop := listening(t, c, "words")
	defer stop()
	for i := range 3 {
		notify(t, pool, "others", "not this")
		notify(t, pool, "words", fmt.Sprint(i))
	}
	for i := range 3 {
		if got := <-heard; got != fmt.Sprint(i) {
			t.Errorf("heard %q, want %d", got, i)
		}
	}
	// What is told in a transaction is heard when that is committed, and not before.
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, s := range []string{"BEGIN", "NOTIFY words, 'late'"} {
		if _, err := conn.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	notify(t, pool, "words", "early")
	if got := <-heard; got != "early" {
		t.Errorf("heard %q before it was committed", got)
	}
	if _, err := conn.ExecContext(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if got := <-heard; got != "late" {
		t.Errorf("heard %q", got)
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

// Silence is believed for as long as the server answers; whoever listens is told of
// a connection that is cut, and of one that swallows everything.
func TestListenNoticesACut(t *testing.T) {
	t.Parallel()
	direct, pool := open(t)
	for name, c := range map[string]struct {
		end  func(*wire)
		wait time.Duration // of silence first
	}{
		"cut":                      {end: (*wire).cut},
		"swallows all":             {end: (*wire).fallSilent},
		"cut after a long silence": {end: (*wire).cut, wait: listenFor + listenFor/2},
		"ended by the server": {end: func(*wire) {
			do(t, pool, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN ended%'")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, address := newWire(t, "postgres://"+direct.Address())
			through, err := NewConnector(strings.Replace(address, "postgres://", "postgres://postgres@", 1) + "?sslmode=disable")
			if err != nil {
				t.Fatal(err)
			}
			channel := strings.Fields(name)[0] + "_channel"
			heard, ended, stop := listening(t, through, channel)
			defer stop()
			select {
			case err := <-ended:
				t.Fatalf("it ended in silence: %v", err)
			case <-time.After(c.wait):
			}
			notify(t, pool, channel, "still there")
			if got := <-heard; got != "still there" {
				t.Errorf("heard %q", got)
			}
			c.end(w)
			if err := <-ended; err == nil || errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// The channel of a listener isn't there without a server.
func TestListenWithoutAServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	c, err := NewConnector("postgres://ann:hunter2@" + address + "/x?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	var unreachable *pgconn.ConnectError
	err = c.Listen(t.Context(), "x", func() { t.Error("it hears") }, func(string) {})
	if !errors.As(err, &unreachable) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
}
