package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// hostile are answers that want more than to be read. None of them may do
// anything: no script, no request, no address but http and https, nothing
// outside of its own message.
var hostile = []struct{ name, text string }{
	{"script elements", "Hello <script>window.pwned = 1</script>\n\n<script>window.pwned = 1</script>\n\n<SCRIPT SRC=/web/x.js></SCRIPT> end"},
	{"handlers", "<img src=x onerror=\"window.pwned = 1\">\n\n<svg onload=\"window.pwned=1\"><a href=\"javascript:window.pwned=1\">x</a></svg>\n\n<details open ontoggle=\"window.pwned=1\">x</details> end"},
	{"links that run", "[a](javascript:window.pwned=1) [b](JaVaScRiPt:window.pwned=1) [c](data:text/html,<script>window.pwned=1</script>) [d](vbscript:x) <javascript:window.pwned=1> [e](java&#x0A;script:window.pwned=1) end"},
	{"images elsewhere", "![x](http://127.0.0.1:9/steal?x=1) ![y](//127.0.0.1:9/y) <img src=\"http://127.0.0.1:9/z\"> end"},
	{"frames, forms, styles, bases", "<iframe src=\"/settings\"></iframe>\n\n<form action=\"/api/key\" method=post><input name=key></form>\n\n<style>body { display: none }</style>\n\n<base href=\"http://127.0.0.1:9/\">\n\n<meta http-equiv=refresh content=\"0;url=http://127.0.0.1:9/\"> end"},
	{"the page's own ids", "<div id=\"composer\">x</div>\n\n# composer\n\n[^say]: note\n\n<input id=\"send\"> end"},
	{"a wide table", wideTable()},
	{"deep nesting", strings.Repeat("> ", 300) + "deep\n\n" + strings.Repeat("- ", 200) + "list\n\n" + strings.Repeat("[", 2000) + " end"},
	{"letters that turn the direction", "safe \u202egnp.exe\u202c \u2066x\u2069 \u200f\u202e\u202e\u202e end"},
	{"zero bytes and halves of letters", "a\x00b \ufffd \u2028 \u2029 end"},
	{"a long word", strings.Repeat("Ha", 20_000) + " end"},
}

func wideTable() string {
	row := strings.Repeat("| cell ", 120) + "|\n"
	return row + strings.Repeat("|---", 120) + "|\n" + strings.Repeat(row, 120) + "\nend"
}

// scripted is a gateway that answers with the text that the prompt names, in
// pieces.
func scripted(t *testing.T, answer func(prompt string) (text string, piece int, tool bool)) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Messages []struct{ Content string } }
		raw, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(raw, &body) != nil || len(body.Messages) == 0 {
			http.Error(w, "not a chat request", http.StatusTeapot)
			return
		}
		text, piece, tool := answer(strings.TrimSpace(body.Messages[len(body.Messages)-1].Content))
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(delta any, finish any) {
			b, _ := json.Marshal(map[string]any{"object": "chat.completion.chunk", "choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
			_, _ = fmt.Fprintf(w, "data: %s\n\n", b)
		}
		if tool {
			send(map[string]any{"tool_calls": []any{map[string]any{"index": 0, "id": "call_1", "type": "function",
				"function": map[string]any{"name": "look_up", "arguments": text}}}}, nil)
			send(map[string]any{}, "tool_calls")
		} else {
			for n := 0; text != ""; n++ {
				cut := min(piece, len(text))
				for cut < len(text) && text[cut]&0xc0 == 0x80 {
					cut++
				}
				send(map[string]any{"content": text[:cut]}, nil)
				text = text[cut:]
				if n%64 == 63 {
					w.(http.Flusher).Flush()
				}
			}
			send(map[string]any{}, "stop")
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s
}

func TestHostileAnswersDoNothing(t *testing.T) {
	t.Parallel()
	gateway := scripted(t, func(prompt string) (string, int, bool) {
		for _, h := range hostile {
			if prompt == h.name {
				return h.text, 7, false
			}
			if prompt == "call: "+h.name {
				b, _ := json.Marshal(map[string]string{"q": h.text})
				return string(b), 0, true
			}
		}
		return "nothing", 7, false
	})
	w := newWorld(t, gateway.URL)
	p := w.keyed("/")
	check := func(t *testing.T) {
		t.Helper()
		if bad := p.text(`String(window.pwned ?? "")`); bad != "" {
			t.Fatal("a script of the answer ran")
		}
		const message = `.message :is(script, iframe, form, style, base, meta, object, embed, link, img, video, audio, [onerror], [onload], [ontoggle], [style])`
		if p.has(message) {
			t.Errorf("the answer put an element into the page: %s", p.text(`document.querySelector("`+message+`").outerHTML.slice(0, 200)`))
		}
		var links []string
		p.must(p.tab.Eval(&links, `[...document.querySelectorAll(".message a[href]")].map(a => a.protocol)`))
		for _, l := range links {
			if l != "http:" && l != "https:" && l != "mailto:" {
				t.Errorf("a link with %s", l)
			}
		}
		if wide := p.number(`document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			t.Errorf("the page is %.0f px wider than the window", wide)
		}
		if twice := p.text(`(() => { const seen = new Set(), twice = []; for (const e of document.querySelectorAll("[id]")) { if (seen.has(e.id)) twice.push(e.id); seen.add(e.id) } return twice.join() })()`); twice != "" {
			t.Errorf("ids that stand twice: %s", twice)
		}
		if got := p.text(`document.querySelector("#composer").localName`); got != "textarea" {
			t.Errorf("the composer is a %s", got)
		}
	}
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			w.t = t
			p.send(h.name)
			if state := p.settled(); state != "done" {
				t.Fatalf("state %q: %s", state, p.state())
			}
			p.wait(last + `.querySelector(".body").textContent.trim().endsWith("end")`)
			check(t)
		})
		t.Run("a call with "+h.name, func(t *testing.T) {
			w.t = t
			p.click("#new-conversation")
			p.wait(`location.pathname === "/"`)
			p.send("call: " + h.name)
			p.settled()
			p.wait(last + `.textContent.includes("look_up")`)
			check(t)
			p.click("#new-conversation")
			p.wait(`location.pathname === "/"`)
		})
	}
	w.t = t
	// Found again, it is as harmless.
	p.search("window.pwned")
	p.wait(`document.querySelectorAll("#hits .hit").length > 0`)
	if p.has("#hits :is(script, img, svg[onload], iframe)") || p.text(`String(window.pwned ?? "")`) != "" {
		t.Error("a hit put the answer's markup into the page")
	}
}

// An answer of a million bytes streams in while the page stays usable.
func TestAMillionBytesStreamIn(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	var text strings.Builder
	for n := 0; text.Len() < size; n++ {
		fmt.Fprintf(&text, "## Part %d\n\nSome **words** with `code` and a [link](https://example.com/%d), to be read by nobody in particular.\n\n- one\n- two\n\n", n, n)
	}
	text.WriteString("The very end")
	whole := text.String()
	gateway := scripted(t, func(string) (string, int, bool) { return whole, 200, false })
	w := newWorld(t, gateway.URL)
	p := w.keyed("/")
	p.must(p.tab.Quiet())
	p.must(p.tab.Eval(nil, `(() => { window.tasks = []; new PerformanceObserver(l => { for (const e of l.getEntries()) tasks.push(e.duration) }).observe({type: "longtask"}) })()`))
	began := time.Now()
	p.send("all of it")
	p.click(composer)
	p.keys("typed meanwhile")
	p.wait(`document.querySelector("#composer").value === "typed meanwhile"`)
	_ = p.tab.Wait(last + `?.dataset.state && ` + last + `.dataset.state !== "running"`) // a slow machine takes longer than one wait
	if state := p.settled(); state != "done" {
		t.Fatalf("state %q: %s", state, p.state())
	}
	p.wait(last + `.querySelector(".body").textContent.endsWith("The very end")`)
	t.Logf("%d bytes in %v; longest task %.0f ms, %.0f of 50 ms and more", len(whole), time.Since(began).Round(10*time.Millisecond),
		p.number(`Math.max(0, ...tasks)`), p.number(`tasks.length`))
	if got := len(w.stored(p)); got != len(whole) {
		t.Errorf("stored %d bytes, want %d", got, len(whole))
	}
}
