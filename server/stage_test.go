package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"screentest/server/sandbox"
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
