//go:build js && wasm

package ui

import (
	"strconv"
	"syscall/js"
	"time"

	"screentest/app/markdown"
	"screentest/app/ui/kit"
)

// inline are the elements that the caret stands behind, not in.
var inline = map[string]bool{
	"a": true, "br": true, "button": true, "code": true, "del": true, "em": true, "hr": true,
	"math": true, "span": true, "strong": true, "sup": true,
}

// nodes draws Markdown's nodes into parent, with createElement and
// textContent only.
func nodes(d kit.DOM, parent js.Value, list []markdown.Node) {
	for _, n := range list {
		parent.Call("append", node(d, n))
	}
}

func node(d kit.DOM, n markdown.Node) js.Value {
	if n.Tag == "" {
		return d.Doc.Call("createTextNode", n.Text)
	}
	var e js.Value
	if ns := n.Namespace(); ns != "" {
		e = d.Doc.Call("createElementNS", ns, n.Tag)
	} else {
		e = d.Doc.Call("createElement", n.Tag)
	}
	if n.Class != "" {
		e.Call("setAttribute", "class", n.Class)
	}
	for _, a := range n.Attrs {
		e.Call("setAttribute", a.Name, a.Value)
	}
	if len(n.Kids) == 1 && n.Kids[0].Tag == "" {
		e.Set("textContent", n.Kids[0].Text)
		return e
	}
	nodes(d, e, n.Kids)
	return e
}

// sumNodes adds nodes to a checksum of what is drawn (FNV-1a).
func sumNodes(h uint64, nodes []markdown.Node) uint64 {
	add := func(s string) {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 0x100000001b3
		}
		h = (h ^ 0xff) * 0x100000001b3
	}
	for _, n := range nodes {
		add(n.Tag)
		add(n.Class)
		add(n.Text)
		for _, a := range n.Attrs {
			add(a.Name)
			add(a.Value)
		}
		h = sumNodes(h, n.Kids)
		add("")
	}
	return h
}

// onCopyCode is one listener for the copy buttons of all code blocks.
func (p *page) onCopyCode(ev js.Value) {
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
	p.copyText(code.Get("textContent").String(), button)
}

// copyText puts text on the clipboard and says so on the button, or tells the
// person why it can't.
func (p *page) copyText(text string, button js.Value) {
	p.Copy(text, func(ok bool) { p.copied(ok, button) })
}

// copied says how copying went.
func (p *page) copied(ok bool, button js.Value) {
	if !ok {
		p.desk.Tell(kit.NotCopied)
		return
	}
	p.speaker.say(p, "Copied.")
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
	p.After(1500*time.Millisecond, func() {
		classes.Call("remove", "copied")
		if words != "" {
			button.Set("textContent", words)
			style.Set("width", "")
		}
	})
}
