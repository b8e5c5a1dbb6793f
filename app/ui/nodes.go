//go:build js && wasm

package ui

import (
	"strconv"
	"strings"
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
// textContent only. names goes before the ids in them, so that no two texts
// have the same.
func nodes(d kit.DOM, names string, parent js.Value, list []markdown.Node) {
	for _, n := range list {
		parent.Call("append", node(d, names, n))
	}
}

func node(d kit.DOM, names string, n markdown.Node) js.Value {
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
		if id, local := strings.CutPrefix(a.Value, "#"); a.Name == "href" && local {
			a.Value = "#" + names + id
		} else if a.Name == "id" {
			a.Value = names + a.Value
		}
		e.Call("setAttribute", a.Name, a.Value)
	}
	if len(n.Kids) == 1 && n.Kids[0].Tag == "" {
		e.Set("textContent", n.Kids[0].Text)
		return e
	}
	nodes(d, names, e, n.Kids)
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
func (p *page) followNotes() {
	p.hear(p.DOM.Doc, "click", func(ev js.Value) bool {
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
		p.Tell(kit.NotCopied)
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
