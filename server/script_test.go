package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"screentest/server/store/storetest"
)

// TestMain makes this binary the command screentest too, for the scripts and
// for the tests that kill it.
func TestMain(m *testing.M) {
	if storetest.OnPostgres() {
		os.Setenv("SCREENTEST_SEAL_KEY", storetest.SealKey) // -database wants it
	}
	testscript.Main(m, map[string]func(){"screentest": main, "screentest-readers": readers})
}

// The command line, as scripts: testdata/script.
func TestScripts(t *testing.T) {
	storetest.OnlySQLite(t) // with folders that commands are given
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     scriptExits,
			"listening": scriptListening,
			"start":     scriptStart,
			"hangup":    scriptHangup,
			"end":       scriptEnd,
		},
	})
}

// exits STATUS command args… runs a command that must end with that status.
func scriptExits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != want {
		ts.Fatalf("%s: %v instead of exit status %d", strings.Join(args[1:], " "), err, want)
	}
}

// listening NAME puts the address of a listener into a variable.
func scriptListening(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv(args[0], l.Addr().String())
}

// child is a command that runs beside the script.
type child struct {
	cmd    *exec.Cmd
	stdout watched
	stderr watched
	ended  chan struct{}
}

// watched keeps what is written and lets others wait for a text.
type watched struct {
	mu     sync.Mutex
	b      bytes.Buffer
	change chan struct{}
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.change != nil {
		close(w.change)
		w.change = nil
	}
	return w.b.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// wait waits until a pattern has been written, and returns what it matched.
func (w *watched) wait(pattern string, ended <-chan struct{}) (string, bool) {
	re := regexp.MustCompile(pattern)
	timeout := time.After(90 * time.Second) // for what hangs, not for what is slow
	for {
		w.mu.Lock()
		if m := re.FindStringSubmatch(w.b.String()); m != nil {
			w.mu.Unlock()
			return m[len(m)-1], true
		}
		if w.change == nil {
			w.change = make(chan struct{})
		}
		change := w.change
		w.mu.Unlock()
		select {
		case <-change:
		case <-ended:
			ended = nil // one more look
			if m := re.FindStringSubmatch(w.String()); m == nil {
				return "", false
			}
		case <-timeout:
			return "", false
		}
	}
}

// spawn starts the program and waits until it is ready.
func spawn(dir string, env []string, args ...string) (c *child, url string, err error) {
	c = &child{cmd: exec.Command("screentest", args...), ended: make(chan struct{})}
	c.cmd.Dir = dir
	c.cmd.Env = env
	c.cmd.Stdout, c.cmd.Stderr = &c.stdout, &c.stderr
	if err := c.cmd.Start(); err != nil {
		return nil, "", err
	}
	go func() { _ = c.cmd.Wait(); close(c.ended) }()
	url, ok := c.stdout.wait(`ready on (http://[^ ,\n]+)`, c.ended)
	if !ok {
		c.end(os.Kill)
		return nil, "", errors.New("not ready: " + c.stdout.String() + c.stderr.String())
	}
	return c, url, nil
}

func (c *child) end(s os.Signal) {
	_ = c.cmd.Process.Signal(s) // it may have ended
	<-c.ended
}

type childKey string

// start NAME command args… starts a server and waits until it is ready.
func scriptStart(ts *testscript.TestScript, _ bool, args []string) {
	c, _, err := spawn(ts.MkAbs("."), append(os.Environ(), "HOME="+ts.Getenv("HOME")), args[2:]...)
	ts.Check(err)
	ts.Defer(func() { c.end(os.Kill) })
	children.Store(childKey(ts.Getenv("WORK")+args[0]), c)
}

// children are those of all scripts, which run at the same time.
var children sync.Map

func childOf(ts *testscript.TestScript, name string) *child {
	c, ok := children.Load(childKey(ts.Getenv("WORK") + name))
	if !ok {
		ts.Fatalf("%s was not started", name)
	}
	return c.(*child)
}

// hangup NAME PATTERN sends SIGHUP and waits for a pattern in its log.
func scriptHangup(ts *testscript.TestScript, _ bool, args []string) {
	c := childOf(ts, args[0])
	ts.Check(c.cmd.Process.Signal(syscall.SIGHUP))
	if _, ok := c.stderr.wait(args[1], c.ended); !ok {
		ts.Fatalf("%q is not in the log: %s", args[1], &c.stderr)
	}
}

// end NAME SIGNAL ends a server, which must exit with 0; what it wrote is then
// looked at with stdout and stderr.
func scriptEnd(ts *testscript.TestScript, _ bool, args []string) {
	c := childOf(ts, args[0])
	c.end(map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM}[args[1]])
	_, _ = io.WriteString(ts.Stdout(), c.stdout.String())
	_, _ = io.WriteString(ts.Stderr(), c.stderr.String())
	if code := c.cmd.ProcessState.ExitCode(); code != 0 {
		ts.Fatalf("exit status %d: %s", code, &c.stderr)
	}
}
