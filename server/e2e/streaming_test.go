package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"screentest/server/e2e/rig"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// A run belongs to the server and not to the page: whatever happens to the
// page, the text is whole when one comes back, and it is what the gateway sent
// to the byte.

// long is a prompt whose answer streams for some seconds at the sandbox's own
// pace, as plain words, so that what is drawn can be compared with what was
// sent.
const long = "[[repeat: 240]]"

func TestReloadInMidStream(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	for _, family := range textFamilies {
		t.Run(family.name, func(t *testing.T) {
			w := newWorld(t, sandbox.URL)
			p := w.keyed("/")
			p.choose(family.model)
			p.underWay(func() bool {
				for _, n := range []int{40, 300, 600} {
					p.grown(n)
					p.reload()
					if p.text(last+`?.dataset.state ?? ""`) == "done" {
						return false
					}
				}
				return true
			})
			if state := p.settled(); state != "done" {
				t.Fatalf("state %q: %s", state, p.state())
			}
			w.whole(p, sandbox)
		})
	}
}

func TestMarkdownIsDrawnTheSameWhetherItStreamsOrNot(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/")
	p.send("[[markdown]] [[pace: 300]] [[repeat: 900]]")
	p.grown(200)
	p.reload()
	p.settled()

	again := w.tab(p.path())
	again.settled()
	var streamed, opened string
	if !soon(func() bool { // a footnote is drawn last
		streamed, opened = p.markup(), again.markup()
		return streamed == opened
	}) {
		t.Errorf("an answer that streamed in and the same opened later are drawn in two ways: %s", difference(streamed, opened))
	}
	if got, want := w.stored(p), replay(t, sandbox); got != want {
		t.Errorf("stored %d bytes, the gateway sent %d: %s", len(got), len(want), difference(got, want))
	}
	for _, element := range []string{"h2, h3", "ul li", "ol li", "table td", "pre code", "a[href]", "strong", "em"} {
		if !p.has(element) {
			t.Errorf("the answer has no %s", element)
		}
	}
}

func TestCloseTheTabAndComeBack(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/")
	p.send(long)
	p.grown(40)
	path := p.path()
	p.tab.Close()
	w.pages = nil

	back := w.tab(path)
	if state := back.settled(); state != "done" {
		t.Fatalf("state %q: %s", state, back.state())
	}
	w.whole(back, sandbox)
}

func TestNetworkCutInMidStream(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	line, err := rig.NewLine(w.server.Host())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(line.Close)
	w.allow = append(w.allow, away...)
	p := w.tabAt(line.URL(), "/settings")
	p.enterKey(sandboxKey)
	p.open("/")
	p.send(long)
	p.grown(40)

	line.Cut()
	p.wait(`document.querySelector("#link").textContent.trim() !== ""`) // it says so
	before := p.body()
	line.Mend()

	if state := p.settled(); state != "done" {
		t.Fatalf("state %q: %s", state, p.state())
	}
	p.wait(`document.querySelector("#link").textContent.trim() === ""`)
	if after := p.body(); !strings.HasPrefix(after, before) {
		t.Errorf("what stood there before the cut is not how the text begins:\n%s\n%s", before, after)
	}
	w.whole(p, sandbox)
}

func TestSecondTabFollowsTheSameRun(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/")
	var second *page
	p.underWay(func() bool {
		p.grown(40)
		if second == nil {
			second = w.tab(p.path())
		} else {
			second.must(second.tab.Front())
			second.reload()
		}
		second.grown(60)
		return second.text(last+`.dataset.state`) == "running"
	})
	second.settled()
	p.settled()
	if a, b := p.body(), second.body(); a != b {
		t.Errorf("two tabs show two texts: %s", difference(a, b))
	}
	w.whole(second, sandbox)
}

// whole checks that what is drawn and what is stored of the newest answer is
// what the sandbox sent.
func (w *world) whole(p *page, sandbox *rig.Program) {
	w.t.Helper()
	want := replay(w.t, sandbox)
	if len(want) < 500 {
		w.t.Fatalf("the sandbox's answer has only %d bytes: %q", len(want), want)
	}
	if got := w.stored(p); got != want {
		w.t.Errorf("stored %d bytes, the gateway sent %d: %s", len(got), len(want), difference(got, want))
	}
	if want := letters(want); !p.drawn(lastLetters, want) {
		got := p.body()
		w.t.Errorf("the page shows %d characters, the gateway sent %d: %s", len(got), len(want), difference(got, want))
	}
}

// stored returns the text of the newest answer of the page's conversation as
// the server keeps it, asked for without a browser.
func (w *world) stored(p *page) string {
	w.t.Helper()
	client, err := wiretest.Dial(context.Background(), w.server.URL, wiretest.NewHTTP())
	if err != nil {
		w.t.Fatal(err)
	}
	defer client.Close()
	var opened wire.Opened
	id := strings.TrimPrefix(p.path(), "/c/")
	if err := client.Call(context.Background(), wire.OpOpen, wire.Page{Conversation: id}, &opened); err != nil {
		w.t.Fatal(err)
	}
	for i := len(opened.Messages) - 1; i >= 0; i-- {
		if m := opened.Messages[i]; m.Role == "assistant" {
			return m.Text
		}
	}
	w.t.Fatal("the conversation has no answer")
	return ""
}

// difference shows where two texts part.
func difference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("they part at byte %d: %.60q and %.60q", i, a[i:], b[i:])
}
