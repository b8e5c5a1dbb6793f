package video_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"screentest/server/blob"
	gatewayclient "screentest/server/gateway"
	"screentest/server/payer"
	"screentest/server/sandbox"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/server/video"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestMain(m *testing.M) {
	if os.Getenv(pollPeerEnv) != "" {
		servePollPeer()
	}
	goleak.VerifyTestMain(m)
}

const canary = "sk-canary-video-6Jd8"

// world is a Service on a real store, with a gateway that is the sandbox
// behind a handler that the test may put in front.
type world struct {
	*video.Service
	t       *testing.T
	dir     string
	db      *store.DB
	owner   string
	gateway *httptest.Server
	base    string // of the gateway
	sandbox *sandbox.Server
	front   func(next http.Handler) http.Handler
	limits  video.Limits
	budget  video.Budget
	free    func(dir string) int64 // nil: the disk's
	at      string                 // of the files, as -files has it; "": the data folder
	client  *gatewayclient.Client
	origin  string
	others  *replicas // nil: there are none

	first func() bool
	store func(video.Store) video.Store // that the Service has

	mu       sync.Mutex
	news     map[string][]wire.VideoTask
	archives []wire.Archive
	changed  chan struct{}
	offset   time.Duration // of our clock
	logs     lockedWriter
}

type option func(*world)

func front(f func(next http.Handler) http.Handler) option { return func(w *world) { w.front = f } }
func limits(l video.Limits) option                        { return func(w *world) { w.limits = l } }
func free(f func(string) int64) option                    { return func(w *world) { w.free = f } }
func budget(b video.Budget) option                        { return func(w *world) { w.budget = b } }

func newWorld(t *testing.T, options ...option) *world {
	t.Helper()
	w := &world{t: t, dir: storetest.Folder(t), news: map[string][]wire.VideoTask{}, changed: make(chan struct{}, 1)}
	for _, o := range options {
		o(w)
	}
	var err error
	w.sandbox, err = sandbox.New(sandbox.Config{Key: canary, Speed: 1500, Catalogue: gateway.SampleCatalogue(), FetchPrivate: true, Balance: 1e15})
	if err != nil {
		t.Fatal(err)
	}
	var h http.Handler = w.sandbox
	if w.front != nil {
		h = w.front(h)
	}
	w.gateway = httptest.NewServer(h)
	w.base = w.gateway.URL
	t.Cleanup(func() {
		w.gateway.CloseClientConnections()
		w.gateway.Close()
		if err := w.sandbox.Close(); err != nil {
			t.Error(err)
		}
	})
	w.start()
	t.Cleanup(func() {
		w.stop()
		if t.Failed() {
			t.Logf("log:\n%s", w.logs.text())
		}
		if strings.Contains(w.logs.text(), canary) {
			t.Error("the key is in the log")
		}
	})
	return w
}

// start starts it on the world's folder, as after a restart.
func (w *world) start() {
	w.t.Helper()
	var err error
	if w.db, err = storetest.TryOpen(w.t, w.dir, store.Options{}); err != nil {
		w.t.Fatal(err)
	}
	if w.owner, err = w.db.EnsureLocalUser(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.serve()
}

// serve starts it on the world's store.
func (w *world) serve() {
	w.t.Helper()
	var err error
	if w.client, err = gatewayclient.New(w.base, gatewayclient.Options{}); err != nil {
		w.t.Fatal(err)
	}
	l := w.limits
	if l.Pace == 0 {
		l.Pace = 200
	}
	if l.RetryCopy == 0 {
		l.RetryCopy = 10 * time.Millisecond
	}
	at, err := blob.Parse(w.at)
	if err != nil {
		w.t.Fatal(err)
	}
	files, err := blob.Open(w.t.Context(), at, w.dir, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	var elsewhere video.Elsewhere
	if w.others != nil {
		elsewhere = w.others.of(w)
	}
	var stored video.Store = w.db.Videos()
	if w.store != nil {
		stored = w.store(stored)
	}
	w.Service, err = video.New(video.Config{
		Files:     files,
		Elsewhere: elsewhere,
		First:     w.first,
		Unsure:    func(err error) bool { return errors.Is(err, engine.ErrUnknown) },
		Store:     stored, Gateway: w.client, Catalogue: gateway.SampleCatalogue, Dir: w.dir, Origin: w.origin,
		Changed: func(owner string, t wire.VideoTask) {
			w.mu.Lock()
			w.news[t.ID] = append(w.news[t.ID], t)
			w.mu.Unlock()
			w.poke()
			if w.others != nil {
				w.others.tell(w, owner, t)
			}
		},
		Archive: func(owner string, a wire.Archive) {
			w.mu.Lock()
			w.archives = append(w.archives, a)
			w.mu.Unlock()
			w.poke()
		},
		Base: "http://127.0.0.1:1", Budget: w.budget, Limits: l, Free: w.free, WhomToAsk: func(string) string { return "Lea" },
		Now:    func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return time.Now().Add(w.offset) },
		Logger: slog.New(slog.NewTextHandler(&w.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.Service.Start(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

type lockedWriter struct {
	mu sync.Mutex
	w  bytes.Buffer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func (l *lockedWriter) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.String()
}

func (w *world) poke() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

func (w *world) stop() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := w.Close(ctx); err != nil {
		w.t.Error(err)
	}
	w.Files.Close()
	if err := w.db.Close(); err != nil {
		w.t.Error(err)
	}
	w.client.Close()
}

// key finds the key that a task is asked about with.
func key(_, _ string) (string, error) { return canary, nil }

// body is a request of six seconds.
func body(prompt string) json.RawMessage {
	return gateway.VideoRequest{Model: "beta-video-480p", Prompt: prompt, Seconds: "6"}.Body()
}

// create asks for a clip and returns the task's id.
func (w *world) create(b json.RawMessage) string {
	w.t.Helper()
	id := uuid.NewString()
	t, err := w.Create(w.t.Context(), payer.Payer{Owner: w.owner, Secret: canary}, wire.VideoCreate{ID: id, Body: b})
	if err != nil {
		w.t.Fatalf("create: %v", err)
	}
	if t.State != wire.VideoCreating && t.State != wire.VideoQueued {
		w.t.Errorf("created: %+v", t)
	}
	return id
}

// await waits for news of a task that is as wanted.
func (w *world) await(id, what string, as func(wire.VideoTask) bool) wire.VideoTask {
	w.t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		w.mu.Lock()
		list := w.news[id]
		for i := len(list) - 1; i >= 0; i-- {
			if as(list[i]) {
				w.mu.Unlock()
				return list[i]
			}
		}
		w.mu.Unlock()
		select {
		case <-w.changed:
		case <-deadline:
			t, err := w.db.Videos().Task(context.Background(), w.owner, id)
			w.t.Fatalf("no news that the task is %s; it is %+v, %v", what, t, err)
		}
	}
}

// until waits until something is so.
func (w *world) until(so func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatal("it doesn't come to be so")
		}
	}
}

func (w *world) awaitState(id string, state wire.VideoState) wire.VideoTask {
	w.t.Helper()
	return w.await(id, string(state), func(t wire.VideoTask) bool { return t.State == state })
}

func (w *world) awaitSaved(id string) wire.VideoTask {
	w.t.Helper()
	return w.await(id, "saved", func(t wire.VideoTask) bool { return t.Archived })
}

func (w *world) task(id string) wire.VideoTask {
	w.t.Helper()
	o, err := w.Open(w.t.Context(), w.owner, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return o.Task
}

// account is the gateway's own.
type account struct {
	Charged  int64 `json:"charged_nano_usd"`
	Returned int64 `json:"returned_nano_usd"`
	Entries  []struct {
		Kind    string `json:"kind"`
		Subject string `json:"subject"`
	} `json:"entries"`
}

// ask calls a test endpoint of the sandbox, past whatever stands in front.
func (w *world) ask(method, path, body string, out any) {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+canary)
	r.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	w.sandbox.ServeHTTP(rec, r)
	if rec.Code != 200 {
		w.t.Fatalf("%s: %d %s", path, rec.Code, rec.Body)
	}
	if out != nil {
		if err := json.Unmarshal(rec.Body.Bytes(), out); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) account() (a account) {
	w.t.Helper()
	w.ask("GET", "/sandbox/account", "", &a)
	return a
}

// creations is how many times the gateway was asked to create.
func (w *world) creations() (n int) {
	w.t.Helper()
	var got struct {
		Requests []struct{ Method, Path string } `json:"requests"`
	}
	w.ask("GET", "/sandbox/requests", "", &got)
	for _, r := range got.Requests {
		if r.Method == "POST" && r.Path == gateway.Video.Path() {
			n++
		}
	}
	return n
}

func (w *world) spent() int64 {
	w.t.Helper()
	n, err := w.db.Spent(w.t.Context(), w.owner, time.UnixMilli(0), time.Now().AddDate(1, 0, 0))
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// balanced holds our ledger against the gateway's account.
func (w *world) balanced() {
	w.t.Helper()
	if a := w.account(); w.spent() != a.Charged-a.Returned {
		w.t.Errorf("our ledger says %d, the gateway's account %d - %d", w.spent(), a.Charged, a.Returned)
	}
}

// get asks for an output as a browser would.
func (w *world) media(id string, index int, query string, header ...string) (*http.Response, []byte, error) {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), "GET", wire.MediaPathOf(id, index)+query, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	err := w.ServeMedia(rec, r, w.owner, id, index)
	return rec.Result(), rec.Body.Bytes(), err
}

// drop breaks off the first n answers to requests of that method and path
// prefix, after the gateway has done what was asked.
func drop(method, path string, n int) func(http.Handler) http.Handler {
	var mu sync.Mutex
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			hit := r.Method == method && strings.HasPrefix(r.URL.Path, path) && n > 0
			if hit {
				n--
			}
			mu.Unlock()
			if !hit {
				next.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		})
	}
}

func problemOf(t *testing.T, err error) *wire.Problem {
	t.Helper()
	var p *wire.Problem
	if !errors.As(err, &p) {
		t.Fatalf("%v is no problem for people", err)
	}
	return p
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("unexpected: ", err))
	}
	return v
}
