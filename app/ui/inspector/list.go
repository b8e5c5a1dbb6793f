//go:build js && wasm

package inspector

import (
	"bytes"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"screentest/app/figure"
)

const (
	// downloadGrace is how long the browser has to begin with a download.
	downloadGrace = time.Minute
	// rowHeight is the height of an event's row in CSS pixels; see inspector.css.
	rowHeight = 28
	// spareRows are drawn above and below those that are to be seen.
	spareRows = 6
	// rowText bounds the data in a row, in bytes.
	rowText = 160
)

// wireList is the list of events: however many there are, only the rows near
// its window are elements, and these are used again.
type wireList struct {
	v      *wireView
	box    js.Value // scrolls
	canvas js.Value // as high as all rows together
	rows   []wireRow
	dirty  bool // the rows are to be written again
	total  int
	steer  bool // the list itself scrolls
}

// wireRow is an element for one row, with what stands in it.
type wireRow struct {
	el, ms, offset, kind, text js.Value
	at                         int // of those that pass the filter; -1: none
	key                        string
}

func newWireList(v *wireView) *wireList {
	d := v.d
	l := &wireList{v: v, canvas: d.DOM.El("div", "wire-canvas"), dirty: true}
	l.canvas.Call("setAttribute", "role", "presentation")
	l.box = d.div("wire-list", l.canvas)
	l.box.Set("id", "wire-list")
	l.box.Set("tabIndex", 0)
	l.box.Call("setAttribute", "role", "listbox")
	l.box.Call("setAttribute", "aria-label", "Events")
	d.DOM.On(l.box, "scroll", func(js.Value) { l.scrolled() }, d.Post)
	d.DOM.On(l.box, "click", func(ev js.Value) {
		if row := ev.Get("target").Call("closest", ".wire-row"); row.Truthy() {
			if at, err := strconv.Atoi(row.Get("dataset").Get("at").String()); err == nil && at < l.v.shown() {
				l.v.choose(l.v.at(at))
			}
		}
	}, d.Post)
	d.Hear(l.box, "keydown", func(ev js.Value) bool {
		switch ev.Get("key").String() {
		case "ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End":
			return true
		}
		return false
	}, func(ev js.Value) { l.key(ev.Get("key").String()) })
	return l
}

func (l *wireList) reset() {
	l.dirty, l.total = true, 0
	l.box.Set("scrollTop", 0)
}

// scrolled notes whether the person still keeps to the newest.
func (l *wireList) scrolled() {
	end := l.box.Get("scrollTop").Float()+l.box.Get("clientHeight").Float() >= l.box.Get("scrollHeight").Float()-rowHeight
	if !l.steer {
		l.v.follow = end
	}
	l.steer = false
	l.v.d.Touch()
}

// place is where the chosen event stands among those that pass.
func (l *wireList) place() int {
	for i := range l.v.shown() {
		if l.v.at(i) == l.v.selected {
			return i
		}
	}
	return -1
}

func (l *wireList) key(key string) {
	n, at := l.v.shown(), l.place()
	if n == 0 {
		return
	}
	page := max(1, l.box.Get("clientHeight").Int()/rowHeight-1)
	switch key {
	case "ArrowDown":
		at++
	case "ArrowUp":
		at--
	case "PageDown":
		at += page
	case "PageUp":
		at -= page
	case "Home":
		at = 0
	case "End":
		at = n - 1
	}
	at = min(max(at, 0), n-1)
	l.v.choose(l.v.at(at))
	top, height := l.box.Get("scrollTop").Int(), l.box.Get("clientHeight").Int()
	if y := at * rowHeight; y < top {
		l.scrollTo(y)
	} else if y+rowHeight > top+height {
		l.scrollTo(y + rowHeight - height)
	}
}

func (l *wireList) scrollTo(y int) {
	l.steer = true
	l.box.Set("scrollTop", y)
}

// draw writes the rows that are near the window.
func (l *wireList) draw() {
	n := l.v.shown()
	if n != l.total {
		l.total = n
		l.canvas.Get("style").Set("height", strconv.Itoa(n*rowHeight)+"px")
	}
	height := l.box.Get("clientHeight").Int()
	if l.v.follow {
		if end := n*rowHeight - height; end > 0 && l.box.Get("scrollTop").Int() < end-1 {
			l.scrollTo(end)
		}
	}
	first := max(0, l.box.Get("scrollTop").Int()/rowHeight-spareRows)
	count := min(n-first, height/rowHeight+2*spareRows+1)
	for len(l.rows) < count {
		l.rows = append(l.rows, l.newRow())
	}
	active := ""
	for i := range l.rows {
		// A row keeps its element as long as it is near: what stands in it is
		// not written again.
		at := -1
		if k := first + (i-first%len(l.rows)+len(l.rows))%len(l.rows); k < first+count {
			at = k
		}
		l.write(&l.rows[i], at)
		if at >= 0 && l.v.at(at) == l.v.selected {
			active = "wire-row-" + strconv.Itoa(i)
		}
	}
	l.dirty = false
	if active != "" {
		l.box.Call("setAttribute", "aria-activedescendant", active)
	} else {
		l.box.Call("removeAttribute", "aria-activedescendant")
	}
}

func (l *wireList) newRow() wireRow {
	d := l.v.d
	r := wireRow{
		ms: d.span("wire-ms", ""), offset: d.span("wire-offset", ""),
		kind: d.span("wire-kind", ""), text: d.span("wire-text", ""), at: -1,
	}
	r.el = d.div("wire-row", r.ms, r.offset, r.kind, r.text)
	r.el.Set("id", "wire-row-"+strconv.Itoa(len(l.rows)))
	r.el.Call("setAttribute", "role", "option")
	l.canvas.Call("append", r.el)
	return r
}

// write puts an event into a row, if it is not there already.
func (l *wireList) write(r *wireRow, at int) {
	if at < 0 {
		if r.at >= 0 || r.key == "" {
			show(r.el, false)
			r.at, r.key = -1, "none"
		}
		return
	}
	log := l.v.d.inspect.Log
	place := l.v.at(at)
	e := log.Events()[place]
	ms := "…"
	if t, ok := log.MS(e.End); ok {
		ms = figure.Count(t)
	}
	selected := place == l.v.selected
	key := strconv.Itoa(l.v.fresh) + " " + strconv.Itoa(place) + ms + strconv.FormatBool(selected)
	if r.at == at && r.key == key && !l.dirty {
		return
	}
	if r.at < 0 {
		show(r.el, true)
	}
	r.at, r.key = at, key
	r.el.Get("style").Set("transform", "translateY("+strconv.Itoa(at*rowHeight)+"px)")
	r.el.Get("dataset").Set("at", at)
	r.el.Get("dataset").Set("event", place)
	r.el.Call("setAttribute", "aria-selected", selected)
	r.el.Call("setAttribute", "aria-posinset", at+1)
	r.el.Call("setAttribute", "aria-setsize", l.total)
	r.ms.Set("textContent", ms)
	r.offset.Set("textContent", figure.Count(e.Start))
	r.kind.Set("textContent", strings.TrimPrefix(e.Type, "response."))
	r.kind.Set("title", e.Type)
	data := log.Gist(e)
	if len(data) > rowText {
		data = data[:rowText]
	}
	r.text.Set("textContent", strings.ToValidUTF8(string(bytes.ReplaceAll(data, []byte("\n"), []byte(" "))), ""))
}
