package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"screentest/server/e2e/rig"
	"screentest/shared/wire"
)

// gate stands before the sandbox and holds the next request of a kind until
// its caller is gone.
type gate struct {
	*httptest.Server
	mu      sync.Mutex
	holds   func(r *http.Request) bool
	half    bool // the first half of a file goes through
	reached chan struct{}

	noFiles atomic.Bool // a page comes in place of each file
}

func newGate(t *testing.T, sandbox string) *gate {
	t.Helper()
	g := &gate{}
	proxy := newProxy(t, sandbox)
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	proxy.ModifyResponse = func(res *http.Response) error {
		// Files are at the gateway's address, which is this one.
		if strings.Contains(res.Header.Get("Content-Type"), "json") {
			b, err := io.ReadAll(res.Body)
			if err != nil {
				return err
			}
			text := strings.ReplaceAll(string(b), sandbox, g.URL)
			res.Body, res.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
			res.Header.Set("Content-Length", fmt.Sprint(len(text)))
		}
		return nil
	}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body) // so that it is noticed when the caller leaves
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if g.noFiles.Load() && strings.HasPrefix(r.URL.Path, "/files/") {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<!doctype html>Under maintenance")
			return
		}
		g.mu.Lock()
		held := g.holds != nil && g.holds(r)
		half, reached := g.half, g.reached
		if held {
			g.holds = nil
		}
		g.mu.Unlock()
		if !held {
			proxy.ServeHTTP(w, r)
			return
		}
		rec := httptest.NewRecorder()
		proxy.ServeHTTP(rec, r) // the gateway has done it
		if half {
			for k, v := range rec.Header() {
				w.Header()[k] = v
			}
			_, _ = w.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
			_ = http.NewResponseController(w).Flush()
		}
		close(reached)
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(g.Server.Close)
	return g
}

// hold holds the next request that is so, and tells when it is there.
func (g *gate) hold(half bool, is func(r *http.Request) bool) (reached chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holds, g.half, g.reached = is, half, make(chan struct{})
	return g.reached
}

// The server is killed, as by a power cut, while it creates a clip, while it
// asks about one, and while it copies one. The page stays open; each clip is
// made once, plays, and costs in our ledger what it costs in the gateway's own
// account.
func TestKilledWhileClipsAreMade(t *testing.T) {
	t.Parallel()
	sandbox := startSandboxAt(t, "127.0.0.1:0", "60", "-speed", "100")
	g := newGate(t, sandbox.URL)
	w := newWorld(t, g.URL)
	w.allow = append(append(w.allow, away...), "Failed to load resource")
	p := w.keyed("/video")
	type request = func(r *http.Request) bool
	tasks := `/video/generations/`
	made := []string{}
	for _, c := range []struct {
		when string
		half bool
		is   request
	}{
		{"creating", false, func(r *http.Request) bool { return r.Method == http.MethodPost }},
		{"asking", false, func(r *http.Request) bool { return strings.Contains(r.URL.Path, tasks) }},
		{"copying", true, func(r *http.Request) bool {
			return r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/files/")
		}},
	} {
		reached := g.hold(c.half, c.is)
		p.must(p.tab.Eval(nil, `document.getElementById("f-prompt").value === "" || document.getElementById("f-prompt").select()`))
		p.fill("#f-prompt", "Killed while "+c.when)
		p.verb("Create video")
		before := p.text(newestCard + `?.dataset.id ?? ""`)
		p.click("#create")
		p.wait(fmt.Sprintf(`(%s?.dataset.id ?? "") !== %q`, newestCard, before))
		id := p.text(newestCard + ".dataset.id")
		made = append(made, id)
		select {
		case <-reached:
		case <-t.Context().Done():
			t.Fatalf("%s: the moment did not come", c.when)
		}
		p.must(w.server.Kill())
		w.restart()
		p.verb("Create video") // the page is connected again
		if c.when == "creating" {
			p.becomes(id, wire.VideoUnknown)
			p.click("#card-" + id + "-remote")
			p.keys(charged(t, sandbox) + "\r")
		}
		p.saved(id)
		if got := p.plays("/media/" + id + "/0"); got < 3.9 || got > 4.1 {
			t.Errorf("%s: the clip lasts %g s", c.when, got)
		}
	}
	if n := creations(t, sandbox); n != len(made) {
		t.Errorf("G35: the gateway has a record of %d creations of %d clips", n, len(made))
	}
	var page wire.LedgerPage
	p.must(w.makes().c.Call(context.Background(), wire.OpLedger, wire.LedgerQuery{What: wire.WhatVideo}, &page))
	if spent := account(t, sandbox); page.Total == nil || page.Total.NanoUSD != spent || spent == 0 {
		t.Errorf("the ledger says %+v, the gateway's account %d", page.Total, spent)
	}
}

// charged is the id of the first task that the sandbox has charged.
func charged(t *testing.T, sandbox *rig.Program) string {
	t.Helper()
	var a struct {
		Entries []struct{ Kind, Subject string }
	}
	if err := json.NewDecoder(ask(t, sandbox, http.MethodGet, "/sandbox/account", "").Body).Decode(&a); err != nil || len(a.Entries) == 0 {
		t.Fatalf("%+v, %v", a, err)
	}
	return a.Entries[0].Subject
}

// A file that is none is said to be none, where the clip would play; asked
// again later, it is copied and plays.
func TestAFileThatCannotBeCopied(t *testing.T) {
	t.Parallel()
	g := newGate(t, startSandboxAt(t, "127.0.0.1:0", "60", "-speed", "100").URL)
	g.noFiles.Store(true)
	w := newWorld(t, g.URL)
	w.allow = append(w.allow, "502")
	p := w.keyed("/video")
	clip := w.makes().clip("beta-video-480p", "A film that is a page", "6", nil)
	p.becomes(clip.ID, wire.VideoDone)
	p.says(tile(clip.ID, ".tile-facts"), "could not be saved")
	p.says(tile(clip.ID, ".tile-problem"), "is no video and no image")

	p.open("/video/" + clip.ID)
	p.says("#clip-broken", "doesn’t play")
	p.says("#clip-broken", "is no video and no image")
	p.says("#clip-check", "Save it again")
	p.picture("clip-that-does-not-play")
	g.noFiles.Store(false)
	p.press("#clip-check")
	p.wait(`document.querySelector("#clip-saved")?.textContent === "saved"`)
	p.wait(`document.querySelector("#player")?.readyState >= 1`)
	p.says("#clip-check", "Check now")
}
