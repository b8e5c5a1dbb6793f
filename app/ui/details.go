//go:build js && wasm

package ui

import (
	"syscall/js"
	"time"
)

// settleFor is how long an answer has to stay in view before its log is read.
const settleFor = 400 * time.Millisecond

// watchDetails reads the log of an answer that came whole when the person
// comes to look at it: its reasoning, its calls and its sources are not in the
// stored text. What is scrolled past is not asked for.
func (p *page) watchDetails(id string) {
	host := p.dom.byID("body-" + id)
	m := p.answers.message(id)
	if !host.Truthy() || m == nil || m.Running() || m.Answer != nil {
		return
	}
	var seen js.Func
	var cancel func()
	observer := js.Undefined()
	seen = js.FuncOf(func(_ js.Value, args []js.Value) any {
		entries := args[0]
		in := entries.Index(entries.Length() - 1).Get("isIntersecting").Bool()
		p.post(func() {
			if cancel != nil {
				cancel()
				cancel = nil
			}
			if !host.Get("isConnected").Bool() {
				observer.Call("disconnect")
				seen.Release()
				return
			}
			if in {
				cancel = p.after(settleFor, func() {
					p.desk.Details(id)
					observer.Call("disconnect")
					seen.Release()
				})
			}
		})
		return nil
	})
	observer = js.Global().Get("IntersectionObserver").New(seen)
	observer.Call("observe", host)
}
