//go:build js && wasm

package chat

import (
	"strconv"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// libraryState is what the dialog of saved prompts and settings shows.
type libraryState struct {
	open    bool
	kind    string
	name    string            // under which something is to be saved
	filling string            // the prompt whose variables are asked for; "" for the list
	values  map[string]string // of those, by name
	problem string
	draft   wire.LibraryEntry // the entry of one's own that is being changed
	team    string            // whose it is; "" for one's own
	shelf   teamState
}

// Library is the dialog of saved prompts and settings.
type Library struct {
	app.Compo
	p       *Page
	Rev     int
	Open    bool
	Kind    string
	Filling string
	Problem string
}

func (p *Page) openLibrary(kind string) {
	p.library = libraryState{open: true, kind: kind, team: p.library.team}
	p.chat.Library.Fetch()
	p.chat.Team.Show(p.library.team)
	p.showDialog("library", chat.PartLibrary)
}

func (p *Page) closeLibrary() {
	p.library.open = false
	p.hideDialog("library", chat.PartLibrary)
}

// Render implements app.Composer.
func (l *Library) Render() (ui app.UI) {
	p := l.p
	defer p.Drawing("the library", &ui)
	back := func() {
		if p.library.filling != "" {
			l.fill("")
			return
		}
		if p.library.draft.ID != "" {
			l.change("")
			return
		}
		switch s := p.library.shelf; s.view {
		case viewEdit:
			l.view(viewEntry, s.of, "#team-name")
			return
		case viewEntry:
			l.view("", "", "#library-"+l.Kind)
			return
		}
		p.closeLibrary()
	}
	var body app.UI
	if e := l.entry(l.Filling); l.Open && e != nil {
		body = l.variables(*e)
	} else if e := p.chat.Team.Entry(p.library.shelf.of); l.Open && e != nil && p.library.shelf.view == viewEdit {
		body = l.editing(*e)
	} else if l.Open && e != nil && p.library.shelf.view == viewEntry {
		body = l.about(*e)
	} else if l.Open {
		body = l.kinds()
	}
	return p.Dialog("library", "Prompts and settings", nil, back, p.closeLibrary, body)
}

// kinds is what was saved, one kind of it at a time.
func (l *Library) kinds() app.UI {
	p := l.p
	tab := func(kind, name string) kit.Choice {
		return kit.Choice{ID: "library-" + kind, Name: name, On: l.Kind == kind,
			Do: p.Do("library-"+kind, func() { p.library.kind, p.library.problem, p.library.draft = kind, "", wire.LibraryEntry{} })}
	}
	return kit.Box("div", "dialog-body",
		l.whose(),
		p.Tabs("What was saved", "", "", []kit.Choice{tab(wire.LibraryPrompt, "Prompts"), tab(wire.LibrarySettings, "Settings")}),
		kit.Either(p.library.team != "", l.teamList, l.list),
		kit.If(!p.Guest, func() app.UI { return kit.Either(p.library.team != "", l.teamSaving, l.saving) }),
		kit.El("p", "outcome bad", kit.At{"id", "library-problem", "role", "alert"}, l.Problem),
	)
}

func (l *Library) entry(id string) *wire.LibraryEntry {
	if l.p.library.team == "" {
		return own(l.p.chat.Library.All, id)
	}
	if e := l.p.chat.Team.Entry(id); e != nil {
		return &e.LibraryEntry
	}
	return nil
}

func (l *Library) list() app.UI {
	p := l.p
	entries := p.chat.Library.Entries(l.Kind)
	none := "Nothing saved yet. Prompts can contain {{variables}}, which you fill in when you use them."
	if l.Kind == wire.LibrarySettings {
		none = "Nothing saved yet. Settings are a model’s parameters: instructions, temperature, tools and so on."
	}
	if len(entries) == 0 {
		return kit.Box("div", "", kit.Box("p", "soft", none))
	}
	return kit.Box("div", "", kit.Box("ul", "functions", kit.Times(len(entries), func(i int) app.UI { return l.row(entries[i]) })))
}

func (l *Library) row(e wire.LibraryEntry) app.UI {
	p := l.p
	if e.ID == p.library.draft.ID {
		return kit.El("li", "function", kit.At{"data-name", e.Name}, l.entryForm())
	}
	about := chat.Short(e.Text, 100)
	if e.Kind == wire.LibrarySettings {
		about = "for " + e.Family + " models"
		if !p.chat.Focused().Fits(e) {
			about += "; what doesn’t fit here isn’t sent"
		}
	}
	return kit.El("li", "function", kit.At{"data-name", e.Name},
		kit.El("button", "function-words library-use", kit.At{"type", "button", "title", "Use",
			"onclick", p.Do("use "+e.ID, func() { l.use(e.ID) })},
			kit.Box("span", "library-name written", e.Name), kit.Box("span", "faint", about)),
		kit.IconButton("library-edit", "Edit "+e.Name, kit.IconPencil, kit.At{"title", "Edit"}, p.Do("edit "+e.ID, func() { l.change(e.ID) })),
		kit.IconButton("library-drop", "Delete "+e.Name, kit.IconTrash, kit.At{"title", "Delete"}, p.Do("drop "+e.ID, func() { p.chat.Library.Delete(e.ID, l.done) })),
	)
}

// saving takes what is in the composer, or the lane's parameters, under a name.
func (l *Library) saving() app.UI {
	p := l.p
	label := "Save the message you’re writing as"
	if l.Kind == wire.LibrarySettings {
		label = "Save the parameters of " + p.chat.Focused().Name() + " as"
	}
	return kit.El("form", "library-save", kit.At{"onsubmit", p.On("save-entry", func(_ app.Context, e app.Event) { e.PreventDefault(); l.save() })},
		kit.El("label", "label", kit.At{"for", "entry-name"}, label),
		p.Field("entry-name", "field", kit.At{"maxlength", wire.MaxName, "placeholder", "Name"}, p.library.name, func(text string) { p.library.name = text }),
		kit.Button("", kit.At{"id", "save-entry", "type", "submit"}, nil, "Save"),
	)
}

func (l *Library) save() {
	p := l.p
	name := p.library.name
	done := func(problem *wire.Problem) {
		if problem == nil {
			p.library.name = ""
			p.Put("entry-name", "") // it may have the focus
		}
		l.done(problem)
	}
	if l.Kind == wire.LibrarySettings && p.library.team != "" {
		e, err := p.chat.Library.Settings(p.chat.Focused())
		if err == nil {
			e.Name = name
			l.addToTeam(e, func() { done(nil) })
		}
		return
	}
	if l.Kind == wire.LibrarySettings {
		p.chat.Library.SaveSettings(p.chat.Focused(), name, done)
		return
	}
	text := p.chat.Shown().Draft()
	if text == "" {
		l.done(&wire.Problem{Message: "Your message is empty.", Hint: "Write the prompt there first."})
		return
	}
	if p.library.team != "" {
		l.addToTeam(wire.LibraryEntry{Kind: wire.LibraryPrompt, Name: name, Text: text}, func() { done(nil) })
		return
	}
	id := ""
	for _, e := range p.chat.Library.Entries(wire.LibraryPrompt) {
		if e.Name == name {
			id = e.ID
		}
	}
	p.chat.Library.SavePrompt(id, name, text, done)
}

// done says what went wrong with a change, or nothing.
func (l *Library) done(problem *wire.Problem) {
	l.p.library.problem = ""
	if problem != nil {
		l.p.library.problem = problem.Message + " " + problem.Hint
	}
	l.p.changed(chat.PartLibrary)
}

// use takes an entry as it is now: it may have been saved anew since it was
// drawn.
func (l *Library) use(id string) {
	p := l.p
	e := l.entry(id)
	switch {
	case e == nil:
	case e.Kind == wire.LibrarySettings:
		p.chat.Focused().UseParams(e.Params)
		p.closeLibrary()
	case len(chat.Variables(e.Text)) > 0:
		l.fill(e.ID)
	default:
		p.insert(e.Text)
		p.closeLibrary()
	}
}

// fill asks for the variables of a prompt; "" goes back to the list.
func (l *Library) fill(id string) {
	p := l.p
	p.library.filling, p.library.values = id, map[string]string{}
	if e := l.entry(id); e != nil {
		for _, name := range chat.Variables(e.Text) {
			p.library.values[name] = "" // what is left empty is nothing
		}
	}
	p.changed(chat.PartLibrary)
	if id != "" {
		p.Context().Defer(func(app.Context) { p.After(0, func() { p.DOM.Focus("#variable-0") }) })
	}
}

func (l *Library) variables(e wire.LibraryEntry) app.UI {
	p := l.p
	names, values := chat.Variables(e.Text), p.library.values
	fields := []app.UI{
		kit.Box("h3", "", e.Name),
		kit.Box("p", "soft prompt-text written", e.Text),
	}
	insert := func() {
		p.insert(chat.Fill(e.Text, values))
		p.closeLibrary()
	}
	for i, name := range names {
		id := "variable-" + strconv.Itoa(i)
		fields = append(fields,
			kit.El("label", "label", kit.At{"for", id}, name),
			p.Area(id, "field", kit.At{"rows", 1,
				"onkeydown", p.On(id, func(ctx app.Context, ev app.Event) {
					ctx.PreventUpdate()
					if p.DOM.Sends(ev.Value) {
						ev.PreventDefault()
						insert()
					}
				})}, values[name], func(text string) { values[name] = text }),
		)
	}
	fields = append(fields, kit.Box("div", "line",
		kit.Box("span", "push"),
		kit.Button("", nil, p.Do("library-back", func() { l.fill("") }), "Back"),
		kit.Button("primary", kit.At{"id", "insert-prompt", "type", "submit"}, nil, "Insert"),
	))
	return kit.El("form", "dialog-body", kit.At{"onsubmit", p.On("insert "+e.ID, func(_ app.Context, ev app.Event) {
		ev.PreventDefault()
		insert()
	})},
		fields)
}

// insert puts text into the composer where the cursor is, set apart from what
// stands there by blank lines, and the cursor behind it.
func (p *Page) insert(text string) {
	e := p.DOM.ByID("composer")
	if !e.Truthy() {
		return
	}
	from, to := e.Get("selectionStart"), e.Get("selectionEnd")
	draft := e.Get("value")
	slice := js.Global().Get("String").Get("prototype").Get("slice")
	before, after := slice.Call("call", draft, 0, from).String(), slice.Call("call", draft, to).String()
	e.Call("setRangeText", chat.Gap(before, false)+text, from, to, "end")
	at := e.Get("selectionEnd")
	e.Call("setRangeText", chat.Gap(after, true), at, at, "start")
	e.Call("setSelectionRange", at, at)
	p.chat.Shown().SetDraft(e.Get("value").String())
	p.changed(chat.PartComposer)
}
