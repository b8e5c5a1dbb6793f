package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// A gateway that goes wrong in any way gives a message that a person can act
// on, in the lane, and never an eternal spinner; what had come stays.
func TestGatewayGoesWrong(t *testing.T) {
	t.Parallel()
	gateway := newBadGateway(t)
	w := newWorld(t, gateway.URL)
	p := w.keyed("/")
	for _, c := range []struct {
		prompt string
		keeps  string   // of the answer's text
		says   []string // any one of them, in lower case
	}{
		{prompt: "unauthorized", says: []string{"key"}},
		{prompt: "limited", says: []string{"17 s", "17 sec", "limit"}},
		{prompt: "broken", says: []string{"500", "gateway"}},
		{prompt: "page", says: []string{"html", "web page"}},
		{prompt: "bad gateway", says: []string{"502"}},
		{prompt: "empty", says: []string{"empty", "no answer", "nothing", "ended"}},
		{prompt: "hang up", says: []string{"connection", "closed", "broke"}},
		{prompt: "stop", keeps: "Hello", says: []string{"connection", "broke", "cut", "ended"}},
		{prompt: "end early", keeps: "Hello", says: []string{"before its end"}},
	} {
		t.Run(c.prompt, func(t *testing.T) {
			w.t = t
			p.send(c.prompt)
			if state := p.settled(); state == "done" {
				t.Fatalf("it is shown as done: %s", p.state())
			}
			message := p.text(last + `.querySelector(".problem").innerText`)
			if !containsAny(strings.ToLower(message), c.says) {
				t.Errorf("the message names none of %q:\n%s", c.says, message)
			}
			if strings.Contains(message, sandboxKey) {
				t.Errorf("the message shows the key:\n%s", message)
			}
			if got := p.body(); got != c.keeps {
				t.Errorf("text %q, want %q", got, c.keeps)
			}
			if p.has(`.message[data-role="assistant"] script`) {
				t.Error("the gateway's markup was put into the page")
			}
			if n := gateway.count(c.prompt); n != 1 {
				t.Errorf("the gateway was asked %d times: a send is never repeated by itself", n)
			}
		})
	}
	w.t = t
	p.send("and now well")
	if state := p.settled(); state != "done" || p.body() != letters("Hello world.") {
		t.Errorf("the conversation does not go on after faults: %q, %q", state, p.body())
	}
}

// A gateway that falls silent is waited for; the person can stop it at any
// time and keeps what has come.
func TestStopASilentGateway(t *testing.T) {
	t.Parallel()
	gateway := newBadGateway(t)
	w := newWorld(t, gateway.URL)
	p := w.keyed("/")
	for n, stop := range []func(){
		func() { p.click(stopButton) },
		func() { p.keys("\x1b") },
	} {
		p.send("hang")
		p.grown(len("Hello"))
		stop()
		if state := p.settled(); state != "stopped" {
			t.Errorf("stop %d: state %q: %s", n, state, p.state())
		}
		if got := p.body(); got != "Hello" {
			t.Errorf("stop %d: text %q", n, got)
		}
	}
}

// The server is not there when a prompt is sent: the page says so, and sends it
// when the server is back, once.
func TestSendWhileTheServerIsAway(t *testing.T) {
	t.Parallel()
	gateway := newBadGateway(t)
	w := newWorld(t, gateway.URL)
	w.allow = append(w.allow, away...)
	p := w.keyed("/")
	p.send("first")
	p.settled()
	if err := w.server.Stop(); err != nil {
		t.Fatal(err)
	}
	p.wait(`document.querySelector("#link").textContent.trim() !== ""`)
	p.send("second")
	w.restart()
	p.must(p.tab.Eval(nil, `window.dispatchEvent(new Event("online"))`)) // dials at once: a send is given up after 25 s
	if state := p.settled(); state != "done" || p.body() != letters("Hello world.") {
		t.Errorf("state %q, text %q", state, p.body())
	}
	if n := gateway.count("second"); n != 1 {
		t.Errorf("the gateway was asked %d times, want once", n)
	}
}

// Sent while the server is away, and the page loaded anew before it is back:
// the message is in the composer again.
func TestUnsentMessageOutlivesTheTab(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.allow = append(append(w.allow, away...), "404")
	p := w.tab("/")
	if err := w.server.Stop(); err != nil {
		t.Fatal(err)
	}
	p.wait(`document.querySelector("#link").textContent.trim() !== ""`)
	p.send("[[repeat: 20]] into the void")
	p.wait(last + `.querySelector(".state-name").textContent.includes("sending")`)
	at := p.path()
	p.must(p.tab.Open("about:blank"))
	w.restart()
	p.open(at)
	p.wait(`document.querySelector("#notice")?.textContent.includes("message field of a new conversation")`)
	p.click(`.empty.page a[href="/"]`)
	p.wait(`document.querySelector("#composer").value === "[[repeat: 20]] into the void"`)
	p.click("#send")
	if state := p.settled(); state != "done" {
		t.Errorf("state %q", state)
	}
	p.reload()
	p.wait(`document.querySelectorAll(".message").length === 2 && document.querySelector("#composer").value === ""`)
}

func containsAny(s string, any []string) bool {
	for _, a := range any {
		if strings.Contains(s, a) {
			return true
		}
	}
	return false
}

func (p *page) has(selector string) bool {
	p.w.t.Helper()
	var ok bool
	p.must(p.tab.Eval(&ok, fmt.Sprintf("!!document.querySelector(%q)", selector)))
	return ok
}
