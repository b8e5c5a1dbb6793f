package bff_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"screentest/server/bff"
	"screentest/server/store/storetest"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

func mustParse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func hello(t *testing.T, c *wiretest.Client, matches func(wire.Gateway) bool) wire.Hello {
	t.Helper()
	h, err := wiretest.News(t.Context(), c, wire.EventHello, func(h wire.Hello) bool { return matches(h.Gateway) })
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestKeyIsEnteredReplacedAndForgotten(t *testing.T) {
	w := newWorld(t, nil)
	c := w.dial()
	if h := hello(t, c, func(wire.Gateway) bool { return true }); h.Gateway.HasKey || h.Build != w.page.Build() || h.FlushMS != 20 || len(h.Catalogue) == 0 {
		t.Errorf("greeted with %+v", h)
	}
	err := c.Call(t.Context(), wire.OpStart, turn(), nil)
	if p, ok := err.(*wire.Problem); !ok || p.Code != "key_missing" {
		t.Errorf("a start without a key: %v", err)
	}

	w.key(c, canary)
	hello(t, c, func(g wire.Gateway) bool { return g.HasKey && g.KeyLast4 == canary[len(canary)-4:] })
	keys := make(chan string, 1)
	w.stream = func(pw *io.PipeWriter, key string, body []byte) { keys <- key; words(pw, key, body) }
	w.start(c, turn())
	if key := <-keys; key != canary {
		t.Errorf("called with %q", key)
	}

	second := w.tab(c.HTTP) // another tab of the browser
	w.key(c, "sk-other-0123456789")
	hello(t, c, func(g wire.Gateway) bool { return g.KeyLast4 == "6789" })
	hello(t, second, func(g wire.Gateway) bool { return g.KeyLast4 == "6789" })
	w.start(second, turn())
	if key := <-keys; key != "sk-other-0123456789" {
		t.Errorf("called with %q", key)
	}

	stranger := w.dial() // another browser has no key
	if h := hello(t, stranger, func(wire.Gateway) bool { return true }); h.Gateway.HasKey {
		t.Errorf("greeted with %+v", h.Gateway)
	}

	if res := w.do(c.HTTP, "DELETE", "/api/key", "", "Origin", w.url); res.StatusCode != http.StatusNoContent {
		t.Errorf("DELETE: %s", res.Status)
	}
	hello(t, second, func(g wire.Gateway) bool { return !g.HasKey })
}

func TestKeysThatCannotBe(t *testing.T) {
	w := newWorld(t, nil)
	for name, tt := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"empty":                   {`{"key":""}`, 400, "invalid_key"},
		"missing":                 {`{}`, 400, "invalid_key"},
		"with a line end":         {`{"key":"sk-0123\nX: y"}`, 400, "invalid_key"},
		"with a space":            {`{"key":"sk 0123"}`, 400, "invalid_key"},
		"not ASCII":               {`{"key":"sk-ключ"}`, 400, "invalid_key"},
		"too long":                {`{"key":"` + strings.Repeat("k", 2000) + `"}`, 400, "invalid_key"},
		"no JSON":                 {`key=sk`, 400, "invalid_request"},
		"a body beyond the limit": {`{"key":"` + strings.Repeat("k", 20000) + `"}`, 413, "body_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			res := w.do(nil, "POST", "/api/key", tt.body, "Content-Type", "application/json", "Origin", w.url)
			if res.StatusCode != tt.status || !strings.Contains(res.body, `"code":"`+tt.code+`"`) {
				t.Errorf("%s: %s", res.Status, res.body)
			}
			if len(res.Cookies()) > 0 {
				t.Error("a session was made")
			}
		})
	}
}

func TestSandboxKeyIsThereAndStays(t *testing.T) {
	w := keyed(t, func(c *bff.Config) { c.Gateway = func() wire.Gateway { return wire.Gateway{Sandbox: true} } })
	c := w.dial()
	if h := hello(t, c, func(wire.Gateway) bool { return true }); !h.Gateway.HasKey || !h.Gateway.Sandbox {
		t.Errorf("greeted with %+v", h.Gateway)
	}
	res := w.do(c.HTTP, "POST", "/api/key", `{"key":"sk-0123456789ab"}`, "Content-Type", "application/json", "Origin", w.url)
	if res.StatusCode != 409 || !strings.Contains(res.body, "sandbox_key") {
		t.Errorf("%s: %s", res.Status, res.body)
	}
}

func TestCookieCarriesOnlyAnIdAndIsRenewedWithTheKey(t *testing.T) {
	for _, tt := range []struct {
		name   string
		public string
		cookie string
		secure bool
	}{
		{"on loopback", "", "screentest-", false},
		{"behind https", "https://play.example.com", "__Host-screentest", true},
		{"behind http", "http://play.example.com", "screentest-", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var passed atomic.Int64
			w := newWorld(t, func(c *bff.Config) {
				c.Now = func() time.Time { return time.Now().Add(time.Duration(passed.Load())) }
				if tt.public != "" {
					c.PublicURL = mustParse(t, tt.public)
				}
			})
			set := func(cookie *http.Cookie, key string) *http.Cookie {
				t.Helper()
				headers := []string{"Content-Type", "application/json", "Sec-Fetch-Site", "same-origin"}
				if cookie != nil {
					headers = append(headers, "Cookie", cookie.Name+"="+cookie.Value)
				}
				res := w.do(nil, "POST", "/api/key", `{"key":"`+key+`"}`, headers...)
				if res.StatusCode != 204 || len(res.Cookies()) != 1 {
					t.Fatalf("%s, cookies %v", res.Status, res.Cookies())
				}
				return res.Cookies()[0]
			}
			c := set(nil, canary)
			if !strings.HasPrefix(c.Name, tt.cookie) || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure != tt.secure || c.Path != "/" || c.Domain != "" {
				t.Errorf("the cookie is %+v", c)
			}
			if strings.Contains(c.Value, canary) || len(c.Value) > 300 {
				t.Errorf("the cookie holds %q", c.Value)
			}
			old := c
			if c = set(old, "sk-second-0123456789"); c.Value == old.Value {
				t.Error("the same id after a new key")
			}
			// What the old id stood for is gone.
			if _, _, err := w.db.LoadSession(t.Context(), "anything"); err == nil {
				t.Error("a session nobody made")
			}
			forged := *c
			forged.Value = c.Value[:len(c.Value)-4] + "AAAA"
			browser := func(cookie *http.Cookie) *http.Client {
				h := wiretest.NewHTTP()
				h.Jar.SetCookies(mustParse(t, w.url), []*http.Cookie{{Name: cookie.Name, Value: cookie.Value, Path: "/"}})
				return h
			}
			// A browser that comes with it has not heard of the new one yet.
			_, res, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.url, "http")+wire.Path, &websocket.DialOptions{HTTPClient: browser(old)})
			if err == nil || res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
				t.Errorf("a socket with the old cookie gets %v, %v", res, err)
			}
			passed.Store(int64(time.Minute))
			for name, cookie := range map[string]*http.Cookie{"old": old, "forged": &forged} {
				if got := hello(t, w.tab(browser(cookie)), func(wire.Gateway) bool { return true }); got.Gateway.HasKey {
					t.Errorf("the %s cookie still has a key", name)
				}
			}
		})
	}
}

// The key goes to the gateway and nowhere else.
func TestKeyIsSeenNowhere(t *testing.T) {
	w := newWorld(t, nil)
	c := w.dial()
	var pages bytes.Buffer
	set := w.do(c.HTTP, "POST", "/api/key", `{"key":"`+canary+`"}`, "Content-Type", "application/json", "Origin", w.url)
	fmt.Fprint(&pages, set.Header, set.body)
	got := make(chan string, 4)
	w.stream = func(pw *io.PipeWriter, key string, body []byte) { got <- key; words(pw, key, body) }
	s := turn()
	w.start(c, s)
	if <-got != canary {
		t.Fatal("the gateway does not get the key")
	}
	if _, err := c.RunEnd(t.Context(), s.Run); err != nil {
		t.Fatal(err)
	}
	for _, op := range []wire.Op{wire.OpConversations, wire.OpOpen} {
		if err := c.Call(t.Context(), op, wire.Page{Conversation: s.Conversation}, nil); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.Call(t.Context(), wire.OpStart, wire.Start{Run: "broken"}, nil)
	_ = c.Call(t.Context(), "no such call", nil, nil)
	for _, path := range []string{"/", "/settings", "/c/" + s.Conversation, "/app.js", "/api/key", "/nowhere"} {
		res := w.do(c.HTTP, "GET", path, "")
		fmt.Fprint(&pages, res.Header, res.body)
	}
	hello(t, c, func(g wire.Gateway) bool { return g.HasKey })

	for name, where := range map[string]string{"the frames": string(c.Raw()), "the pages": pages.String(), "the log": w.log.String()} {
		if strings.Contains(where, canary) || strings.Contains(where, canary[:len(canary)-4]) {
			t.Errorf("the key is in %s", name)
		}
	}
	if !bytes.Contains(c.Raw(), []byte(canary[len(canary)-4:])) {
		t.Error("its last four characters are not shown")
	}
	if found := storetest.FilesWith(t, w.dir, canary); len(found) > 0 {
		t.Errorf("the key is in %q", found)
	}
}

// A key that the gateway refuses is said to be so in every tab that has it, in
// one that is opened later too, until the gateway takes it.
func TestARefusedKeyIsToldUntilItIsTaken(t *testing.T) {
	w := newWorld(t, nil)
	c := w.dial()
	w.key(c, canary)
	hello(t, c, func(g wire.Gateway) bool { return g.HasKey && !g.KeyRefused })
	w.people.KeyJudged("", "sk-of-somebody-else", true)
	w.people.KeyJudged("", canary, true)
	hello(t, c, func(g wire.Gateway) bool { return g.KeyRefused })
	second := w.tab(c.HTTP)
	hello(t, second, func(g wire.Gateway) bool { return g.KeyRefused })

	w.key(c, "sk-other-0123456789")
	hello(t, c, func(g wire.Gateway) bool { return g.KeyLast4 == "6789" && !g.KeyRefused })
	w.key(c, canary) // the same again is still refused
	hello(t, c, func(g wire.Gateway) bool { return g.KeyRefused })
	w.people.KeyJudged("", canary, false)
	for _, tab := range []*wiretest.Client{c, second} {
		hello(t, tab, func(g wire.Gateway) bool { return g.KeyLast4 == canary[len(canary)-4:] && !g.KeyRefused })
	}
}
