package clustertest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"screentest/server/e2e/rig"
)

// A Replica is one process of the real program, started anew at the same address as
// often as a test wants.
type Replica struct {
	Name     string
	URL      string // past nginx
	Database *Line
	Files    *Line

	t    testing.TB
	bin  string
	port int
	args []string

	mu      sync.Mutex
	program *rig.Program
	before  []*rig.Program
}

func (r *Replica) start() error {
	p, err := rig.Start(context.Background(), r.bin, []string{"SCREENTEST_SEAL_KEY=" + sealKey}, r.args...)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.program != nil {
		r.before = append(r.before, r.program)
	}
	r.program = p
	return nil
}

// Program is the process as it runs at present.
func (r *Replica) Program() *rig.Program {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.program
}

// Start starts it, again, and waits until it is ready.
func (r *Replica) Start() {
	r.t.Helper()
	if err := r.start(); err != nil {
		r.t.Fatalf("replica %s: %v", r.Name, err)
	}
}

// Kill ends it as a power cut would.
func (r *Replica) Kill() {
	r.t.Helper()
	if err := r.Program().Kill(); err != nil {
		r.t.Errorf("kill replica %s: %v", r.Name, err)
	}
}

// Stop asks it to end, as an update does, and waits for it.
func (r *Replica) Stop() {
	r.t.Helper()
	if err := r.Program().Stop(); err != nil {
		r.t.Errorf("the end of replica %s: %v", r.Name, err)
	}
}

// Pause holds the process, and GoOn lets it go on.
func (r *Replica) Pause() { r.t.Helper(); r.signal(syscall.SIGSTOP) }

// GoOn lets a paused one go on.
func (r *Replica) GoOn() { r.t.Helper(); r.signal(syscall.SIGCONT) }

func (r *Replica) signal(s os.Signal) {
	r.t.Helper()
	if err := r.Program().Signal(s); err != nil {
		r.t.Errorf("%v to replica %s: %v", s, r.Name, err)
	}
}

// Ended waits for the end of the process, as far as it comes within a time, and gives
// what it ended with.
func (r *Replica) Ended(within time.Duration) (ended bool, err error) {
	select {
	case <-r.Program().Exited():
		return true, r.Program().Err()
	case <-time.After(within):
		return false, nil
	}
}

// Log is what all its processes have written.
func (r *Replica) Log() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all strings.Builder
	for i, p := range append(r.before[:len(r.before):len(r.before)], r.program) {
		if p != nil {
			fmt.Fprintf(&all, "— replica %s, start %d\n%s", r.Name, i+1, p.Log())
		}
	}
	return all.String()
}

// SetUpLink is the link to the first account that it has printed, or "".
func (r *Replica) SetUpLink() string {
	_, link, _ := strings.Cut(r.Program().Log(), "Set up at ")
	link, _, whole := strings.Cut(link, "\n")
	if !whole {
		return ""
	}
	return link
}

func (r *Replica) end() {
	if p := r.Program(); p != nil {
		_ = p.Kill() // it may have ended
	}
	if r.t.Failed() {
		r.report()
	}
}

// report keeps what a replica wrote, and shows the end of it.
func (r *Replica) report() {
	root, err := rig.Root()
	if err != nil {
		return
	}
	file := filepath.Join(root, "build", "clustertest", strings.ReplaceAll(r.t.Name(), "/", "_")+"-"+r.Name+".log")
	log := r.Log()
	if os.MkdirAll(filepath.Dir(file), 0o755) != nil || os.WriteFile(file, []byte(log), 0o644) != nil {
		file = "nowhere"
	}
	const lines = 15
	end := strings.Split(strings.TrimSpace(log), "\n")
	r.t.Logf("replica %s; all it wrote is in %s:\n%s", r.Name, file, strings.Join(end[max(0, len(end)-lines):], "\n"))
}

// Has says whether the other end of a connection to an address of this process's
// machine is this process: who it is that asks the gateway.
func (r *Replica) Has(address string) bool {
	_, text, err := net.SplitHostPort(address)
	port, bad := strconv.Atoi(text)
	if err := errors.Join(err, bad); err != nil {
		r.t.Error(err)
		return false
	}
	inode := socketAt(port)
	if inode == "" {
		return false
	}
	dir := fmt.Sprintf("/proc/%d/fd", r.Program().PID())
	files, err := os.ReadDir(dir)
	if err != nil {
		return false // the process has ended
	}
	for _, f := range files {
		if to, err := os.Readlink(dir + "/" + f.Name()); err == nil && to == "socket:["+inode+"]" {
			return true
		}
	}
	return false
}

// socketAt is the inode of the socket whose own port is this, or "".
func socketAt(port int) string {
	table, err := os.Open("/proc/net/tcp")
	if err != nil {
		return ""
	}
	defer table.Close()
	own := fmt.Sprintf("0100007F:%04X", port)
	for lines := bufio.NewScanner(table); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) > 9 && f[1] == own {
			return f[9]
		}
	}
	return ""
}

// Holder is the replica that a request to the gateway came from, or nil where that has
// ended.
func (c *Cluster) Holder(a *Asked) *Replica {
	for _, r := range c.Replicas {
		if r.Program() != nil && r.Has(a.From) {
			return r
		}
	}
	return nil
}
