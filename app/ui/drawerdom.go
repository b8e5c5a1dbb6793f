//go:build js && wasm

package ui

import (
	"strconv"
	"strings"
	"syscall/js"

	"screentest/app/chat"
	"screentest/app/figure"
	"screentest/app/inspect"
	"screentest/app/ui/kit"
	"screentest/shared/gateway"
)

// hear listens for as long as the page lives. take is asked at once, so that
// the browser does not act on the event itself; it may only look at the event.
func (p *page) hear(target js.Value, event string, take func(ev js.Value) bool, f func(ev js.Value)) {
	fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if ev := args[0]; take(ev) {
			ev.Call("preventDefault")
			p.Post(func() { f(ev) })
		}
		return nil
	})
	target.Call("addEventListener", event, fn)
}

// The makers of elements for what is drawn by direct DOM.

func (p *page) div(class string, kids ...any) js.Value {
	e := p.DOM.El("div", class)
	e.Call("append", kids...)
	return e
}

func (p *page) span(class, text string) js.Value {
	e := p.DOM.El("span", class)
	e.Set("textContent", text)
	return e
}

func (p *page) button(id, class, text string, f func()) js.Value {
	e := p.DOM.El("button", class)
	e.Set("type", "button")
	if id != "" {
		e.Set("id", id)
	}
	e.Set("textContent", text)
	p.DOM.On(e, "click", func(js.Value) { f() }, p.Post)
	return e
}

func (p *page) iconOnly(id, label string, icon kit.IconPath, f func()) js.Value {
	e := p.button(id, "icon-button small", "", f)
	e.Call("setAttribute", "aria-label", label)
	e.Set("title", label)
	e.Call("append", p.DOM.Icon(icon, "icon small"))
	return e
}

// setText changes an element's text only when it is another.
func setText(e js.Value, text string) {
	if e.Get("textContent").String() != text {
		e.Set("textContent", text)
	}
}

func show(e js.Value, shown bool) { e.Set("hidden", !shown) }

func press(e js.Value, pressed bool) {
	e.Call("setAttribute", "aria-pressed", strconv.FormatBool(pressed))
}

const (
	// shownJSON bounds what is drawn of a body, in bytes: more is there to be
	// copied, and nobody reads it in a column.
	shownJSON = 24 << 10
	// colouredPieces bounds the elements it is drawn with.
	colouredPieces = 1500
)

// drawJSON draws JSON in its colours into pre, and returns how many bytes of it
// were left out.
func (p *page) drawJSON(pre js.Value, text string) (left int) {
	text, left = inspect.Cut(text, shownJSON)
	piece := p.DOM.Doc.Call("createDocumentFragment")
	plain, pieces := "", 0
	for kind, s := range inspect.Tokens(text) {
		class := [...]string{inspect.Plain: "", inspect.Key: "md-a", inspect.String: "md-s", inspect.Number: "md-n", inspect.Word: "md-k"}[kind]
		if class == "" || pieces >= colouredPieces {
			plain += s
			continue
		}
		if plain != "" {
			piece.Call("append", plain)
			plain = ""
		}
		piece.Call("append", p.span(class, s))
		pieces++
	}
	piece.Call("append", plain)
	pre.Call("replaceChildren", piece)
	return left
}

// drawIssues lists what the validator says, or that all is well.
func (p *page) drawIssues(list js.Value, v gateway.Verdict, fine string) {
	piece := p.DOM.Doc.Call("createDocumentFragment")
	add := func(tone string, icon kit.IconPath, i gateway.Issue) {
		item, words := p.DOM.El("li", "finding"), p.DOM.El("p", "")
		item.Get("dataset").Set("tone", tone)
		if i.Field != "" && !strings.HasPrefix(i.Message, i.Field+" ") {
			words.Call("append", p.el("code", "", i.Field), ": ")
		}
		words.Call("append", sentence(i.Message, i.Field))
		if i.Hint != "" {
			words.Call("append", " ", p.span("todo", i.Hint))
		}
		facts := i.Code
		if i.Fact != "" {
			facts += " · " + i.Fact
		}
		if len(i.Allowed) > 0 {
			facts += " · allowed: "
			for n, a := range i.Allowed {
				if n > 0 {
					facts += ", "
				}
				facts += a
			}
		}
		item.Call("append", p.DOM.Icon(icon, "icon small"), p.div("", words, p.span("finding-facts", facts)))
		piece.Call("append", item)
	}
	for _, i := range v.Errors {
		add("bad", kit.IconAlert, i)
	}
	for _, i := range v.Warnings {
		add("warn", kit.IconAlert, i)
	}
	if len(v.Errors)+len(v.Warnings) == 0 {
		item := p.DOM.El("li", "finding")
		item.Get("dataset").Set("tone", "good")
		item.Call("append", p.DOM.Icon(kit.IconCheck, "icon small"), p.span("", fine))
		piece.Call("append", item)
	}
	list.Call("replaceChildren", piece)
}

// sentence begins a message with a capital letter, but for a field's name.
func sentence(message, field string) string {
	if field != "" || message == "" || message[0] < 'a' || message[0] > 'z' {
		return message
	}
	return strings.ToUpper(message[:1]) + message[1:]
}

func (p *page) el(tag, class, text string) js.Value {
	e := p.DOM.El(tag, class)
	e.Set("textContent", text)
	return e
}

// stepper goes through the answers of the focused lane.
type stepper struct {
	d              *drawer
	root, words    js.Value
	earlier, later js.Value
}

func newStepper(d *drawer) *stepper {
	p := d.p
	s := &stepper{d: d, words: p.DOM.El("span", "stepper-words")}
	s.earlier = p.iconOnly("", "Earlier answer", kit.IconBack, func() { s.step(-1) })
	s.later = p.iconOnly("", "Later answer", kit.IconChevron, func() { s.step(1) })
	s.root = p.div("stepper", s.earlier, s.words, s.later)
	return s
}

func (s *stepper) at() (at int, list []*chat.Message) {
	list = s.d.answers()
	for i, m := range list {
		if s.d.answer() == m {
			return i, list
		}
	}
	return -1, list
}

func (s *stepper) step(by int) {
	at, list := s.at()
	if at += by; at >= 0 && at < len(list) {
		s.d.message = list[at].ID
		if at == len(list)-1 {
			s.d.message = "" // and those that follow
		}
		s.d.touch()
	}
}

func (s *stepper) draw() {
	at, list := s.at()
	words := "No answer yet"
	if m := s.d.answer(); m != nil {
		words = "Answer of " + m.Run.Model
		if at >= 0 {
			words = "Answer " + figure.Count(int64(at+1)) + " of " + figure.Count(int64(len(list))) + words[len("Answer"):]
		}
	}
	setText(s.words, words)
	s.words.Set("title", words)
	s.earlier.Set("disabled", at <= 0)
	s.later.Set("disabled", at < 0 || at == len(list)-1)
}
