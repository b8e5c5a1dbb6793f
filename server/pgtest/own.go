package pgtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"screentest/server/freeport"
)

// A Server is a PostgreSQL that is a test's alone, which it may take away, hold, and
// bring back.
type Server struct {
	postgres, dir string
	port          int

	mu      sync.Mutex
	words   io.WriteCloser // to the shell; the server ends when it is closed
	answers *bufio.Reader
}

// New starts a server that is the test's alone.
func New(t testing.TB) *Server {
	t.Helper()
	postgres, dir, port, err := prepared()
	found(t, err)
	s := &Server{postgres: postgres, dir: dir, port: port}
	s.run(t)
	return s
}

// found skips a test that has no PostgreSQL, where that is no failure.
func found(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errMissing) && os.Getenv("SCREENTEST_NO_POSTGRES") != "" { // make test has said so aloud
		t.Skip("no PostgreSQL")
	}
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
}

// A shell does with the server what it is told, a word a line. The end of its
// standard input is that of this process, however that comes; then it ends the server
// and removes the folder.
const keeper = `start() {
	"$1" -D "$2/data" -k "$2" -p "$3" -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off -c max_connections=300 >>"$2/log" 2>&1 </dev/null &
	server=$!
}
stop() {
	kill -QUIT $server
	wait $server
}
pause() {
	kill -STOP $server
	kill -STOP $(cat /proc/$server/task/$server/children)
}
go_on() {
	kill -CONT $server $(cat /proc/$server/task/$server/children)
}
start "$@"
while read -r word; do
	$word "$@" 2>/dev/null
	echo $word
done
go_on 2>/dev/null
stop 2>/dev/null
rm -rf "$2"`

func (s *Server) run(t testing.TB) {
	t.Helper()
	shell := exec.Command("sh", "-c", keeper, "sh", s.postgres, s.dir, strconv.Itoa(s.port))
	shell.SysProcAttr = apart()
	shell.Dir = s.dir
	words, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	s.words, s.answers = words, bufio.NewReader(answers)
	t.Cleanup(func() {
		if err := errors.Join(words.Close(), shell.Wait()); err != nil {
			t.Errorf("the end of PostgreSQL: %v", err)
		}
	})
	s.answer(t)
}

// Port is where it listens, at 127.0.0.1.
func (s *Server) Port() int { return s.port }

// URL is the address of its database, as one reaches it at a port: its own, or that
// of who passes on to it.
func (s *Server) URL(port int) string {
	u := url.URL{Scheme: "postgres", User: url.User("postgres"), Host: "127.0.0.1:" + strconv.Itoa(port), Path: "postgres", RawQuery: "sslmode=disable"}
	return u.String()
}

// Stop ends it at once, as a crash does. What it has committed stays.
func (s *Server) Stop(t testing.TB) { t.Helper(); s.say(t, "stop") }

// Start starts it again, at the same port.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	s.say(t, "start")
	s.answer(t)
}

// Pause holds all its processes: connections stay, and nothing is answered.
func (s *Server) Pause(t testing.TB) { t.Helper(); s.say(t, "pause") }

// GoOn lets a paused one go on.
func (s *Server) GoOn(t testing.TB) { t.Helper(); s.say(t, "go_on") }

// Restored is a new server, at a port of its own, with a copy of what a stopped one
// has.
func (s *Server) Restored(t testing.TB) *Server {
	t.Helper()
	dir, err := ownFolder()
	if err != nil {
		t.Fatal(err)
	}
	copied := exec.Command("cp", "-a", filepath.Join(s.dir, "data"), dir)
	copied.SysProcAttr = apart()
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("copy the database: %v: %s", err, out)
	}
	port, err := freeport.One()
	if err != nil {
		t.Fatal(err)
	}
	r := &Server{postgres: s.postgres, dir: dir, port: port}
	r.run(t)
	return r
}

// Rows is what a query gives, each value as text.
func (s *Server) Rows(t testing.TB, sql string) (rows [][]string) {
	t.Helper()
	rows, err := s.query(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return rows
}

func (s *Server) query(ctx context.Context, sql string) (rows [][]string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	conn, err := pgconn.Connect(ctx, s.URL(s.port))
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	results, err := conn.Exec(ctx, sql).ReadAll()
	for _, r := range results {
		for _, values := range r.Rows {
			row := make([]string, len(values))
			for i, v := range values {
				row[i] = string(v)
			}
			rows = append(rows, row)
		}
	}
	return rows, err
}

func (s *Server) say(t testing.TB, word string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := io.WriteString(s.words, word+"\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.answers.ReadString('\n'); err != nil || got != word+"\n" {
		t.Fatalf("PostgreSQL's shell answers %q to %q: %v", got, word, err)
	}
}

// answer waits until the server answers.
func (s *Server) answer(t testing.TB) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		_, err := s.query(context.Background(), "SELECT 1")
		if err == nil {
			return
		}
		if time.Now().After(end) {
			log, _ := os.ReadFile(filepath.Join(s.dir, "log")) // it may not be there
			t.Fatal(fmt.Errorf("%w\n%s", err, log))
		}
	}
}
