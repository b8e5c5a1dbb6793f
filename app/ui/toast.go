//go:build js && wasm

package ui

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
)

// Toast offers to undo what was just done.
type Toast struct {
	app.Compo
	p   *page
	Rev int
}

// Render implements app.Composer.
func (t *Toast) Render() (ui app.UI) {
	p := t.p
	defer p.Drawing("the notice", &ui)
	return app.Div().Class("toasts").Role("status").Body(
		app.If(p.desk.Notice != "", func() app.UI {
			return app.Div().ID("notice").Class("toast").Body(app.Span().Class("toast-words").Text(p.desk.Notice))
		}),
		app.If(p.data.outcome != "", func() app.UI {
			return app.Div().ID("import-notice").Class("toast").Body(
				app.Span().Class("toast-words").Text(p.data.outcome),
				app.If(p.data.open != "", func() app.UI {
					return app.A().Class("button").Href("/c/" + p.data.open).Text("Show").
						OnClick(p.On("import-show", func(app.Context, app.Event) { p.imported(importing{}) }))
				}),
				app.If(!p.data.busy, func() app.UI {
					return app.Button().Class("icon-button").Type("button").Aria("label", "Dismiss").
						OnClick(p.On("import-dismiss", func(app.Context, app.Event) { p.imported(importing{}); p.focusComposer() })).
						Body(kit.Icon(iconShut, "icon small"))
				}),
			)
		}),
		app.If(p.desk.Closed() != nil, func() app.UI {
			return app.Div().ID("closed").Class("toast").Body(
				app.Span().Class("toast-words").Text(p.desk.Closed().Words),
				app.Button().ID("undo-close").Class("button").Type("button").Text("Undo").
					OnClick(p.On("undo-close", func(app.Context, app.Event) { p.threads.stick(); p.desk.UndoClose(); p.focusComposer() })),
			)
		}),
		app.If(p.desk.Deleted != nil, func() app.UI {
			title := p.desk.Deleted.Title
			if title == "" {
				title = "the conversation"
			}
			return app.Div().Class("toast").Body(
				app.Span().Class("toast-text").Text("Deleted “"+title+"”"),
				app.Button().ID("undo").Class("button").Type("button").Text("Undo").
					OnClick(p.On("undo", func(ctx app.Context, _ app.Event) {
						if id := p.desk.Undo(); id != "" {
							ctx.Navigate("/c/" + id)
						}
					})),
			)
		}),
	)
}
