//go:build js && wasm

package videodesk

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/video"
	"screentest/shared/wire"
)

// Gallery is the results beside the form.
type Gallery struct {
	app.Compo
	s   *Section
	Rev int
}

// Render implements app.Composer.
func (g *Gallery) Render() (ui app.UI) {
	defer g.s.Drawing("the clips", &ui)
	tasks := g.s.desk.Tasks
	if len(tasks.List) == 0 {
		text := "Clips that you make will stand here, and stay."
		if !tasks.Ready {
			text = "Waiting for the server…"
		}
		return app.Div().Class("gallery").Body(app.P().Class("about").Text(text))
	}
	return app.Div().Class("gallery").Body(
		app.Range(tasks.List).Slice(func(i int) app.UI { return g.card(*tasks.Get(tasks.List[i])) }),
	)
}

func (g *Gallery) card(t wire.VideoTask) app.UI {
	return app.Article().Class("card").DataSet("id", t.ID).DataSet("state", string(t.State)).Body(
		app.If(t.State == wire.VideoDone, func() app.UI {
			return app.Video().Class("card-clip").Src(wire.MediaPathOf(t.ID, 0)).Controls(true).Preload("metadata").Attr("playsinline", true)
		}),
		app.A().Class("card-title").Href(Path+"/"+t.ID).Text(video.Title(t)),
		app.P().Class("card-facts").Text(t.Model+" · "+string(t.State)),
	)
}
