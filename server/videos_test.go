package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/sandbox"
	"screentest/server/sandbox/clip"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// clipRequest is a request of six seconds.
func clipRequest(prompt string) wire.VideoCreate {
	return wire.VideoCreate{ID: uuid.NewString(), Body: gateway.VideoRequest{Model: "beta-video-480p", Prompt: prompt, Seconds: "6"}.Body()}
}

// awaitTask waits for a task to be as wanted, asking the gateway meanwhile.
func awaitTask(t *testing.T, c *wiretest.Client, id, what string, as func(wire.VideoTask) bool) wire.VideoTask {
	t.Helper()
	var opened wire.VideoOpened
	if err := c.Call(t.Context(), wire.OpVideoTask, wire.Target{ID: id}, &opened); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if as(opened.Task) {
		return opened.Task
	}
	if err := c.Call(t.Context(), wire.OpVideoCheck, wire.Target{ID: id}, nil); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	got, err := wiretest.News(t.Context(), c, wire.EventTask, func(n wire.VideoTask) bool { return n.ID == id && as(n) })
	if err != nil {
		t.Fatalf("%s: %v; it is %+v", what, err, opened.Task)
	}
	return got
}

func saved(t wire.VideoTask) bool { return t.Archived }

func in(states ...wire.VideoState) func(wire.VideoTask) bool {
	return func(t wire.VideoTask) bool {
		for _, s := range states {
			if t.State == s {
				return true
			}
		}
		return false
	}
}

// stage is a gateway that a test can hold or break at a moment of its choice.
type stage struct {
	t       *testing.T
	sandbox *sandbox.Server
	url     string

	mu   sync.Mutex
	seen int
	at   func(n int, w http.ResponseWriter, r *http.Request, next http.Handler) (done bool)
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t}
	var err error
	s.sandbox, err = sandbox.New(sandbox.Config{Key: canary, Speed: 1500, Catalogue: gateway.SampleCatalogue()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.sandbox.Close() })
	s.url = outside(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen++
		n, at := s.seen, s.at
		s.mu.Unlock()
		if at == nil || !at(n, w, r, s.sandbox) {
			s.sandbox.ServeHTTP(w, r)
		}
	}))
	return s
}

func (s *stage) set(at func(n int, w http.ResponseWriter, r *http.Request, next http.Handler) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen, s.at = 0, at
}

func (s *stage) ask(path string, out any) {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), "GET", path, nil)
	r.Header.Set("Authorization", "Bearer "+canary)
	rec := httptest.NewRecorder()
	s.sandbox.ServeHTTP(rec, r)
	if err := json.Unmarshal(rec.Body.Bytes(), out); err != nil {
		s.t.Fatal(err)
	}
}

type stageAccount struct {
	Charged  int64 `json:"charged_nano_usd"`
	Returned int64 `json:"returned_nano_usd"`
	Entries  []struct{ Kind, Subject string }
}

// balanced holds the server's ledger against the gateway's own account, and
// the number of creations against the tasks.
func (s *stage) balanced(c *wiretest.Client, tasks int) {
	s.t.Helper()
	var a stageAccount
	s.ask("/sandbox/account", &a)
	var page wire.LedgerPage
	if err := c.Call(s.t.Context(), wire.OpLedger, wire.LedgerQuery{What: wire.WhatVideo}, &page); err != nil {
		s.t.Fatal(err)
	}
	if page.Total == nil || page.Total.NanoUSD != a.Charged-a.Returned || page.Total.ChargedNanoUSD != a.Charged || page.Total.ReturnedNanoUSD != -a.Returned {
		s.t.Errorf("the ledger says %+v, the gateway's account %+v", page.Total, a)
	}
	var log struct {
		Requests []struct{ Method, Path string }
	}
	s.ask("/sandbox/requests", &log)
	creations := 0
	for _, r := range log.Requests {
		if r.Method == "POST" {
			creations++
		}
	}
	if creations > tasks {
		s.t.Errorf("G35: %d creations for %d tasks", creations, tasks)
	}
}

// settle tells the server of every unknown task what the gateway's account
// says.
func (s *stage) settle(c *wiretest.Client) {
	s.t.Helper()
	var a stageAccount
	s.ask("/sandbox/account", &a)
	var page wire.VideoPage
	if err := c.Call(s.t.Context(), wire.OpVideoTasks, wire.VideoQuery{Limit: 200}, &page); err != nil {
		s.t.Fatal(err)
	}
	known := map[string]bool{}
	for _, t := range page.Tasks {
		known[t.Remote] = true
	}
	for _, t := range page.Tasks {
		if t.State != wire.VideoUnknown {
			continue
		}
		answer := wire.VideoSettle{ID: t.ID, Outcome: wire.DidNot}
		for _, e := range a.Entries {
			if e.Kind == "charge" && !known[e.Subject] {
				known[e.Subject] = true
				answer = wire.VideoSettle{ID: t.ID, Outcome: wire.WentThrough, Remote: e.Subject}
				break
			}
		}
		if err := c.Call(s.t.Context(), wire.OpVideoSettle, answer, nil); err != nil {
			s.t.Fatal(err)
		}
	}
}

func isCreation(r *http.Request) bool { return r.Method == "POST" }
func isPoll(r *http.Request) bool {
	return r.Method == "GET" && strings.HasPrefix(r.URL.Path, gateway.Video.Path()+"/")
}
func isFile(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/files/") }

// kill -9 at the moments that matter. Afterwards the gateway's account and our
// ledger agree to the nano-dollar, and nothing was sent twice.
func TestKillDuringAVideoTask(t *testing.T) {
	for _, c := range []struct {
		name, prompt string
		at           func(w http.ResponseWriter, r *http.Request, next http.Handler) (reached bool)
		unknown      bool
		end          wire.VideoState
	}{
		{"creating, before the gateway took it", "a", func(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
			return isCreation(r)
		}, true, wire.VideoRefused},
		{"creating, when the gateway had taken it", "b", func(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
			if isCreation(r) {
				next.ServeHTTP(httptest.NewRecorder(), r)
				return true
			}
			return false
		}, true, wire.VideoDone},
		{"polling", "c", func(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
			return isPoll(r)
		}, false, wire.VideoDone},
		{"hearing of a failure", "[[fail: no]]", func(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
			if isPoll(r) {
				next.ServeHTTP(w, r)
				_ = http.NewResponseController(w).Flush()
				return true
			}
			return false
		}, false, wire.VideoFailed},
		{"downloading", "d", func(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
			if !isFile(r) {
				return false
			}
			rec := httptest.NewRecorder()
			next.ServeHTTP(rec, r)
			for k, v := range rec.Header() {
				w.Header()[k] = v
			}
			_, _ = w.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
			_ = http.NewResponseController(w).Flush()
			return true
		}, false, wire.VideoDone},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, dir := newStage(t), t.TempDir()
			reached, gone := make(chan struct{}), make(chan struct{})
			var once sync.Once
			s.set(func(_ int, w http.ResponseWriter, r *http.Request, next http.Handler) bool {
				if !c.at(w, r, next) {
					return false
				}
				once.Do(func() { close(reached) })
				// The request's own context does not always end with its caller:
				// one who has the reply may have begun the next request.
				<-gone
				return true
			})
			proc, url := killed(t, dir, "-gateway", s.url)
			tab := dial(t, url, wiretest.NewHTTP())
			setKey(t, tab, canary)
			v := clipRequest(c.prompt)
			if err := tab.Call(t.Context(), wire.OpVideoCreate, v, nil); err != nil {
				t.Fatal(err)
			}
			if !c.unknown {
				awaitTask(t, tab, v.ID, "accepted", func(n wire.VideoTask) bool { return n.Remote != "" })
				if err := tab.Call(t.Context(), wire.OpVideoCheck, wire.Target{ID: v.ID}, nil); err != nil {
					t.Fatal(err)
				}
			}
			select {
			case <-reached:
			case <-t.Context().Done():
				t.Fatal("the moment did not come")
			}
			proc.end(os.Kill)
			close(gone)

			s.set(nil)
			_, url = killed(t, dir, "-gateway", s.url)
			tab = dial(t, url, wiretest.NewHTTP())
			setKey(t, tab, canary)
			// The same request again, as a browser that had no answer sends it.
			var again wire.VideoTask
			if err := tab.Call(t.Context(), wire.OpVideoCreate, v, &again); err != nil || c.unknown != (again.State == wire.VideoUnknown) {
				t.Errorf("after the restart: %+v, %v", again, err)
			}
			s.settle(tab)
			end := awaitTask(t, tab, v.ID, string(c.end), in(c.end))
			if end.State == wire.VideoDone {
				if end = awaitTask(t, tab, v.ID, "saved", saved); end.Outputs[0].Seconds != 6 {
					t.Errorf("%+v", end.Outputs)
				}
			}
			s.balanced(tab, 1)
		})
	}
}

// hurry has the tasks under way asked about again and again, until ctx ends. Its
// calls may fail: a task that has ended since it was listed is asked about at
// once, and the gateway may be holding just that request.
func hurry(ctx context.Context, tab *wiretest.Client) {
	pace := time.NewTicker(50 * time.Millisecond)
	defer pace.Stop()
	for ctx.Err() == nil {
		var page wire.VideoPage
		if tab.Call(ctx, wire.OpVideoTasks, wire.VideoQuery{States: []wire.VideoState{wire.VideoQueued, wire.VideoRunning}}, &page) != nil {
			return
		}
		for _, p := range page.Tasks {
			_ = tab.Call(ctx, wire.OpVideoCheck, wire.Target{ID: p.ID}, nil)
		}
		select {
		case <-pace.C:
		case <-ctx.Done():
		}
	}
}

// A kill at any request of many, again and again on one folder.
func TestKillsAmongManyVideoTasks(t *testing.T) {
	s, dir := newStage(t), t.TempDir()
	tasks := 0
	for _, n := range []int{1, 3, 4, 7, 9, 14} {
		reached := make(chan struct{})
		s.set(func(i int, w http.ResponseWriter, r *http.Request, next http.Handler) bool {
			if i < n {
				return false
			}
			if i == n {
				close(reached)
			}
			if i%2 == 0 { // the gateway has done what was asked, and nobody hears of it
				next.ServeHTTP(httptest.NewRecorder(), r)
			}
			<-r.Context().Done()
			return true
		})
		proc, url := killed(t, dir, "-gateway", s.url)
		tab := dial(t, url, wiretest.NewHTTP())
		setKey(t, tab, canary)
		for i := range 6 {
			prompt := "clip"
			if i%3 == 0 {
				prompt = "[[fail: by design]]"
			}
			v := clipRequest(prompt)
			if err := tab.Call(t.Context(), wire.OpVideoCreate, v, nil); err != nil {
				t.Fatal(err)
			}
			tasks++
		}
		ctx, stop := context.WithCancel(t.Context())
		var hurrying sync.WaitGroup
		hurrying.Go(func() { hurry(ctx, tab) })
		<-reached
		proc.end(os.Kill)
		stop()
		hurrying.Wait()
	}
	s.set(nil)
	_, url := killed(t, dir, "-gateway", s.url)
	tab := dial(t, url, wiretest.NewHTTP())
	setKey(t, tab, canary)
	s.settle(tab)
	var page wire.VideoPage
	if err := tab.Call(t.Context(), wire.OpVideoTasks, wire.VideoQuery{Limit: 200}, &page); err != nil || len(page.Tasks) != tasks {
		t.Fatalf("%d tasks of %d, %v", len(page.Tasks), tasks, err)
	}
	for _, p := range page.Tasks {
		end := awaitTask(t, tab, p.ID, "ended", func(n wire.VideoTask) bool { return n.State.Final() })
		if end.State == wire.VideoDone {
			awaitTask(t, tab, p.ID, "saved", saved)
		}
	}
	s.balanced(tab, tasks)
}

func TestUploadsBase(t *testing.T) {
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	for _, c := range []struct {
		name, gateway, public, base string
		unreachable                 bool
	}{
		{"a gateway elsewhere and no public address", "https://gateway.example.com", "", "http://127.0.0.1:8080", true},
		{"a gateway elsewhere and a public address", "https://gateway.example.com", "https://play.example.com/", "https://play.example.com", false},
		{"a gateway on this machine", "http://127.0.0.1:9090", "", "http://127.0.0.1:8080", false},
		{"a gateway on this machine, by name", "http://localhost:9090", "", "http://127.0.0.1:8080", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			gateway, err := url.Parse(c.gateway)
			if err != nil {
				t.Fatal(err)
			}
			var public *url.URL
			if c.public != "" {
				if public, err = url.Parse(c.public); err != nil {
					t.Fatal(err)
				}
			}
			if base, unreachable := uploadsBase(addr.String(), gateway, public); base != c.base || unreachable != c.unreachable {
				t.Errorf("%s, %v", base, unreachable)
			}
		})
	}
}

// The sandbox inside the program keeps its tasks over a restart, and what a
// person uploads can be used at once.
func TestSandboxInsideWithUploads(t *testing.T) {
	dir := t.TempDir()
	d := newDesk(t, serveConfig{data: dir, addr: "127.0.0.1:0"})
	base := "http://" + d.bff.Addr
	tab := dial(t, base, wiretest.NewHTTP())
	film, err := clip.Spec{Width: 854, Height: 480, Segments: []clip.Segment{{Look: 1, Frames: 5 * clip.FPS}}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	post := func(client *http.Client, site string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), "POST", base+wire.UploadsPath+"?name=dance.mp4", bytes.NewReader(film))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Sec-Fetch-Site", site)
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	if res := post(tab.HTTP, "cross-site"); res.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: %s", res.Status)
	}
	if res := post(wiretest.NewHTTP(), "same-origin"); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a session: %s", res.Status)
	}
	var up wire.Upload
	if err := json.NewDecoder(post(tab.HTTP, "same-origin").Body).Decode(&up); err != nil || up.Seconds != 5 || up.Unreachable || up.Name != "dance.mp4" {
		t.Fatalf("%+v, %v", up, err)
	}
	var m wire.Measured
	if err := tab.Call(t.Context(), wire.OpVideoMeasure, wire.VideoMeasure{URL: up.URL}, &m); err != nil || m != up.Measured {
		t.Errorf("%+v, %v", m, err)
	}
	v := wire.VideoCreate{ID: uuid.NewString(), MotionSeconds: m.Seconds, Body: gateway.VideoRequest{Model: "delta-3.0-motion-control-720p", Prompt: "dance [[slow]]",
		Seconds: "5", VideoURL: up.URL, ImageURLs: gateway.URLs{"https://example.com/a.png"}}.Body()}
	if err := tab.Call(t.Context(), wire.OpVideoCreate, v, nil); err != nil {
		t.Fatal(err)
	}
	awaitTask(t, tab, v.ID, "accepted", in(wire.VideoQueued, wire.VideoRunning))
	quick := clipRequest("a quick one")
	if err := tab.Call(t.Context(), wire.OpVideoCreate, quick, nil); err != nil {
		t.Fatal(err)
	}
	done := awaitTask(t, tab, quick.ID, "saved", saved)
	get := func(client *http.Client, path string) (int, []byte) {
		res, err := client.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, b
	}
	path := wire.MediaPathOf(quick.ID, 0)
	if code, b := get(tab.HTTP, path); code != 200 || int64(len(b)) != done.Outputs[0].Bytes {
		t.Errorf("%d, %d bytes", code, len(b))
	}
	if code, _ := get(wiretest.NewHTTP(), path); code != http.StatusUnauthorized {
		t.Errorf("without a session: %d", code)
	}
	if code, b := get(wiretest.NewHTTP(), up.Path); code != 200 || !bytes.Equal(b, film) {
		t.Errorf("an upload without a session: %d", code)
	}
	for _, bad := range []string{path + "0", wire.MediaPathOf(uuid.NewString(), 0), wire.MediaPath + "x/-1", "/u/", "/u/x.mp4"} {
		if code, _ := get(tab.HTTP, bad); code != http.StatusNotFound {
			t.Errorf("%s: %d", bad, code)
		}
	}
	tab.Close()
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(d.log.String(), up.ID) {
		t.Error("an upload's address is in the log")
	}

	d = newDesk(t, serveConfig{data: dir, addr: "127.0.0.1:0"})
	tab = dial(t, "http://"+d.bff.Addr, wiretest.NewHTTP())
	goes := awaitTask(t, tab, v.ID, "polled after the restart", func(n wire.VideoTask) bool { return n.CheckedMS > 0 || n.State.Final() })
	if goes.Pause != "" || goes.State == wire.VideoLost {
		t.Errorf("%+v", goes)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "uploads", "*")); err != nil || len(left) != 1 {
		t.Errorf("uploads: %v, %v", left, err)
	}
}
