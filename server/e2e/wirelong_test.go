package e2e

import "testing"

// Twenty thousand events: the list is as quick as with few, and no longer in
// the document.
func TestWireOfTwentyThousandEvents(t *testing.T) {
	t.Parallel()
	p, _ := drawerWorld(t, "4000")
	p.click("#inspector")
	p.click("#tab-wire")
	p.must(p.tab.Quiet())
	p.must(p.tab.Eval(nil, `(() => { window.tasks = []; new PerformanceObserver(l => { for (const e of l.getEntries()) tasks.push(e.duration) }).observe({type: "longtask"});
		window.keyed = field => { window.typed = []; field.addEventListener("keydown", () => { window.live ||= !!document.querySelector('.message[data-state="running"]'); const t = performance.now(); requestAnimationFrame(() => setTimeout(() => typed.push(performance.now() - t))) }) };
		window.middle = list => list.sort((a, b) => a - b)[list.length >> 1];
		keyed(document.querySelector("#composer")) })()`))
	p.send("Everything. [[repeat: 20000]]")
	p.wait(`document.querySelectorAll(".wire-row:not([hidden])").length > 5`)
	p.must(p.tab.Eval(nil, `window.typed = []; window.live = false`))
	p.click(composer)
	p.keys("typed while it streams")
	p.wait(`document.querySelector("#composer").value === "typed while it streams" && typed.length >= 20`)
	if p.text(`String(window.live)`) != "true" {
		t.Error("the answer had ended before a key was pressed: nothing was tested")
	}
	typing, streaming := p.number(`middle(typed)`), p.number(`Math.max(0, ...tasks)`)
	p.settled()
	const count = `parseInt(document.querySelector("#wire-count").textContent.split(" events")[0].split(" of ").at(-1).replace(/\D/g, ""))`
	p.wait(count + ` >= 20000 && !document.querySelector("#wire-replay").hidden`)
	bounded := func(when string) {
		t.Helper()
		if n := p.count(".wire-row"); n > 120 {
			t.Errorf("%s: %d rows are in the document", when, n)
		}
	}
	bounded("at the end")

	// From the beginning on, by itself: in the middle of the list there is
	// always a row, with something in it.
	p.must(p.tab.Eval(nil, `(() => { window.tasks.length = 0; window.frames = 0; window.gaps = 0;
		const list = document.querySelector("#wire-list"), box = list.getBoundingClientRect(); list.scrollTop = 0;
		const began = performance.now();
		const step = () => { list.scrollTop += 140; frames++;
			const row = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)?.closest(".wire-row");
			if (!row?.querySelector(".wire-offset").textContent) gaps++;
			if (frames < 200) requestAnimationFrame(step); else window.rate = frames * 1000 / (performance.now() - began) };
		requestAnimationFrame(step) })()`))
	p.wait(`!!window.rate`)
	if gaps := p.number("gaps"); gaps > 20 {
		t.Errorf("in %.0f of 200 frames no row was there", gaps)
	}
	bounded("after scrolling")
	rate, scrolling := p.number("rate"), p.number(`Math.max(0, ...tasks)`)

	// The filter, with every key.
	p.must(p.tab.Eval(nil, `window.tasks.length = 0; keyed(document.querySelector("#wire-search"))`))
	p.click("#wire-search")
	p.keys("harbour")
	p.wait(`document.querySelector("#wire-count").textContent.includes(" of ") && typed.length >= 7`)
	p.wait(`(() => { const rows = [...document.querySelectorAll(".wire-row:not([hidden])")]; return rows.length > 5 && rows.every(r => /harbour/i.test(r.textContent)) })()`)
	bounded("filtered")
	filtering, search := p.number(`middle(typed)`), p.number(`Math.max(0, ...tasks)`)
	p.must(p.tab.Eval(nil, `window.typed = []; window.tasks.length = 0; keyed(document.querySelector("#wire-list")); document.querySelector("#wire-list").focus()`))
	for range 5 {
		p.must(p.tab.Eval(nil, `document.querySelector("#wire-list").dispatchEvent(new KeyboardEvent("keydown", {key: "PageDown", bubbles: true}))`))
	}
	p.wait(`typed.length >= 5 && document.querySelector("#wire-list").hasAttribute("aria-activedescendant")`)
	t.Logf("a key until the next frame (median): in the composer while 4 000 events a second come %.0f ms, in the filter %.0f ms, in the list %.0f ms; scrolling at %.0f frames a second; longest tasks: streaming %.0f ms, scrolling %.0f ms, filtering %.0f ms",
		typing, filtering, p.number(`middle(typed)`), rate, streaming, scrolling, search)
}
