package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	gatewayclient "screentest/server/gateway"
	"screentest/server/sandbox"
	"screentest/server/store/storetest"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestAnswersOfTheSandbox(t *testing.T) {
	t.Parallel()
	d := newPlayground(t, serveConfig{})
	c := dial(t, d.url, wiretest.NewHTTP())
	for _, ep := range []gateway.Endpoint{gateway.Chat, gateway.Responses} {
		for _, tt := range []struct {
			prompt string
			state  wire.RunState
			code   string
			status int
			text   bool
		}{
			{"Say something [[pace: 2000]]", wire.Done, "", 0, true},
			{"[[markdown]] [[pace: 20000]]", wire.Done, "", 0, true},
			{"[[json]]", wire.Done, "", 0, true},
			{"[[no-usage]] [[pace: 2000]]", wire.Done, "", 0, true},
			{"[[incomplete]] [[pace: 2000]]", wire.Incomplete, "", 0, true},
			{"[[status: 401]]", wire.Failed, "bad_key", 401, false},
			{"[[status: 429]]", wire.Failed, "rate_limit_exceeded", 429, false},
			{"[[status: 429 empty]]", wire.Failed, "rate_limited", 429, false},
			{"[[status: 500]]", wire.Failed, "server_error", 500, false},
			{"[[status: 502]]", wire.Failed, "gateway_error", 502, false},
			{"[[status: 503 html]]", wire.Failed, "gateway_error", 503, false},
			{"[[drop]] [[pace: 2000]]", wire.Failed, "gateway_dropped", 0, true},
			{"[[truncate]] [[pace: 2000]]", wire.Failed, "gateway_truncated", 0, true},
			{"[[fail: out of ideas]] [[pace: 2000]]", wire.Failed, "*", 0, true},
			{"[[error]] [[pace: 2000]]", wire.Failed, "*", 0, true},
		} {
			t.Run(string(ep)+" "+tt.prompt, func(t *testing.T) {
				s := turn(ep, tt.prompt)
				play(t, c, s)
				r, m := end(t, c, s)
				if r.State != tt.state {
					t.Errorf("ended %s: %v", r.State, r.Problem)
				}
				switch p := r.Problem; {
				case tt.code == "" && p != nil && tt.state == wire.Done:
					t.Errorf("a problem: %v", p)
				case tt.code == "":
				case p == nil || p.Message == "" || p.Status != tt.status:
					t.Errorf("the problem is %+v", p)
				case tt.code != "*" && p.Code != tt.code:
					t.Errorf("the problem is %q: %s", p.Code, p.Message)
				}
				if (m.Text != "") != tt.text {
					t.Errorf("the text is %q", m.Text)
				}
				if m.Run.State != r.State || m.Run.CostNanoUSD != r.CostNanoUSD {
					t.Errorf("told %+v, stored %+v", r, m.Run)
				}
				if estimated := strings.Contains(tt.prompt, "no-usage"); tt.state == wire.Done && (r.CostSource == "estimated") != estimated {
					t.Errorf("the cost is %s", r.CostSource)
				}
			})
		}
	}
}

// A page whose name was pointed at this machine is told nothing, not by the
// sandbox either: its key is no secret here.
func TestTheSandboxInsideAnswersToThisMachineOnly(t *testing.T) {
	d := newPlayground(t, serveConfig{})
	for host, want := range map[string]int{
		"": http.StatusOK, "localhost:9": http.StatusOK, "[::1]:9": http.StatusOK,
		"evil.example": http.StatusMisdirectedRequest, "127.0.0.1.evil.example": http.StatusMisdirectedRequest, "192.0.2.7": http.StatusMisdirectedRequest,
	} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", d.gateways.Now().Base.String()+"/sandbox/account", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.Header.Set("Authorization", "Bearer "+sandbox.DefaultKey)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("Host %q: %s, want %d", host, res.Status, want)
		}
	}
}

func TestStopKeepsTheText(t *testing.T) {
	d := newPlayground(t, serveConfig{})
	c := dial(t, d.url, wiretest.NewHTTP())
	s := turn(gateway.Chat, "[[repeat: 100000]] [[pace: 500]]")
	play(t, c, s)
	if _, err := c.Log(t.Context(), s.Run, func(l wiretest.Log) bool { return len(l.Bytes) > 2000 }); err != nil {
		t.Fatal(err)
	}
	if err := c.Call(t.Context(), wire.OpStop, wire.Target{ID: s.Run}, nil); err != nil {
		t.Fatal(err)
	}
	r, m := end(t, c, s)
	if r.State != wire.Stopped || m.Text == "" || r.CostSource != "estimated" {
		t.Errorf("ended %+v with %q", r, m.Text)
	}
	// A second time, and long after, it is no error.
	if err := c.Call(t.Context(), wire.OpStop, wire.Target{ID: s.Run}, nil); err != nil {
		t.Error(err)
	}
}

func TestGatewaysThatMisbehave(t *testing.T) {
	t.Parallel()
	quick := gatewayclient.Options{HeaderTimeout: 300 * time.Millisecond, SilenceTimeout: 300 * time.Millisecond}
	events := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text)
		w.(http.Flusher).Flush()
	}
	const half = "data: {\"choices\":[{\"delta\":{\"content\":\"Half\"}}]}\n\n"
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		code   string
		text   string
	}{
		{"nothing at all", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "gateway_silent", ""},
		{"silence after half", func(w http.ResponseWriter, r *http.Request) { events(w, half); <-r.Context().Done() }, "gateway_silent", "Half"},
		{"a login page", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>Sign in</title>")
		}, "gateway_html", ""},
		{"a redirect elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/", http.StatusTemporaryRedirect)
		}, "gateway_redirect", ""},
		{"an empty reply", func(w http.ResponseWriter, r *http.Request) { events(w, "") }, "gateway_empty", ""},
		{"the key in an error", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s"}}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		}, "bad_key", ""},
		{"the key in the stream", func(w http.ResponseWriter, r *http.Request) {
			events(w, half+"data: {\"error\":{\"message\":\"bad key "+canary+"\",\"code\":\"oops\"}}\n\n")
		}, "oops", "Half"},
		{"gone", nil, "gateway_unreachable", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := "http://127.0.0.1:1"
			if tt.answer != nil {
				url = outside(t, tt.answer)
			}
			dir := storetest.Folder(t)
			d := newPlayground(t, serveConfig{gateway: url, data: dir, timeouts: quick})
			c := dial(t, d.url, wiretest.NewHTTP())
			setKey(t, c, canary)
			s := turn(gateway.Chat, "Hello")
			s.Body = json.RawMessage(`{"model":"vendor/model-a","messages":[{"role":"user","content":"Hello"}],"stream":true}`)
			play(t, c, s)
			r, m := end(t, c, s)
			if r.State != wire.Failed || r.Problem == nil || r.Problem.Code != tt.code || r.Problem.Message == "" {
				t.Errorf("ended %s: %+v", r.State, r.Problem)
			}
			if m.Text != tt.text {
				t.Errorf("the text is %q", m.Text)
			}
			noCanary(t, d, dir, c.Raw())
		})
	}
}
