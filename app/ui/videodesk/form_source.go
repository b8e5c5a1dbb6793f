//go:build js && wasm

package videodesk

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/wire"
)

// mostSources bounds the finished clips that are offered in the form; the
// gallery has them all.
const mostSources = 6

// sourceField is the clip that an extend or upscale starts from.
func (f *Form) sourceField() app.UI {
	form := f.model()
	verb := string(form.Mode)
	s := form.Draft().Source
	if s == nil {
		return f.field("task_id", "Clip to "+verb, "", f.sources(verb)...)
	}
	title, about := s.Title, strings.TrimSpace(s.Provenance.Model+" "+s.Provenance.Resolution)
	if s.Provenance.Pasted {
		about = "Made elsewhere: the gateway decides whether the model fits."
	}
	if title == "" {
		title = s.UUID
	}
	thumb := app.Div().Class("thumb none").Body(kit.Icon(kit.IconVideo, "icon"))
	if s.Task != "" {
		thumb = app.Div().Class("thumb").Body(clipThumb(wire.MediaPathOf(s.Task, s.Index)))
	}
	return f.field("task_id", "Clip to "+verb, "",
		app.Div().Class("slot").DataSet("full", true).Body(
			app.Div().Class("slot-line").Body(
				thumb,
				app.Div().Class("slot-text").Body(
					app.P().Class("slot-name").Text(title),
					app.P().Class("slot-facts mono").Text(about),
				),
				app.Button().ID("other-source").Class("button").Type("button").Text("Another").
					OnClick(f.on("other source", func(app.Event) {
						form.SetSource(nil)
						f.later("#source-uuid")
					})),
			),
		))
}

// sources are the newest finished clips that fit, and a place for the id of
// one that was made elsewhere.
func (f *Form) sources(verb string) []app.UI {
	form := f.model()
	found := form.Sources()
	found = found[:min(len(found), mostSources)]
	f.s.Show("source-uuid", "")
	list := app.UI(app.P().Class("form-note").Text("No finished clip here can be used to " + verb + ". Make one with alpha or beta-video, or give the id of one."))
	if len(found) > 0 {
		list = app.Div().Class("sources").Body(app.Range(found).Slice(func(i int) app.UI {
			t := found[i]
			return app.Button().Class("source").Type("button").DataSet("task", t.ID).Title(t.Model).
				OnClick(f.on("source "+t.ID, func(app.Event) {
					form.SetSource(&video.Source{UUID: t.UUID, Task: t.ID, Title: video.Title(t), Provenance: t.Provenance()})
					f.s.writeOn()
				})).
				Body(
					app.Span().Class("thumb").Body(clipThumb(wire.MediaPathOf(t.ID, 0))),
					app.Span().Class("source-name").Text(video.Title(t)),
				)
		}))
	}
	return []app.UI{
		list,
		app.Input().ID("source-uuid").Class("field mono").Type("text").Placeholder("or the UUID of a clip made elsewhere").
			Aria("label", "UUID of the clip to "+verb).Attr("autocomplete", "off").Attr("spellcheck", "false").DataSet("first", len(found) == 0).
			OnChange(f.on("source-uuid", func(e app.Event) {
				if id := strings.TrimSpace(e.Get("target").Get("value").String()); id != "" {
					form.SetSourceUUID(id)
					f.s.writeOn()
				}
			})),
	}
}

// clipThumb shows the first frame of a clip of this server.
func clipThumb(path string) app.UI {
	return app.Video().Src(path).Muted(true).Preload("metadata").Attr("playsinline", "true").TabIndex(-1).Aria("hidden", true)
}
