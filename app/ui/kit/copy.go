//go:build js && wasm

package kit

import (
	"strconv"
	"syscall/js"
	"time"
)

// NotCopied is what a person is told where Copy has failed.
const NotCopied = "The browser blocked copying. Allow clipboard access, or select the text and copy it."

// Copy puts text on the clipboard and tells done how that went.
func (h *Host) Copy(text string, done func(ok bool)) {
	clipboard := js.Global().Get("navigator").Get("clipboard")
	if !clipboard.Truthy() { // over plain http, from another machine
		done(h.copySelected(text))
		return
	}
	var copied, refused js.Func
	end := func(ok bool) {
		copied.Release()
		refused.Release()
		h.Post(func() { done(ok) })
	}
	copied = js.FuncOf(func(js.Value, []js.Value) any { end(true); return nil })
	refused = js.FuncOf(func(js.Value, []js.Value) any { end(false); return nil })
	clipboard.Call("writeText", text).Call("then", copied, refused)
}

// copySelected copies in the older way, which needs no secure page.
func (h *Host) copySelected(text string) (ok bool) {
	active := h.DOM.Doc.Get("activeElement")
	field := h.DOM.El("textarea", "sr-only")
	field.Set("value", text)
	host := h.DOM.Find("dialog[open]") // what is outside of it can't be selected
	if !host.Truthy() {
		host = h.DOM.Doc.Get("body")
	}
	host.Call("append", field)
	field.Call("select")
	ok = h.DOM.Doc.Call("execCommand", "copy").Bool()
	field.Call("remove")
	if active.Truthy() {
		active.Call("focus", map[string]any{"preventScroll": true})
	}
	return ok
}

// CopyTo copies text and says so on the button, or tells the person why it can't.
func (h *Host) CopyTo(text string, button js.Value) {
	h.Copy(text, func(ok bool) { h.copied(ok, button) })
}

func (h *Host) copied(ok bool, button js.Value) {
	if !ok {
		h.Tell(NotCopied)
		return
	}
	h.Say("Copied.")
	classes, words := button.Get("classList"), button.Get("textContent").String()
	if classes.Call("contains", "copied").Bool() {
		return
	}
	classes.Call("add", "copied")
	style := button.Get("style")
	if words != "" { // an icon only changes its colour
		// It keeps its width, or its neighbours would move under the pointer.
		style.Set("width", strconv.FormatFloat(button.Call("getBoundingClientRect").Get("width").Float(), 'f', -1, 64)+"px")
		button.Set("textContent", "Copied")
		if button.Get("scrollWidth").Int() > button.Get("clientWidth").Int() {
			button.Set("textContent", "✓")
		}
	}
	h.After(1500*time.Millisecond, func() {
		classes.Call("remove", "copied")
		if words != "" {
			button.Set("textContent", words)
			style.Set("width", "")
		}
	})
}
