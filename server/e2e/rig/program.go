package rig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// readyWithin bounds the time from a start to the line that says so.
	readyWithin = time.Minute
	// stopWithin bounds an orderly stop; after it the program is killed.
	stopWithin = 30 * time.Second
)

// Program is a running screentest.
type Program struct {
	URL string // as the program printed it, no slash at the end

	cmd    *exec.Cmd
	output *output
	exited chan struct{} // closed when the process is gone
	err    error         // of the process, once exited is closed
}

// Start runs bin with args and waits until it says where it listens. Of the
// environment it gets everything but Screentest's own variables, and env on
// top ("NAME=value").
func Start(ctx context.Context, bin string, env []string, args ...string) (*Program, error) {
	p := &Program{
		cmd:    exec.Command(bin, args...),
		output: &output{ready: make(chan string, 1)},
		exited: make(chan struct{}),
	}
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "SCREENTEST_") {
			p.cmd.Env = append(p.cmd.Env, e)
		}
	}
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	p.cmd.SysProcAttr = DiesWithParent()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.exited)
	}()

	timer := time.NewTimer(readyWithin)
	defer timer.Stop()
	var why error
	select {
	case p.URL = <-p.output.ready:
		return p, nil
	case <-p.exited:
		return nil, fmt.Errorf("%s ended before it was ready: %w\n%s", strings.Join(args, " "), errors.Join(p.err), p.Log())
	case <-timer.C:
		why = fmt.Errorf("not ready within %v", readyWithin)
	case <-ctx.Done():
		why = ctx.Err()
	}
	_ = p.Kill()
	return nil, fmt.Errorf("start %s: %w\n%s", strings.Join(args, " "), why, p.Log())
}

// Log returns what the program has written so far, standard output and error.
func (p *Program) Log() string { return p.output.String() }

// PID returns the id of the process.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// Signal sends the process a signal.
func (p *Program) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Exited is closed when the process is gone; Err is then what it ended with.
func (p *Program) Exited() <-chan struct{} { return p.exited }

// Err is what the process ended with, once it is gone.
func (p *Program) Err() error { return p.err }

// Host returns the host and port of URL.
func (p *Program) Host() string {
	u, err := url.Parse(p.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// Stop asks the program to end, as Ctrl-C does, and waits for it. An exit
// status other than 0 is an error.
func (p *Program) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.exited:
		return p.err
	case <-time.After(stopWithin):
		_ = p.Kill()
		return fmt.Errorf("did not stop within %v\n%s", stopWithin, p.Log())
	}
}

// Kill ends the program as a power cut would (SIGKILL), and waits until it is
// gone.
func (p *Program) Kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.exited
	return nil
}

// output keeps what a program writes and finds the line that says it is ready.
type output struct {
	mu    sync.Mutex
	buf   bytes.Buffer
	told  bool
	ready chan string // gets the address, once
}

// The address ends at white space or a bracket: the line goes on in words.
var readyLine = regexp.MustCompile(`(?m)^.*\bready\b.*?(https?://[^\s()]+).*\n`)

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf.Write(p)
	if !o.told {
		if m := readyLine.FindSubmatch(o.buf.Bytes()); m != nil {
			o.told = true
			o.ready <- strings.TrimRight(string(m[1]), "/.,")
		}
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}
