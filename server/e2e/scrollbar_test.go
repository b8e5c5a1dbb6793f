package e2e

import (
	"fmt"
	"testing"

	"screentest/server/e2e/rig"
)

// TestNothingMovesWhenTheScrollbarComes puts more into each pane of a high
// window than it can show.
func TestNothingMovesWhenTheScrollbarComes(t *testing.T) {
	t.Parallel()
	desktop, err := rig.OpenWithScrollbars()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { desktop.Close() })
	w := newWorldWith(t, "", fastClips...)
	w.profile.Close()
	if w.profile, err = desktop.Profile(); err != nil {
		t.Fatal(err)
	}
	w.lendPerson(w.server.URL)
	p := w.tab("/")
	m := w.makes()
	clip := m.clip("beta-video-480p", "A tracking shot", "6", nil)
	p.send("[[repeat: 40]] [[pace: 4000]]")
	p.settled()
	p.must(p.tab.Look(1440, 4000, false))
	for _, c := range []struct{ path, pane, inside string }{
		{p.path(), ".thread", ".thread-inner"},
		{p.path(), ".side-list", ".side-list > *"},
		{"/settings", ".settings", ".settings-inner"},
		{"/spend", ".spend", ".spend-inner"},
		{"/video", ".video-results", ".video-results > *"},
		{"/video", ".form-body", ".form-body > *"},
		{"/video/" + clip.ID, ".clip", ".clip-inner"},
	} {
		p.open(c.path)
		p.wait(fmt.Sprintf(`innerHeight === 4000 && document.querySelector(%q)`, c.inside))
		var got struct {
			Before, After struct{ Left, Width float64 }
			Scrolled      bool // before
			Bar           float64
		}
		p.must(p.tab.Eval(&got, fmt.Sprintf(`(() => {
			const pane = document.querySelector(%q), inside = document.querySelector(%q)
			const at = () => (r => ({left: r.left, width: r.width}))(inside.getBoundingClientRect())
			const got = {before: at(), scrolled: pane.scrollHeight > pane.clientHeight}
			const more = document.createElement("div")
			more.style.cssText = "flex: none; height: 9000px"
			pane.append(more)
			got.after = at()
			got.bar = pane.offsetWidth - pane.clientWidth
			more.remove()
			return got
		})()`, c.pane, c.inside)))
		if got.Scrolled || got.Bar < 5 {
			t.Errorf("%s: it scrolls before: %v; its scrollbar takes %.0f px: nothing was tested", c.pane, got.Scrolled, got.Bar)
		}
		if got.Before != got.After {
			t.Errorf("%s: without a scrollbar its content is at %+v, with one at %+v", c.pane, got.Before, got.After)
		}
	}
}
