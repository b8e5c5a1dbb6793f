//go:build js && wasm

package videodesk

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/video"
	"screentest/shared/wire"
)

// Clip is the page of one clip.
type Clip struct {
	app.Compo
	s   *Section
	Rev int
	ID  string
}

// Render implements app.Composer.
func (c *Clip) Render() (ui app.UI) {
	defer c.s.Drawing("the clip", &ui)
	t, known := c.s.desk.Tasks.Task(c.ID)
	if !known {
		return app.Div().Class("middle").Body(app.P().Text("There is no such clip."), app.A().Class("button").Href(Path).Text("All clips"))
	}
	return app.Div().Class("clip").Body(
		app.Video().Src(wire.MediaPathOf(t.ID, 0)).Controls(true),
		app.P().Text(video.Title(t)),
	)
}
