//go:build js && wasm

package chat

import (
	"fmt"
	"net/url"
	"strings"
	"syscall/js"
	"unicode/utf8"

	"screentest/app/chat"
	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/app/ui/prose"
	"screentest/shared/markdown"
	"screentest/shared/reply"
)

// extras is what goes with an answer's text: before it the folded reasoning
// and the searches, after it the calls and the sources.
type extras struct {
	rev       int // of the Answer when it was drawn
	final     bool
	answer    *reply.Answer
	reasoning *prose.View
	length    js.Value // shown in the fold's line
	rest      string   // what the searches, calls and sources were drawn from
}

func (x *extras) draw(p *Page, lane int, m *chat.Message) {
	a := m.Reply()
	if a == nil || x.answer == a && x.rev == a.Revision && x.final == !m.Running() {
		return
	}
	before, after := p.DOM.ByID(partID("before", lane, m.ID)), p.DOM.ByID(partID("after", lane, m.ID))
	if !before.Truthy() || !after.Truthy() {
		return
	}
	if x.answer != a {
		before.Call("replaceChildren")
		after.Call("replaceChildren")
		*x = extras{answer: a}
	}
	x.rev, x.final = a.Revision, !m.Running()
	x.drawReasoning(p, before, a.Reasoning(), !m.Running())

	rest := fmt.Sprint(m.Running(), len(a.Citations))
	for _, s := range a.Searches {
		rest += s.Status + strings.Join(s.Queries, " ") + fmt.Sprint(len(s.Sources))
	}
	for _, c := range a.ToolCalls {
		rest += c.Name + fmt.Sprint(len(c.Arguments()))
	}
	if rest == x.rest {
		return
	}
	x.rest = rest
	for old := before.Call("querySelectorAll", ".search"); old.Length() > 0; old = before.Call("querySelectorAll", ".search") {
		old.Index(0).Call("remove")
	}
	for _, s := range a.Searches {
		before.Call("append", webSearch(p.DOM, s))
	}
	after.Call("replaceChildren")
	for _, c := range a.ToolCalls {
		if !m.Running() {
			break // see Calls
		}
		e := p.DOM.El("div", "call")
		e.Set("textContent", c.Name+"("+c.Arguments()+")")
		after.Call("append", e)
	}
	if len(a.Citations) > 0 {
		after.Call("append", sources(p.DOM, a.Citations))
	}
}

// drawReasoning draws all that has come: it is short beside what it is for.
func (x *extras) drawReasoning(p *Page, before js.Value, text string, final bool) {
	if text == "" {
		return
	}
	if x.reasoning == nil {
		fold, line, body := p.DOM.El("details", "fold aside"), p.DOM.El("summary", ""), p.DOM.El("div", "reasoning-text md")
		x.length = p.DOM.El("span", "figure")
		line.Call("append", p.DOM.Icon(kit.IconChevron, "icon small turns"), "Reasoning", x.length)
		fold.Call("append", line, body)
		before.Call("prepend", fold)
		x.reasoning = p.pen.New(body)
	}
	for x.reasoning.Grow(text, final) {
	}
	x.length.Set("textContent", "· "+figure.Count(int64(utf8.RuneCountInString(text)))+" characters")
}

func webSearch(d kit.DOM, s *reply.Search) js.Value {
	words := "Searching the web"
	switch s.Status {
	case "completed":
		words = "Searched the web"
	case "failed":
		words = "The web search failed"
	}
	if len(s.Queries) > 0 {
		words += ": “" + strings.Join(s.Queries, "”, “") + "”"
	}
	if n := len(s.Sources); n > 0 {
		words += " · " + figure.Count(int64(n)) + " results"
	}
	e := d.El("div", "aside search")
	e.Set("textContent", words)
	return e
}

func sources(d kit.DOM, cs []reply.Citation) js.Value {
	list := d.El("ul", "citations")
	seen := map[string]bool{}
	for _, c := range cs {
		address, ok := markdown.LinkAddress(c.URL)
		u, err := url.Parse(address)
		if !ok || err != nil || u.Host == "" || seen[c.URL] {
			continue
		}
		seen[c.URL] = true
		title := c.Title
		if title == "" {
			title = u.Host
		}
		a := d.El("a", "pill cut")
		a.Set("href", address)
		a.Set("target", "_blank")
		a.Set("rel", "noopener noreferrer nofollow")
		a.Set("title", c.URL)
		a.Set("textContent", title)
		item := d.El("li", "")
		item.Call("append", a)
		list.Call("append", item)
	}
	return list
}
