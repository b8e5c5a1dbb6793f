package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// inputMethods are what a browser tells of a key that an input method takes for
// itself; Safari's Enter comes when the composition is over.
var inputMethods = []struct{ name, event string }{
	{"composing", "isComposing: true"},
	{"Safari", "isComposing: false, keyCode: 229"},
}

// The Enter that takes a word of an input method sends, opens and renames
// nothing, and its Escape closes nothing.
func TestKeysOfAnInputMethodAreNotThePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	first, second := p.two()

	press := func(key, event string) {
		t.Helper()
		p.must(p.tab.Eval(nil, fmt.Sprintf(`(async () => {
			document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: %q, %s, bubbles: true, cancelable: true}));
			for (let n = 0; n < 4; n++) await new Promise(requestAnimationFrame);
		})()`, key, event)))
	}
	for _, m := range inputMethods {
		for _, c := range []struct {
			name   string
			open   func()
			keys   []string
			stands string // as it was
			shut   func()
		}{
			{"composer", func() { p.click(composer); p.keys("nihon") }, []string{"Enter", "Escape"},
				`document.querySelector("#composer").value === "nihon"`,
				func() {
					p.must(p.tab.Eval(nil, `(e => { e.value = ""; e.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#composer"))`))
				}},
			{"title", func() {
				p.click(`[aria-label="Rename this conversation"]`)
				p.wait(`document.activeElement?.id === "rename"`)
				p.keys("nihon")
			}, []string{"Enter", "Escape"}, `document.activeElement?.id === "rename" && document.activeElement.value === "nihon"`, func() { p.keys("\x1b") }},
			{"search", func() {
				p.search("first")
				p.wait(hits + `.length > 0 && document.querySelector("#hits").getAttribute("aria-busy") !== "true"`)
			}, []string{"Enter", "Escape"}, `document.querySelector("#search").value === "first" && ` + hits + `.length > 0`, func() { p.keys("\x1b") }},
			{"editor", func() {
				p.click(`.message[data-role="user"] .edit`)
				p.wait(`document.activeElement?.closest(".editor") !== null`)
				p.keys("nihon")
			}, []string{"Escape"}, `document.activeElement?.value?.endsWith("nihon")`, func() { p.keys("\x1b") }},
			{"picker", func() {
				p.click("#model")
				p.wait(`document.activeElement?.matches("#picker[open] #picker-search")`)
				p.keys("core")
			}, []string{"Enter"}, `!!document.querySelector("#picker[open]")`, func() { p.keys("\x1b"); p.wait(`!document.querySelector("#picker[open]")`) }},
			{"palette", func() { p.palette("settings") }, []string{"Enter"}, `!!document.querySelector("#palette[open]")`,
				func() { p.keys("\x1b"); p.wait(`!document.querySelector("#palette[open]")`) }},
		} {
			t.Run(m.name+"/"+c.name, func(t *testing.T) {
				c.open()
				for _, key := range c.keys {
					press(key, m.event)
					var stands bool
					p.must(p.tab.Eval(&stands, c.stands))
					if at := p.path(); !stands || at != second {
						t.Fatalf("%s was taken for the page's: %s no longer holds, at %s (the other is %s)", key, c.stands, at, first)
					}
				}
				c.shut()
			})
		}
	}
}

// A saved prompt is shortened in characters: the list of them was not drawn when
// one was cut in the middle of its Chinese.
func TestSavedPromptsInAnyScriptAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	for i, prompt := range []string{strings.Repeat("请翻译下面的话", 8), strings.Repeat("请翻译下面的话", 30)} {
		p.must(p.tab.Eval(nil, fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#composer"))`, prompt)))
		p.tool("#open-library")
		p.click("#entry-name")
		p.keys(fmt.Sprintf("Prompt %d", i))
		p.click("#save-entry")
		p.wait(fmt.Sprintf(`!!document.querySelector('.function[data-name="Prompt %d"]')`, i))
		p.keys("\x1b")
		p.wait(`!document.querySelector("#library[open]")`)
	}
	p.tool("#open-library")
	about := func(i int) string {
		p.wait(fmt.Sprintf(`!!document.querySelector('.function[data-name="Prompt %d"]')`, i))
		return p.text(fmt.Sprintf(`document.querySelector('.function[data-name="Prompt %d"] .faint').textContent`, i))
	}
	if got := about(0); got != strings.Repeat("请翻译下面的话", 8) {
		t.Errorf("a prompt that fits reads %q", got)
	}
	if got := about(1); !strings.HasSuffix(got, "…") || len([]rune(got)) != 100 {
		t.Errorf("a long prompt reads %q", got)
	}
}

// What is typed into the page's shell before the program has come is added to
// the draft that was kept: it once took its place. It is the draft of the
// conversation that the address names: it once was that of a new one.
func TestTypingBeforeTheProgramKeepsTheDraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	file, _ := exported(t, "Another", 4)
	opened := w.importFile(file)
	for _, path := range []string{"/", "/c/" + opened.Open} {
		typeBeforeTheProgram(t, w, path)
	}
}

func typeBeforeTheProgram(t *testing.T, w *world, path string) {
	t.Helper()
	proxy := newProxy(t, w.server.URL)
	come := make(chan struct{})
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/web/app.wasm") {
			<-come
		}
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(front.Close)

	tab, err := w.profile.Tab()
	if err != nil {
		t.Fatal(err)
	}
	p := &page{w: w, tab: tab, base: front.URL}
	w.pages = append(w.pages, p)
	p.must(tab.Front())
	p.must(tab.Open(front.URL + path))
	draft := "screentest.draft." + strings.TrimPrefix(strings.TrimPrefix(path, "/"), "c/")
	p.must(tab.Eval(nil, fmt.Sprintf(`localStorage.setItem("screentest.draft.", "another"); localStorage.setItem(%q, "half a question")`, draft)))
	p.wait(`document.activeElement?.matches("#composer")`)
	p.keys("and now")
	close(come)
	p.wait(ready)
	p.wait(`document.querySelector("#composer").value === "half a question\n\nand now"`)
	p.wait(`document.activeElement?.matches("#composer")`)
	p.keys("!")
	p.wait(fmt.Sprintf(`localStorage.getItem(%q) === "half a question\n\nand now!"`, draft))
	if got := p.text(`localStorage.getItem("screentest.draft.")`); path != "/" && got != "another" {
		t.Errorf("the draft of a new conversation is %q", got)
	}
}

// What is written in a message's place is still there when one has scrolled far
// away and back, and after another page.
func TestEditedMessageKeepsItsText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	file, ids := exported(t, "A long one", 600)
	opened := w.importFile(file)
	p := w.tab("/c/" + opened.Open + "?m=" + ids[300])
	p.wait(inView(ids[300]))
	question := fmt.Sprintf(`.message[data-id="%s"]`, ids[300])
	text := fmt.Sprintf(`document.querySelector('%s textarea')?.value`, question)
	p.press(question + " .edit") // what is above it may still be drawn, and move it
	p.wait(`document.activeElement?.closest(".editor") !== null`)
	p.keys(" and a half")
	p.wait(text + ` === "question 300 and a half"`)

	p.must(p.tab.Eval(nil, `document.querySelector("#thread").focus()`))
	p.keys("g")
	p.wait(inView(ids[0]))
	p.wait(fmt.Sprintf(`!document.querySelector('%s')`, question))
	p.search("question 300")
	p.wait(hits + `.length > 0`)
	p.must(p.tab.Eval(nil, `document.querySelector("#search").focus(); `+hits+`.find(h => h.href.includes("`+ids[300]+`")).click()`))
	p.wait(inView(ids[300]))
	p.wait(text + ` === "question 300 and a half"`)
	if p.has(".editor :focus") {
		t.Error("the message that comes back takes the focus from the search")
	}

	p.click(`.rail a[href="/settings"]`)
	p.wait(`location.pathname === "/settings" && !document.querySelector("#thread")`)
	p.must(p.tab.Back())
	p.wait(inView(ids[300]))
	p.wait(text + ` === "question 300 and a half"`)

	// Once it is given up, it is gone.
	p.click(question + " textarea")
	p.keys("\x1b")
	p.wait(`!document.querySelector(".editor")`)
	p.press(question + " .edit")
	p.wait(text + ` === "question 300"`)
}

// What the person writes begins on the side of its own script, line by line, in
// the message as in the composer.
func TestArabicAndHebrewBeginOnTheRight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	write := func(text string) {
		t.Helper()
		p.must(p.tab.Eval(nil, fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#composer"))`, text)))
	}
	write("ما هي عاصمة فرنسا؟ (1)\nOnly one word.")
	p.click(composer)
	p.keys("\r")
	p.wait(`!!` + last)
	p.settled()
	// Where the two lines of the message begin, from its left and its right edge.
	const sides = `(() => {
		const body = document.querySelector('.message[data-role="user"] .body'), box = body.getBoundingClientRect();
		const text = body.firstChild, cut = text.data.indexOf("\n"), pad = parseFloat(getComputedStyle(body).paddingLeft) + 3;
		const line = (from, to) => { const r = document.createRange(); r.setStart(text, from); r.setEnd(text, to); return r.getBoundingClientRect() };
		return {arabic: box.right - line(0, 1).right < pad, english: line(cut + 1, cut + 2).left - box.left < pad};
	})()`
	var begins struct{ Arabic, English bool }
	p.must(p.tab.Eval(&begins, sides))
	if !begins.Arabic || !begins.English {
		t.Errorf("the lines begin on their side: %+v", begins)
	}
	write("שלום (test)")
	for _, part := range []string{"#composer", ".row-title", "#title"} {
		if got := p.text(fmt.Sprintf(`(s => s.unicodeBidi + " " + s.textAlign)(getComputedStyle(document.querySelector(%q)))`, part)); got != "plaintext start" {
			t.Errorf("%s is laid out as %q", part, got)
		}
	}
}
