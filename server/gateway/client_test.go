package gateway

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/reply"
)

func TestParseBase(t *testing.T) {
	for in, want := range map[string]string{
		"https://gw.test":                "https://gw.test",
		"https://gw.test/":               "https://gw.test",
		" http://localhost:8080// ":      "http://localhost:8080",
		"https://gw.test/api/gw":         "https://gw.test/api/gw",
		"https://gw.test/api/gw/":        "https://gw.test/api/gw",
		"https://gw.test/v1":             "https://gw.test",
		"https://gw.test/api/v1/":        "https://gw.test/api",
		"https://gw.test/apiv1":          "https://gw.test/apiv1",
		"https://gw.test/a%2Fb/v1":       "https://gw.test/a%2Fb",
		"https://gw.test/gr%C3%BCn/":     "https://gw.test/gr%C3%BCn",
		"http://[::1]:9090":              "http://[::1]:9090",
		"":                               "",
		"gw.test":                        "",
		"ftp://gw.test":                  "",
		"http://":                        "",
		"http:///v1":                     "",
		"http://user:secret@gw.test":     "",
		"http://gw.test/?key=secret":     "",
		"http://gw.test/#x":              "",
		"http://gw.test:port":            "",
		"http://user:secret@gw.test:bad": "",
	} {
		u, err := ParseBase(in)
		got := ""
		if err == nil {
			got = u.String()
		}
		if got != want {
			t.Errorf("F1 ParseBase(%q) = %q, %v, want %q", in, got, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells what was in the address: %v", err)
		}
	}
}

func TestCheckKey(t *testing.T) {
	for key, ok := range map[string]bool{
		"sandbox": true, testKey: true, "": false, "a\nb": false, "a\r": false, "a b": false, "schlüssel": false, "a\x00": false, strings.Repeat("k", 5000): false,
	} {
		p := checkKey(key)
		if (p == nil) != ok {
			t.Errorf("F159 checkKey(%q) = %v, want ok %v", key, p, ok)
		}
		if p != nil && (p.Field != "key" || p.Hint == "" || reply.KindOf(p) != reply.Key) {
			t.Errorf("F159 %+v", p)
		}
	}
}

func TestBadKeyIsNotSent(t *testing.T) {
	p := newPeer(t, func(http.ResponseWriter, *http.Request) {})
	c := newClient(t, p.URL, Options{})
	for _, key := range []string{"", "a\r\nX-Other: b"} {
		_, err := c.Stream(t.Context(), key, gateway.Chat, []byte(testBody))
		if got := problem(t, err); got.Code != reply.CodeInvalidKey || !certain(t, err) {
			t.Errorf("F159 %q: %v", key, err)
		}
		_, err = c.Task(t.Context(), key, "task_1")
		if got := problem(t, err); got.Code != reply.CodeInvalidKey {
			t.Errorf("F160 %q: %v", key, err)
		}
	}
	if n := len(p.requests()); n > 0 {
		t.Errorf("F159 %d requests went out", n)
	}
}

// What a reply says of the key is passed on: a 401 refuses it, a success takes
// it, and anything else leaves it open.
func TestRepliesJudgeTheKey(t *testing.T) {
	status := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{}`)
	}))
	defer server.Close()
	var judged []string
	c, err := New(server.URL, Options{Judged: func(key string, refused bool) { judged = append(judged, fmt.Sprint(key, " ", refused)) }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, status = range []int{200, 401, 403, 429, 500} {
		if r, err := c.Stream(t.Context(), "sk-1", gateway.Chat, []byte(`{}`)); err == nil {
			r.Body.Close()
		}
	}
	if got := strings.Join(judged, ", "); got != "sk-1 false, sk-1 true" {
		t.Errorf("judged: %s", got)
	}
}
