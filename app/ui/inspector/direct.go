//go:build js && wasm

package inspector

import (
	"strconv"
	"strings"
	"syscall/js"

	"screentest/app/inspect"
	"screentest/app/ui/kit"
	"screentest/shared/gateway"
)

// The makers of elements for what is drawn by direct DOM.

func (i *Inspector) div(class string, kids ...any) js.Value {
	e := i.DOM.El("div", class)
	e.Call("append", kids...)
	return e
}

func (i *Inspector) span(class, text string) js.Value {
	e := i.DOM.El("span", class)
	e.Set("textContent", text)
	return e
}

func (i *Inspector) button(id, class, text string, f func()) js.Value {
	e := i.DOM.El("button", class)
	e.Set("type", "button")
	if id != "" {
		e.Set("id", id)
	}
	e.Set("textContent", text)
	i.DOM.On(e, "click", func(js.Value) { f() }, i.Post)
	return e
}

func (i *Inspector) iconOnly(id, label string, icon kit.IconPath, f func()) js.Value {
	e := i.button(id, "icon-button small", "", f)
	e.Call("setAttribute", "aria-label", label)
	e.Set("title", label)
	e.Call("append", i.DOM.Icon(icon, "icon small"))
	return e
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
func (i *Inspector) drawJSON(pre js.Value, text string) (left int) {
	text, left = inspect.Cut(text, shownJSON)
	piece := i.DOM.Doc.Call("createDocumentFragment")
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
		piece.Call("append", i.span(class, s))
		pieces++
	}
	piece.Call("append", plain)
	pre.Call("replaceChildren", piece)
	return left
}

// drawIssues lists what the validator says, or that all is well.
func (i *Inspector) drawIssues(list js.Value, v gateway.Verdict, fine string) {
	piece := i.DOM.Doc.Call("createDocumentFragment")
	add := func(tone string, icon kit.IconPath, issue gateway.Issue) {
		item, words := i.DOM.El("li", "finding"), i.DOM.El("p", "")
		item.Get("dataset").Set("tone", tone)
		if issue.Field != "" && !strings.HasPrefix(issue.Message, issue.Field+" ") {
			words.Call("append", i.el("code", "", issue.Field), ": ")
		}
		words.Call("append", sentence(issue.Message, issue.Field))
		if issue.Hint != "" {
			words.Call("append", " ", i.span("todo", issue.Hint))
		}
		facts := issue.Code
		if issue.Fact != "" {
			facts += " · " + issue.Fact
		}
		if len(issue.Allowed) > 0 {
			facts += " · allowed: "
			for n, a := range issue.Allowed {
				if n > 0 {
					facts += ", "
				}
				facts += a
			}
		}
		item.Call("append", i.DOM.Icon(icon, "icon small"), i.div("", words, i.span("faint mono", facts)))
		piece.Call("append", item)
	}
	for _, issue := range v.Errors {
		add("bad", kit.IconAlert, issue)
	}
	for _, issue := range v.Warnings {
		add("warn", kit.IconAlert, issue)
	}
	if len(v.Errors)+len(v.Warnings) == 0 {
		item := i.DOM.El("li", "finding")
		item.Get("dataset").Set("tone", "good")
		item.Call("append", i.DOM.Icon(kit.IconCheck, "icon small"), i.span("", fine))
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

func (i *Inspector) el(tag, class, text string) js.Value {
	e := i.DOM.El(tag, class)
	e.Set("textContent", text)
	return e
}
