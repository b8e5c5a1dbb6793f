//go:build js && wasm

package videodesk

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/video"
)

// panes are the form and the results side by side; on a phone, one of them,
// with buttons to choose.
func (s *Section) panes() app.UI {
	return app.Div().Class("video").DataSet("pane", string(s.pane)).Body(
		app.Div().Class("video-tabs").Role("group").Aria("label", "Parts of the video desk").Body(
			s.tab(paneForm, "Make"),
			s.tab(paneResults, "Clips"),
		),
		app.Section().ID("video-form").Class("video-form").Aria("label", "Make a clip").Body(
			&Form{s: s, Rev: s.rev.form, Budget: s.Budget},
		),
		app.Section().ID("video-results").Class("video-results").Aria("label", "Clips").Body(
			&Gallery{s: s, Rev: s.rev.gallery},
		),
	)
}

func (s *Section) tab(p pane, name string) app.UI {
	return app.Button().Class("video-tab").Type("button").
		Aria("pressed", yes(s.pane == p)).Aria("controls", "video-"+string(p)).Text(name).
		OnClick(s.On("pane "+string(p), func(app.Context, app.Event) { s.showPane(p) }))
}

func (s *Section) showPane(p pane) {
	s.pane = p
	s.changed(video.PartAll)
}

// toClips is a link to the gallery: on a phone, not to the form beside it.
func (s *Section) toClips(class string, kids ...app.UI) app.UI {
	return elem("a", class, at{"href", Path}, kids...).
		OnClick(s.On("to clips", func(app.Context, app.Event) { s.showPane(paneResults) }))
}
