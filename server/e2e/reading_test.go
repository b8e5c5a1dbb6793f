package e2e

import "testing"

// TestCodeHasItsColoursWhileItStreams watches the open code: each of its lines
// is drawn with colours, and none is taken away before the code has its end.
func TestCodeHasItsColoursWhileItStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.must(p.tab.Eval(nil, `(() => {
		window.seen = {coloured: 0, taken: 0}
		new MutationObserver(list => {
			for (const m of list) if (m.target.matches?.(".md-open") && m.target.isConnected) {
				seen.coloured = Math.max(seen.coloured, m.target.querySelectorAll("span[class^=md-]").length)
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
