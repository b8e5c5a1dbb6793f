//go:build js && wasm

package kit

import (
	"syscall/js"
	"time"
)

// Hear listens for as long as the page lives. takes is asked at once, so that
// the browser does not act on the event itself; it may only look at the event.
func (h *Host) Hear(target js.Value, event string, takes func(ev js.Value) bool, f func(ev js.Value)) {
	fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if ev := args[0]; takes(ev) {
			ev.Call("preventDefault")
			h.Post(func() { f(ev) })
		}
		return nil
	})
	target.Call("addEventListener", event, fn)
}

// Say has a screen reader say a sentence at once.
func (h *Host) Say(words string) { h.DOM.ByID("say").Set("textContent", words) }

// Modal says that a dialog is open above the page.
func (h *Host) Modal() bool { return h.DOM.Find("dialog[open]").Truthy() }

// Reveal scrolls an element into view, sideways too, if it is out of it.
func (h *Host) Reveal(id string) {
	if e := h.DOM.ByID(id); e.Truthy() {
		e.Call("scrollIntoView", map[string]any{"inline": "nearest", "block": "nearest"})
	}
}

// SetText changes an element's text, if there is the element and the text is
// another.
func SetText(e js.Value, text string) {
	if e.Truthy() && e.Get("textContent").String() != text {
		e.Set("textContent", text)
	}
}

// Save saves a text as a file.
func (h *Host) Save(name, text string) {
	blob := js.Global().Get("Blob").New([]any{text}, map[string]any{"type": "text/plain"})
	url := js.Global().Get("URL").Call("createObjectURL", blob)
	a := h.DOM.El("a", "")
	a.Set("href", url)
	a.Set("download", name)
	a.Call("click")
	h.After(time.Minute, func() { js.Global().Get("URL").Call("revokeObjectURL", url) }) // the browser has begun by then
}

// Download saves what is at a path of the server, under the name that it gives.
func (h *Host) Download(path string) {
	a := h.DOM.El("a", "")
	a.Set("href", path)
	a.Set("download", "")
	a.Call("click")
}
