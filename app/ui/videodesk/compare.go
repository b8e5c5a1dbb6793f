//go:build js && wasm

package videodesk

import (
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
	ctx.Defer(func(ctx app.Context) {
		ctx.PreventUpdate()
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
		return app.Div().Class("middle").Body(
			app.P().Text("Choose two to four finished clips to see them side by side."),
			app.A().Class("button primary").Href(Path).Text("Choose clips").
				OnClick(s.On("choose clips", func(app.Context, app.Event) { s.desk.Tasks.Select(true) })),
		)
	}
	p := &s.results.compare
	return app.Div().ID("compare").Class("compare").
		OnKeyDown(s.On("keys", func(ctx app.Context, e app.Event) {
			ctx.PreventUpdate()
			p.key(e)
		})).
		Body(
			app.Div().Class("compare-grid").DataSet("n", len(ids)).Body(
				app.Range(ids).Slice(func(i int) app.UI { return c.one(i, ids[i], p) }),
			),
			c.controls(p),
		)
}

// one is a clip of the comparison.
func (c *Compare) one(i int, id string, p *player) app.UI {
	s := c.s
	t := s.desk.Tasks.Get(id)
	fig := app.Elem("figure").Class("compare-one").DataSet("id", id)
	if t == nil {
		return fig.Body(app.P().Class("gallery-note").Text("Fetching the clip… If it does not come, it has been deleted."))
	}
	n := video.PlayableOutput(t)
	if n < 0 {
		return fig.Body(app.P().Class("gallery-note").Text(video.Title(*t) + ": " + video.NotPlayable(t)))
	}
	label, icon := "Hear this clip", iconMute
	if p.sound == i {
		label, icon = "Mute this clip", iconSound
	}
	return fig.Body(
		app.Video().Class("compare-clip").Src(wire.MediaPathOf(id, n)).Preload("auto").Attr("playsinline", "true").
			Muted(true).TabIndex(-1).Aria("label", video.Title(*t)).
			OnLoadedMetaData(s.On("length", func(ctx app.Context, _ app.Event) {
				ctx.PreventUpdate()
				p.measured()
			})),
		app.Elem("figcaption").Class("compare-caption").Body(
			app.Button().ID("sound-"+strconv.Itoa(i)).Class("icon-button small").Type("button").Aria("label", label).Title(label).Aria("pressed", p.sound == i).
				OnClick(s.On("sound", func(app.Context, app.Event) {
					p.hear(i)
					s.redrawResults()
				})).
				Body(kit.Icon(icon, "icon small")),
			app.A().Href(Path+"/"+id).Class("compare-title").Title(video.Title(*t)).Text(video.Title(*t)),
			app.Span().Class("mono compare-model").Text(t.Model),
			app.Span().Class("figure").Title(video.CostOf(t).Basis).Text(video.CostOf(t).Amount),
		),
	)
}

// controls play all clips as one.
func (c *Compare) controls(p *player) app.UI {
	s := c.s
	button := func(id, label string, icon kit.IconPath, do func()) app.UI {
		return app.Button().ID(id).Class("icon-button").Type("button").Aria("label", label).Title(label).
			OnClick(s.On(id, func(ctx app.Context, _ app.Event) {
				ctx.PreventUpdate()
				do()
			})).
			Body(kit.Icon(icon, "icon"))
	}
	label, icon := "Play all (space)", iconPlay
	if p.playing {
		label, icon = "Pause all (space)", iconPause
	}
	return app.Div().Class("compare-controls").Role("group").Aria("label", "Play the clips together").Body(
		button("compare-play", label, icon, p.toggle),
		button("compare-back", "One frame back (,)", iconPrev, func() { p.step(-1) }),
		button("compare-on", "One frame on (.)", iconNext, func() { p.step(1) }),
		app.Input().ID("compare-seek").Class("compare-seek").Type("range").Min(0).Attr("max", "1000").Step(1).Aria("label", "Time of all clips").
			OnInput(s.On("seek", func(ctx app.Context, e app.Event) {
				ctx.PreventUpdate()
				p.scrub(e.Get("target").Get("valueAsNumber").Float() / 1000)
			})),
		app.Span().ID("compare-time").Class("figure compare-time").Text("0:00.00"),
		app.Label().Class("compare-speed").Body(
			app.Span().Class("sr-only").Text("Speed"),
			app.Select().ID("compare-rate").Class("field pick").
				OnChange(s.On("rate", func(ctx app.Context, e app.Event) {
					ctx.PreventUpdate()
					p.setRate(e.Get("target").Get("value").String())
				})).
				Body(
					app.Option().Value("0.25").Text("¼ speed"),
					app.Option().Value("0.5").Text("½ speed"),
					app.Option().Value("1").Text("Speed 1").Selected(true),
					app.Option().Value("2").Text("Speed 2"),
				),
		),
		app.A().Class("button").Href(Path).Text("Done"),
	)
}
