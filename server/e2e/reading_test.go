package e2e

import (
	"fmt"
	"testing"
)

// TestAFootnoteLeadsToItsNoteAndBack also has a second message with footnotes of
// the same numbers.
func TestAFootnoteLeadsToItsNoteAndBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	for range 2 {
		p.send("[[markdown]] [[pace: 2000]]")
		p.settled()
		p.wait(last + `.querySelectorAll(".md-notes li").length === 1`)
	}
	address := p.text(`location.href`)
	if n := p.number(`(ids => ids.length - new Set(ids).size)([...document.querySelectorAll("[id]")].map(e => e.id))`); n != 0 {
		t.Errorf("%.0f ids in the page are there twice", n)
	}

	message := `.message[data-id="` + p.text(last+`.dataset.id`) + `"]`
	p.press(message + ` .md-note-ref a`)
	p.wait(fmt.Sprintf(`document.activeElement === document.querySelector('%s .md-notes li')`, message))
	p.press(message + ` .md-notes li a`)
	p.wait(fmt.Sprintf(`document.activeElement === document.querySelector('%s .md-note-ref a')`, message))
	p.wait(`(r => r.top >= 0 && r.bottom <= innerHeight)(document.activeElement.getBoundingClientRect())`)
	if now := p.text(`location.href`); now != address {
		t.Errorf("the address is %s, and was %s", now, address)
	}
}

// TestCodeHasItsColoursWhileItStreams watches the open code: each of its lines
// is drawn with colours, and none is taken away before the code has its end.
func TestCodeHasItsColoursWhileItStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.must(p.tab.Eval(nil, `(() => {
		window.seen = {coloured: 0, taken: 0}
		new MutationObserver(list => {
			for (const m of list) {
				const open = m.target.closest(".md-open")
				if (!open?.isConnected) continue
				seen.coloured = Math.max(seen.coloured, open.querySelectorAll(".md-lines > span").length)
				seen.taken += m.removedNodes.length
			}
		}).observe(document.body, {subtree: true, childList: true})
	})()`))
	p.send("[[markdown]] [[pace: 25]]")
	p.settled()
	if n := p.number(`seen.coloured`); n < 5 {
		t.Errorf("of the open code %.0f pieces had a colour", n)
	}
	if n := p.number(`seen.taken`); n != 0 {
		t.Errorf("%.0f pieces of the open code were drawn anew", n)
	}
}

// TestACopiedCodeBlockSaysSoInOneLine: what says it must neither wrap nor be
// wider than the button, with whatever font.
func TestACopiedCodeBlockSaysSoInOneLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.must(p.tab.Eval(nil, `navigator.clipboard.writeText = () => Promise.resolve()`))
	p.send("[[markdown]] [[pace: 2000]]")
	p.settled()
	p.must(p.tab.Eval(nil, `{
		const b = document.querySelector(".md-copy"), was = b.offsetWidth;
		new MutationObserver((_, o) => {
			if (b.textContent === "Copy") return;
			o.disconnect();
			const words = document.createRange();
			words.selectNodeContents(b);
			const in_ = b.getBoundingClientRect(), lines = [...words.getClientRects()];
			window.told = {words: b.textContent, lines: lines.length, moved: b.offsetWidth - was, out: lines.some(r => r.left < in_.left || r.right > in_.right)};
		}).observe(b, {childList: true, characterData: true, subtree: true});
	}`))
	p.press(".md-copy")
	p.wait(`!!window.told`)
	if lines := p.number(`told.lines`); lines != 1 {
		t.Errorf("%q stands in %.0f lines", p.text(`told.words`), lines)
	}
	if p.text(`String(told.out)`) != "false" || p.number(`told.moved`) != 0 {
		t.Errorf("%q is too wide for its button", p.text(`told.words`))
	}
}
