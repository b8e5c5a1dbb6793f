//go:build js && wasm

package video

import (
	"strconv"
	"strings"
	"syscall/js"

	"screentest/shared/gateway"
)

// sync follows a draw: what the fields show comes before the focus moves.
func (f *Form) sync() {
	defer f.s.Guard("the form")
	f.s.Settle()
	for id, n := range f.grow {
		if e := f.s.DOM.ByID(id); e.Truthy() {
			e.Get("style").Set("flexGrow", strconv.Itoa(n))
		}
	}
	f.fitTexts()
	if e := f.s.DOM.ByID("fitted"); f.s.arrived && e.Truthy() { // what has changed, and how it is undone, is to be seen
		f.s.arrived = false
		e.Call("scrollIntoView", map[string]any{"block": "nearest"})
	}
	if goal := f.s.goal; goal != "" {
		f.s.goal = ""
		f.s.DOM.Focus(goal)
	}
}

// fitTexts grows text fields with their text where the browser does not.
func (f *Form) fitTexts() {
	form := f.s.DOM.ByID("form")
	if !form.Truthy() || js.Global().Get("CSS").Call("supports", "field-sizing", "content").Bool() {
		return
	}
	list := form.Call("querySelectorAll", "textarea")
	for i := range list.Length() {
		style := list.Index(i).Get("style")
		style.Set("height", "auto")
		style.Set("height", strconv.Itoa(list.Index(i).Get("scrollHeight").Int())+"px")
	}
}

// focus leads to a place of the request: to the first thing there that takes
// the focus, or to what the place is within.
func (f *Form) focus(place string) {
	for at := place; at != ""; at = above(at) {
		box := f.s.DOM.Find(`#form [data-place="` + at + `"]`)
		if !box.Truthy() {
			continue
		}
		e := box
		if !box.Call("matches", "input, textarea, select, button").Bool() {
			e = box.Call("querySelector", "[data-first=true]")
			if !e.Truthy() {
				e = box.Call("querySelector", "textarea, input:not([type=file]), select, button")
			}
		}
		if !e.Truthy() {
			continue
		}
		box.Call("scrollIntoView", map[string]any{"block": "center"})
		e.Call("focus", map[string]any{"preventScroll": true})
		return
	}
	f.s.DOM.Focus("#create")
}

// above is the place that a place is within; "" for a field.
func above(place string) string {
	if i := strings.LastIndexAny(place, "[."); i >= 0 {
		return place[:i]
	}
	return ""
}

// focusMode goes back to the choice of the mode, when what had the focus is gone.
func (f *Form) focusMode() { f.later("#f-mode") }

// later moves the focus once the form is drawn again.
func (f *Form) later(selector string) { f.s.goal = selector }

// writeOn opens the form, for what was put into it from elsewhere, and leads to
// what one writes next: never to the button that spends money.
func (s *Section) writeOn() {
	s.goal, s.arrived = "#f-prompt", true
	if s.desk.Form.Mode == gateway.Upscale { // its prompt is not drawn: any will do
		s.goal = "#model-select"
	}
	s.openForm()
}
