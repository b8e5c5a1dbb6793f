//go:build js && wasm

package ui

import "syscall/js"

// preventDefaults keeps the browser from doing by itself what the page does.
// go-app hands an event to its own goroutine, and a busy one calls
// preventDefault after the browser has acted: the Enter that sends would leave
// a line feed in the composer, the one that picks a model would press the
// button under the picker, and a form would be submitted. These listeners run
// within the event.
func (p *page) preventDefaults() {
	p.prevent("submit", func(js.Value) bool { return true })
	p.prevent("keydown", func(ev js.Value) bool {
		key := ev.Get("key").String()
		switch ev.Get("target").Get("id").String() {
		case "composer":
			return p.sends(key, func(name string) bool { return ev.Get(name).Bool() })
		case "picker-search":
			return key == "Enter" || key == "ArrowDown" || key == "ArrowUp" || key == "PageDown" || key == "PageUp"
		case "rename":
			return key == "Enter"
		}
		return false
	})
}

func (p *page) prevent(event string, when func(ev js.Value) bool) {
	fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if when(args[0]) {
			args[0].Call("preventDefault")
		}
		return nil
	})
	p.dom.doc.Call("addEventListener", event, fn, true)
}

// sends says that a key pressed in the composer sends: Enter and Ctrl+Enter.
// Where a finger types there is no Shift+Enter, so Enter is a new line and the
// button sends. is reads a boolean of the event.
func (p *page) sends(key string, is func(name string) bool) bool {
	if key != "Enter" || is("isComposing") || is("shiftKey") {
		return false
	}
	return is("ctrlKey") || is("metaKey") || !p.dom.coarse()
}
