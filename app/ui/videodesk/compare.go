//go:build js && wasm

package videodesk

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/wire"
)

// Compare shows two to four clips side by side, played in step. What moves is
// in player.go.
type Compare struct {
	app.Compo
	s   *Section
	Rev int
	IDs string // comma separated
}

// CompoID implements app.DismountEnforcer: the players belong to these clips.
func (c *Compare) CompoID() string { return c.IDs }

// OnMount implements app.Mounter.
func (c *Compare) OnMount(ctx app.Context) {
	c.s.results.mounted = true
	ctx.Defer(func(app.Context) {
		defer c.s.Guard("the comparison")
		c.s.results.compare.reset(c.s)
	})
}

// OnDismount implements app.Dismounter.
func (c *Compare) OnDismount() { c.s.results.compare.stop() }

// Render implements app.Composer.
func (c *Compare) Render() (ui app.UI) {
	s := c.s
	defer s.Drawing("the comparison", &ui)
	ids := strings.FieldsFunc(c.IDs, func(r rune) bool { return r == ',' })
	if len(ids) < 2 {
		return box("div", "middle",
			say("p", "", "Choose two to four finished clips to see them side by side."),
			elem("a", "button primary", at{"href", Path}, app.Text("Choose clips")).
				OnClick(s.On("choose clips", func(app.Context, app.Event) {
					s.desk.Tasks.Select(true)
					s.showPane(paneResults)
				})),
		)
	}
	p := &s.results.compare
	return elem("div", "compare", at{"id", "compare"},
		el("div", "compare-grid", at{"data-n", strconv.Itoa(len(ids))},
			app.Range(ids).Slice(func(i int) app.UI { return c.one(i, ids[i], p) }),
		),
		c.controls(p),
	).OnKeyDown(s.On("keys", func(ctx app.Context, e app.Event) {
		ctx.PreventUpdate()
		p.key(e)
	}))
}

// one is a clip of the comparison.
func (c *Compare) one(i int, id string, p *player) app.UI {
	s := c.s
	t := s.desk.Tasks.Get(id)
	fig := app.Elem("figure").Class("compare-one").DataSet("id", id)
	if t == nil {
		return fig.Body(say("p", "gallery-note", "Fetching the clip… If it does not come, it has been deleted."))
	}
	n := video.PlayableOutput(t)
	if t.Deleted {
		return fig.Body(box("p", "gallery-note", el("a", "", at{"href", Path + "/" + id}, app.Text(video.Title(*t))), app.Text(": "+video.NotDeleted)))
	}
	if n < 0 {
		return fig.Body(say("p", "gallery-note", video.Title(*t)+": "+video.NotPlayable(t)))
	}
	label, icon := "Hear this clip", iconMute
	if p.sound == i {
		label, icon = "Mute this clip", iconSound
	}
	shown, named := s.On("length", func(ctx app.Context, _ app.Event) {
		ctx.PreventUpdate()
		p.show()
	})
	return fig.Body(
		elem("video", "compare-clip", at{"src", wire.MediaPathOf(id, n), "preload", "auto", "playsinline", "true",
			"muted", "true", "tabindex", "-1", "aria-label", video.Title(*t)}).On("loadedmetadata", shown, named),
		app.Elem("figcaption").Class("compare-caption").Body(
			elem("button", "icon-button small", at{"id", "sound-" + strconv.Itoa(i), "type", "button", "aria-label", label, "title", label,
				"aria-pressed", yes(p.sound == i)}, kit.Icon(icon, "icon small")).
				OnClick(s.On("sound", func(app.Context, app.Event) {
					p.hear(i)
					s.redrawResults()
				})),
			el("a", "compare-title", at{"href", Path + "/" + id, "title", video.Title(*t)}, app.Text(video.Title(*t))),
			say("span", "mono compare-model", t.Model),
			el("span", "figure", at{"title", video.CostOf(t).Basis}, app.Text(video.CostOf(t).Amount)),
		),
	)
}

// controls play all clips as one.
func (c *Compare) controls(p *player) app.UI {
	s := c.s
	button := func(id, label string, icon kit.IconPath, do func()) app.UI {
		return elem("button", "icon-button", at{"id", id, "type", "button", "aria-label", label, "title", label}, kit.Icon(icon, "icon")).
			OnClick(s.On(id, func(ctx app.Context, _ app.Event) {
				ctx.PreventUpdate()
				do()
			}))
	}
	label, icon := "Play all (space)", iconPlay
	if p.playing {
		label, icon = "Pause all (space)", iconPause
	}
	return el("div", "compare-controls", at{"role", "group", "aria-label", "Play the clips together"},
		button("compare-play", label, icon, p.toggle),
		button("compare-back", "One frame back (,)", iconPrev, func() { p.step(-1) }),
		button("compare-on", "One frame on (.)", iconNext, func() { p.step(1) }),
		elem("input", "compare-seek", at{"id", "compare-seek", "type", "range", "min", "0", "max", "1000", "step", "1",
			"aria-label", "Time of all clips"}).
			OnInput(s.On("seek", func(ctx app.Context, e app.Event) {
				ctx.PreventUpdate()
				p.scrub(e.Get("target").Get("valueAsNumber").Float() / 1000)
			})),
		el("span", "figure compare-time", at{"id", "compare-time"}, app.Text("0:00.00")),
		box("label", "compare-speed",
			say("span", "sr-only", "Speed"),
			s.Select("compare-rate", "Speed", strconv.FormatFloat(cmp.Or(p.rate, 1), 'g', -1, 64), kit.Options("0.25", "¼ speed", "0.5", "½ speed", "1", "Speed 1", "2", "Speed 2"), p.setRate).
				Class("field gallery-filter"),
		),
		s.toClips("button", app.Text("Done")),
	)
}
