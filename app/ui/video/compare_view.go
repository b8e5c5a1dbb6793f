//go:build js && wasm

package video

import (
	"math"
	"strconv"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
)

// looking is how the clips of a comparison are looked at: all through one window, two
// also one over the other with a divider between them.
type looking struct {
	wipe bool
	zoom int     // 1, 2 or 4
	x, y float64 // of the zoomed picture, what stays where it is: 0 to 1
}

// zooms are the steps of the zoom.
var zooms = []kit.Option{{Value: "1", Name: "Whole picture"}, {Value: "2", Name: "Zoom 2×"}, {Value: "4", Name: "Zoom 4×"}}

// setWipe lays the second clip over the first, or beside it again.
func (p *player) setWipe(on bool) {
	p.view.wipe = on && len(p.clips()) == 2
	if p.s.DOM.Find("#compare-divider:focus").Truthy() { // it goes
		p.s.DOM.Focus("#compare-wipe")
	}
	p.s.redrawResults()
}

func (p *player) setZoom(zoom int) {
	p.view.zoom = zoom
	if zoom <= 1 {
		p.view.x, p.view.y = 0.5, 0.5
	}
	p.look()
	p.s.redrawResults()
}

// nextZoom goes to the next step, and from the last one back.
func (p *player) nextZoom() {
	if p.setZoom(max(p.view.zoom, 1) * 2); p.view.zoom > 4 {
		p.setZoom(1)
	}
}

// pan moves what is seen by a share of the picture.
func (p *player) pan(x, y float64) {
	if p.view.zoom > 1 {
		p.view.x = math.Min(math.Max(p.view.x+x, 0), 1)
		p.view.y = math.Min(math.Max(p.view.y+y, 0), 1)
		p.look()
	}
}

// look has all clips show what is chosen, without a draw.
func (p *player) look() {
	grid := p.s.DOM.Find("#compare .compare-grid")
	if !grid.Truthy() {
		return
	}
	for name, value := range map[string]float64{"--zoom": float64(max(p.view.zoom, 1)), "--zoom-x": p.view.x, "--zoom-y": p.view.y} {
		grid.Get("style").Call("setProperty", name, strconv.FormatFloat(value, 'f', 4, 64))
	}
}

// panKeys move what is seen, with Shift held.
var panKeys = map[string][2]float64{"ArrowLeft": {-0.1, 0}, "ArrowRight": {0.1, 0}, "ArrowUp": {0, -0.1}, "ArrowDown": {0, 0.1}}

// divide puts the divider at a share of the width.
func (p *player) divide(e app.Event) {
	e.Get("target").Get("parentElement").Get("style").Call("setProperty", "--wipe", e.Get("target").Get("value"))
}

// drag moves the zoomed picture with the pointer until it is let go.
func (p *player) drag(i int, e app.Event) {
	if p.view.zoom <= 1 || e.Get("button").Int() != 0 {
		return
	}
	e.PreventDefault()
	frame := p.s.DOM.ByID("frame-" + strconv.Itoa(i))
	frame.Call("setPointerCapture", e.Get("pointerId").Int())
	x, y := e.Get("clientX").Float(), e.Get("clientY").Float()
	room := float64(p.view.zoom - 1)
	width, height := frame.Get("clientWidth").Float()*room, frame.Get("clientHeight").Float()*room
	var off []func()
	end := func(js.Value) {
		for _, f := range off {
			f()
		}
	}
	d := p.s.DOM
	off = append(off,
		d.On(frame, "pointermove", func(ev js.Value) {
			toX, toY := ev.Get("clientX").Float(), ev.Get("clientY").Float()
			p.pan((x-toX)/width, (y-toY)/height)
			x, y = toX, toY
		}, p.s.Post),
		d.On(frame, "pointerup", end, p.s.Post),
		d.On(frame, "pointercancel", end, p.s.Post))
}

// divider is what is between two clips that lie one over the other. It goes from 0
// to 100 by itself, from the middle on.
func (c *Compare) divider(p *player) app.UI {
	return kit.El("input", "compare-divider", kit.At{"id", "compare-divider", "type", "range",
		"aria-label", "Divider between the first clip, on the left, and the second",
		"oninput", c.s.On("divide", func(ctx app.Context, e app.Event) {
			ctx.PreventUpdate()
			p.divide(e)
		})})
}

// views choose how the clips are looked at.
func (c *Compare) views(p *player, n int) []app.UI {
	s := c.s
	return []app.UI{
		kit.If(n == 2, func() app.UI {
			return kit.Button("", kit.At{"id", "compare-wipe", "aria-pressed", p.view.wipe, "title", "One clip over the other (w)"},
				s.Do("wipe", func() { p.setWipe(!p.view.wipe) }), "Wipe")
		}),
		s.Select("compare-zoom", "Zoom", "field fits", kit.At{"title", "Drag the picture to move it, or hold Shift and press an arrow (z)"}, strconv.Itoa(max(p.view.zoom, 1)), zooms, func(zoom string) {
			n, _ := strconv.Atoi(zoom)
			p.setZoom(n)
		}),
	}
}
