package clustertest

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"screentest/server/e2e/rig"
	"screentest/server/freeport"
)

// missing skips a test for want of a program, where make test has said so aloud.
func missing(t testing.TB, name string) {
	t.Helper()
	if os.Getenv("SCREENTEST_NO_"+strings.ToUpper(name)) != "" {
		t.Skipf("no %s", name)
	}
	t.Fatalf("no %s: .ci/install %[1]s", name)
}

// freePorts are n ports that nobody listens at.
func freePorts(t testing.TB, n int) []int {
	t.Helper()
	ports, err := freeport.Take(n)
	if err != nil {
		t.Fatal(err)
	}
	return ports
}

func at(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

// written is what a process has written.
type written struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// helper starts a program that runs until the test has ended, and waits until it
// listens.
func helper(t testing.TB, address, path string, args ...string) {
	t.Helper()
	cmd := exec.Command(path, args...)
	var said written
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.Env = append(os.Environ(), "LOG_LEVEL=error") // toxiproxy would tell of every connection
	cmd.SysProcAttr = rig.DiesWithParent()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // as a killed one does
		if t.Failed() && said.String() != "" {
			t.Logf("%s wrote:\n%s", filepath.Base(path), said.String())
		}
	})
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: %v\n%s", path, err, said.String())
		}
	}
}

// tool is the path of a program that .ci/install has built.
func tool(t testing.TB, name string) string {
	t.Helper()
	root, err := rig.Root()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "build", "tools", name)
	if _, err := os.Stat(path); err != nil {
		missing(t, name)
	}
	return path
}
