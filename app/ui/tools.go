//go:build js && wasm

package ui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/model"
	"screentest/app/ui/kit"
	"screentest/shared/gateway"
)

// toolsState is what the dialog of functions shows.
type toolsState struct {
	open bool
	lane int
	at   int // the function that is edited: listing for none, adding for a new one
}

const (
	listing = -2
	adding  = -1
)

// newFunction is what a new function begins as: an example that works.
var newFunction = model.Function{
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
	p    *page
	Rev  int
	Open bool
	Lane int
	At   int
}

func (p *page) openTools(lane int) {
	p.tools = toolsState{open: true, lane: lane, at: listing}
	p.showDialog("tools", model.PartComposer)
}

func (p *page) closeTools() {
	p.tools.open = false
	p.hideDialog("tools", model.PartComposer)
}

// showDialog opens a dialog once it is drawn.
func (p *page) showDialog(id string, part model.Part) {
	p.changed(part)
	p.Context().Defer(func(app.Context) {
		defer p.Guard("a dialog")
		if d := p.DOM.ByID(id); d.Truthy() && !d.Get("open").Bool() {
			d.Call("showModal")
		}
	})
}

func (p *page) hideDialog(id string, part model.Part) {
	if d := p.DOM.ByID(id); d.Truthy() && d.Get("open").Bool() {
		d.Call("close")
	}
	p.changed(part)
	p.Context().Defer(func(app.Context) { p.focusComposer() })
}

// dialog is the frame of a dialog with a title, which Escape and its cross
// close. With many lanes its words say which one it is about.
func (p *page) dialog(id, title string, back, closed func()) (frame app.HTMLDialog, head app.UI) {
	cancel, scope := p.On("cancel "+id, func(_ app.Context, e app.Event) { e.PreventDefault(); back() })
	frame = app.Dialog().ID(id).Class("dialog").Aria("label", title).On("cancel", cancel, scope)
	head = app.Div().Class("dialog-head").Body(
		app.H2().Text(title),
		app.Button().ID("close-"+id).Class("icon-button").Type("button").Aria("label", "Close").Title("Close (Esc)").
			OnClick(p.On("close "+id, func(app.Context, app.Event) { closed() })).
			Body(kit.Icon(kit.IconClose, "icon")),
	)
	return frame, head
}

// edit opens a function, or goes back to the list.
func (t *Tools) edit(at int) {
	p := t.p
	p.tools.at = at
	p.changed(model.PartComposer)
	if at == listing {
		p.Context().Defer(func(app.Context) { p.DOM.Focus("#add-function") })
		return
	}
	f := newFunction
	if at >= 0 {
		f = p.desk.Params(t.Lane).Functions[at]
	} else {
		for _, o := range p.desk.Params(t.Lane).Functions {
			if o.Name == f.Name {
				f = model.Function{Parameters: "{\n  \"type\": \"object\",\n  \"properties\": {}\n}"}
			}
		}
	}
	p.Context().Defer(func(app.Context) {
		defer p.Guard("a function")
		p.After(0, func() {
			for id, text := range map[string]string{
				"function-name": f.Name, "function-about": f.Description, "function-parameters": f.Parameters, "function-sample": f.Sample,
			} {
				if e := p.DOM.ByID(id); e.Truthy() {
					e.Set("value", text)
				}
			}
			t.check()
			p.DOM.Focus("#function-name")
		})
	})
}

// written is the function as the fields have it.
func (t *Tools) written() model.Function {
	text := func(id string) string {
		if e := t.p.DOM.ByID(id); e.Truthy() {
			return e.Get("value").String()
		}
		return ""
	}
	f := model.Function{
		Name: strings.TrimSpace(text("function-name")), Description: strings.TrimSpace(text("function-about")),
		Parameters: text("function-parameters"), Sample: text("function-sample"),
	}
	if at := t.p.tools.at; at >= 0 {
		f.Off = t.p.desk.Params(t.Lane).Functions[at].Off
	}
	return f
}

// check says under the fields what is wrong with them, as one types.
func (t *Tools) check() bool {
	var others []string
	for i, o := range t.p.desk.Params(t.Lane).Functions {
		if i != t.p.tools.at {
			others = append(others, o.Name)
		}
	}
	name, parameters := model.CheckFunction(t.written(), others)
	t.p.setText("function-name-check", strings.Join(name, " "))
	words := strings.Join(parameters, "\n")
	if words == "" {
		words = "The schema is fine."
	}
	t.p.setText("function-check", words)
	ok := len(name) == 0 && len(parameters) == 0
	if e := t.p.DOM.ByID("function-check"); e.Truthy() {
		e.Get("dataset").Set("ok", strconv.FormatBool(len(parameters) == 0))
	}
	if e := t.p.DOM.ByID("save-function"); e.Truthy() {
		e.Set("disabled", !ok)
	}
	return ok
}

func (p *page) setText(id, text string) {
	if e := p.DOM.ByID(id); e.Truthy() {
		e.Set("textContent", text)
	}
}

func (t *Tools) save() {
	if !t.check() {
		return
	}
	f := t.written()
	v := t.p.desk.Params(t.Lane)
	if at := t.p.tools.at; at >= 0 {
		v.Functions[at] = f
	} else {
		v.Functions = append(v.Functions, f)
	}
	t.p.desk.SetParams(t.Lane, v)
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
	switch fs := p.desk.Params(t.Lane).Functions; {
	case t.Open && t.At == adding:
		title = "New function"
	case t.Open && t.At >= 0 && t.At < len(fs):
		title = "Function " + fs[t.At].Name
	case len(p.desk.On().Lanes) > 1:
		title = "Tools of " + p.desk.LaneName(t.Lane)
	}
	frame, head := p.dialog("tools", title, back, p.closeTools)
	switch {
	case !t.Open:
		return frame.Body(head)
	case t.At != listing:
		return frame.Body(head, t.form())
	}
	return frame.Body(head, t.list())
}

func (t *Tools) list() app.UI {
	p := t.p
	v := p.desk.Params(t.Lane)
	o, shown := p.desk.Offers(t.Lane, "tools")
	note := ""
	switch {
	case !shown:
		note = "This model takes no tools; they are kept and not sent."
	case o.Standing == gateway.Undocumented:
		note = "Tools are " + o.Note + ". They are sent, and the gateway may refuse them."
	}
	search := ""
	if !p.desk.WebSearches(t.Lane) {
		search = "only epsilon models have it"
	}
	many := len(p.desk.On().Lanes) > 1
	return app.Div().Class("dialog-body").Body(
		app.P().Class("params-about").Hidden(note == "").Text(note),
		app.Label().Class("params-switch").Body(
			app.Span().Class("params-name").Body(app.Text("Web search"), app.Span().Class("params-state").Text(search)),
			p.Switch("web-search", v.WebSearch && search == "", func(on bool) {
				v := p.desk.Params(t.Lane)
				v.WebSearch = on
				p.desk.SetParams(t.Lane, v)
			}).Class("switch").Disabled(search != ""),
		),
		app.H3().Text("Functions"),
		app.P().Class("dialog-about").Hidden(len(v.Functions) > 0).
			Text("Describe a function, and the model can call it. You see the call and write what it returns."),
		app.Ul().Class("functions").Body(app.Range(v.Functions).Slice(func(i int) app.UI { return t.row(i, v.Functions[i]) })),
		app.Div().Class("dialog-actions").Body(
			app.Button().ID("tools-to-all").Class("button").Type("button").Hidden(!many || p.desk.Hidden()).Text("Use in all lanes").
				OnClick(p.On("tools-to-all", func(app.Context, app.Event) {
					from := p.desk.Params(t.Lane)
					for i := range p.desk.On().Lanes {
						v := p.desk.Params(i)
						v.Functions, v.WebSearch = slices.Clone(from.Functions), from.WebSearch
						p.desk.SetParams(i, v)
					}
				})),
			app.Span().Class("push"),
			app.Button().ID("add-function").Class("button").Type("button").
				OnClick(p.On("add-function", func(app.Context, app.Event) { t.edit(adding) })).
				Body(kit.Icon(kit.IconPlus, "icon small"), app.Text("Add function")),
			app.Button().ID("tools-done").Class("button primary").Type("button").Text("Done").
				OnClick(p.On("tools-done", func(app.Context, app.Event) { p.closeTools() })),
		),
	)
}

func (t *Tools) row(i int, f model.Function) app.UI {
	p := t.p
	about := f.Description
	if about == "" {
		about = "No description"
	}
	return app.Li().Class("function").Body(
		p.Switch("offer-"+f.Name, !f.Off, func(on bool) {
			v := p.desk.Params(t.Lane)
			v.Functions[i].Off = !on
			p.desk.SetParams(t.Lane, v)
		}).Class("switch").Aria("label", "Offer "+f.Name),
		app.Div().Class("function-words").Body(
			app.Code().Text(f.Name), app.Span().Class("params-state").Text(about),
		),
		app.Button().Class("icon-button small edit-function").Type("button").Aria("label", "Edit "+f.Name).Title("Edit").
			OnClick(p.On("edit "+f.Name, func(app.Context, app.Event) { t.edit(i) })).
			Body(kit.Icon(kit.IconPencil, "icon")),
		app.Button().Class("icon-button small").Type("button").Aria("label", "Remove "+f.Name).Title("Remove").
			OnClick(p.On("remove "+f.Name, func(app.Context, app.Event) {
				v := p.desk.Params(t.Lane)
				v.Functions = slices.Delete(v.Functions, i, i+1)
				p.desk.SetParams(t.Lane, v)
			})).
			Body(kit.Icon(kit.IconTrash, "icon")),
	)
}

func (t *Tools) form() app.UI {
	p := t.p
	typed := func(ctx app.Context, _ app.Event) {
		ctx.PreventUpdate()
		t.check()
	}
	return app.Form().Class("dialog-body").
		OnSubmit(p.On("save-function", func(_ app.Context, e app.Event) { e.PreventDefault(); t.save() })).
		Body(
			app.Label().Class("params-name").For("function-name").Text("Name"),
			app.Input().ID("function-name").Class("field mono").Type("text").Attr("autocomplete", "off").Attr("spellcheck", "false").
				Aria("describedby", "function-name-check").OnInput(p.On("function-name", typed)),
			app.P().ID("function-name-check").Class("field-check bad").Role("status"),
			app.Label().Class("params-name").For("function-about").Text("What it does, for the model"),
			app.Input().ID("function-about").Class("field").Type("text").Attr("autocomplete", "off").OnInput(p.On("function-about", typed)),
			app.Label().Class("params-name").For("function-parameters").Text("Parameters, as JSON Schema"),
			app.Textarea().ID("function-parameters").Class("field code-field").Rows(11).Attr("spellcheck", "false").Attr("autocomplete", "off").
				Aria("describedby", "function-check").OnInput(p.On("function-parameters", typed)),
			app.P().ID("function-check").Class("field-check").Role("status"),
			app.Label().Class("params-name").For("function-sample").Text("Sample result, which you can change at each call"),
			app.Textarea().ID("function-sample").Class("field code-field").Rows(3).Attr("spellcheck", "false").Attr("autocomplete", "off"),
			app.Div().Class("dialog-actions").Body(
				app.Span().Class("push"),
				app.Button().Class("button").Type("button").Text("Cancel").
					OnClick(p.On("cancel-function", func(app.Context, app.Event) { t.edit(listing) })),
				app.Button().ID("save-function").Class("button primary").Type("submit").Text("Save function"),
			),
		)
}
