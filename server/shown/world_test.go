package shown

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"screentest/server/sight"
	"screentest/shared/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// A world is a conversation that is shared, and a server that shows it.
type world struct {
	t    testing.TB
	s    *Service
	http *httptest.Server

	mu     sync.Mutex
	sights map[string]sight.Sight // by key
	held   map[*func()]string
	sum    wire.Summary
	lanes  *wire.Lanes
	all    []wire.Message
	runs   map[string]*log
	clip   wire.VideoTask
	opened int // runs, so far
}

const (
	link  = "a-token-that-nobody-guesses"
	named = "00000000-0000-4000-8000-00000000aaaa"
	conv  = "00000000-0000-4000-8000-00000000cccc"
)

func newWorld(t testing.TB, l Limits) *world {
	w := &world{t: t, sights: map[string]sight.Sight{}, held: map[*func()]string{}, runs: map[string]*log{}, sum: wire.Summary{ID: conv, Title: "About <b>otters</b>"}}
	seen := sight.Sight{Share: named, Owner: "ann", OwnerName: "Ann Lima", Kind: wire.ShareConversation, Subject: conv, Title: "old title", Live: true, ByLink: true}
	w.sights[link] = seen
	seen.ByLink = false
	w.sights[named+" bob"] = seen
	w.s = New(Config{Sights: w, Conversations: w, Runs: w, Videos: clips{w}, File: func(p string) string { return p + "?v=1" }, Limits: l, Secrets: func() []string { return []string{"gateway.example"} }})
	mux := http.NewServeMux()
	for pattern, h := range map[string]func(http.ResponseWriter, *http.Request, Viewer) error{
		"GET /s/{key}": w.s.ServePage, "GET /s/{key}/live": w.s.ServeLive, "GET /s/{key}/wire/{run}": w.s.ServeWire,
		"GET /s/{key}/media/{version}/{index}": w.s.ServeMedia, "GET /s/{key}/poster/{version}/{index}": w.s.ServePoster,
	} {
		mux.HandleFunc(pattern, func(rw http.ResponseWriter, r *http.Request) {
			who := r.Header.Get("Test-Person")
			if err := h(rw, r, Viewer{Owner: who, Member: who != "" && who != "gus", Address: "192.0.2.1"}); err != nil {
				http.Error(rw, err.Error(), http.StatusTeapot)
			}
		})
	}
	w.http = httptest.NewServer(mux)
	t.Cleanup(func() {
		w.http.CloseClientConnections()
		if err := w.s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		w.http.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return w
}

func (w *world) See(_ context.Context, key, asker string) (sight.Sight, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range []string{key, key + " " + asker} {
		if s, ok := w.sights[k]; ok {
			return s, nil
		}
	}
	return sight.Sight{}, fs.ErrNotExist
}

func (w *world) Hold(share, asker string, cancel func()) func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[&cancel] = asker
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.held, &cancel)
	}
}

// revoke ends the sharing of a key.
func (w *world) revoke(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sights, key)
	for cancel := range w.held {
		(*cancel)()
	}
}

func (w *world) ImageOfConversation(_ context.Context, owner, conversation, id string) (wire.Image, []byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.all {
		for _, i := range m.Images {
			if owner == "ann" && conversation == conv && i.ID == id {
				return i, []byte("the bytes of " + id), nil
			}
		}
	}
	return wire.Image{}, nil, fs.ErrNotExist
}

func (w *world) OpenConversation(_ context.Context, owner string, p wire.Page) (wire.Opened, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if owner != "ann" || p.Conversation != conv {
		return wire.Opened{}, fs.ErrNotExist
	}
	return wire.Opened{Summary: w.sum, Lanes: w.lanes}, nil
}

func (w *world) Outline(context.Context, string, string) (o wire.Outline, _ error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	places := map[string]int{"": -1}
	var ids, roles strings.Builder
	defer func() { o.IDs, o.Roles = ids.String(), roles.String() }()
	for i, m := range w.all {
		places[m.ID] = i
		ids.WriteString(m.ID)
		roles.WriteString(m.Role[:1])
		o.Parents, o.Lanes, o.Lengths = append(o.Parents, places[m.Parent]), append(o.Lanes, m.Lane), append(o.Lengths, len(m.Text))
	}
	return o, nil
}

func (w *world) Messages(_ context.Context, _ string, q wire.MessageQuery) (out wire.Messages, _ error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.all {
		if slices.Contains(q.IDs, m.ID) {
			out.Messages = append(out.Messages, m)
		}
	}
	return out, nil
}

func (w *world) run(id string) (wire.Run, *log, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.all {
		if m.Run != nil && m.Run.ID == id {
			return *m.Run, w.runs[id], nil
		}
	}
	return wire.Run{}, nil, &wire.Problem{Code: "not_found"}
}

func (w *world) Open(_ context.Context, _, id string) (wire.Run, Log, error) {
	r, l, err := w.run(id)
	w.mu.Lock()
	w.opened++
	w.mu.Unlock()
	return r, l, err
}

func (w *world) Request(_ context.Context, _, id string) (wire.RunRequest, error) {
	return wire.RunRequest{Run: id, Endpoint: "chat", BaseURL: "https://gateway.example/v1", Status: 200, ContentType: "text/event-stream",
		Body: `{"model":"m","user":"person-77","messages":[{"role":"user","content":"see https:\/\/files.example\/a.png and sk-canary0123456789"}]}`}, nil
}

func (w *world) Times(_ context.Context, _, id string) (wire.RunTimes, error) {
	_, l, err := w.run(id)
	if err != nil {
		return wire.RunTimes{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return wire.RunTimes{Run: id, Reads: []int64{12, int64(len(l.p) / 2), 30, int64(len(l.p) - len(l.p)/2)}}, nil
}

// clips are the world's clips.
type clips struct{ *world }

func (w clips) Open(context.Context, string, string) (wire.VideoOpened, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return wire.VideoOpened{Task: w.clip}, nil
}

func (w *world) ServeMedia(rw http.ResponseWriter, _ *http.Request, owner, task string, index int) error {
	fmt.Fprintf(rw, "clip %s %s %d", owner, task, index)
	return nil
}

func (w *world) ServePoster(rw http.ResponseWriter, _ *http.Request, owner, task string, index int) error {
	fmt.Fprintf(rw, "poster %s %s %d", owner, task, index)
	return nil
}

// A log is one of a run that grows.
type log struct {
	mu      sync.Mutex
	p       []byte
	end     bool
	watches []chan<- struct{}
}

func (l *log) Read(_ context.Context, dst []byte, from int64, most int) ([]byte, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.p[from:]
	p = p[:min(len(p), most)]
	return append(dst, p...), l.end && int(from)+len(p) == len(l.p), nil
}

func (l *log) ContentType() string { return "text/event-stream" }

func (l *log) Watch(c chan<- struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watches = append(l.watches, c)
}

func (l *log) Unwatch(c chan<- struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watches = slices.DeleteFunc(l.watches, func(w chan<- struct{}) bool { return w == c })
}

func (l *log) add(p string, end bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.p, l.end = append(l.p, p...), end
	for _, c := range l.watches {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// says adds a piece of an answer's text, or of its reasoning.
func (l *log) says(field, text string) {
	quoted, _ := json.Marshal(text)
	l.add(fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{%q:%s}}]}\n\n", field, quoted), false)
}

func id(kind, n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%04d%08d", kind, n) }

// asks adds a question, and answers under way to it in some lanes.
func (w *world) asks(n int, parents []string, text string, models ...string) (logs []*log) {
	w.mu.Lock()
	for lane, model := range models {
		q := id(1, 10*n)
		parent := ""
		if len(parents) > 0 {
			parent = parents[lane]
		}
		if lane == 0 || len(parents) > 0 {
			q = id(1, 10*n+lane)
			w.all = append(w.all, wire.Message{ID: q, Parent: parent, Role: "user", Lane: lane, Text: text})
		}
		l := &log{}
		logs = append(logs, l)
		run := fmt.Sprintf("run-%d-%d", n, lane)
		w.runs[run] = l
		w.all = append(w.all, wire.Message{ID: id(2, 10*n+lane), Parent: q, Lane: lane, Role: "assistant",
			Run: &wire.Run{ID: run, Conversation: conv, Message: id(2, 10*n+lane), Lane: lane, Endpoint: "chat", Model: model, State: wire.Running,
				Team: "team-canary", PaidBy: "payer-canary"}})
	}
	w.mu.Unlock()
	w.s.Changed("ann", conv)
	return logs
}

// ends ends an answer with its text.
func (w *world) ends(n, lane int, text string, change func(*wire.Run)) {
	w.mu.Lock()
	for i := range w.all {
		if w.all[i].ID == id(2, 10*n+lane) {
			r := *w.all[i].Run
			r.State, r.DurationMS, r.FirstTokenMS, r.InputTokens, r.OutputTokens, r.CostNanoUSD, r.CostSource = wire.Done, 2300, 212, 31, 118, 1_234_000, "reported"
			if change != nil {
				change(&r)
			}
			w.all[i].Run, w.all[i].Text = &r, text
		}
	}
	w.mu.Unlock()
	w.s.Changed("ann", conv)
}

// get asks for a path below /s/ as somebody.
func (w *world) get(path, who string, headers ...string) (status int, body string, h http.Header) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.http.URL+"/s/"+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Test-Person", who)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.Header.Get("Content-Encoding") != "" {
		w.t.Fatal("compressed")
	}
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res.StatusCode, string(raw), res.Header
}
