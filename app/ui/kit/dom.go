//go:build js && wasm

package kit

import "syscall/js"

// DOM is the little that is needed of the document.
type DOM struct{ Doc js.Value }

// NewDOM returns the document of the page.
func NewDOM() DOM { return DOM{Doc: js.Global().Get("document")} }

// Find returns the first element that matches, or null.
func (d DOM) Find(selector string) js.Value { return d.Doc.Call("querySelector", selector) }

// ByID returns the element with this id, or null.
func (d DOM) ByID(id string) js.Value { return d.Doc.Call("getElementById", id) }

// El makes an element; class may be "".
func (d DOM) El(tag, class string) js.Value {
	e := d.Doc.Call("createElement", tag)
	if class != "" {
		e.Set("className", class)
	}
	return e
}

// Focus moves the focus to the first element that matches, if there is one.
func (d DOM) Focus(selector string) {
	if e := d.Find(selector); e.Truthy() {
		e.Call("focus", map[string]any{"preventScroll": true})
	}
}

// Coarse says that the person points with a finger: an on-screen keyboard
// would cover half the page when a field is focused unasked.
func (d DOM) Coarse() bool {
	return js.Global().Call("matchMedia", "(pointer: coarse)").Get("matches").Bool()
}

// On listens until off is called: with what lives as long as the page, never.
// It does not go through go-app, whose handlers draw their component again.
func (d DOM) On(target js.Value, event string, f func(ev js.Value), post func(func())) (off func()) {
	fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
		ev := args[0]
		post(func() { f(ev) })
		return nil
	})
	target.Call("addEventListener", event, fn, map[string]any{"passive": event == "scroll"})
	return func() {
		target.Call("removeEventListener", event, fn)
		fn.Release()
	}
}

// LocalStorage is the browser's. A browser that forbids it, or has it full,
// forgets drafts; nothing else is lost.
type LocalStorage struct{}

func (LocalStorage) with(f func(js.Value)) {
	defer func() { _ = recover() }() // access itself throws where it is forbidden
	f(js.Global().Get("localStorage"))
}

// Get returns what is kept under a name, "" where there is nothing.
func (s LocalStorage) Get(name string) (value string) {
	s.with(func(store js.Value) {
		if v := store.Call("getItem", name); v.Type() == js.TypeString {
			value = v.String()
		}
	})
	return value
}

// Set keeps value under a name.
func (s LocalStorage) Set(name, value string) {
	s.with(func(store js.Value) { store.Call("setItem", name, value) })
}

// Remove forgets what is kept under a name.
func (s LocalStorage) Remove(name string) {
	s.with(func(store js.Value) { store.Call("removeItem", name) })
}
