//go:build js && wasm

package video

import (
	"strconv"
	"syscall/js"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
)

// chunkSize cards are drawn or left out together. Every number of columns that
// video.css has divides it, so that no row has a gap.
const chunkSize = 12

// chunks tells which stretches of the gallery are near the window: only their
// cards are in the document, whatever the number of tasks.
type chunks struct {
	s        *Section
	observer js.Value
	onSeen   js.Func
	near     map[int]bool
	height   map[int]float64 // CSS pixels, when it was last drawn
	place    float64         // how far down one was when the gallery was left
}

func newChunks(s *Section) chunks {
	return chunks{s: s, near: map[int]bool{0: true}, height: map[int]float64{}}
}

// leave keeps the place and the heights, for when the gallery is made anew.
func (c *chunks) leave() {
	pane := c.s.DOM.ByID("video-results")
	if !pane.Truthy() {
		return
	}
	c.place = pane.Get("scrollTop").Float()
	list := c.s.DOM.Doc.Call("querySelectorAll", "#gallery .chunk")
	for n := range list.Length() {
		if h := list.Index(n).Get("offsetHeight").Float(); h > 0 {
			c.height[n] = h
		}
	}
}

// begin goes to the place that was left, once all that stands above it has its
// height, and observes from then on. Who scrolls meanwhile stays there.
func (c *chunks) begin() {
	const look, most = 40 * time.Millisecond, 25
	place := c.place
	var try func(n int)
	try = func(n int) {
		pane := c.s.DOM.ByID("video-results")
		if !pane.Truthy() {
			return
		}
		list := pane.Call("querySelectorAll", ".chunk")
		for i := range list.Length() {
			c.keepHeight(list.Index(i), i, c.near[i] || i == 0)
		}
		switch {
		case n == most || pane.Get("scrollTop").Float() > 0:
		case pane.Get("scrollHeight").Float()-pane.Get("clientHeight").Float() < place:
			c.s.After(look, func() { try(n + 1) })
			return
		default:
			pane.Set("scrollTop", place)
		}
		c.attach()
	}
	c.s.After(0, func() { try(0) })
}

// attach observes what is on the screen from now on.
func (c *chunks) attach() {
	c.detach()
	c.onSeen = js.FuncOf(func(_ js.Value, args []js.Value) any {
		entries := args[0]
		c.s.Post(func() { c.seen(entries) })
		return nil
	})
	c.observer = js.Global().Get("IntersectionObserver").New(c.onSeen, map[string]any{
		"root": c.s.DOM.ByID("video-results"), "rootMargin": "900px 0px",
	})
	c.observe()
}

func (c *chunks) detach() {
	if c.observer.Truthy() {
		c.observer.Call("disconnect")
		c.onSeen.Release()
	}
	c.observer = js.Undefined()
}

// observe looks at every chunk that there is; the same again is nothing new to
// an observer.
func (c *chunks) observe() {
	if !c.observer.Truthy() {
		return
	}
	list := c.s.DOM.Doc.Call("querySelectorAll", "#gallery .chunk, #gallery-older")
	for i := range list.Length() {
		c.observer.Call("observe", list.Index(i))
	}
}

func (c *chunks) seen(entries js.Value) {
	changed := false
	for i := range entries.Length() {
		e := entries.Index(i)
		el, near := e.Get("target"), e.Get("isIntersecting").Bool()
		if el.Get("id").String() == "gallery-older" {
			if near {
				c.s.desk.Tasks.FetchMore()
			}
			continue
		}
		n, err := strconv.Atoi(el.Get("dataset").Get("n").String())
		if err != nil || c.near[n] == near {
			continue
		}
		if !near { // its height is kept at once, or the pane would be shorter for a moment, and scroll
			c.height[n] = e.Get("boundingClientRect").Get("height").Float()
			c.keepHeight(el, n, near)
		}
		c.near[n] = near
		changed = true
	}
	if changed {
		c.s.redrawResults()
	}
}

// keepHeight keeps the height of a chunk whose cards are left out.
func (c *chunks) keepHeight(el js.Value, n int, near bool) {
	height := ""
	if !near {
		h := c.height[n]
		if h == 0 {
			h = max(c.height[0], 1200)
		}
		height = strconv.Itoa(int(h+0.5)) + "px"
	}
	if style := el.Get("style"); style.Get("minHeight").String() != height {
		style.Set("minHeight", height)
	}
}

// Chunk is a stretch of the gallery.
type Chunk struct {
	app.Compo
	s    *Section
	Rev  int
	N    int
	From int // in the list
	To   int
	Near bool
}

// OnMount implements app.Mounter.
func (c *Chunk) OnMount(ctx app.Context) { c.keepHeight(ctx) }

// OnUpdate implements app.Updater.
func (c *Chunk) OnUpdate(ctx app.Context) { c.keepHeight(ctx) }

// keepHeight does it for this one, as soon as it is drawn.
func (c *Chunk) keepHeight(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		defer c.s.Guard("the clips")
		if el := c.s.DOM.Find(`#gallery .chunk[data-n="` + strconv.Itoa(c.N) + `"]`); el.Truthy() {
			c.s.results.chunks.keepHeight(el, c.N, c.Near)
		}
	})
}

// Render implements app.Composer.
func (c *Chunk) Render() (ui app.UI) {
	s := c.s
	defer s.Drawing("some clips", &ui)
	var cards []app.UI
	if c.Near {
		tasks := s.desk.Tasks
		for _, id := range tasks.List[min(c.From, len(tasks.List)):min(c.To, len(tasks.List))] {
			cards = append(cards, s.card(id))
		}
	}
	return kit.El("div", "chunk", kit.At{"data-n", strconv.Itoa(c.N)}, cards)
}
