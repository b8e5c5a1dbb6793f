//go:build js && wasm

package chat

import (
	"fmt"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/kit"
	"screentest/shared/gateway"
)

// picker is what the dialog shows in which a model is chosen.
type picker struct {
	p      *Page
	open   bool
	lane   int
	again  string // the answer that another model is asked for; "": it answers next
	query  string
	active int // index among the models that match
}

// Picker is the dialog in which a model is chosen: a search field over a list,
// as a combobox is to behave.
type Picker struct {
	app.Compo
	p      *Page
	Rev    int
	Open   bool
	Query  string
	Active int
}

// maxOptions bounds the models that are offered at once: a gateway may list
// thousands.
const maxOptions = 300

// matches returns the models that fit what was typed: every word somewhere in
// the id, the name, the family or the endpoint.
func (k *picker) matches() []gateway.Model {
	p := k.p
	var found []gateway.Model
	words := strings.Fields(strings.ToLower(k.query))
next:
	for _, m := range p.session.Models {
		text := strings.ToLower(m.ID + " " + m.Name + " " + string(m.Family) + " " + string(m.Endpoint))
		for _, w := range words {
			if !strings.Contains(text, w) {
				continue next
			}
		}
		if found = append(found, m); len(found) == maxOptions {
			break
		}
	}
	// What is in no catalogue can be asked for too: the gateway judges.
	if id := strings.TrimSpace(k.query); len(found) == 0 && len(words) == 1 {
		if m := p.session.Model(id); m.Endpoint != gateway.Video {
			found = append(found, m)
		}
	}
	return found
}

func (k *picker) show(lane int) { k.ask(lane, "", threadID("model", lane)) }

// ask opens it at an element, for the model that answers next, or for another
// version of an answer.
func (k *picker) ask(lane int, again, at string) {
	p := k.p
	*k = picker{p: p, open: true, lane: lane, again: again}
	for i, m := range p.session.Models {
		if m.ID == p.chat.Lane(lane).Model() {
			k.active = i
		}
	}
	p.changed(chat.PartLanes)
	p.Context().Defer(func(app.Context) {
		defer p.Guard("the model picker")
		d := p.DOM.ByID("picker")
		button := p.DOM.ByID(at)
		if d.Get("open").Bool() || !button.Truthy() {
			return
		}
		const width = 480 // of the dialog, px
		box := button.Call("getBoundingClientRect")
		left, top := box.Get("left").Float(), min(box.Get("bottom").Float(), js.Global().Get("innerHeight").Float()*0.3)
		left = max(8, min(left, js.Global().Get("innerWidth").Float()-width-12))
		d.Get("style").Set("left", fmt.Sprintf("%.0fpx", left))
		d.Get("style").Set("top", fmt.Sprintf("%.0fpx", top+4))
		p.Put("picker-search", "")
		d.Call("showModal")
		p.DOM.Focus("#picker-search")
		k.showActive()
	})
}

func (k *picker) close() {
	p := k.p
	if d := p.DOM.ByID("picker"); d.Get("open").Bool() {
		d.Call("close")
	}
	k.open = false
	p.changed(chat.PartLanes)
	p.Context().Defer(func(app.Context) { p.FocusComposer() })
}

// pick has the lane answer with a model from now on.
func (k *picker) pick(id string) {
	if k.again != "" {
		k.p.threads.stick()
		k.p.chat.Lane(k.lane).RetryWith(k.again, id)
	} else {
		k.p.chat.Lane(k.lane).Choose(id)
	}
	k.close()
}

// showActive scrolls the marked model into view.
func (k *picker) showActive() {
	p := k.p
	p.Context().Defer(func(app.Context) {
		if e := p.DOM.Find(`#picker [data-active="true"]`); e.Truthy() {
			e.Call("scrollIntoView", map[string]any{"block": "nearest"})
		}
	})
}

// Render implements app.Composer.
func (c *Picker) Render() (ui app.UI) {
	p := c.p
	defer p.Drawing("the model picker", &ui)
	cancel := p.On("cancel", func(_ app.Context, e app.Event) { e.PreventDefault(); p.picker.close() })
	at := kit.At{"id", "picker", "aria-label", "Choose a model",
		"oncancel", cancel,
		"onclick", p.OnBackdrop("picker", p.picker.close)}
	hint := "Search models, or type an id"
	if len(p.session.Models) == 0 {
		hint = "Type the id of a model"
	}
	search := kit.Box("div", "dialog-search field-box",
		kit.Icon(kit.IconSearch, "icon"),
		p.Field("picker-search", "", kit.At{"placeholder", hint, "role", "combobox",
			"aria-label", "Search models", "aria-expanded", true, "aria-controls", "picker-list",
			"aria-activedescendant", fmt.Sprint("option-", c.Active),
			"onkeydown", p.On("picker-key", c.onKey)}, c.Query, func(text string) {
			p.picker.query, p.picker.active = text, 0
			p.changed(chat.PartLanes)
			p.picker.showActive()
		}),
	)
	if !c.Open {
		return kit.El("dialog", "dialog picker", at, search)
	}
	models := p.picker.matches()
	return kit.El("dialog", "dialog picker", at,
		search,
		kit.El("div", "options", kit.At{"id", "picker-list", "role", "listbox", "aria-label", "Models"}, c.options(models)),
		kit.If(anySample(models), func() app.UI {
			return kit.Box("p", "dialog-foot", "Sample prices, in US dollars per million tokens in and out.")
		}),
	)
}

// options lists the models under their families.
func (c *Picker) options(models []gateway.Model) []app.UI {
	if len(models) == 0 {
		if len(c.p.session.Models) == 0 {
			return []app.UI{kit.Empty("", "No models known yet. Type the id of a model.")}
		}
		return []app.UI{kit.Empty("", "No models match. Search by name, family or endpoint.")}
	}
	var list []app.UI
	var family gateway.Family
	chosen := c.p.chat.Lane(c.p.picker.lane).Model()
	for i, m := range models {
		if m.Family != family {
			family = m.Family
			list = append(list, kit.El("div", "options-name", kit.At{"role", "presentation"}, familyName(family)))
		}
		id := m.ID
		cost := price(m)
		if _, known := c.p.session.Catalogue.Lookup(id); !known {
			cost = "not in the catalogue"
		}
		mark := kit.Box("span", "")
		if id == chosen {
			mark = kit.Icon(kit.IconCheck, "icon small")
		}
		list = append(list, kit.El("div", "option", kit.At{"id", fmt.Sprint("option-", i), "role", "option",
			"aria-selected", id == chosen, "data-active", i == c.Active, "data-model", id,
			"onclick", c.p.Do("pick "+id, func() { c.p.picker.pick(id) })},
			mark,
			kit.Box("span", "option-name cut", kit.Box("span", "mono", id), kit.SayIf("span", "faint", kit.When(m.Name != "", " "+m.Name))),
			kit.Pill(nil, m.Endpoint),
			kit.Box("span", "option-price faint figure", cost),
		))
	}
	if len(models) == maxOptions {
		list = append(list, kit.Empty("", "These are the first "+strconv.Itoa(maxOptions)+". Type to find others."))
	}
	return list
}

func (c *Picker) onKey(_ app.Context, e app.Event) {
	p := c.p
	if kit.Composing(e.Value) {
		return
	}
	models := p.picker.matches()
	last := len(models) - 1
	switch e.Get("key").String() {
	case "ArrowDown":
		p.picker.active = min(p.picker.active+1, last)
	case "ArrowUp":
		p.picker.active = max(p.picker.active-1, 0)
	case "PageDown":
		p.picker.active = min(p.picker.active+8, last)
	case "PageUp":
		p.picker.active = max(p.picker.active-8, 0)
	case "Enter":
		if p.picker.active <= last && p.picker.active >= 0 {
			p.picker.pick(models[p.picker.active].ID)
		}
	default:
		return
	}
	p.picker.active = max(p.picker.active, 0)
	e.PreventDefault()
	p.picker.showActive()
}

func familyName(f gateway.Family) string {
	switch f {
	case gateway.Ordinary:
		return "General"
	case gateway.Unknown:
		return "Other"
	}
	s := string(f)
	return strings.ToUpper(s[:1]) + s[1:]
}

// price is a model's price for a million tokens in and out.
func price(m gateway.Model) string {
	if !m.Price.Known {
		return "no price"
	}
	s := m.Price.Input.String() + " / " + m.Price.Output.String()
	if m.Sample {
		s += " sample"
	}
	return s
}

func anySample(models []gateway.Model) bool {
	for _, m := range models {
		if m.Sample {
			return true
		}
	}
	return false
}
