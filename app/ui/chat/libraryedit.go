//go:build js && wasm

package chat

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// change begins to change an entry of one's own where it stands; "" ends that.
func (l *Library) change(id string) {
	p := l.p
	p.library.problem, p.library.draft = "", wire.LibraryEntry{}
	if e := own(p.chat.Library.All, id); e != nil {
		p.library.draft = *e
	}
	p.changed(chat.PartLibrary)
	to := "#library-edit-name"
	if id == "" {
		to = "#library-" + l.Kind
	}
	p.Context().Defer(func(app.Context) { p.After(0, func() { p.DOM.Focus(to) }) })
}

// entryForm changes an entry of one's own: its name, a prompt's text, or which
// parameters settings are.
func (l *Library) entryForm() app.UI {
	p := l.p
	d := &p.library.draft
	return kit.El("form", "library-add", kit.At{"id", "library-editing",
		"onsubmit", p.On("library-keep "+d.ID, func(_ app.Context, ev app.Event) {
			ev.PreventDefault()
			p.chat.Library.Save(*d, func(problem *wire.Problem) {
				l.done(problem)
				if problem == nil {
					l.change("")
				}
			})
		})},
		kit.Labelled("library-edit-name", "Name", "",
			p.Field("library-edit-name", "field", kit.At{"maxlength", wire.MaxName}, d.Name, func(text string) { d.Name = text })),
		kit.If(d.Kind == wire.LibraryPrompt, func() app.UI {
			return kit.Labelled("library-edit-text", "Prompt", "with {{variables}}",
				p.Area("library-edit-text", "field", kit.At{"rows", 6}, d.Text, func(text string) { d.Text = text }))
		}),
		kit.If(d.Kind == wire.LibrarySettings, func() app.UI {
			return kit.Box("div", "library-add",
				kit.Box("p", "prompt-text written", chat.Content(*d)),
				kit.Button("", kit.At{"id", "library-take"}, p.Do("library-take", func() {
					if e, err := p.chat.Library.Settings(p.chat.Focused()); err == nil {
						d.Family, d.Params = e.Family, e.Params
					}
					p.changed(chat.PartLibrary)
				}), "Use the parameters of "+p.chat.Focused().Name()))
		}),
		kit.Box("div", "line",
			kit.Button("primary", kit.At{"id", "library-keep", "type", "submit"}, nil, "Save"),
			kit.Button("", kit.At{"id", "library-leave"}, p.Do("library-leave", func() { l.change("") }), "Cancel")),
	)
}
