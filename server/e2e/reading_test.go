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
	p.send("[[markdown]] [[pace: 100]]")
	p.settled()
	if n := p.number(`seen.coloured`); n < 5 {
		t.Errorf("of the open code %.0f pieces had a colour", n)
	}
	if n := p.number(`seen.taken`); n != 0 {
		t.Errorf("%.0f pieces of the open code were drawn anew", n)
	}
}
