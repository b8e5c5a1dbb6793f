package rig

import (
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// spot is JavaScript that gives the middle of an element once a person could
// click it: it is in the window, has stood still for two looks, and nothing
// lies over it. A page that scrolls by itself moves what was only just found.
// A button that happens to lie in the middle of what was named is not clicked:
// with other fonts it would be another one, or none.
const spot = `((selector, every, most) => new Promise((done, fail) => {
	let before = "", why = "there is none"
	const end = performance.now() + most
	const look = () => {
		const e = document.querySelector(selector)
		if (e && !e.checkVisibility({visibilityProperty: true})) {
			why = "it is not visible"
		} else if (e) {
			e.scrollIntoViewIfNeeded()
			const r = e.getClientRects()[0] ?? e.getBoundingClientRect()
			const x = r.x + r.width / 2, y = r.y + r.height / 2, now = [x, y, r.width, r.height].join()
			const hit = document.elementFromPoint(x, y)
			why = "it does not stand still"
			if (now === before) {
				const within = hit?.closest("a, button, input, select, textarea, summary, label, [role=button], [role=option]")
				if (within && within !== e && e.contains(within)) return fail(new Error("name what is to be clicked; in its middle stands " + within.outerHTML.slice(0, 200)))
				if (hit && (e.contains(hit) || hit.contains(e) || hit.closest("label")?.control === e)) {
					const clickable = "a, button, input, select, textarea, summary, label, [role=button], [role=option]"
					window.struck = {e, what: "nothing", other: false}
					addEventListener("click", ({target}) => {
						window.struck.what = e.contains(target) || target.contains(e) || target.closest("label")?.control === e ? "" : target.outerHTML.slice(0, 200)
						window.struck.other = !!target.closest(clickable)
					}, {capture: true, once: true})
					return done({x, y})
				}
				why = "over it lies " + (hit?.outerHTML.slice(0, 200) ?? "nothing: it is outside of the window")
			}
			before = now
		}
		if (performance.now() > end) return fail(new Error(why))
		setTimeout(look, every)
	}
	look()
}))`

// missed is JavaScript that says what the last click met in place of what was
// looked for, and whether that was something to be clicked; "" is what it was to
// meet. There is no click where what was pressed is replaced before it is let go.
// Of a page that the click has led to nothing is known, and an element that is gone,
// is disabled, or opens a list when it is pressed, has had its click.
const missed = `(s => !s || !s.e.isConnected || s.e.matches(":disabled, select") ? {What: ""} : {What: s.what, Other: s.other})(window.struck)`

// Click clicks the middle of the first element that matches the CSS selector,
// once a person could: it is visible, stands still, and nothing lies over it. If
// it moves away even so, under the pointer, it is clicked where it is then.
func (t *Tab) Click(selector string) error {
	quoted, err := json.Marshal(selector)
	if err != nil {
		return err
	}
	js := fmt.Sprintf("%s(%s, %d, %d)", spot, quoted, lookEvery.Milliseconds(), (within * 9 / 10).Milliseconds())
	const tries = 5
	for range tries {
		var at struct{ X, Y float64 }
		if err := t.Eval(&at, js); err != nil {
			return fmt.Errorf("click %s: %w", selector, err)
		}
		if err := t.Do(chromedp.MouseClickXY(at.X, at.Y)); err != nil {
			return fmt.Errorf("click %s: %w", selector, err)
		}
		var met struct {
			What  string
			Other bool
		}
		if err := t.Eval(&met, missed); err != nil {
			return nil // the page is being left
		}
		switch {
		case met.What == "":
			return nil
		case met.Other:
			return fmt.Errorf("click %s: it moved, and %s was clicked", selector, met.What)
		}
	}
	return fmt.Errorf("click %s: it moved away %d times", selector, tries)
}

// Hover moves the pointer to where [Tab.Click] would click.
func (t *Tab) Hover(selector string) error {
	quoted, err := json.Marshal(selector)
	if err != nil {
		return err
	}
	var at struct{ X, Y float64 }
	if err := t.Eval(&at, fmt.Sprintf("%s(%s, %d, %d)", spot, quoted, lookEvery.Milliseconds(), (within*9/10).Milliseconds())); err != nil {
		return fmt.Errorf("hover %s: %w", selector, err)
	}
	return t.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at.X, at.Y))
}
