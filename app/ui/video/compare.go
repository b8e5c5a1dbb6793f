//go:build js && wasm

package video

import (
	"cmp"
	"slices"
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
	s     *Section
	Rev   int
	Said  int    // of them, so far
	IDs   string // comma separated
	Share string // whose versions they are; "" is none: they are one's own
}

// CompoID implements app.DismountEnforcer: the players belong to these clips.
func (c *Compare) CompoID() string { return c.Share + " " + c.IDs }

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
	clips := c.clips()
	if len(clips) < 2 {
		return kit.Empty("page",
			kit.Box("p", "", "Choose two to four finished clips to see them side by side."),
			kit.El("a", "button primary", kit.At{"href", s.clipsPath(),
				"onclick", s.Do("choose clips", func() {
					s.desk.Tasks.Selection.Set(true)
					s.showPane(paneResults)
				})}, "Choose clips"),
		)
	}
	p := &s.results.compare
	none := !slices.ContainsFunc(clips, func(one kit.Compared) bool { return one.Source != "" })
	return kit.El("div", "compare", kit.At{"id", "compare"},
		kit.El("div", "compare-grid", kit.At{"data-n", strconv.Itoa(len(clips)), "data-wipe", p.view.wipe, "data-zoomed", p.view.zoom > 1},
			kit.Times(len(clips), func(i int) app.UI { return c.one(i, clips[i], p) }),
			kit.If(p.view.wipe, func() app.UI { return c.divider(p) }),
		),
		kit.Either(none, func() app.UI { return kit.Box("div", "line compare-controls", c.done()) },
			func() app.UI { return c.controls(p, len(clips)) }),
	)
}

// done leads back to where the clips were chosen.
func (c *Compare) done() app.UI {
	if c.Share != "" {
		return kit.El("a", "button", kit.At{"href", c.s.Reviews.Back()}, "Done")
	}
	return c.s.toClips("button", "Done")
}

// clips are those of the comparison.
func (c *Compare) clips() (list []kit.Compared) {
	if c.Share != "" {
		return c.s.Reviews.Compared()
	}
	for _, id := range strings.FieldsFunc(c.IDs, func(r rune) bool { return r == ',' }) {
		list = append(list, c.s.compared(id))
	}
	return list
}

// compared is a clip of one's own as it is compared.
func (s *Section) compared(id string) kit.Compared {
	t := s.desk.Tasks.Get(id)
	if t == nil {
		why := "Loading the clip…"
		if p := s.desk.Tasks.Absent(id); p != nil {
			why = p.Words()
		}
		return kit.Compared{Key: id, Why: why}
	}
	one := kit.Compared{Key: id, Title: video.Title(*t), To: Path + "/" + id, Model: t.Model, Cost: video.CostOf(t).Amount, Basis: video.CostOf(t).Basis}
	switch n := video.PlayableOutput(t); {
	case t.Deleted:
		one.Why = video.NotDeleted
	case n < 0:
		one.Why = video.NotPlayable(t)
	default:
		one.Source = wire.MediaPathOf(id, n)
	}
	return one
}

// one is a clip of the comparison.
func (c *Compare) one(i int, one kit.Compared, p *player) app.UI {
	s := c.s
	figure := func(kids ...any) app.UI { return kit.El("figure", "compare-one", kit.At{"data-id", one.Key}, kids...) }
	switch {
	case one.Source != "":
	case one.To == "":
		return figure(kit.Box("p", "soft", one.Why))
	default:
		return figure(kit.Box("p", "soft", kit.El("a", "", kit.At{"href", one.To}, one.Title), ": "+one.Why))
	}
	label, icon := "Unmute this clip", iconMute
	if p.sound == i {
		label, icon = "Mute this clip", iconSound
	}
	shown := s.On("length", func(ctx app.Context, _ app.Event) {
		ctx.PreventUpdate()
		p.show()
		s.placeSaid()
	})
	return figure(
		kit.El("div", "compare-frame", kit.At{"id", "frame-" + strconv.Itoa(i), "onpointerdown", s.On("drag", func(ctx app.Context, e app.Event) {
			ctx.PreventUpdate()
			p.drag(i, e)
		})},
			kit.El("video", "compare-clip", kit.At{"src", one.Source, "preload", "auto", "playsinline", "true",
				"muted", "true", "tabindex", "-1", "aria-label", one.Title, "onloadedmetadata", shown})),
		kit.Box("figcaption", "compare-caption",
			kit.IconButton("small", label, icon, kit.At{"id", "sound-" + strconv.Itoa(i), "aria-pressed", p.sound == i}, s.Do("sound", func() {
				p.hear(i)
				s.redrawResults()
			})),
			kit.El("a", "cut compare-title written", kit.At{"href", one.To, "title", one.Title}, one.Title),
			kit.If(one.Version != "", func() app.UI { return kit.Pill(nil, one.Version) }),
			kit.Box("span", "mono", one.Model),
			kit.El("span", "figure", kit.At{"title", one.Basis}, one.Cost),
		),
		kit.If(s.Reviews != nil, func() app.UI { return s.Reviews.Below(one.Key) }),
	)
}

// controls play all clips as one.
func (c *Compare) controls(p *player, n int) app.UI {
	s := c.s
	button := func(id, label string, icon kit.IconPath, do func()) app.UI {
		return kit.IconButton("", label, icon, kit.At{"id", id}, s.On(id, func(ctx app.Context, _ app.Event) {
			ctx.PreventUpdate()
			do()
		}))
	}
	label, icon := "Play all (space)", iconPlay
	if p.playing {
		label, icon = "Pause all (space)", iconPause
	}
	return kit.El("div", "line compare-controls", kit.At{"role", "group", "aria-label", "Play the clips together"},
		button("compare-play", label, icon, p.toggle),
		button("compare-back", "One frame back (,)", iconPrev, func() { p.step(-1) }),
		button("compare-on", "One frame on (.)", iconNext, func() { p.step(1) }),
		kit.El("input", "compare-seek", kit.At{"id", "compare-seek", "type", "range", "min", "0", "max", "1000", "step", "1",
			"aria-label", "Time of all clips",
			"oninput", s.On("seek", func(ctx app.Context, e app.Event) {
				ctx.PreventUpdate()
				p.scrub(e.Get("target").Get("valueAsNumber").Float() / 1000)
			})}),
		kit.El("span", "figure compare-time", kit.At{"id", "compare-time"}, "0:00.00"),
		kit.IconButton("", "Play all again and again (l)", iconLoop, kit.At{"id", "compare-loop", "aria-pressed", p.loop},
			s.Do("loop all", p.setLoop)),
		kit.Box("span", "line compare-views", c.views(p, n)),
		kit.Box("label", "compare-views",
			kit.Box("span", "sr-only", "Speed"),
			s.Select("compare-rate", "Speed", "field fits", nil, strconv.FormatFloat(cmp.Or(p.rate, 1), 'g', -1, 64), kit.Options("0.25", "¼ speed", "0.5", "½ speed", "1", "Speed 1", "2", "Speed 2"), p.setRate),
		),
		c.done(),
	)
}
