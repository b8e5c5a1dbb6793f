//go:build js && wasm

package review

import (
	"math"
	"strconv"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/review"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// stage is what moves at the player: the time, the marks, the points of the frame.
// It is drawn past go-app, as often as the player tells its time.
type stage struct {
	s      *Section
	points string // what is drawn of them
}

// Stage is a player, the element with the id "player", with the points of the frame
// over it and the bar with the marks under it.
func (s *Section) Stage(player app.UI) app.UI {
	return kit.El("div", "review-stage", kit.At{"id", "review-stage"},
		kit.Box("div", "review-frame",
			player,
			kit.El("div", "review-points", kit.At{"id", "review-points", "aria-hidden", true}),
			s.aim(),
		),
		&Bar{s: s, Rev: s.Rev()},
	)
}

// aim lies over the frame while a click on it sets a point.
func (s *Section) aim() app.UI {
	t := s.thread()
	return kit.El("button", "review-aim", kit.At{"id", "review-aim", "type", "button", "hidden", !s.pointing || t == nil || t.Phase != review.Ready,
		"aria-label", "Mark a spot on the frame: arrow keys move it, Enter sets it, Escape cancels",
		"onclick", s.On("aim", func(ctx app.Context, e app.Event) {
			ctx.PreventUpdate()
			if e.Get("detail").Int() > 0 { // of a pointer; a key takes the point that is there
				box := s.DOM.ByID("player").Call("getBoundingClientRect")
				x := e.Get("clientX").Float() - box.Get("left").Float()
				y := e.Get("clientY").Float() - box.Get("top").Float()
				t.Point(s.stage.frame().Point(x, y))
			} else if t.Draft(review.New).X == nil {
				t.Point(wire.FramePoints/2, wire.FramePoints/2)
			}
			s.endPointing()
		}),
		"onkeydown", s.On("aim-key", func(ctx app.Context, e app.Event) {
			ctx.PreventUpdate()
			if s.aimKey(e.Get("key").String(), e.Get("shiftKey").Bool()) {
				e.PreventDefault()
				e.Call("stopPropagation")
			}
		})})
}

// aimKey moves the point.
func (s *Section) aimKey(key string, far bool) bool {
	by := wire.FramePoints / 50
	if far {
		by *= 5
	}
	dx, dy := 0, 0
	switch key {
	case "ArrowLeft":
		dx = -by
	case "ArrowRight":
		dx = by
	case "ArrowUp":
		dy = -by
	case "ArrowDown":
		dy = by
	case "Escape":
		s.thread().NoPoint()
		s.endPointing()
		return true
	default:
		return false
	}
	x, y := wire.FramePoints/2, wire.FramePoints/2
	if d := s.thread().Draft(review.New); d.X != nil {
		x, y = *d.X, *d.Y
	}
	s.thread().Point(x+dx, y+dy)
	return true
}

func (s *Section) endPointing() {
	s.pointing = false
	s.changed()
	s.DOM.Focus("#review-text")
}

// Bar is the time of the clip, with a mark for each comment that is listed.
type Bar struct {
	app.Compo
	s   *Section
	Rev int
}

// OnMount implements app.Mounter.
func (b *Bar) OnMount(ctx app.Context) { b.place(ctx) }

// OnUpdate implements app.Updater.
func (b *Bar) OnUpdate(ctx app.Context) { b.place(ctx) }

func (b *Bar) place(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		defer b.s.Guard("the marks")
		b.s.stage.place()
	})
}

// Render implements app.Composer.
func (b *Bar) Render() (ui app.UI) {
	s := b.s
	defer s.Drawing("the bar of comments", &ui)
	t := s.thread()
	if t == nil || t.Phase != review.Ready {
		return kit.Nothing()
	}
	var seconds float64
	if v := t.Played(); v != nil {
		seconds = v.Seconds
	}
	return kit.El("div", "review-bar", kit.At{"id", "review-bar", "role", "group", "aria-label", "Time of the clip, with the comments"},
		kit.Box("div", "review-line",
			s.marks(t, "", seconds, t.Entries()),
			kit.El("input", "review-seek", kit.At{"id", "review-seek", "type", "range", "min", "0", "max", "1000", "step", "1", "aria-label", "Time of the clip",
				"oninput", s.On("seek", func(ctx app.Context, e app.Event) {
					ctx.PreventUpdate()
					s.stage.seek(e.Get("target").Get("valueAsNumber").Float() / 1000 * s.stage.length())
				}),
				"onkeydown", s.On("seek-key", func(ctx app.Context, e app.Event) {
					ctx.PreventUpdate()
					if s.stage.key(e.Get("key").String()) {
						e.PreventDefault()
					}
				})}),
		),
		kit.El("span", "figure review-time", kit.At{"id", "review-time"}, "0:00.0"),
	)
}

// marks are the comments by their times. of is what tells the clip from others that
// are compared with it; seconds is its length until the browser knows it.
func (s *Section) marks(t *review.Thread, of string, seconds float64, list []review.Entry) app.UI {
	marks := review.Marks(list)
	return kit.El("div", "review-marks", kit.At{"data-of", of, "data-seconds", strconv.FormatFloat(seconds, 'f', -1, 64)},
		kit.Times(len(marks), func(i int) app.UI {
			e := marks[i]
			name := "Comment at " + review.Time(e.AtMS) + " by " + e.Name
			if e.Others > 0 {
				name += ", and " + figure.Plural(e.Others, "other", "others")
			}
			return kit.El("button", "review-mark", kit.At{"type", "button", "tabindex", -1, "data-at", strconv.FormatInt(e.AtMS, 10), "data-mark", e.ID,
				"data-resolved", e.ResolvedMS != 0, "data-other", of == "" && e.Version != t.Version, "data-fresh", e.Fresh, "data-point", e.X != nil,
				"aria-pressed", t.Selected == e.ID, "aria-label", name, "title", name,
				"onclick", s.Do("mark", func() { s.open(e.ID, false) })})
		}),
	)
}

// listen hears the players of the page, whose events go no further than they
// themselves, and what changes their size.
func (s *Section) listen() {
	of := func(event string, f func()) {
		fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
			if target := args[0].Get("target"); target.Get("id").Truthy() && target.Get("id").String() == "player" {
				s.Post(f)
			}
			return nil
		})
		s.DOM.Doc.Call("addEventListener", event, fn, true)
	}
	for _, event := range []string{"timeupdate", "seeking", "seeked", "play", "pause"} {
		of(event, s.stage.show)
	}
	of("loadedmetadata", s.stage.place)
	s.DOM.On(js.Global(), "resize", func(js.Value) { s.stage.place() }, s.looking)
	s.DOM.On(s.DOM.Doc, "focusin", func(ev js.Value) { s.focused(ev.Get("target")) }, s.looking)
	s.Hear(s.DOM.Doc, "keydown", s.playerTakes, func(ev js.Value) { s.stage.key(ev.Get("key").String()) })
}

// looking posts what concerns a thread that is there.
func (s *Section) looking(f func()) {
	if t := s.thread(); t != nil && t.Phase == review.Ready {
		s.Post(f)
	}
}

// player is the element that plays, or null.
func (g *stage) player() js.Value { return g.s.DOM.ByID("player") }

// length is that of the clip in seconds, 0 as long as it isn't known.
func (g *stage) length() float64 { return lengthOf(g.player()) }

func lengthOf(v js.Value) float64 {
	if !v.Truthy() {
		return 0
	}
	if d := v.Get("duration").Float(); !math.IsNaN(d) && !math.IsInf(d, 0) {
		return d
	}
	return 0
}

// nowMS is where in the clip the player is.
func (g *stage) nowMS() int64 {
	if v := g.player(); v.Truthy() {
		return int64(math.Round(v.Get("currentTime").Float() * 1000))
	}
	return 0
}

// frame is where in the player's box its picture is.
func (g *stage) frame() review.Frame {
	v := g.player()
	if !v.Truthy() {
		return review.Frame{}
	}
	of := func(name string) float64 { return v.Get(name).Float() }
	return review.FrameOf(of("offsetWidth"), of("offsetHeight"), of("videoWidth"), of("videoHeight"))
}

// place puts the marks at their times.
func (g *stage) place() {
	bars := g.s.DOM.Doc.Call("querySelectorAll", ".review-marks")
	for i := range bars.Length() {
		bar := bars.Index(i)
		v := g.player()
		if of := bar.Get("dataset").Get("of"); of.Truthy() {
			v = g.s.DOM.Find(`.compare-one[data-id="` + of.String() + `"] video`)
		}
		length := lengthOf(v)
		if length == 0 {
			length, _ = strconv.ParseFloat(bar.Get("dataset").Get("seconds").String(), 64)
		}
		marks := bar.Get("children")
		for n := range marks.Length() {
			mark := marks.Index(n)
			at, _ := strconv.ParseFloat(mark.Get("dataset").Get("at").String(), 64)
			share := 0.0
			if length > 0 {
				share = math.Min(at/1000/length, 1)
			}
			mark.Get("style").Set("left", strconv.FormatFloat(share*100, 'f', 2, 64)+"%")
		}
	}
	g.points = ""
	g.show()
}

// show writes the time, moves the bar, and draws the points that are near.
func (g *stage) show() {
	s := g.s
	t := s.thread()
	v := g.player()
	if t == nil || t.Phase != review.Ready || !v.Truthy() {
		return
	}
	now, length := g.nowMS(), g.length()
	kit.SetText(s.DOM.ByID("review-time"), review.Time(now)+" / "+review.Time(int64(length*1000)))
	if bar := s.DOM.ByID("review-seek"); bar.Truthy() && length > 0 {
		bar.Set("value", strconv.Itoa(int(float64(now)/length+0.5)))
		bar.Call("setAttribute", "aria-valuetext", review.Time(now)+" of "+review.Time(int64(length*1000)))
	}
	if d := t.Draft(review.New); s.slot == review.New && d.Empty() {
		kit.SetText(s.DOM.ByID("review-at"), review.Time(now))
	}
	g.drawPoints(t, now)
}

// drawPoints draws the points that are seen at a time, if they are others than
// before.
func (g *stage) drawPoints(t *review.Thread, now int64) {
	list := t.Points(now)
	if d := t.Draft(review.New); d.X != nil && g.s.slot == review.New {
		draft := review.Entry{}
		draft.ID, draft.X, draft.Y = "draft", d.X, d.Y
		list = append(list, draft)
	}
	over := g.s.DOM.ByID("review-points")
	if !over.Truthy() {
		return
	}
	f := g.frame()
	key := ""
	for _, e := range list {
		key += e.ID + " " + strconv.Itoa(*e.X) + " " + strconv.Itoa(*e.Y) + " " + strconv.FormatBool(e.ID == t.Selected) + ";"
	}
	if key == g.points && over.Get("childElementCount").Int() == len(list) {
		return
	}
	g.points = key
	over.Call("replaceChildren")
	for _, e := range list {
		x, y := f.Place(*e.X, *e.Y)
		dot := g.s.DOM.El("span", "review-point")
		dot.Get("dataset").Set("comment", e.ID)
		dot.Get("dataset").Set("open", e.ID == t.Selected || e.ID == "draft")
		dot.Get("style").Set("left", strconv.FormatFloat(x, 'f', 1, 64)+"px")
		dot.Get("style").Set("top", strconv.FormatFloat(y, 'f', 1, 64)+"px")
		over.Call("append", dot)
	}
}

// seek goes to a time of the clip, in seconds.
func (g *stage) seek(at float64) {
	if v := g.player(); v.Truthy() {
		v.Set("currentTime", math.Min(math.Max(at, 0), math.Max(g.length(), 0)))
		g.show()
	}
}

func (g *stage) pause() {
	if v := g.player(); v.Truthy() {
		v.Call("pause")
	}
}

// frameSeconds is the step of one frame: that of film. A browser doesn't tell a
// clip's own.
const frameSeconds = 1.0 / 24

// key does what a key of the player is for, and says whether it is for anything.
func (g *stage) key(key string) bool {
	v := g.player()
	if !v.Truthy() {
		return false
	}
	at := v.Get("currentTime").Float()
	switch key {
	case " ":
		if v.Get("paused").Bool() {
			promise := v.Call("play")
			promise.Call("catch", js.Global().Get("Function").Get("prototype")) // a browser that forbids it stays where it is
		} else {
			v.Call("pause")
		}
	case "ArrowLeft":
		g.seek(at - 1)
	case "ArrowRight":
		g.seek(at + 1)
	case ",":
		g.pause()
		g.seek(at - frameSeconds)
	case ".":
		g.pause()
		g.seek(at + frameSeconds)
	default:
		return false
	}
	return true
}

// playerTakes says that a key is the player's: one that nothing else on the page
// takes.
func (s *Section) playerTakes(ev js.Value) bool {
	t := s.thread()
	if t == nil || t.Phase != review.Ready || ev.Get("defaultPrevented").Bool() || kit.Composing(ev) || s.Modal() ||
		ev.Get("ctrlKey").Bool() || ev.Get("metaKey").Bool() || ev.Get("altKey").Bool() || !s.stage.player().Truthy() {
		return false
	}
	target := ev.Get("target")
	if !target.Get("matches").Truthy() || !target.Call("matches", "body, #main, #review-list, .review-comment, .review-comment *").Bool() {
		return false
	}
	key := ev.Get("key").String()
	if target.Call("matches", "button, a, summary").Bool() {
		return key == "," || key == "." || key == "ArrowLeft" || key == "ArrowRight"
	}
	switch key {
	case " ", "ArrowLeft", "ArrowRight", ",", ".":
		return true
	}
	return false
}
