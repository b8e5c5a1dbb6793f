package e2e

import (
	"fmt"
	"testing"
)

// listening counts the listeners that a page adds to elements and takes off them. (Its
// service worker gets some of its own, a moment after the start.)
const listening = `{
	window.listeners = {added: 0, removed: 0};
	for (const [name, what] of [["addEventListener", "added"], ["removeEventListener", "removed"]]) {
		const f = EventTarget.prototype[name];
		EventTarget.prototype[name] = function (...args) { listeners[what] += this instanceof Element; return f.apply(this, args) };
	}
}`

// What is drawn again for a key that is pressed keeps its listeners, and they do what
// the newest draw says.
func TestTypingMakesNoListeners(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.must(p.tab.Before(listening))
	p.open("/video")
	p.fill("#f-prompt", "A paper ")
	p.wait(`document.getElementById("request").textContent.includes("A paper")`)
	p.must(p.tab.Eval(nil, `Object.assign(listeners, {added: 0, removed: 0})`))
	p.keys("boat crosses a street")
	p.wait(`document.getElementById("request").textContent.includes("A paper boat crosses a street")`)
	if n := p.text(`listeners.added + listeners.removed + ""`); n != "0" {
		t.Errorf("typing in the form of a clip made or ended %s listeners", n)
	}

	// The button's handler is that of the first draw no more.
	p.must(p.tab.Eval(nil, `document.getElementById("f-seconds-6").click()`))
	p.wait(`document.getElementById("price").textContent === "$0.30"`)

	p.open("/")
	p.click(composer)
	p.keys("One ")
	p.must(p.tab.Eval(nil, `Object.assign(listeners, {added: 0, removed: 0})`))
	p.keys("two three")
	p.wait(fmt.Sprintf(`document.querySelector(%q).value === "One two three"`, composer))
	if n := p.text(`listeners.added + listeners.removed + ""`); n != "0" {
		t.Errorf("typing in the composer made or ended %s listeners", n)
	}
}
