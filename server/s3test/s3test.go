// Package s3test gives tests an S3-compatible object store: versitygw, one for each
// process of tests, in a folder that goes with it, and a bucket for each test. Where
// it is to go away and come back, a test has one of its own.
package s3test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"screentest/server/freeport"
)

// Keys are those of every store here. The first store sets them in the environment,
// where who speaks to one finds them, and the programs that a test starts.
const (
	Key    = "screentest"
	Secret = "a secret of tests alone"
)

// A Store is one that runs, or was stopped.
type Store struct {
	endpoint string
	dir      string

	mu      sync.Mutex
	words   io.WriteCloser // to the shell; it ends the server when it is closed
	answers *bufio.Reader
	buckets atomic.Int64
}

var errMissing = errors.New("versitygw is not there")

// The one of all tests is started at first use.
var shared = sync.OnceValues(start)

// Address is what -files is given for a new bucket, which is empty.
func Address(t testing.TB) string {
	t.Helper()
	s, err := shared()
	return found(t, s, err).Address(t)
}

// New starts a store that is the test's alone.
func New(t testing.TB) *Store {
	t.Helper()
	s, err := start()
	found(t, s, err)
	t.Cleanup(func() {
		if err := s.words.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func found(t testing.TB, s *Store, err error) *Store {
	t.Helper()
	if errors.Is(err, errMissing) && os.Getenv("CI") != "true" {
		t.Skip("no versitygw: .ci/install versitygw, and this test runs")
	}
	if err != nil {
		t.Fatalf("start the object store: %v", err)
	}
	return s
}

// Endpoint is where the store is, http://host:port.
func (s *Store) Endpoint() string { return s.endpoint }

// Address is what -files is given for a new bucket, which is empty.
func (s *Store) Address(t testing.TB) string {
	t.Helper()
	name := "bucket" + strconv.FormatInt(s.buckets.Add(1), 10)
	// versitygw removes a folder with the last object in it, and loses what somebody else
	// writes there at the same moment. Neither of these is ever the last that there is.
	for _, below := range []string{"archive", "uploads"} {
		if err := os.MkdirAll(filepath.Join(s.dir, "data", name, "some", "prefix", below, "stays"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return "s3://" + name + "/some/prefix?endpoint=" + s.endpoint
}

// Objects are the names of all that a bucket of an address has below its prefix, and
// their sizes: as they are on the disk, past the store.
func (s *Store) Objects(t testing.TB, address string) map[string]int64 {
	t.Helper()
	bucket, _, _ := strings.Cut(strings.TrimPrefix(address, "s3://"), "/")
	top := filepath.Join(s.dir, "data", bucket, "some", "prefix")
	names := map[string]int64{}
	err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, path)
		names[filepath.ToSlash(name)] = info.Size()
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return names
}

// Objects are those of a bucket of the store that all tests share.
func Objects(t testing.TB, address string) map[string]int64 {
	t.Helper()
	s, err := shared()
	return found(t, s, err).Objects(t, address)
}

// Stop kills the server. What it keeps stays.
func (s *Store) Stop(t testing.TB) {
	t.Helper()
	s.say(t, "stop")
}

// Start starts it again, at the same address.
func (s *Store) Start(t testing.TB) {
	t.Helper()
	s.say(t, "start")
	if err := s.answer(); err != nil {
		t.Fatal(err)
	}
}

func (s *Store) say(t testing.TB, word string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := io.WriteString(s.words, word+"\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.answers.ReadString('\n'); err != nil || got != word+"\n" {
		t.Fatalf("the store's shell answers %q to %q: %v", got, word, err)
	}
}

// answer waits until the server answers.
func (s *Store) answer() error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Second}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		res, err := client.Get(s.endpoint)
		if err == nil {
			return res.Body.Close()
		}
		if time.Now().After(end) {
			log, _ := os.ReadFile(filepath.Join(s.dir, "log")) // it may not be there
			return fmt.Errorf("%w: %s", err, log)
		}
	}
}

// program is the path of versitygw in the build folder of the repository.
func program() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return "", errMissing
		}
	}
	path := filepath.Join(dir, "build", "tools", "versitygw")
	if _, err := os.Stat(path); err != nil {
		return "", errMissing
	}
	return path, nil
}

// start makes a store in a folder of its own. A shell starts and stops the server as
// it is told; the end of its standard input is that of this process, however that
// comes, and then it ends the server and removes the folder.
func start() (*Store, error) {
	path, err := program()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "s3test")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"data", "beside"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	port, err := freeport.One()
	if err != nil {
		return nil, err
	}
	const script = `start() {
	"$1" --keep-alive --quiet --port "127.0.0.1:$3" posix --sidecar "$2/beside" "$2/data" >>"$2/log" 2>&1 </dev/null &
	server=$!
}
stop() {
	kill -KILL $server
	wait $server
}
start "$@"
while read -r word; do
	$word "$@" 2>/dev/null
	echo $word
done
stop 2>/dev/null
rm -rf "$2"`
	shell := exec.Command("sh", "-c", script, "sh", path, dir, strconv.Itoa(port))
	shell.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+Key, "ROOT_SECRET_KEY="+Secret)
	shell.Dir = dir
	words, err := shell.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := shell.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := shell.Start(); err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": Key, "AWS_SECRET_ACCESS_KEY": Secret, "AWS_SESSION_TOKEN": "", "AWS_REGION": "us-east-1"} {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	s := &Store{endpoint: "http://127.0.0.1:" + strconv.Itoa(port), dir: dir, words: words, answers: bufio.NewReader(answers)}
	if err := s.answer(); err != nil {
		return nil, errors.Join(err, words.Close())
	}
	return s, nil
}
