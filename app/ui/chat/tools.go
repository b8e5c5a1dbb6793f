//go:build js && wasm

package chat

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/kit"
	"screentest/shared/gateway"
)

// toolsState is what the dialog of functions shows.
type toolsState struct {
	open bool
	lane int
	at   int           // the function that is edited: listing for none, adding for a new one
	form chat.Function // that function as it is written so far
}

const (
	listing = -2
	adding  = -1
)

// newFunction is what a new function begins as: an example that works.
var newFunction = chat.Function{
	Name:        "get_weather",
	Description: "The weather at a place now",
	Parameters: `{
  "type": "object",
  "properties": {
    "city": { "type": "string", "description": "Name of the city" },
    "unit": { "type": "string", "enum": ["celsius", "fahrenheit"] }
  },
  "required": ["city"]
}`,
	Sample: `{"temperature": 18, "unit": "celsius", "sky": "clear"}`,
}

// Tools is the dialog in which the functions of a lane are written.
type Tools struct {
	app.Compo
	p    *Page
	Rev  int
	Open bool
	Lane int
	At   int
	Form chat.Function
}

func (p *Page) openTools(lane int) {
	p.tools = toolsState{open: true, lane: lane, at: listing}
	p.showDialog("tools", chat.PartLanes)
}

func (p *Page) closeTools() {
	p.tools.open = false
	p.hideDialog("tools", chat.PartLanes)
}

// edit opens a function, or goes back to the list.
func (t *Tools) edit(at int) {
	p := t.p
	p.tools.at = at
	p.changed(chat.PartLanes)
	if at == listing {
		p.Context().Defer(func(app.Context) { p.DOM.Focus("#add-function") })
		return
	}
	f := newFunction
	if at >= 0 {
		f = p.chat.Lane(t.Lane).Params().Functions[at]
	} else {
		for _, o := range p.chat.Lane(t.Lane).Params().Functions {
			if o.Name == f.Name {
				f = chat.Function{Parameters: "{\n  \"type\": \"object\",\n  \"properties\": {}\n}"}
			}
		}
	}
	p.tools.form = f
	p.Context().Defer(func(app.Context) {
		defer p.Guard("a function")
		p.After(0, func() { p.DOM.Focus("#function-name") })
	})
}

// written is the function as it would be saved.
func (t *Tools) written() chat.Function {
	f := t.p.tools.form
	f.Name, f.Description = strings.TrimSpace(f.Name), strings.TrimSpace(f.Description)
	return f
}

// check says what is wrong with the name and with the schema.
func (t *Tools) check() (name, schema []string) {
	var others []string
	for i, o := range t.p.chat.Lane(t.Lane).Params().Functions {
		if i != t.p.tools.at {
			others = append(others, o.Name)
		}
	}
	return chat.CheckFunction(t.written(), others)
}

func (t *Tools) save() {
	if name, schema := t.check(); len(name)+len(schema) > 0 {
		return
	}
	f := t.written()
	v := t.p.chat.Lane(t.Lane).Params()
	if at := t.p.tools.at; at >= 0 {
		v.Functions[at] = f
	} else {
		v.Functions = append(v.Functions, f)
	}
	t.p.chat.Lane(t.Lane).SetParams(v)
	t.edit(listing)
}

// Render implements app.Composer.
func (t *Tools) Render() (ui app.UI) {
	p := t.p
	defer p.Drawing("the functions", &ui)
	back := func() {
		if p.tools.at != listing {
			t.edit(listing)
			return
		}
		p.closeTools()
	}
	title := "Tools"
	switch fs := p.chat.Lane(t.Lane).Params().Functions; {
	case t.Open && t.At == adding:
		title = "New function"
	case t.Open && t.At >= 0 && t.At < len(fs):
		title = "Function " + fs[t.At].Name
	case len(p.chat.Shown().Lanes) > 1:
		title = "Tools of " + p.chat.Lane(t.Lane).Name()
	}
	var body app.UI
	switch {
	case !t.Open:
	case t.At != listing:
		body = t.form()
	default:
		body = t.list()
	}
	return p.Dialog("tools", title, nil, back, p.closeTools, body)
}

func (t *Tools) list() app.UI {
	p := t.p
	v := p.chat.Lane(t.Lane).Params()
	o, shown := p.chat.Lane(t.Lane).Offers("tools")
	note := ""
	switch {
	case !shown:
		note = "This model takes no tools. They’re kept but not sent."
	case o.Standing == gateway.Undocumented:
		note = "Tools are " + o.Note + ". They’re sent, but the gateway may refuse them."
	}
	search := ""
	if !p.chat.Lane(t.Lane).WebSearches() {
		search = "only for epsilon models"
	}
	many := len(p.chat.Shown().Lanes) > 1
	return kit.Box("div", "dialog-body",
		kit.Notice(kit.Info, "", kit.At{"hidden", note == ""}, note),
		kit.Box("label", "switch-line",
			kit.Box("span", "label", "Web search", kit.Box("span", "faint", search)),
			p.Switch("web-search", "switch", kit.At{"disabled", search != ""}, v.WebSearch && search == "", func(on bool) {
				v := p.chat.Lane(t.Lane).Params()
				v.WebSearch = on
				p.chat.Lane(t.Lane).SetParams(v)
			}),
		),
		kit.Box("h3", "", "Functions"),
		kit.El("p", "soft", kit.At{"hidden", len(v.Functions) > 0},
			"Describe a function and the model can call it. You see each call and write its result."),
		kit.Box("ul", "functions", kit.Times(len(v.Functions), func(i int) app.UI { return t.row(i, v.Functions[i]) })),
		kit.Box("div", "line",
			kit.Button("", kit.At{"id", "tools-to-all", "hidden", !many || p.chat.Shown().Hidden()},
				p.Do("tools-to-all", func() {
					from := p.chat.Lane(t.Lane).Params()
					for i := range p.chat.Shown().Lanes {
						v := p.chat.Lane(i).Params()
						v.Functions, v.WebSearch = slices.Clone(from.Functions), from.WebSearch
						p.chat.Lane(i).SetParams(v)
					}
				}), "Use in all lanes"),
			kit.Box("span", "push"),
			kit.Button("", kit.At{"id", "add-function"}, p.Do("add-function", func() { t.edit(adding) }),
				kit.Icon(kit.IconPlus, "icon small"), "Add function"),
			kit.Button("primary", kit.At{"id", "tools-done"}, p.Do("tools-done", func() { p.closeTools() }), "Done"),
		),
	)
}

func (t *Tools) row(i int, f chat.Function) app.UI {
	p := t.p
	about := f.Description
	if about == "" {
		about = "No description"
	}
	return kit.Box("li", "function",
		p.Switch("offer-"+f.Name, "switch", kit.At{"aria-label", "Offer " + f.Name}, !f.Off, func(on bool) {
			v := p.chat.Lane(t.Lane).Params()
			v.Functions[i].Off = !on
			p.chat.Lane(t.Lane).SetParams(v)
		}),
		kit.Box("div", "function-words",
			kit.Box("code", "", f.Name), kit.Box("span", "faint", about),
		),
		kit.IconButton("", "Edit "+f.Name, kit.IconPencil, kit.At{"title", "Edit"}, p.Do("edit "+f.Name, func() { t.edit(i) })),
		kit.IconButton("", "Remove "+f.Name, kit.IconTrash, kit.At{"title", "Remove"},
			p.Do("remove "+f.Name, func() {
				v := p.chat.Lane(t.Lane).Params()
				v.Functions = slices.Delete(v.Functions, i, i+1)
				p.chat.Lane(t.Lane).SetParams(v)
			})),
	)
}

func (t *Tools) form() app.UI {
	p := t.p
	f := &p.tools.form
	field := func(to *string) func(string) {
		return func(text string) {
			*to = text
			p.Redraw()
		}
	}
	name, schema := t.check()
	about := strings.Join(schema, "\n")
	if about == "" {
		about = "Valid schema."
	}
	return kit.El("form", "dialog-body", kit.At{"onsubmit", p.On("save-function", func(_ app.Context, e app.Event) { e.PreventDefault(); t.save() })},
		kit.El("label", "label", kit.At{"for", "function-name"}, "Name"),
		p.Field("function-name", "field mono", kit.At{"aria-describedby", "function-name-check"}, f.Name, field(&f.Name)),
		kit.El("p", "outcome bad", kit.At{"id", "function-name-check", "role", "status"}, strings.Join(name, " ")),
		kit.El("label", "label", kit.At{"for", "function-about"}, "What it does, for the model"),
		p.Field("function-about", "field", kit.At{"spellcheck", "true"}, f.Description, field(&f.Description)),
		kit.El("label", "label", kit.At{"for", "function-parameters"}, "Parameters, as JSON Schema"),
		p.Area("function-parameters", "field code", kit.At{"rows", 11, "spellcheck", "false", "aria-describedby", "function-check"},
			f.Parameters, field(&f.Parameters)),
		kit.El("p", "outcome", kit.At{"id", "function-check", "role", "status", "data-ok", len(schema) == 0}, about),
		kit.El("label", "label", kit.At{"for", "function-sample"}, "Sample result, which you can change at each call"),
		p.Area("function-sample", "field code", kit.At{"rows", 3, "spellcheck", "false"}, f.Sample, field(&f.Sample)),
		kit.Box("div", "line",
			kit.Box("span", "push"),
			kit.Button("", nil, p.Do("cancel-function", func() { t.edit(listing) }), "Cancel"),
			kit.Button("primary", kit.At{"id", "save-function", "type", "submit", "disabled", len(name)+len(schema) > 0}, nil, "Save function"),
		),
	)
}
