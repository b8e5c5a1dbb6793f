//go:build js && wasm

package videodesk

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/video"
)

// Form is the left side of the desk.
type Form struct {
	app.Compo
	s   *Section
	Rev int
}

// Render implements app.Composer.
func (f *Form) Render() (ui app.UI) {
	s := f.s
	defer s.Drawing("the form", &ui)
	form := s.desk.Form
	if !s.desk.Greeted {
		return app.Div().Class("form").Body(app.P().Class("about").Text("Waiting for the server…"))
	}
	return app.Form().Class("form").
		OnSubmit(s.On("create", func(_ app.Context, e app.Event) { e.PreventDefault(); form.Send() })).
		Body(
			app.P().Class("about").Text(video.ModeName(form.Mode)+" with "+form.Draft().Model),
			app.Textarea().ID("prompt").Class("field").Aria("label", "Prompt").
				OnInput(s.On("prompt", func(ctx app.Context, e app.Event) {
					ctx.PreventUpdate()
					form.SetPrompt(e.Get("target").Get("value").String())
				})),
			app.P().Class("price figure").Text(form.Check.Price.Cost.String()+" · "+form.Check.Price.Basis),
			app.Button().ID("create").Class("button primary wide").Type("submit").Text(form.Verb()),
		)
}
