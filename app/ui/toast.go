//go:build js && wasm

package ui

import "github.com/maxence-charriere/go-app/v10/pkg/app"

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
