//go:build js && wasm

package prose

import (
	"syscall/js"

	"screentest/app/ui/kit"
	"screentest/shared/markdown"
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
		a = a.Named(names)
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
