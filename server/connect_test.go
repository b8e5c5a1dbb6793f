package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"screentest/server/store/storetest"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// asks asks one of the addresses of the gateway's connection.
func (d *playground) asks(h *http.Client, method, path string, in any) (found wire.GatewayFound, p *wire.Problem) {
	d.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		d.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(d.t.Context(), method, d.url+path, strings.NewReader(string(body)))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", d.url)
	res, err := h.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	if strings.Contains(string(answer), canary) {
		d.t.Errorf("the key is told: %s", answer)
	}
	if res.StatusCode != http.StatusOK {
		p = &wire.Problem{}
		if err := json.Unmarshal(answer, p); err != nil {
			d.t.Fatalf("%s: %s", res.Status, answer)
		}
		return found, p
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		d.t.Fatal(err)
	}
	return found, nil
}

// greetedWith waits for a greeting with such a gateway.
func greetedWith(t *testing.T, c *wiretest.Client, so func(g wire.Gateway) bool) wire.Gateway {
	t.Helper()
	var last wire.Gateway
	eventually(t, func() bool {
		for _, p := range c.Pushes() {
			var h wire.Hello
			if p.Event == wire.EventHello && json.Unmarshal(p.Data, &h) == nil {
				last = h.Gateway
			}
		}
		return so(last)
	}, func() string { return "greeted with another gateway" })
	return last
}

// spy is a gateway that notes the keys which come to it.
type spy struct {
	http.Handler
	mu   sync.Mutex
	keys map[string]bool
}

func (s *spy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.keys[r.Header.Get("Authorization")] = true
	s.mu.Unlock()
	s.Handler.ServeHTTP(w, r)
}

func (s *spy) got(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys["Bearer "+key]
}

// What is typed is tested; a gateway that answers is connected for all tabs and
// survives a restart, and the key goes to its origin and no other.
func TestAGatewayIsConnected(t *testing.T) {
	t.Parallel()
	dir := storetest.Folder(t)
	address := outside(t, nil)
	d := newPlayground(t, serveConfig{data: dir})
	h := wiretest.NewHTTP()
	first, second := dial(t, d.url, h), dial(t, d.url, h)
	greetedWith(t, second, func(g wire.Gateway) bool { return g.Sandbox })

	for name, c := range map[string]struct{ at, key, code string }{
		"nothing typed": {"", "", "invalid_request"},
		"no address":    {"ftp://x", "", "invalid_request"},
		"a password":    {"http://a:" + canary + "@x", "", "invalid_request"},
		"a bad key":     {address, "a b", "invalid_key"},
	} {
		if _, p := d.asks(h, "POST", wire.GatewayTestPath, wire.GatewayAt{Address: c.at, Key: c.key}); p == nil || p.Code != c.code {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if found, p := d.asks(h, "POST", wire.GatewayTestPath, wire.GatewayAt{Address: address + "/v1", Key: canary}); p != nil || !found.OK || found.Connected || found.Key != wire.KeyAccepted || found.Address != address {
		t.Errorf("test: %+v, %v", found, p)
	}
	if found, p := d.asks(h, "PUT", wire.GatewayPath, wire.GatewayAt{Address: address, Key: "sk-wrong-0123456789"}); p != nil || found.OK || found.Connected {
		t.Errorf("a wrong key: %+v, %v", found, p)
	}
	if !d.sandboxed() {
		t.Fatal("a gateway that refuses the key was connected")
	}
	found, p := d.asks(h, "PUT", wire.GatewayPath, wire.GatewayAt{Address: address, Key: canary})
	if p != nil || !found.Connected {
		t.Fatalf("%+v, %v", found, p)
	}
	for _, c := range []*wiretest.Client{first, second} {
		greetedWith(t, c, func(g wire.Gateway) bool {
			return !g.Sandbox && g.BaseURL == address && g.HasKey && g.KeyLast4 == canary[len(canary)-4:] && g.Met && !g.StreamOptions
		})
	}
	sent := func(c *wiretest.Client, text string) wire.Run {
		s := turn(gateway.Responses, text)
		play(t, c, s)
		r, _ := end(t, c, s)
		return r
	}
	if r := sent(first, "hello"); r.State != wire.Done {
		t.Errorf("%+v", r.Problem)
	}

	// Another gateway never gets the key of this one.
	other := &spy{http.NotFoundHandler(), sync.Mutex{}, map[string]bool{}}
	elsewhere := outside(t, other)
	if _, p := d.asks(h, "POST", wire.GatewayTestPath, wire.GatewayAt{Address: elsewhere}); p != nil {
		t.Error(p)
	}
	other.Handler = likeLocal()
	if found, p := d.asks(h, "PUT", wire.GatewayPath, wire.GatewayAt{Address: elsewhere}); p != nil || !found.Connected || found.Key != wire.KeyNotAsked {
		t.Fatalf("%+v, %v", found, p)
	}
	greetedWith(t, second, func(g wire.Gateway) bool { return g.Keyless && g.HasKey && g.BaseURL == elsewhere })
	if r := sent(second, "keyless"); r.State != wire.Done {
		t.Errorf("without a key: %+v", r.Problem)
	}
	if other.got(canary) || other.got(gateway.NoKey) {
		t.Errorf("it got %v", other.keys)
	}
	if err := first.SetKey(t.Context(), canary); err == nil {
		t.Error("a key was taken for a gateway that asks for none")
	}

	// Back at the first one its key is held still, after a restart too.
	if found, p := d.asks(h, "PUT", wire.GatewayPath, wire.GatewayAt{Address: address}); p != nil || !found.Connected || found.Key != wire.KeyAccepted {
		t.Fatalf("%+v, %v", found, p)
	}
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	again := newPlayground(t, serveConfig{data: dir})
	if again.sandboxed() || again.gateways.Now().Name != address {
		t.Errorf("after a restart it is %s", again.gatewayName())
	}
	if _, p := again.asks(wiretest.NewHTTP(), "DELETE", wire.GatewayPath, nil); p != nil || !again.sandboxed() {
		t.Errorf("back to the sandbox: %v", p)
	}
}

// likeLocal asks for no key, and answers all.
func likeLocal() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("POST /v1/responses", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if string(body) == "{}" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"model is required"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"object":"response","status":"completed","model":"m","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}],"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}`)
	})
	return m
}

// What is under way stays where it began: an answer is written to its end, and the
// sandbox's clip is made and kept, while another gateway is connected.
func TestWhatIsUnderWayStaysAtItsGateway(t *testing.T) {
	t.Parallel()
	address := outside(t, nil)
	d := newPlayground(t, serveConfig{})
	h := wiretest.NewHTTP()
	c := dial(t, d.url, h)
	s, clip := turn(gateway.Chat, "[[repeat: 150]] on and on"), clipRequest("a clip of the sandbox")
	play(t, c, s)
	if err := c.Call(t.Context(), wire.OpVideoCreate, clip, nil); err != nil {
		t.Fatal(err)
	}
	awaitTask(t, c, clip.ID, "taken", func(v wire.VideoTask) bool { return v.Remote != "" })
	found, p := d.asks(h, "PUT", wire.GatewayPath, wire.GatewayAt{Address: address, Key: canary})
	if p != nil || !found.Connected {
		t.Fatalf("%+v, %v", found, p)
	}
	if r, m := end(t, c, s); r.State != wire.Done || m.Text == "" {
		t.Errorf("the answer under way: %+v", r)
	}
	awaitTask(t, c, clip.ID, "saved", saved)
	next := clipRequest("a clip of the other")
	if err := c.Call(t.Context(), wire.OpVideoCreate, next, nil); err != nil {
		t.Fatal(err)
	}
	if made, err := d.store.Videos().Task(t.Context(), d.people.Owner, next.ID); err != nil || made.Gateway != address {
		t.Errorf("%s, %v", made.Gateway, err)
	}
}

// With -gateway the address stays, and can be tested.
func TestAFixedGatewayStays(t *testing.T) {
	t.Parallel()
	address := outside(t, nil)
	d := newPlayground(t, serveConfig{gateway: address})
	c := dial(t, d.url, wiretest.NewHTTP())
	setKey(t, c, canary)
	if g := greetedWith(t, c, func(g wire.Gateway) bool { return g.HasKey }); !g.Fixed {
		t.Errorf("%+v", g)
	}
	if found, p := d.asks(c.HTTP, "POST", wire.GatewayTestPath, wire.GatewayAt{Address: address}); p != nil || found.Key != wire.KeyAccepted {
		t.Errorf("%+v, %v", found, p)
	}
	greetedWith(t, c, func(g wire.Gateway) bool { return g.Met })
	for _, method := range []string{"PUT", "DELETE"} {
		if _, p := d.asks(c.HTTP, method, wire.GatewayPath, wire.GatewayAt{Address: "http://127.0.0.1:1"}); p == nil || p.Code != "gateway_fixed" {
			t.Errorf("%s: %+v", method, p)
		}
	}
}

// A gateway of -gateway that asks for no key is used without one, after a restart
// too.
func TestAFixedGatewayWithoutAKey(t *testing.T) {
	t.Parallel()
	c := serveConfig{gateway: outside(t, likeLocal()), data: storetest.Folder(t)}
	d := newPlayground(t, c)
	h := wiretest.NewHTTP()
	tab := dial(t, d.url, h)
	greetedWith(t, tab, func(g wire.Gateway) bool { return g.Fixed && !g.HasKey })
	if found, p := d.asks(h, "PUT", wire.GatewayPath, wire.GatewayAt{Address: c.gateway}); p != nil || !found.Connected {
		t.Fatalf("%+v, %v", found, p)
	}
	greetedWith(t, tab, func(g wire.Gateway) bool { return g.Keyless && g.HasKey && g.Met })
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	d = newPlayground(t, c)
	tab = dial(t, d.url, h)
	s := turn(gateway.Responses, "keyless")
	play(t, tab, s)
	if r, _ := end(t, tab, s); r.State != wire.Done {
		t.Errorf("%+v", r.Problem)
	}
}

// In a team an admin connects the gateway and gives a team its key; a key of before
// is not sent to it.
func TestAnAdminConnectsTheTeamsGateway(t *testing.T) {
	t.Parallel()
	w := newInstance(t, serveConfig{})
	address := outside(t, nil)
	in := wire.GatewayAt{Address: address, Key: canary, Team: w.red}
	if _, p := w.asks(w.member.http, "PUT", wire.GatewayPath, in); p == nil || p.Code != wire.CodeNotAllowed {
		t.Errorf("by a member: %+v", p)
	}
	found, p := w.asks(w.admin.http, "PUT", wire.GatewayPath, in)
	if p != nil || !found.Connected {
		t.Fatalf("%+v, %v", found, p)
	}
	greetedWith(t, w.member.tab, func(g wire.Gateway) bool { return g.BaseURL == address && g.HasKey })
	s := turn(gateway.Responses, "for the team")
	s.Charge = w.red
	play(t, w.member.tab, s)
	if r, _ := end(t, w.member.tab, s); r.State != wire.Done || r.Team != w.red {
		t.Errorf("%+v", r)
	}
	other := &spy{likeGuarded(), sync.Mutex{}, map[string]bool{}}
	if found, p := w.asks(w.admin.http, "PUT", wire.GatewayPath, wire.GatewayAt{Address: outside(t, other), Team: w.red}); p != nil || !found.Connected || found.Key != wire.KeyWanted {
		t.Fatalf("%+v, %v", found, p)
	}
	greetedWith(t, w.member.tab, func(g wire.Gateway) bool { return g.BaseURL != address && !g.HasKey })
	s = turn(gateway.Responses, "nobody pays")
	if err := w.member.tab.Call(t.Context(), wire.OpStart, s, nil); err == nil {
		t.Error("it was sent without a key")
	}
	if other.got(canary) {
		t.Error("the key of another gateway was sent")
	}
}

// likeGuarded refuses every request.
func likeGuarded() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"message":"no key"}}`)
	})
}
