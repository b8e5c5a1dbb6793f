//go:build js && wasm

package shell

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/fuzzy"
	"screentest/app/ui/chat"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// palette is what the command palette shows.
type palette struct {
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
	groupModels        = chat.GroupModels
	groupConversations = chat.GroupConversations
	groupPages         = "Pages"
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
	if p.Modal() {
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
		if c.When() {
			all = append(all, fuzzy.Choice{Group: groupCommands, Name: c.Name, Keys: c.Keys, ID: strconv.Itoa(i)})
		}
	}
	all = append(all, p.chat.Choices(query)...)
	for _, s := range p.sections {
		i := s.Item()
		all = append(all, fuzzy.Choice{Group: groupPages, Name: i.Name, ID: i.Path})
	}
	for _, i := range p.settings.Apart() {
		all = append(all, fuzzy.Choice{Group: groupPages, Name: i.Name, ID: i.Path})
	}
	out := fuzzy.Rank(all, query, 6)
	if f := p.palette.finder; f.On() {
		var messages []fuzzy.Choice
		for i, h := range f.Shown()[:min(8, len(f.Shown()))] {
			c := fuzzy.Choice{Group: groupHits, Name: h.Snippet, Marks: h.Marks, Note: chat.TitleOf(h.Title), ID: strconv.Itoa(i)}
			if h.Share != "" {
				c.Note += " · shared by " + h.By
			}
			if h.Kind != wire.HitVideo && h.Video == "" {
				messages = append(messages, c)
				continue
			}
			if c.Group = groupClips; h.Share == "" {
				c.Note = h.Model
				if h.Title != "" {
					c.Note = h.Title
				}
			}
			out = append(out, c)
		}
		out = append(out, messages...)
		out = append(out, fuzzy.Choice{Group: groupHits, Name: "Show all messages with “" + query + "”", ID: "all"})
	}
	return out
}

// choose does what a choice stands for.
func (p *page) choose(c fuzzy.Choice) {
	query := p.palette.query
	hits := p.palette.finder.Shown()
	p.DOM.ByID("palette").Call("close") // first: the focus goes back, and then where the choice leads
	switch c.Group {
	case groupCommands:
		i, _ := strconv.Atoi(c.ID)
		p.commands()[i].Do()
	case groupPages:
		p.Context().Navigate(c.ID)
	case groupModels, groupConversations:
		p.chat.Choose(c)
	case groupHits, groupClips:
		if i, err := strconv.Atoi(c.ID); err == nil && i < len(hits) {
			p.chat.OpenHit(hits[i])
			return
		}
		p.chat.SearchFor(query)
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
	list := kit.El("div", "options", kit.At{"id", "palette-list", "role", "listbox", "aria-label", "Results"}, c.groups())
	return kit.El("dialog", "dialog palette", kit.At{"id", "palette", "aria-label", "Find anything",
		"onclose", closed,
		"onclick", p.OnBackdrop("palette", func() { p.DOM.ByID("palette").Call("close") })},
		kit.Box("div", "dialog-search field-box",
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
		kit.El("p", "dialog-foot", kit.At{"role", "status"}, c.foot()),
	)
}

// foot says what there is, for those who can't see it too.
func (c *Palette) foot() string {
	s := &c.p.palette
	switch {
	case !s.open:
		return ""
	case s.finder.Problem != nil:
		return "Couldn’t search messages: " + s.finder.Problem.Message
	case s.finder.Busy:
		return "Searching messages…"
	case len(s.choices) == 0:
		return "No matches. Try fewer letters."
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
		body := []app.UI{kit.El("div", "options-name", kit.At{"id", id, "aria-hidden", true}, name)}
		for ; i < len(all) && all[i].Group == name; i++ {
			body = append(body, c.option(i, all[i]))
		}
		groups = append(groups, kit.El("div", "", kit.At{"role", "group", "aria-label", name}, body))
	}
	return groups
}

func (c *Palette) option(i int, x fuzzy.Choice) app.UI {
	p := c.p
	icon := kit.IconCommand
	switch x.Group {
	case groupConversations:
		icon = kit.IconChat
	case groupPages:
		icon = kit.IconPage
	case groupModels:
		icon = kit.IconModel
	case groupClips:
		icon = kit.IconVideo
	case groupHits:
		icon = kit.IconSearch
	}
	active := i == p.palette.active
	return kit.El("div", "option", kit.At{"id", "palette-" + strconv.Itoa(i), "role", "option",
		"aria-selected", active, "data-active", active,
		"onclick", p.Do("choose "+x.Group+" "+x.ID, func() { p.choose(x) })},
		kit.Icon(icon, "icon small"),
		kit.Box("span", "option-name cut written", kit.Marked(x.Name, x.Marks)),
		kit.Box("span", "faint cut", x.Note),
		kit.Box("span", "option-keys", keycaps(x.Keys)),
	)
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
			p.choose(s.choices[s.active])
		}
		return
	default:
		return
	}
	e.PreventDefault()
	p.drawPalette()
}
