package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// early opens a tab over a slow line on which the page's program does not come
// before it is let go; it comes with status, if that isn't 200.
func (w *world) early(path string, status int) (p *page, letGo func()) {
	w.t.Helper()
	proxy := newProxy(w.t, w.server.URL)
	come := make(chan struct{})
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/web/app.wasm") {
			<-come
			if status != http.StatusOK {
				rw.WriteHeader(status)
				return
			}
		}
		proxy.ServeHTTP(rw, r)
	}))
	letGo = sync.OnceFunc(func() { close(come) })
	w.t.Cleanup(front.Close)
	w.t.Cleanup(letGo)
	tab, err := w.profile.Tab()
	if err != nil {
		w.t.Fatal(err)
	}
	p = &page{w: w, tab: tab, base: front.URL}
	w.pages = append(w.pages, p)
	w.lendPerson(front.URL)
	p.must(tab.Front())
	p.must(tab.Line(20_000_000, 50*time.Millisecond))
	p.must(tab.Open(front.URL + path))
	return p, letGo
}

// hasComposer says that the composer has the focus and its script, and no program.
const hasComposer = `document.activeElement?.matches("#composer") && !!window.screentestEarly && !!document.querySelector("#app-wasm-loader")`

const (
	firstQuestion = `document.querySelector('.message[data-role="user"] .body')?.textContent`
	early         = `document.querySelector("#shell-note").textContent`
)

// A message that was sent before the program had come is sent when it has, and
// once.
func TestMessageIsSentBeforeTheProgramHasCome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p, letGo := w.early("/", http.StatusOK)
	p.wait(hasComposer)
	p.keys("[[repeat: 5]] <b>hello</b>\r")
	p.wait(early + `.includes("Sent when")`)
	letGo()
	p.wait(ready)
	p.wait(`location.pathname.startsWith("/c/")`)
	p.settled()
	p.wait(firstQuestion + `.includes("<b>hello</b>")`)
	if n := p.count(`.message[data-role="user"]`) + p.count(answers); n != 2 {
		t.Errorf("there are %d messages", n)
	}
	if got := p.text(`document.querySelector("#composer").value + Object.keys(localStorage).filter(k => k.startsWith("screentest.draft.") || k === "screentest.unsent")`); got != "" {
		t.Errorf("left is %q", got)
	}
	starts := 0
	for _, f := range p.tab.Frames() {
		if strings.Contains(f, `"op":"start"`) {
			starts++
		}
	}
	if starts != 1 {
		t.Errorf("it was sent %d times", starts)
	}
}

// A conversation that is opened by its address is answered in, too, by the button
// as well, and with all that was said before.
func TestConversationGoesOnBeforeTheProgramHasCome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	file, _ := exported(t, "Another", 4)
	opened := w.importFile(file)
	p, letGo := w.early("/c/"+opened.Open, http.StatusOK)
	p.wait(hasComposer)
	p.wait(`document.querySelector(".shell-words").textContent.includes("conversation")`)
	p.keys("[[repeat: 5]] and now?")
	p.click("#send")
	p.wait(early + `.includes("Sent when")`)
	letGo()
	p.wait(ready)
	p.wait(`[...document.querySelectorAll('.message[data-role="user"] .body')].at(-1)?.textContent.includes("and now?")`)
	p.settled()
	if got := p.path(); got != "/c/"+opened.Open {
		t.Errorf("it is at %s", got)
	}
}

// What is written on after a send takes it back: nothing goes out that wasn't read.
// What was only typed is in the program's composer, with the cursor where it was.
func TestTextIsTakenOverWithItsCursor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p, letGo := w.early("/", http.StatusOK)
	p.wait(hasComposer)
	p.keys("one three\r four")
	p.wait("!" + early + `.includes("Sent when")`)
	p.must(p.tab.Eval(nil, `document.querySelector("#composer").setSelectionRange(3, 3)`))
	letGo()
	p.wait(ready)
	p.wait(`document.activeElement?.matches("#composer")`)
	p.keys(" two")
	p.wait(`document.querySelector("#composer").value === "one two three four" && localStorage.getItem("screentest.draft.") === "one two three four"`)
	if n := p.count(".message"); n != 0 || p.path() != "/" {
		t.Errorf("%d messages at %s", n, p.path())
	}
}

// Somebody alone has the draft at once, and a load that is broken off keeps what
// was typed.
func TestDraftIsThereBeforeTheProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p, letGo := w.early("/", http.StatusOK)
	p.wait(hasComposer)
	p.keys("half a")
	p.must(p.tab.Open(p.base + "/"))
	p.wait(hasComposer + ` && document.querySelector("#composer").value === "half a"`)
	p.keys(" question")
	letGo()
	p.wait(ready)
	p.wait(`document.querySelector("#composer").value === "half a question"`)

	// What was deleted isn't brought back.
	p, letGo = w.early("/", http.StatusOK)
	p.must(p.tab.Eval(nil, `localStorage.setItem("screentest.draft.", "old")`))
	p.must(p.tab.Open(p.base + "/"))
	p.wait(hasComposer + ` && document.querySelector("#composer").value === "old"`)
	p.must(p.tab.Eval(nil, `document.querySelector("#composer").select()`))
	p.keys("new")
	letGo()
	p.wait(ready)
	p.wait(`document.querySelector("#composer").value === "new"`)
}

// A draft that another tab has written meanwhile is kept with what was typed, and
// the two are not sent unread.
func TestUnseenDraftIsNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p, letGo := w.early("/", http.StatusOK)
	p.wait(hasComposer)
	p.must(p.tab.Eval(nil, `localStorage.setItem("screentest.draft.", "of another tab")`))
	p.keys("mine\r")
	p.wait(early + `.includes("Sent when")`)
	letGo()
	p.wait(ready)
	p.wait(`document.querySelector("#composer").value === "of another tab\n\nmine" && !document.querySelector("#send").disabled`)
	if n := p.count(".message"); n != 0 {
		t.Errorf("%d messages", n)
	}
}

// Where the program doesn't come it is said, and the text stays.
func TestProgramThatDoesNotCome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.allow = append(w.allow, "status of 502", "loading wasm failed")
	p, letGo := w.early("/", http.StatusBadGateway)
	p.wait(hasComposer)
	p.keys("kept\r")
	letGo()
	p.wait(`document.querySelector("#app-wasm-loader").innerText.includes("could not be loaded") && document.querySelector("#app-wasm-loader").innerText.includes("502")`)
	p.wait(early + ` === "" && document.querySelector("#composer").value === "kept"`)
	p.must(p.tab.Open(w.server.URL + "/")) // another origin, with a draft of its own
	p.wait(ready)
}

// The composer does not move when the program takes its place, empty and with a
// text of several lines.
func TestComposerStaysWhereItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	source := axeCore(t)
	for _, size := range [][2]int64{{1440, 900}, {900, 700}, {390, 844}} {
		for _, text := range []string{"", "one\ntwo\nthree"} {
			p, letGo := w.early("/", http.StatusOK)
			p.looks(size[0], size[1], size[0] < 1000)
			p.wait(hasComposer)
			p.must(p.tab.Eval(nil, fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#composer"))`, text)))
			const places = `[...document.querySelectorAll("#composer, #send, .composer-box, .composer-bar .chip")].filter(e => e.checkVisibility()).
				map(e => e.getBoundingClientRect()).map(r => [r.x, r.y, r.width, r.height].map(Math.round).join(" ")).join(", ")`
			before := p.text(places)
			p.picture(fmt.Sprintf("early-%d-%d", size[0], len(text)))
			p.must(p.tab.Eval(nil, source))
			if found := p.axe(); len(found) > 0 {
				t.Errorf("%v: axe: %s", size, slices.Compact(found))
			}
			letGo()
			p.wait(ready)
			if after := p.text(places); after != before {
				t.Errorf("%v, %q: the composer was at\n%s\nand is at\n%s", size, text, before, after)
			}
			p.must(p.tab.Eval(nil, `localStorage.clear()`))
			p.tab.Close()
			w.pages = w.pages[:len(w.pages)-1]
		}
	}
}

// In a team nobody who is signed out sees a composer, and a draft is shown by the
// program alone: it knows whose it is.
func TestTeamsComposerIsForWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	const note = `addEventListener("DOMContentLoaded", () => window.beganWith = document.querySelector("#composer")?.value ?? "none")`
	p := w.tab("/")
	p.must(p.tab.Eval(nil, `localStorage.setItem("screentest.draft.", "whose?")`))
	p.must(p.tab.Before(note))
	p.reload()
	p.wait(`document.querySelector("#composer").value === "whose?"`)
	if got := p.text(`window.beganWith`); got != "" {
		t.Errorf("the page began with %q", got)
	}
	w.as(w.stranger(), func() {
		p := w.door("/signin")
		if got := p.text(`fetch("/c/1").then(r => r.text())`); strings.Contains(got, "composer") || !strings.Contains(got, `class="door`) {
			t.Errorf("who is signed out is shown a composer: %.300s", got)
		}
	})
}
