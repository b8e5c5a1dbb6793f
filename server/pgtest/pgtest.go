// Package pgtest gives tests a PostgreSQL of their own: one server for each process
// of tests, in a folder that goes with it, and a database for each test.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"screentest/server/freeport"
)

// Guarded is the name of a role that has to give its password, which a test that
// makes the role sets; everybody else is believed.
const Guarded = "guarded"

// A cluster is a running server.
type cluster struct {
	port int
	held io.Closer // open as long as this process lives; the server ends with it

	mu        sync.Mutex
	number    int
	templates map[string]string
}

var errMissing = errors.New("it is not installed (.ci/install postgres)")

// The server is started at first use.
var running = sync.OnceValues(start)

// URL is the address of a new, empty database, which goes with the test.
func URL(t testing.TB) string { return URLLike(t, "", nil) }

// URLLike is the address of a new database like one that prepare has filled, which
// is called once for each key.
func URLLike(t testing.TB, key string, prepare func(url string) error) string {
	t.Helper()
	c, err := running()
	found(t, err)
	name, err := c.database(key, prepare)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.do("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Errorf("drop the database: %v", err)
		}
	})
	return c.url(name)
}

func (c *cluster) url(name string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", c.port, name)
}

func (c *cluster) do(sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgconn.Connect(ctx, c.url("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql).ReadAll()
	return err
}

// database makes a database like that of key. One at a time: while a database is
// copied nobody may be connected to it.
func (c *cluster) database(key string, prepare func(url string) error) (name string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	like := "template0"
	if key != "" {
		if like = c.templates[key]; like == "" {
			if like, err = c.create("template0"); err != nil {
				return "", err
			}
			if err := prepare(c.url(like)); err != nil {
				return "", err
			}
			c.templates[key] = like
		}
	}
	return c.create(like)
}

func (c *cluster) create(like string) (name string, err error) {
	c.number++
	name = "test" + strconv.Itoa(c.number)
	return name, c.do("CREATE DATABASE " + name + " TEMPLATE " + like)
}

// Bin is the path of one of PostgreSQL's programs, "" where it is not installed.
func Bin(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name) // the pattern is a good one
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

// start makes a server in a folder of its own. A shell waits for the end of its
// standard input, which is the end of this process, however that comes; then it ends
// the server and removes the folder.
func start() (*cluster, error) {
	postgres, dir, port, err := prepared()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return serve(dir, postgres, port)
}

// serve starts the server whose data is in dir.
func serve(dir, postgres string, port int) (*cluster, error) {
	const script = `"$1" -D "$2/data" -k "$2" -p "$3" -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off -c max_connections=300 >"$2/log" 2>&1 </dev/null &
server=$!
cat >/dev/null
kill -QUIT $server
wait $server
rm -rf "$2" || { sleep 1; rm -rf "$2"; } # its other processes see the end, too`
	watched := exec.Command("sh", "-c", script, "sh", postgres, dir, strconv.Itoa(port))
	watched.SysProcAttr = apart()
	watched.Dir = dir
	held, err := watched.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := watched.Start(); err != nil {
		return nil, err
	}
	c := &cluster{port: port, held: held, templates: map[string]string{}}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := c.do("SELECT 1")
		if err == nil {
			return c, nil
		}
		if time.Now().After(end) {
			log, _ := os.ReadFile(filepath.Join(dir, "log")) // it may not be there
			return nil, errors.Join(err, held.Close(), errors.New(string(log)))
		}
	}
}

// Standby starts a server that follows the one of this process, and can only be read,
// and gives the address there of the database at url. It ends with the test.
func Standby(t testing.TB, url string) string {
	t.Helper()
	URL(t) // there is a server, or the test is skipped
	of, err := running()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := ownFolder()
	if err != nil {
		t.Fatal(err)
	}
	copied := exec.Command(Bin("pg_basebackup"), "-D", filepath.Join(dir, "data"), "-d", of.url("postgres"), "-X", "stream", "-c", "fast", "--no-sync", "-R")
	copied.SysProcAttr = apart()
	copied.Dir = dir
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatal(errors.Join(fmt.Errorf("pg_basebackup: %w: %s", err, out), os.RemoveAll(dir)))
	}
	port, err := freeport.One()
	if err != nil {
		t.Fatal(err)
	}
	c, err := serve(dir, Bin("postgres"), port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.held.Close(); err != nil {
			t.Error(err)
		}
	})
	return strings.Replace(url, ":"+strconv.Itoa(of.port)+"/", ":"+strconv.Itoa(c.port)+"/", 1)
}

// prepared makes a folder of its own with what a server needs, whose program postgres
// is, and finds a port for it.
func prepared() (postgres, dir string, port int, err error) {
	initdb, postgres := Bin("initdb"), Bin("postgres")
	if initdb == "" || postgres == "" {
		return "", "", 0, errMissing
	}
	if dir, err = ownFolder(); err != nil {
		return "", "", 0, err
	}
	made := exec.Command(initdb, "-D", filepath.Join(dir, "data"), "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	made.SysProcAttr = apart()
	made.Dir = dir
	if out, err := made.CombinedOutput(); err != nil {
		return "", "", 0, errors.Join(fmt.Errorf("initdb: %w: %s", err, out), os.RemoveAll(dir))
	}
	who := filepath.Join(dir, "data", "pg_hba.conf")
	believed, err := os.ReadFile(who)
	if err == nil {
		err = os.WriteFile(who, append([]byte("host all "+Guarded+" 127.0.0.1/32 scram-sha-256\n"), believed...), 0o600)
	}
	if err == nil {
		port, err = freeport.One()
	}
	return postgres, dir, port, err
}

func ownFolder() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "pgtest"); err != nil {
		return "", err
	}
	return dir, own(dir)
}
