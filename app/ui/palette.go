//go:build js && wasm

package ui

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/fuzzy"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// paletteState is what the command palette shows.
type paletteState struct {
	open    bool
	query   string
	active  int // index among the choices
	choices []fuzzy.Choice
	finder  *chat.Finder
	rev     int
}

// The groups of the palette, which are the headings too.
const (
	groupCommands      = "Commands"
	groupConversations = "Conversations"
	groupPages         = "Pages"
	groupModels        = "Answer with"
	groupClips         = "Clips"
	groupHits          = "In messages"
)

// Palette is the dialog that finds anything: a field over a list, as a combobox
// is to behave.
type Palette struct {
	app.Compo
	p   *page
	Rev int
}

func (p *page) togglePalette() {
	d := p.DOM.ByID("palette")
	if d.Get("open").Bool() {
		d.Call("close")
		return
	}
	if p.modal() {
		return
	}
	p.palette.open, p.palette.query, p.palette.active = true, "", 0
	p.palette.finder.Ask(wire.Search{})
	p.Put("palette-search", "")
	d.Call("showModal")
	p.DOM.Focus("#palette-search")
	p.drawPalette()
}

// closedPalette follows the dialog however it was closed; the browser gives the
// focus back.
func (p *page) closedPalette() {
	if p.DOM.ByID("palette").Get("open").Bool() {
		return // it was opened again before the browser told of its end
	}
	p.palette.open = false
	p.palette.finder.Ask(wire.Search{})
	p.drawPalette()
}

// drawPalette finds the choices anew and draws them.
func (p *page) drawPalette() {
	p.palette.rev++
	p.palette.choices = nil
	if p.palette.open {
		p.palette.choices = p.choices(strings.TrimSpace(p.palette.query))
	}
	p.palette.active = max(0, min(p.palette.active, len(p.palette.choices)-1))
	p.Redraw()
	p.Context().Defer(func(app.Context) {
		if e := p.DOM.Find(`#palette [data-active="true"]`); e.Truthy() {
			e.Call("scrollIntoView", map[string]any{"block": "nearest"})
		}
	})
}

// choices are what the palette offers for what was typed.
func (p *page) choices(query string) []fuzzy.Choice {
	var all []fuzzy.Choice
	for i, c := range p.commands() {
		if c.when() {
			all = append(all, fuzzy.Choice{Group: groupCommands, Name: c.name, Keys: c.keys, ID: strconv.Itoa(i)})
		}
	}
	if query != "" && !p.chat.Shown().Hidden() {
		for _, m := range p.session.Models {
			all = append(all, fuzzy.Choice{Group: groupModels, Name: m.ID, Note: string(m.Endpoint), ID: m.ID})
		}
	}
	for _, g := range p.chat.List.Groups() {
		for _, s := range g.Rows {
			all = append(all, fuzzy.Choice{Group: groupConversations, Name: titleOf(s.Title), Note: p.chat.List.Models(s), ID: s.ID})
		}
	}
	all = append(all, fuzzy.Choice{Group: groupPages, Name: "Chat", ID: p.chatPath()})
	for _, s := range p.sections {
		i := s.Item()
		all = append(all, fuzzy.Choice{Group: groupPages, Name: i.Name, ID: i.Path})
	}
	all = append(all, fuzzy.Choice{Group: groupPages, Name: "Settings", ID: "/settings"})
	out := fuzzy.Rank(all, query, 6)
	if f := p.palette.finder; f.On() {
		var messages []fuzzy.Choice
		for i, h := range f.Shown()[:min(8, len(f.Shown()))] {
			c := fuzzy.Choice{Group: groupHits, Name: h.Snippet, Marks: h.Marks, Note: titleOf(h.Title), ID: strconv.Itoa(i)}
			if h.Video == "" {
				messages = append(messages, c)
				continue
			}
			c.Group, c.Note = groupClips, h.Model
			if h.Title != "" {
				c.Note = h.Title
			}
			out = append(out, c)
		}
		out = append(out, messages...)
		out = append(out, fuzzy.Choice{Group: groupHits, Name: "Show all messages with “" + query + "”", ID: "all"})
	}
	return out
}

// take does what a choice stands for.
func (p *page) take(c fuzzy.Choice) {
	query := p.palette.query
	hits := p.palette.finder.Shown()
	p.DOM.ByID("palette").Call("close") // first: the focus goes back, and then where the choice leads
	switch c.Group {
	case groupCommands:
		i, _ := strconv.Atoi(c.ID)
		p.commands()[i].do()
	case groupConversations:
		p.Context().Navigate("/c/" + c.ID)
	case groupPages:
		p.Context().Navigate(c.ID)
	case groupModels:
		p.chat.Focused().Choose(c.ID)
		if p.view != viewChat {
			p.Context().Navigate(p.chatPath())
		}
		p.focusComposer()
	case groupHits, groupClips:
		if i, err := strconv.Atoi(c.ID); err == nil && i < len(hits) {
			p.openHit(hits[i])
			return
		}
		p.setSearch(searchForm{query: strings.TrimSpace(query)})
		p.focusSearch()
	}
}

// Render implements app.Composer.
func (c *Palette) Render() (ui app.UI) {
	p := c.p
	defer p.Drawing("the palette", &ui)
	s := &p.palette
	active := ""
	if len(s.choices) > 0 {
		active = "palette-" + strconv.Itoa(s.active)
	}
	closed := p.Do("palette-close", func() { p.closedPalette() })
	list := kit.El("div", "palette-list", kit.At{"id", "palette-list", "role", "listbox", "aria-label", "Results"}, c.groups())
	return kit.El("dialog", "palette", kit.At{"id", "palette", "aria-label", "Find anything",
		"onclose", closed,
		"onclick", p.On("palette-backdrop", func(ctx app.Context, e app.Event) {
			ctx.PreventUpdate()
			if e.Get("target").Get("id").String() == "palette" {
				e.Get("target").Call("close")
			}
		})},
		kit.Box("div", "picker-search",
			kit.Icon(kit.IconSearch, "icon"),
			p.Field("palette-search", "", kit.At{"placeholder", "Find a command, a conversation, a model, a message", "maxlength", 200,
				"role", "combobox", "aria-label", "Find anything", "aria-expanded", true, "aria-controls", "palette-list",
				"aria-autocomplete", "list", "aria-activedescendant", active,
				"onkeydown", p.On("palette-key", c.onKey)}, s.query, func(text string) {
				s.query, s.active = text, 0
				q := wire.Search{Limit: 8}
				if len([]rune(strings.TrimSpace(s.query))) > 1 {
					q.Query = s.query
				}
				s.finder.Ask(q) // draws
			}),
			kit.Box("kbd", "", "Esc"),
		),
		list,
		kit.El("p", "palette-foot", kit.At{"role", "status"}, c.foot()),
	)
}

// foot says what there is, for those who can't see it too.
func (c *Palette) foot() string {
	s := &c.p.palette
	switch {
	case !s.open:
		return ""
	case s.finder.Problem != nil:
		return "Messages could not be searched: " + s.finder.Problem.Message
	case s.finder.Busy:
		return "Searching messages…"
	case len(s.choices) == 0:
		return "Nothing fits. Try fewer letters."
	case len(s.choices) == 1:
		return "1 result"
	}
	return strconv.Itoa(len(s.choices)) + " results"
}

func (c *Palette) groups() []app.UI {
	var groups []app.UI
	all := c.p.palette.choices
	for i := 0; i < len(all); {
		name := all[i].Group
		id := "palette-group-" + strconv.Itoa(len(groups))
		body := []app.UI{kit.El("div", "picker-group", kit.At{"id", id, "aria-hidden", true}, name)}
		for ; i < len(all) && all[i].Group == name; i++ {
			body = append(body, c.option(i, all[i]))
		}
		groups = append(groups, kit.El("div", "", kit.At{"role", "group", "aria-label", name}, body))
	}
	return groups
}

func (c *Palette) option(i int, x fuzzy.Choice) app.UI {
	p := c.p
	icon := iconCommand
	switch x.Group {
	case groupConversations:
		icon = kit.IconChat
	case groupPages:
		icon = iconPage
	case groupModels:
		icon = iconModel
	case groupClips:
		icon = kit.IconVideo
	case groupHits:
		icon = kit.IconSearch
	}
	active := i == p.palette.active
	return kit.El("div", "palette-option", kit.At{"id", "palette-" + strconv.Itoa(i), "role", "option",
		"aria-selected", active, "data-active", active,
		"onclick", p.Do("take "+x.Group+" "+x.ID, func() { p.take(x) })},
		kit.Icon(icon, "icon small"),
		kit.Box("span", "palette-name", marked(x.Name, x.Marks)),
		kit.Box("span", "palette-note", x.Note),
		kit.Box("span", "palette-keys", keycaps(x.Keys)),
	)
}

// marked draws a text with its marks. It is text and stays text, whatever it
// looks like.
func marked(text string, marks []int) []app.UI {
	var out []app.UI
	for _, piece := range fuzzy.Pieces(text, marks) {
		if piece.Marked {
			out = append(out, kit.Box("mark", "", piece.Text))
		} else {
			out = append(out, kit.Box("span", "", piece.Text))
		}
	}
	return out
}

func (c *Palette) onKey(ctx app.Context, e app.Event) {
	ctx.PreventUpdate()
	p := c.p
	s := &p.palette
	last := len(s.choices) - 1
	switch key := e.Get("key").String(); {
	case kit.Composing(e.Value):
		return
	case key == "ArrowDown":
		s.active++
		if s.active > last {
			s.active = 0
		}
	case key == "ArrowUp":
		s.active--
		if s.active < 0 {
			s.active = max(last, 0)
		}
	case key == "PageDown":
		s.active = min(s.active+8, last)
	case key == "PageUp":
		s.active = max(s.active-8, 0)
	case key == "Enter":
		e.PreventDefault()
		if s.active <= last && s.active >= 0 {
			p.take(s.choices[s.active])
		}
		return
	default:
		return
	}
	e.PreventDefault()
	p.drawPalette()
}
