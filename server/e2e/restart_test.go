package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"screentest/server/wiretest"
)

// The server is killed as by a power cut, in mid-stream. After the restart the
// page, which stayed open, shows the turn as interrupted, with all the text
// that was there one flush interval before, and a retry answers it.
func TestKilledInMidStreamAndStartedAgain(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	w.allow = append(w.allow, away...)
	p := w.keyed("/")
	p.send("[[repeat: 3000]]")
	p.grown(300)
	kept := p.body()
	// What a kill can cost is a stated time: the text that is older is safe.
	time.Sleep(flushInterval(t, w) + 5*time.Second) // the disk may be busy
	if state := p.text(last + `.dataset.state`); state != "running" {
		t.Fatalf("the answer ended before the kill: %q", state)
	}
	if err := w.server.Kill(); err != nil {
		t.Fatal(err)
	}
	w.restart()

	if state := p.settled(); state != "interrupted" {
		t.Fatalf("state %q: %s", state, p.state())
	}
	open, stored := p.body(), w.stored(p)
	p.reload()
	if state := p.settled(); state != "interrupted" {
		t.Fatalf("after a reload: state %q", state)
	}
	reloaded := p.body()

	if err := sandbox.Stop(); err != nil {
		t.Fatal(err)
	}
	sandbox = startSandboxAt(t, sandbox.Host(), "-1") // the whole answer needs no watching
	p.retry()
	if state := p.settled(); state != "done" {
		t.Fatalf("the retry: state %q: %s", state, p.state())
	}
	w.whole(p, sandbox)

	full := w.stored(p)
	for where, text := range map[string]string{"the open page": open, "the page after a reload": reloaded, "the database": letters(stored)} {
		if !strings.HasPrefix(text, kept) {
			t.Errorf("%s: text that was on the disk is lost: %s", where, difference(text, kept))
		}
		if !strings.HasPrefix(letters(full), text) {
			t.Errorf("%s: the text is not how the gateway's began: %s", where, difference(text, letters(full)))
		}
	}
}

// flushInterval asks the server what it promises.
func flushInterval(t *testing.T, w *world) time.Duration {
	t.Helper()
	client, err := wiretest.Dial(context.Background(), w.server.URL, wiretest.NewHTTP())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	hello, err := client.Hello(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if hello.FlushMS <= 0 || hello.FlushMS > 5000 {
		t.Fatalf("flush interval of %d ms", hello.FlushMS)
	}
	return time.Duration(hello.FlushMS) * time.Millisecond
}
