//go:build js && wasm

package inspector

import (
	"strconv"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// The width of the drawer in CSS pixels: as it is at first, how narrow and how wide
// it may be, and how far a key moves its edge. The style sheet bounds it by the
// window too.
const (
	usualWidth = 420
	minWidth   = 320
	maxWidth   = 1200
	widthStep  = 32
)

// widthName is where the browser keeps it.
const widthName = "screentest.drawer.width"

// setWidth gives the drawer a width; the style sheets know it by a property.
func (d *Inspector) setWidth(px int, keep bool) {
	d.width = max(minWidth, min(px, maxWidth))
	d.DOM.Doc.Get("documentElement").Get("style").Call("setProperty", "--drawer", strconv.Itoa(d.width)+"px")
	if e := d.DOM.ByID("drawer-edge"); e.Truthy() {
		e.Call("setAttribute", "aria-valuenow", d.width)
	}
	if keep {
		d.o.Storage.Set(widthName, strconv.Itoa(d.width))
		d.Touch() // the list of events has another height, perhaps
	}
}

// recallWidth takes up the width that a person chose.
func (d *Inspector) recallWidth() {
	d.width = usualWidth
	if px, err := strconv.Atoi(d.o.Storage.Get(widthName)); err == nil {
		d.setWidth(px, false)
	}
}

// drag follows the pointer until it is let go.
func (d *Inspector) drag(ctx app.Context, e app.Event) {
	ctx.PreventUpdate()
	e.PreventDefault()
	edge := d.DOM.ByID("drawer-edge")
	edge.Call("setPointerCapture", e.Get("pointerId").Int())
	right := d.DOM.ByID("drawer").Call("getBoundingClientRect").Get("right").Int()
	var offs []func()
	end := func(js.Value) {
		for _, off := range offs {
			off()
		}
		offs = nil
		d.setWidth(d.width, true)
	}
	offs = append(offs,
		d.DOM.On(edge, "pointermove", func(ev js.Value) { d.setWidth(right-ev.Get("clientX").Int(), false) }, d.Post),
		d.DOM.On(edge, "pointerup", end, d.Post),
		d.DOM.On(edge, "pointercancel", end, d.Post))
}

// onEdgeKey moves the edge by keyboard.
func (d *Inspector) onEdgeKey(ctx app.Context, e app.Event) {
	ctx.PreventUpdate()
	px := d.width
	switch e.Get("key").String() {
	case "ArrowLeft":
		px += widthStep
	case "ArrowRight":
		px -= widthStep
	case "Home":
		px = usualWidth
	default:
		return
	}
	e.PreventDefault()
	d.setWidth(px, true)
}
