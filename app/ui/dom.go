//go:build js && wasm

package ui

import "syscall/js"

// dom is the little that is needed of the document.
type dom struct{ doc js.Value }

func newDOM() dom { return dom{doc: js.Global().Get("document")} }

// find returns the first element that matches, or null.
func (d dom) find(selector string) js.Value { return d.doc.Call("querySelector", selector) }

// byID returns the element with this id, or null.
func (d dom) byID(id string) js.Value { return d.doc.Call("getElementById", id) }

// el makes an element; class may be "".
func (d dom) el(tag, class string) js.Value {
	e := d.doc.Call("createElement", tag)
	if class != "" {
		e.Set("className", class)
	}
	return e
}

// focus moves the focus to the first element that matches, if there is one.
func (d dom) focus(selector string) {
	if e := d.find(selector); e.Truthy() {
		e.Call("focus", map[string]any{"preventScroll": true})
	}
}

// coarse says that the person points with a finger: an on-screen keyboard
// would cover half the page when a field is focused unasked.
func (d dom) coarse() bool {
	return js.Global().Call("matchMedia", "(pointer: coarse)").Get("matches").Bool()
}

// on listens for as long as the page lives. It does not go through go-app,
// whose handlers draw their component again.
func (d dom) on(target js.Value, event string, f func(ev js.Value), post func(func())) {
	fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
		ev := args[0]
		post(func() { f(ev) })
		return nil
	})
	target.Call("addEventListener", event, fn, map[string]any{"passive": event == "scroll"})
}

// localStorage is the browser's. A browser that forbids it, or has it full,
// forgets drafts; nothing else is lost.
type localStorage struct{}

func (localStorage) with(f func(js.Value)) {
	defer func() { _ = recover() }() // access itself throws where it is forbidden
	f(js.Global().Get("localStorage"))
}

func (s localStorage) Get(name string) (value string) {
	s.with(func(store js.Value) {
		if v := store.Call("getItem", name); v.Type() == js.TypeString {
			value = v.String()
		}
	})
	return value
}

func (s localStorage) Set(name, value string) {
	s.with(func(store js.Value) { store.Call("setItem", name, value) })
}

func (s localStorage) Remove(name string) {
	s.with(func(store js.Value) { store.Call("removeItem", name) })
}
