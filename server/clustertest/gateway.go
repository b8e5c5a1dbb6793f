package clustertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"screentest/server/e2e/rig"
)

// Key is the gateway's.
const Key = "sk-cluster-7Hq2LmX0vB"

// A Gateway is the sandbox in a process of its own, and in front of it who notes all
// that is asked and answered, to the byte.
type Gateway struct {
	URL string

	t       testing.TB
	sandbox *rig.Program
	watch   atomic.Pointer[func(Moment, *Asked)]

	mu    sync.Mutex
	asked []*Asked
}

// Moment is how far the answer to a request is.
type Moment int

// The moments.
const (
	Came     Moment = iota // the gateway has not heard of it yet
	Answered               // the head of the answer is there, and was not passed on
	Passed                 // some more of the answer was passed on
	Over                   // all of it was
)

// Asked is a request and its answer.
type Asked struct {
	Method, Path, Body string
	From               string // the address that it came from

	mu     sync.Mutex
	status int
	answer bytes.Buffer
	whole  bool
}

// Answer is what has come so far, and whether that is all.
func (a *Asked) Answer() (status int, answer []byte, whole bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status, bytes.Clone(a.answer.Bytes()), a.whole
}

// known says that the gateway has told its id of a request that costs.
func (a *Asked) known() bool {
	_, answer, whole := a.Answer()
	return whole || a.Method != "POST" || idOf(answer) != ""
}

// Creates says that it asks for a clip, which costs.
func (a *Asked) Creates() bool { return a.Method == "POST" && strings.HasPrefix(a.Path, "/v1/video") }

// Text says that it asks for a text.
func (a *Asked) Text() bool { return a.Method == "POST" && !a.Creates() }

// File says that it fetches a finished clip.
func (a *Asked) File() bool { return strings.HasPrefix(a.Path, "/files/") }

func newGateway(t testing.TB, bin string) *Gateway {
	t.Helper()
	g := &Gateway{t: t}
	var err error
	g.sandbox, err = rig.Start(t.Context(), bin, nil, "sandbox", "-addr", "127.0.0.1:0", "-key", Key, "-speed", "300", "-balance", "100000")
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(g)
	g.URL = front.URL
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
		if err := g.sandbox.Stop(); err != nil {
			t.Errorf("the end of the sandbox: %v", err)
		}
	})
	return g
}

// Watch has f told of each moment of each request, before what comes next; nil ends
// it.
func (g *Gateway) Watch(f func(Moment, *Asked)) {
	if f == nil {
		g.watch.Store(nil)
		return
	}
	g.watch.Store(&f)
}

func (g *Gateway) tell(m Moment, a *Asked) {
	if f := g.watch.Load(); f != nil {
		(*f)(m, a)
	}
}

// Asked are all requests so far, in the order in which they came.
func (g *Gateway) Asked() []*Asked {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]*Asked(nil), g.asked...)
}

// ServeHTTP passes on.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // who asks has gone
	}
	a := &Asked{Method: r.Method, Path: r.URL.Path, Body: string(body), From: r.RemoteAddr}
	g.mu.Lock()
	g.asked = append(g.asked, a)
	g.mu.Unlock()
	g.tell(Came, a)
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // who asked has gone, and nothing was asked
	}
	// Who asks may leave at any moment. The gateway is then left too, but no sooner than
	// it has said by which id it books the request: else nobody could say whose that is.
	ctx, leave := context.WithCancel(context.WithoutCancel(r.Context()))
	defer leave()
	defer context.AfterFunc(r.Context(), func() {
		if a.known() {
			leave()
		}
	})()
	req, err := http.NewRequestWithContext(ctx, r.Method, g.sandbox.URL+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		g.t.Error(err)
		return
	}
	req.Header, req.Host = r.Header.Clone(), r.Host
	res, err := passing.RoundTrip(req)
	if err != nil {
		if ctx.Err() == nil {
			g.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
		panic(http.ErrAbortHandler)
	}
	defer res.Body.Close()
	a.mu.Lock()
	a.status = res.StatusCode
	a.mu.Unlock()
	g.tell(Answered, a)
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)
	g.pass(w, res.Body, a, func() {
		if r.Context().Err() != nil && a.known() {
			leave()
		}
	})
}

// passing asks for nothing of its own.
var passing = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 100}

func (g *Gateway) pass(w http.ResponseWriter, from io.Reader, a *Asked, passed func()) {
	p, to := make([]byte, 16<<10), http.NewResponseController(w)
	for {
		n, err := from.Read(p)
		if n > 0 {
			a.mu.Lock()
			a.answer.Write(p[:n])
			a.mu.Unlock()
			_, _ = w.Write(p[:n]) // who asked may have gone
			_ = to.Flush()
			g.tell(Passed, a)
			passed()
		}
		if errors.Is(err, io.EOF) {
			a.mu.Lock()
			a.whole = true
			a.mu.Unlock()
			g.tell(Over, a)
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler) // as it broke, so does this
		}
	}
}

// Account is what the gateway has booked, by its own ids, returns subtracted.
func (g *Gateway) Account() (by map[string]int64, total int64) {
	g.t.Helper()
	var a struct {
		Charged  int64 `json:"charged_nano_usd"`
		Returned int64 `json:"returned_nano_usd"`
		Entries  []struct {
			Kind, Subject string
			NanoUSD       int64 `json:"nano_usd"`
		} `json:"entries"`
	}
	req, err := http.NewRequest("GET", g.sandbox.URL+"/sandbox/account", nil)
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+Key)
	res, err := passing.RoundTrip(req)
	if err != nil {
		g.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil {
		g.t.Fatal(err)
	}
	by = map[string]int64{}
	for _, e := range a.Entries {
		if e.Kind == "return" {
			e.NanoUSD = -e.NanoUSD
		}
		by[e.Subject] += e.NanoUSD
		total += e.NanoUSD
	}
	if total != a.Charged-a.Returned {
		g.t.Errorf("the account's entries make %d, it says %d - %d", total, a.Charged, a.Returned)
	}
	return by, total
}
