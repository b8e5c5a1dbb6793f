package peer

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"screentest/shared/wire"
)

func link(key byte) *Link {
	return New("", bytes.Repeat([]byte{key}, 32), slog.New(slog.DiscardHandler))
}

// serve has a link answer, at the address that it is given for its own.
func serve(l *Link) *httptest.Server {
	srv := httptest.NewUnstartedServer(l)
	l.self = srv.Listener.Addr().String()
	srv.Start()
	return srv
}

func TestOnlyWhoHasTheKeyIsAnswered(t *testing.T) {
	a := link(1)
	a.Handle("GET /internal/run/{id}", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.PathValue("id")+" from "+r.URL.Query().Get("from"))
	})
	srv := serve(a)
	defer srv.Close()
	other := serve(link(1))
	defer other.Close()

	ask := func(l *Link, change func(*http.Request)) int {
		t.Helper()
		req, err := http.NewRequest("GET", srv.URL+"/internal/run/7?from=3", nil)
		if err != nil {
			t.Fatal(err)
		}
		l.Sign(req)
		change(req)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	late, early := link(1), link(1)
	late.now = func() time.Time { return time.Now().Add(-time.Minute) }
	early.now = func() time.Time { return time.Now().Add(time.Minute) }
	as := func(*http.Request) {}
	for _, tt := range []struct {
		name   string
		by     *Link
		change func(*http.Request)
		want   int
	}{
		{"as it is", link(1), as, 200},
		{"with another key", link(2), as, 403},
		{"a minute old", late, as, 403},
		{"a minute from now", early, as, 403},
		{"without a code", link(1), func(r *http.Request) { r.Header.Del(codeHeader) }, 403},
		{"with half a code", link(1), func(r *http.Request) { r.Header.Set(codeHeader, r.Header.Get(codeHeader)[:20]) }, 403},
		{"for another run", link(1), func(r *http.Request) { r.URL.Path = "/internal/run/8" }, 403},
		{"from elsewhere in it", link(1), func(r *http.Request) { r.URL.RawQuery = "from=0" }, 403},
		{"by another method", link(1), func(r *http.Request) { r.Method = "POST" }, 403},
		{"to another replica", link(1), func(r *http.Request) { r.URL.Host = other.Listener.Addr().String() }, 403},
		{"to another replica, in whose name", link(1), func(r *http.Request) {
			r.Host = r.URL.Host
			r.URL.Host = other.Listener.Addr().String()
		}, 403},
	} {
		if got := ask(tt.by, tt.change); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestWhatIsAnsweredIsToldAsItWas(t *testing.T) {
	a := link(1)
	a.Handle("POST /internal/stop", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch string(body) {
		case "unknown":
			Refuse(w, &wire.Problem{Code: "run_not_found", Message: "There is no such run."})
		case "broken":
			Refuse(w, errors.New("the text of an error is for the log"))
		default:
			io.WriteString(w, "stopped "+string(body))
		}
	})
	srv := serve(a)
	defer srv.Close()
	b := link(1)
	defer b.Close()

	resp, err := b.Ask(t.Context(), srv.URL, "POST", "/internal/stop", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if string(text) != "stopped x" {
		t.Errorf("answered %q", text)
	}
	_, err = b.Ask(t.Context(), srv.URL, "POST", "/internal/stop", []byte("unknown"))
	var p *wire.Problem
	if !errors.As(err, &p) || p.Code != "run_not_found" {
		t.Errorf("the problem came as %v", err)
	}
	if _, err = b.Ask(t.Context(), srv.URL, "POST", "/internal/stop", []byte("broken")); err == nil || strings.Contains(err.Error(), "for the log") {
		t.Errorf("the error came as %v", err)
	}
	srv.Close()
	if _, err = b.Ask(t.Context(), srv.URL, "POST", "/internal/stop", nil); err == nil {
		t.Error("one that isn't there answered")
	}
}

// Whoever hears what replicas say can't say it again, nor something else in its place.
func TestNothingIsSaidTwice(t *testing.T) {
	a := link(1)
	did := 0
	a.Handle("POST /internal/tails", func(_ http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); string(body) != "of these" || err != nil {
			t.Errorf("it reads %q, %v", body, err)
		}
		did++
	})
	srv := serve(a)
	defer srv.Close()
	say := func(code, body string) int {
		t.Helper()
		req, err := http.NewRequest("POST", srv.URL+"/internal/tails", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(codeHeader, code)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	signed := func(body string) string {
		req, err := http.NewRequest("POST", srv.URL+"/internal/tails", nil)
		if err != nil {
			t.Fatal(err)
		}
		link(1).sign(req, []byte(body))
		return req.Header.Get(codeHeader)
	}
	code := signed("of these")
	if got := say(code, "of these"); got != 200 || did != 1 {
		t.Errorf("at first: %d", got)
	}
	if got := say(code, "of these"); got != 403 {
		t.Errorf("again: %d", got)
	}
	if got := say(signed("of these"), "of others"); got != 403 {
		t.Errorf("with another body: %d", got)
	}
	if got := say(signed("of these"), ""); got != 403 {
		t.Errorf("without its body: %d", got)
	}
	long := strings.Repeat("x", maxBody+1)
	if got := say(signed(long), long); got != 403 {
		t.Errorf("with too long a body: %d", got)
	}
	if did != 1 {
		t.Errorf("it was done %d times", did)
	}
}

func TestAWordIsTakenOnceWhileItIsGood(t *testing.T) {
	var o once
	now := time.Now()
	for i, tt := range []struct {
		after time.Duration
		taken bool
	}{{0, true}, {2*goodFor - 1, false}, {3*goodFor - 1, false}, {10 * goodFor, true}} {
		if err := o.take("x", now.Add(tt.after)); (err == nil) != tt.taken {
			t.Errorf("%d: %v", i, err)
		}
	}
	for i := range maxWords {
		if err := o.take(strconv.Itoa(i), now.Add(20*goodFor)); err != nil {
			t.Fatal(err)
		}
	}
	if o.take("one more", now.Add(20*goodFor)) == nil {
		t.Error("there is no bound")
	}
	if err := o.take("one more", now.Add(23*goodFor)); err != nil {
		t.Errorf("later: %v", err)
	}
}

// While a replica starts, who asks waits; what nobody answers then is not found.
func TestWhoStartsIsWaitedFor(t *testing.T) {
	srv := httptest.NewUnstartedServer(nil)
	l := New(srv.Listener.Addr().String(), bytes.Repeat([]byte{1}, 32), slog.New(slog.DiscardHandler))
	srv.Config.Handler = l
	srv.Start()
	t.Cleanup(srv.Close)
	t.Cleanup(func() { l.Close() })
	answers := make(chan string, 2)
	for _, path := range []string{"/handled", "/none"} {
		go func() {
			resp, err := l.Ask(t.Context(), srv.URL, http.MethodGet, path, nil)
			if err != nil {
				answers <- path + " " + err.Error()
				return
			}
			defer resp.Body.Close()
			b, _ := io.ReadAll(resp.Body)
			answers <- path + " " + string(b)
		}()
	}
	select {
	case got := <-answers:
		t.Errorf("before it is ready: %s", got)
	case <-time.After(100 * time.Millisecond):
	}
	l.Handle("GET /handled", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "yes") })
	l.Ready()
	got := []string{<-answers, <-answers}
	slices.Sort(got)
	if got[0] != "/handled yes" || !strings.Contains(got[1], "404") {
		t.Errorf("%q", got)
	}
}
