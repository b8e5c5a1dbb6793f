package peer

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"screentest/shared/wire"
)

func link(key byte) *Link {
	return New(bytes.Repeat([]byte{key}, 32), slog.New(slog.DiscardHandler))
}

func TestOnlyWhoHasTheKeyIsAnswered(t *testing.T) {
	a := link(1)
	a.Handle("GET /internal/run/{id}", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.PathValue("id")+" from "+r.URL.Query().Get("from"))
	})
	srv := httptest.NewServer(a)
	defer srv.Close()

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
	srv := httptest.NewServer(a)
	defer srv.Close()
	b := link(1)
	defer b.Close()

	resp, err := b.Ask(t.Context(), srv.URL, "POST", "/internal/stop", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if string(text) != "stopped x" {
		t.Errorf("answered %q", text)
	}
	_, err = b.Ask(t.Context(), srv.URL, "POST", "/internal/stop", strings.NewReader("unknown"))
	var p *wire.Problem
	if !errors.As(err, &p) || p.Code != "run_not_found" {
		t.Errorf("the problem came as %v", err)
	}
	if _, err = b.Ask(t.Context(), srv.URL, "POST", "/internal/stop", strings.NewReader("broken")); err == nil || strings.Contains(err.Error(), "for the log") {
		t.Errorf("the error came as %v", err)
	}
	srv.Close()
	if _, err = b.Ask(t.Context(), srv.URL, "POST", "/internal/stop", nil); err == nil {
		t.Error("one that isn't there answered")
	}
}
