package shown

import (
	"bytes"
	"encoding/json"
)

// A node is an element of a page that a patch can name: what is written once, and
// between open and close those within it, or an answer that grows.
type node struct {
	id          string
	open, close string
	inside      string // id of the element that holds kids; "" is id
	kids        []*node
	grows       *growing
}

func (n *node) write(h *html) {
	h.raw(n.open)
	for _, k := range n.kids {
		k.write(h)
	}
	if n.grows != nil {
		n.grows.write(h)
	}
	h.raw(n.close)
}

func (n *node) html() string {
	var h html
	if n != nil {
		n.write(&h)
	}
	return string(h)
}

func (n *node) holder() string {
	if n.inside != "" {
		return n.inside
	}
	return n.id
}

// each calls f with n and all below it.
func (n *node) each(f func(*node)) {
	f(n)
	for _, k := range n.kids {
		k.each(f)
	}
}

// A patch is one change of a page, as the script reads it: its kind, the id of what
// it changes, and the rest.
//
//	["put", id, holder, next, html]  the element takes the place of the one with its
//	                                 id, or stands before next, or last in holder
//	["drop", id]                     the element goes
//	["add", id, html]                closed blocks of the answer stand before its tail
//	["tail", id, keep, html]         of the tail's HTML the first keep UTF-16 units
//	                                 stay, and the rest is html
//	["grow", id, html, again, text]  in the tail's open element html stands before its
//	                                 rest, which is text, if again, or grows by it
//	["thought", id, text]            the reasoning grows
type patch []any

// diff gives the patches that make a page of the old nodes one of the new.
func diff(dst []patch, old, now *node) []patch {
	there := map[string]*node{}
	for _, k := range old.kids {
		there[k.id] = k
	}
	kept := map[string]bool{}
	for _, k := range now.kids {
		kept[k.id] = true
	}
	for _, k := range old.kids {
		if !kept[k.id] {
			dst = append(dst, patch{"drop", k.id})
		}
	}
	for i, k := range now.kids {
		was := there[k.id]
		switch {
		case was != nil && was.grows != nil && was.grows == k.grows:
		case was != nil && was.open == k.open && was.close == k.close && was.grows == k.grows:
			dst = diff(dst, was, k)
		default:
			next := ""
			for _, after := range now.kids[i+1:] {
				if there[after.id] != nil {
					next = after.id
					break
				}
			}
			dst = append(dst, patch{"put", k.id, now.holder(), next, k.html()})
		}
	}
	return dst
}

// frame is patches as an event of a stream.
func frame(id string, patches []patch) []byte {
	var b bytes.Buffer
	b.WriteString("id: " + id + "\ndata: ")
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(patches); err != nil {
		panic("shown: " + err.Error()) // strings and numbers: they marshal
	}
	b.WriteString("\n")
	return b.Bytes()
}
