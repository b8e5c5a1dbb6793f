package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// TestAnIdleServerIsNotWoken watches the program while nobody wants anything of
// it: with no tab open, and with one open in which an answer has come. How often
// it is woken is read from /proc, which is Linux's.
func TestAnIdleServerIsNotWoken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.rests("with no tab open")
	p := w.tab("/")
	p.send("[[repeat: 40]] [[pace: 400]]")
	p.settled()
	w.rests("with an answer in an open tab")
}

// restful is how often an idle server may be woken, in a second. It is woken
// less than twice; the ticking this is to find was hundreds.
const restful = 10

// rests waits until the server is left alone for some seconds. What it did last,
// such as indexing an answer, may take its time on a busy machine.
func (w *world) rests(when string) {
	w.t.Helper()
	const span = 3 * time.Second
	var rate float64
	for range 15 {
		woken, since := w.woken(), time.Now()
		<-time.After(span)
		rate = float64(w.woken()-woken) / time.Since(since).Seconds()
		if rate < restful {
			w.t.Logf("%s: woken %.1f times a second", when, rate)
			return
		}
	}
	w.t.Errorf("%s: woken %.1f times a second, more than %d", when, rate, restful)
}

var switches = regexp.MustCompile(`(?m)^voluntary_ctxt_switches:\s*(\d+)$`)

// woken counts how often a thread of the server has gone to sleep so far, which
// is how often one was woken. Being pushed aside by other programs isn't counted.
func (w *world) woken() (n int) {
	w.t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", w.server.PID()))
	if err != nil || len(tasks) == 0 {
		w.t.Fatalf("the server has no threads: %v", err)
	}
	for _, path := range tasks {
		b, err := os.ReadFile(path)
		if err != nil {
			w.t.Fatal(err)
		}
		m := switches.FindSubmatch(b)
		if m == nil {
			w.t.Fatalf("%s says nothing of switches:\n%s", path, b)
		}
		k, _ := strconv.Atoi(string(m[1]))
		n += k
	}
	return n
}
