//go:build js && wasm

package video

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/wire"
)

// mostSources bounds the finished clips that are offered in the form; the
// gallery has them all.
const mostSources = 24

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
	thumb := kit.Box("div", "thumb none", kit.Icon(kit.IconVideo, "icon"))
	if s.Task != "" {
		thumb = kit.Box("div", "thumb", clipThumb(wire.MediaPathOf(s.Task, s.Index)))
	}
	return f.field("task_id", "Clip to "+verb, "",
		kit.El("div", "slot", kit.At{"data-full", true},
			kit.Box("div", "slot-line",
				thumb,
				kit.Box("div", "slot-text",
					kit.Box("p", "cut", title),
					kit.Box("p", "faint mono", about),
				),
				kit.Button("", kit.At{"id", "other-source"}, f.on("other source", func(app.Event) {
					form.SetSource(nil)
					f.later("#source-uuid")
				}), "Another"),
			),
		))
}

// sources are the newest finished clips that fit, and a place for the id of
// one that was made elsewhere.
func (f *Form) sources(verb string) []app.UI {
	form := f.model()
	found := form.Sources()
	more := len(found) > mostSources || f.s.desk.Tasks.More
	found = found[:min(len(found), mostSources)]
	f.s.Show("source-uuid", "")
	list := kit.Box("p", "faint", "No finished clip here can be used to "+verb+". Make one with alpha or beta-video, or give the id of one.")
	if len(found) > 0 {
		list = kit.Box("div", "sources", kit.Times(len(found), func(i int) app.UI {
			t := found[i]
			return kit.El("button", "source", kit.At{"type", "button", "data-task", t.ID, "title", t.Model,
				"onclick", f.on("source "+t.ID, func(app.Event) {
					form.SetSource(&video.Source{UUID: t.UUID, Task: t.ID, Title: video.Title(t), Provenance: t.Provenance()})
					f.s.writeOn()
				})},
				kit.Box("span", "thumb", sourceThumb(&t)),
				kit.Box("span", "source-title written", video.Title(t)),
			)
		}))
	}
	return []app.UI{
		list,
		kit.El("p", "faint", kit.At{"id", "more-sources", "hidden", !more}, "An older clip is found among your clips; its card has “"+video.ModeName(form.Mode)+"”."),
		kit.El("input", "field mono", kit.At{"id", "source-uuid", "type", "text", "placeholder", "or the UUID of a clip made elsewhere",
			"aria-label", "UUID of the clip to " + verb, "autocomplete", "off", "spellcheck", "false", "data-first", len(found) == 0,
			"onchange", f.on("source-uuid", func(e app.Event) {
				if id := strings.TrimSpace(e.Get("target").Get("value").String()); id != "" {
					form.SetSourceUUID(id)
					f.s.writeOn()
				}
			})}),
	}
}

// sourceThumb is the picture of a clip, else its first frame.
func sourceThumb(t *wire.VideoTask) app.UI {
	n := video.PlayableOutput(t)
	if o, ok := video.OutputOf(t, n); ok && o.Poster {
		return kit.El("img", "", kit.At{"src", wire.PosterPathOf(t.ID, n), "aria-hidden", "true", "loading", "lazy", "decoding", "async"})
	}
	return clipThumb(wire.MediaPathOf(t.ID, max(n, 0)))
}

// clipThumb shows the first frame of a clip of this server.
func clipThumb(path string) app.UI {
	return kit.El("video", "", kit.At{"src", path, "muted", true, "preload", "metadata", "playsinline", "true", "tabindex", -1, "aria-hidden", true})
}
