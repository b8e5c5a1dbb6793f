//go:build js && wasm

package chat

import (
	"strings"
	"syscall/js"

	"screentest/shared/markdown"
)

// noteLink is the footnote's link, to it or back, that a click was on. One with
// a key held is the browser's.
func noteLink(ev js.Value) (link js.Value, ok bool) {
	target := ev.Get("target")
	if target.Get("closest").IsUndefined() || ev.Get("ctrlKey").Bool() || ev.Get("metaKey").Bool() || ev.Get("shiftKey").Bool() {
		return link, false
	}
	link = target.Call("closest", "a."+markdown.NoteClass)
	return link, !link.IsNull()
}

// followNotes lets the links of footnotes lead to what they name, within their
// message. go-app would take them for other pages.
func (p *Page) followNotes() {
	p.Hear(p.DOM.Doc, "click", func(ev js.Value) bool {
		_, ok := noteLink(ev)
		if ok {
			ev.Call("stopPropagation")
		}
		return ok
	}, func(ev js.Value) {
		link, _ := noteLink(ev)
		to := p.DOM.ByID(strings.TrimPrefix(link.Call("getAttribute", "href").String(), "#"))
		if to.Truthy() {
			to.Call("scrollIntoView", map[string]any{"block": "center"})
			to.Call("focus", map[string]any{"preventScroll": true})
		}
	})
}

// onCopyCode is one listener for the copy buttons of all code blocks.
func (p *Page) onCopyCode(ev js.Value) {
	target := ev.Get("target")
	if target.Get("closest").IsUndefined() {
		return
	}
	button := target.Call("closest", "button.md-copy")
	if button.IsNull() {
		return
	}
	block := button.Call("closest", ".md-code")
	if block.IsNull() {
		return
	}
	code := block.Call("querySelector", "pre")
	if code.IsNull() {
		return
	}
	p.CopyTo(code.Get("textContent").String(), button)
}
