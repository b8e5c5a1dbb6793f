//go:build js && wasm

package kit

import (
	"slices"
	"strconv"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Every field, list and switch of the page is made here or told to [Host.Show]:
// what it shows after a draw is what the page says, "" and the first entry too.
// go-app alone drops a value that is "", and writes no attribute that is as it
// was in the draw before, whatever the person has done since.

// Option is an entry of a list to choose from; the value "" stands for none.
// Entries that follow each other and have the same Group stand under it.
type Option struct{ Value, Name, Group string }

// Options makes entries of pairs: a value, and its name.
func Options(pairs ...string) []Option {
	list := make([]Option, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, Option{Value: pairs[i], Name: pairs[i+1]})
	}
	return list
}

// Select is a list to choose from. A value that has no entry gets one.
func (h *Host) Select(id, label, class string, at At, value string, options []Option, set func(string)) app.UI {
	if !slices.ContainsFunc(options, func(o Option) bool { return o.Value == value }) {
		options = append(slices.Clip(options), Option{Value: value, Name: value})
	}
	h.Show(id, value)
	return El("select", class, append(At{"id", id, "aria-label", label, "onchange", h.On(id, func(ctx app.Context, e app.Event) {
		ctx.PreventUpdate()
		control := e.Get("target")
		chosen := control.Get("value").String()
		h.overtake(id, control)
		control.Set("shows", showing(id, chosen))
		set(chosen)
	})}, at...), entries(options))
}

func entries(options []Option) []app.UI {
	var list []app.UI
	for len(options) > 0 {
		group := options[0].Group
		end := slices.IndexFunc(options, func(o Option) bool { return o.Group != group })
		if end < 0 {
			end = len(options)
		}
		entries := Times(end, func(i int) app.UI { return El("option", "", At{"value", options[i].Value}, options[i].Name) })
		if group != "" {
			entries = []app.UI{El("optgroup", "", At{"label", group}, entries)}
		}
		list, options = append(list, entries...), options[end:]
	}
	return list
}

// Field is a line of text. What it holds may be half typed, and is the
// browser's as long as it has the focus; see Put.
func (h *Host) Field(id, class string, at At, value string, typed func(string)) app.UI {
	h.Show(id, value)
	return El("input", class, append(At{"id", id, "type", "text", "autocomplete", "off", "spellcheck", "false", "oninput", h.types(id, typed)}, at...))
}

// Area is a text of several lines, else as Field.
func (h *Host) Area(id, class string, at At, value string, typed func(string)) app.UI {
	h.Show(id, value)
	return El("textarea", class, append(At{"id", id, "autocomplete", "off", "oninput", h.types(id, typed)}, at...))
}

// Switch is a box to check.
func (h *Host) Switch(id, class string, at At, on bool, set func(bool)) app.UI {
	h.Show(id, on)
	return El("input", class, append(At{"id", id, "type", "checkbox", "onchange", h.On(id, func(ctx app.Context, e app.Event) {
		ctx.PreventUpdate()
		control := e.Get("target")
		on := control.Get("checked").Bool()
		h.overtake(id, control)
		control.Set("shows", showing(id, on))
		set(on)
	})}, at...))
}

// types hands what is typed to the page, which sees to what is drawn of it.
func (h *Host) types(id string, typed func(string)) *Handler {
	return h.On(id, func(ctx app.Context, e app.Event) {
		ctx.PreventUpdate()
		field := e.Get("target")
		text := field.Get("value").String()
		if was, is := h.shows[id].(string); is && was != "" && !field.Get("shows").Truthy() && field.Get("tagName").String() == "TEXTAREA" {
			text = was + text // a draft goes on: it is new, and was typed into before it had its text
			field.Set("value", text)
		}
		h.overtake(id, field)
		field.Set("heard", showing(id, text))
		typed(text)
	})
}

// overtake notes that the person was faster than the draw that is under way:
// what that one says of the control is not put into it any more.
func (h *Host) overtake(id string, control interface{ Set(string, any) }) {
	if value, is := h.shows[id]; is {
		control.Set("shows", showing(id, value))
		delete(h.shows, id)
	}
}

// Show has the control with this id show a value, a string or a bool, after the
// draw that is under way. It is for controls that are drawn otherwise.
func (h *Host) Show(id string, value any) {
	if h.shows == nil {
		h.shows = map[string]any{}
	}
	h.shows[id] = value
	h.settleSoon()
}

func (h *Host) settleSoon() {
	if h.settles || !h.bound {
		return
	}
	h.settles = true
	h.ctx.Defer(func(app.Context) {
		h.settles = false
		h.Settle()
	})
}

// Settle lets the controls show at once what Show said. It may run between a key
// and its event, or within a click: so it leaves a choice alone of which the page
// says what it said before, and a field that has the focus if that or what was
// typed is what the page says. What the browser has done there is about to be
// heard. A choice that was heard and that the page does not have is taken back.
func (h *Host) Settle() {
	defer h.Guard("the fields")
	active := h.DOM.Doc.Get("activeElement")
	for id, value := range h.shows {
		e := h.DOM.ByID(id)
		if !e.Truthy() {
			continue
		}
		shows := js.ValueOf(showing(id, value))
		same := e.Get("shows").Equal(shows)
		switch {
		case e.Get("tagName").String() == "SELECT":
			nameEmpty(e)
			same = same && e.Get("selectedIndex").Int() >= 0 // else its entry was drawn as another one
		case value != true && value != false:
			same = e.Equal(active) && (same || e.Get("heard").Equal(shows))
		}
		e.Set("shows", shows)
		if !same {
			e.Set("heard", "")
			put(e, value)
		}
	}
	clear(h.shows)
}

// showing is what an element notes of what it shows: that, and as what, for
// elements change their places.
func showing(id string, value any) string {
	if on, is := value.(bool); is {
		return id + " is " + strconv.FormatBool(on)
	}
	return id + " is " + value.(string)
}

// nameEmpty gives the entry for none its value, which go-app drops: without it
// the entry's words would be its value.
func nameEmpty(list js.Value) {
	options := list.Get("options")
	for i := range options.Length() {
		if o := options.Index(i); !o.Call("hasAttribute", "value").Bool() {
			o.Call("setAttribute", "value", "")
		}
	}
}

func put(e js.Value, value any) {
	name := "value"
	if _, is := value.(bool); is {
		name = "checked"
	}
	if v := js.ValueOf(value); !e.Get(name).Equal(v) {
		e.Set(name, v)
	}
}

// Radio is one of a set of which one is chosen; the set has a name.
func (h *Host) Radio(id, class string, at At, set, value string, on bool, choose func()) app.UI {
	h.Show(id, on)
	return El("input", class, append(At{"id", id, "type", "radio", "name", set, "value", value, "onchange", h.On(id, func(ctx app.Context, e app.Event) {
		ctx.PreventUpdate()
		for other := range h.shows { // the one that was chosen before is among them
			if radio := h.DOM.ByID(other); radio.Truthy() && radio.Get("name").String() == set {
				h.overtake(other, radio)
			}
		}
		e.Get("target").Set("shows", showing(id, true))
		choose()
	})}, at...))
}

// Put shows a value at once, in a field that is being typed in too.
func (h *Host) Put(id string, value any) {
	if e := h.DOM.ByID(id); e.Truthy() {
		put(e, value)
	}
}

// Fixed is a field that shows what can't be changed: to be copied, or for the
// browser to know whose password stands beside it.
func Fixed(class string, at At, value string) app.UI {
	return El("input", class, append(At{"readonly", true, "value", value}, at...))
}
