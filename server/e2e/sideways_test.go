package e2e

import (
	"fmt"
	"strings"
	"testing"

	"screentest/shared/wire"
)

// sideways lists what can be scrolled sideways and should not be: the document,
// and whatever scrolls up and down but for the strips and tables that are made
// to go on to the right.
const sideways = `(() => {
	const meant = "pre, table, textarea, .tabs, .segments, .composer-tools, .scroll, .lanes, .table-scroll"
	const name = e => e.tagName.toLowerCase() + (e.id && "#" + e.id) + [...e.classList].map(c => "." + c).join("")
	return [...document.querySelectorAll("*")].filter(e => {
		const style = getComputedStyle(e), page = e === document.documentElement
		return e.scrollWidth > e.clientWidth && (page || e.clientWidth > 0 && !e.closest(meant) &&
			/auto|scroll/.test(style.overflowX) && /auto|scroll/.test(style.overflowY))
	}).map(e => {
		const right = e.getBoundingClientRect().left + e.clientLeft + e.clientWidth
		const out = [...e.querySelectorAll("*")].filter(c => c.getBoundingClientRect().right > right + 0.5)
		return name(e) + " by " + (e.scrollWidth - e.clientWidth) + " px: " + out.slice(0, 3).map(name).join(", ")
	}).join("; ")
})()`

// tips shows every tip in turn, as the keyboard does, and lists those that make
// something scroll or that are cut off.
const tips = `(async () => {
	const bad = [], drawn = () => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))
	const check = () => ` + sideways + `
	for (const gate of document.querySelectorAll(".gate")) {
		const button = gate.querySelector("button"), tip = gate.querySelector(".tip:not([hidden])")
		if (!button?.checkVisibility() || !tip) continue
		button.scrollIntoView({block: "center"})
		button.focus({focusVisible: true, preventScroll: true})
		await drawn()
		const r = tip.getBoundingClientRect(), b = button.getBoundingClientRect(), wide = check()
		if (wide) bad.push(button.id + " widens " + wide)
		if (r.width < 1 || r.left < 0 || r.right > innerWidth || r.top < 0 || r.bottom > innerHeight)
			bad.push(button.id + ": its tip is cut off: " + JSON.stringify(r))
		if (r.top < b.bottom && r.bottom > b.top && r.left < b.right && r.right > b.left)
			bad.push(button.id + ": its tip covers it: " + JSON.stringify([r, b]))
		button.blur()
	}
	return bad.join("; ")
})()`

// No page scrolls sideways, however narrow, whatever it has to say on pointing.
func TestNothingScrollsSideways(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	m := w.makes()
	clip := m.clip("beta-video-720p", "Glacier calving, slow push in", "6", nil)
	p.saved(clip.ID)
	first := m.task(clip.ID)
	extend := m.clip("beta-video-720p-extend", "On and on", "6", &first)
	other := m.clip("delta-3.0-720p", "Slow pan over a mountain lake at first light", "5", nil)
	failed := m.clip("gamma-2-480p", "A crowd [[fail: "+strings.Repeat("It is too crowded. ", 9)+"]]", "5", nil)
	p.saved(extend.ID)
	p.saved(other.ID)
	p.becomes(failed.ID, wire.VideoFailed)

	p.open("/")
	p.compare("vendor/model-a", "vendor/epsilon-5.6-core", "vendor/beta-4.6")
	p.sendAll("Show everything that an answer can contain. [[markdown]]")
	p.allSettled()
	lanes := p.path()

	views := []struct {
		name, path string
		stands     string // JavaScript: the view is there
		do         func()
	}{
		{"an empty conversation", "/", `!!document.querySelector(".example")`, nil},
		{"a conversation in lanes", lanes, `document.querySelectorAll(".lane").length === 3`, nil},
		{"the gallery", "/video", `document.querySelectorAll(".tile").length === 4`, nil},
		{"the gallery, choosing", "/video", `document.querySelectorAll(".tile").length === 4`, func() {
			p.press("#select-clips")
			p.wait(`document.querySelector("#selection")?.checkVisibility() ?? false`)
		}},
		{"a clip", "/video/" + extend.ID, `(document.querySelector("#player")?.readyState ?? 0) >= 1`, nil},
		{"a failed clip", "/video/" + failed.ID, `!!document.querySelector("#clip-retry")`, nil},
		{"a comparison", "/video/compare?ids=" + clip.ID + "," + extend.ID + "," + other.ID,
			`document.querySelectorAll(".compare-clip").length === 3`, nil},
		{"Spend", "/spend", `document.querySelectorAll("tbody tr").length > 2`, nil},
		{"the settings", "/settings", `!!document.querySelector("#to-gateway")`, nil},
		{"a setting", "/settings/archive", `!!document.querySelector("#archive-quota")`, nil},
	}
	for _, view := range views {
		p.must(p.tab.Look(1440, 900, true))
		p.open(view.path)
		p.wait(view.stands)
		if view.do != nil {
			view.do()
		}
		for _, size := range [][2]int64{{1920, 1080}, {1440, 900}, {900, 800}, {390, 844}, {320, 640}} {
			p.must(p.tab.Look(size[0], size[1], true))
			p.wait(fmt.Sprintf(`innerWidth === %d`, size[0]))
			if strings.HasPrefix(view.name, "the gallery") && size[0] <= 900 {
				p.press(`#video-tab-results`)
				p.wait(`document.querySelector("#gallery").checkVisibility()`)
			}
			p.must(p.tab.Eval(nil, `new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))`))
			for what, js := range map[string]string{"": sideways, ", its tips": tips} {
				if bad := p.text(js); bad != "" {
					t.Errorf("%s%s, %d px wide: %s", view.name, what, size[0], bad)
				}
			}
		}
	}
}
