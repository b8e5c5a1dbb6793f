package e2e

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// longMessages is how many messages the long conversation has.
const longMessages = 10_000

// maxElements bounds the elements of the page, however long a conversation is.
const maxElements = 2_500

// exported is the file of a conversation with n messages, and the messages' ids.
func exported(t *testing.T, title string, n int) (file []byte, ids []string) {
	t.Helper()
	file, ids, err := wiretest.Long(title, n)
	if err != nil {
		t.Fatal(err)
	}
	return file, ids
}

// importFile gives the server a file, as a program would.
func (w *world) importFile(file []byte) wire.Imported {
	w.t.Helper()
	got, err := wiretest.Import(w.t.Context(), w.server.URL, file)
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

func (p *page) number(js string) float64 {
	p.w.t.Helper()
	var n float64
	p.must(p.tab.Eval(&n, js))
	return n
}

const elements = `document.querySelectorAll("*").length`

// inView tells whether a message is in the window of its thread.
func inView(id string) string {
	return fmt.Sprintf(`(() => { const e = document.querySelector('.message[data-id="%s"]'), t = document.querySelector("#thread").getBoundingClientRect();
		if (!e) return false; const r = e.getBoundingClientRect(); return r.bottom > t.top && r.top < t.bottom })()`, id)
}

func TestTenThousandMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	file, ids := exported(t, "A very long one", longMessages)
	opened := w.importFile(file)
	if opened.Messages != longMessages {
		t.Fatalf("imported %+v", opened)
	}
	p := w.tab("/")
	p.must(p.tab.Quiet())
	p.must(p.tab.Eval(nil, `(() => { window.tasks = []; new PerformanceObserver(l => { for (const e of l.getEntries()) tasks.push(e.duration) }).observe({type: "longtask"}) })()`))
	p.click(".conversation")
	p.wait(inView(ids[longMessages-1]))
	p.wait(`!document.querySelector("#earlier")`)
	bounded := func(when string) {
		t.Helper()
		if n := p.number(elements); n > maxElements {
			t.Errorf("%s: the page has %.0f elements, more than %d", when, n, maxElements)
		}
	}
	bounded("opened")

	// From the end to the beginning, to the middle and back.
	p.must(p.tab.Eval(nil, `document.querySelector("#thread").focus()`))
	p.keys("g")
	p.wait(inView(ids[0]))
	p.wait(inView(ids[1]))
	bounded("at the beginning")
	p.must(p.tab.Eval(nil, `(() => { const t = document.querySelector("#thread"); t.scrollTop = t.scrollHeight / 2 })()`))
	p.wait(`(() => { const t = document.querySelector("#thread"), r = t.getBoundingClientRect();
		const e = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2)?.closest(".message");
		return !!e && e.textContent.length > 5 })()`)
	middle := p.text(`document.querySelector(".message").textContent`)
	bounded("in the middle")
	if !strings.Contains(middle, "question") && !strings.Contains(middle, "answer") {
		t.Errorf("in the middle stands %.80q", middle)
	}

	// A message is gone to by its address, and stays when it is drawn.
	at := ids[4321]
	p.open("/c/" + opened.Open + "?m=" + at)
	p.wait(inView(at) + ` && document.querySelector('.message[data-found]')?.textContent.includes("answer 4321")`)
	p.must(p.tab.Eval(nil, `document.fonts.ready`))
	p.wait(inView(at))
	bounded("at a message")

	// Scrolling by itself: what is in view is always something, and nothing is
	// left behind.
	p.must(p.tab.Eval(nil, `(() => { window.tasks = []; window.gaps = 0; window.frames = 0;
		new PerformanceObserver(l => { for (const e of l.getEntries()) tasks.push(e.duration) }).observe({type: "longtask"});
		const t = document.querySelector("#thread"); let n = 0;
		const step = () => { t.scrollTop += 90; frames++;
			const r = t.getBoundingClientRect(), e = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
			const gap = e?.closest(".gap");
			if (gap && !gap.closest(".stub")) gaps++; // a text that is on its way is another matter
			if (++n < 200) requestAnimationFrame(step); else window.scrolledAll = true };
		requestAnimationFrame(step) })()`))
	p.wait(`window.scrolledAll === true`)
	bounded("after scrolling")
	if gaps := p.number("gaps"); gaps > 40 {
		t.Errorf("in %.0f of 200 frames nothing was there", gaps)
	}
	scrolling := p.number(`Math.max(0, ...tasks)`)

	// What is typed is there.
	p.click(composer)
	p.must(p.tab.Eval(nil, `window.typed = []; document.querySelector("#composer").addEventListener("keydown", () => { const t = performance.now(); requestAnimationFrame(() => typed.push(performance.now() - t)) }); true`))
	p.keys("hello there")
	p.wait(`document.querySelector("#composer").value === "hello there" && typed.length >= 11`)
	typing := p.number(`typed.sort((a, b) => a - b)[Math.floor(typed.length / 2)]`)

	heap := p.number(`(performance.memory?.usedJSHeapSize ?? 0) / 1048576`)
	program := p.number(`(typeof go === "undefined" ? 0 : go._inst.exports.mem.buffer.byteLength) / 1048576`)
	t.Logf("%d messages: %.0f elements, JavaScript heap %.0f MiB, the program's memory %.0f MiB, longest task while scrolling %.0f ms, a key until the next frame %.0f ms (median)",
		longMessages, p.number(elements), heap, program, scrolling, typing)
}

// scrolled scrolls the thread as a person does, and again if it was drawn before
// the browser told of it, which took it back. How far it came is not asked to
// the pixel: what is measured above moves it a little.
func (p *page) scrolled(by int) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, fmt.Sprintf(`(async () => {
		const t = document.querySelector("#thread");
		const frames = () => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)));
		for (let n = 0; n < 100; n++) {
			const from = t.scrollTop, by = %d;
			t.scrollTop = from + by;
			await frames();
			if ((t.scrollTop - from) / by > 0.5) return true;
		}
		throw new Error("the scrolling is taken back every time");
	})()`, by)))
}

// What is in view stays in view while texts above it come, and while an answer
// streams below.
func TestPlaceIsKeptInALongConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	file, ids := exported(t, "A long one", 600)
	opened := w.importFile(file)
	p := w.tab("/c/" + opened.Open + "?m=" + ids[301])
	p.wait(inView(ids[301]))
	p.wait(`document.querySelector('.message[data-found] .chunk, .message[data-found] .body:not(.raw)') !== null`)
	p.must(p.tab.Eval(nil, `document.fonts.ready`))
	// The person scrolls a little: from here on nothing keeps the place but the
	// page itself.
	p.scrolled(-200)
	p.wait(inView(ids[300]))
	p.send("[[repeat: 400]] more")
	// It may have had to wait for the older messages.
	p.wait(`[...document.querySelectorAll('.message[data-role="user"] .body')].at(-1)?.textContent.endsWith("more")`)
	p.settled()
	if path := p.path(); path != "/c/"+opened.Open {
		t.Fatalf("at %s", path)
	}
	p.wait(`document.querySelector('.message[data-role="assistant"][data-state="done"]:not([hidden])') !== null`)

	// Up again, in the middle of an answer that streams at the end.
	p.send("[[pace: 200]] [[repeat: 600]] again")
	p.grown(100)
	p.must(p.tab.Eval(nil, `document.querySelector("#thread").focus()`))
	p.keys("g")
	p.wait(inView(ids[0]))
	p.wait(inView(ids[1]))
	p.scrolled(40)
	p.must(p.tab.Eval(nil, `window.place = () => document.querySelector('.message[data-id="`+ids[1]+`"]').getBoundingClientRect().top; window.before = place(); true`))
	p.settled()
	if moved := p.number(`Math.abs(place() - before)`); moved > 2 {
		t.Errorf("what was read moved by %.0f px while the answer came", moved)
	}
	p.click("#jump")
	p.wait(fmt.Sprintf(`(() => { const t = document.querySelector("#thread"); return t.scrollHeight - t.clientHeight - t.scrollTop < 30 && %s })()`, "!!"+last))
}

// Who sends at once in a long conversation need not send again: it goes when
// the older messages are here, with all of them.
func TestASendWaitsForTheOlderMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	file, _ := exported(t, "A long one", 2000)
	w.importFile(file)
	p := w.tab("/")
	// As soon as an answer is drawn, before the older messages can be here.
	p.must(p.tab.Eval(nil, `(() => {
		window.refusals = [];
		new MutationObserver(() => { const r = document.querySelector("#refusal"); if (r) refusals.push(r.textContent) }).observe(document.body, {childList: true, subtree: true});
		const sees = new MutationObserver(() => {
			const newest = `+last+`;
			if (!newest) return;
			sees.disconnect();
			window.before = newest.dataset.id;
			const c = document.querySelector("#composer");
			c.focus(); c.value = "and now?";
			c.dispatchEvent(new Event("input", {bubbles: true}));
			c.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}));
		});
		sees.observe(document.body, {childList: true, subtree: true});
	})()`))
	p.click(".conversation")
	p.wait(`window.before && ` + last + `.dataset.id !== before`)
	if state := p.settled(); state != "done" {
		t.Fatalf("state %q: %s", state, p.state())
	}
	if !strings.Contains(p.text(`refusals.join()`), "sent once they’re here") {
		t.Error("it did not have to wait: nothing was tested")
	}
	if p.has(".refusal") || p.text(`document.querySelector("#composer").value`) != "" {
		t.Errorf("the composer still has %q, and says %q", p.text(`document.querySelector("#composer").value`), p.text(`document.querySelector("#refusal")?.outerHTML ?? ""`))
	}
}

// A person imports a file by the page, and is told how it went.
func TestImportAndExportByThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.allow = append(w.allow, "400", "413", "422")
	p := w.tab("/settings/data")
	file, _ := exported(t, "From elsewhere", 20)
	dir := t.TempDir()
	give := func(name string, content []byte) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		p.must(p.tab.Files("#import-file", path))
	}
	outcome := `document.querySelector("#import-outcome").textContent`
	give("broken.json", []byte("no JSON at all"))
	p.wait(outcome + `.startsWith("Not imported.")`)
	give("good.json", file)
	p.wait(outcome + ` === "Imported 1 conversation with 20 messages."`)
	p.click("#import-notice a")
	p.wait(`document.querySelector("#title").textContent === "From elsewhere"`)
	p.wait(`document.querySelectorAll(".message").length > 4`)

	id := strings.TrimPrefix(p.path(), "/c/")
	for path, want := range map[string]string{
		wire.ExportPath + id + ".md":   "answer 19",
		wire.ExportPath + id + ".json": `"screentest.conversations"`,
		wire.ExportAllPath:             "answer 7",
	} {
		body, err := io.ReadAll(w.get(path).Body)
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s has no %q: %.200s (%v)", path, want, body, err)
		}
	}
}
