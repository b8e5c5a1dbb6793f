//go:build js && wasm

package inspector

import (
	"strconv"
	"strings"
	"syscall/js"

	"screentest/app/figure"
	"screentest/app/inspect"
	"screentest/app/ui/kit"
	"screentest/shared/gateway"
	"screentest/shared/snippet"
)

// wireView is the tab Wire: every event of an answer as it came, with its time
// and its place in the stream.
type wireView struct {
	d    *Inspector
	root js.Value

	typ, text string // what the filter lets through
	passed    []int  // places of the events that pass; nil: all
	looked    int    // events that the filter has looked at
	fresh     int    // Inspector.Fresh that is shown
	rev       int    // Inspector.Rev that is shown
	types     int    // that stand in the select
	follow    bool
	selected  int // place of the event that is read; -1: none
	detail    int // the one that stands in the detail
	body      string

	steps               *stepper
	facts, raw          js.Value
	bar                 js.Value
	search, kind        js.Value
	following, save     js.Value
	play                js.Value
	count, empty, whole js.Value
	list                *wireList
	heads               js.Value
	detailBox           js.Value
	detailName          js.Value
	detailPre           js.Value
	detailNote          js.Value
	replay              *replayView
}

func newWireView(d *Inspector) *wireView {
	v := &wireView{d: d, steps: newStepper(d), follow: true, selected: -1, detail: -1, fresh: -1}
	v.facts = d.DOM.El("p", "request-facts faint")
	v.facts.Set("id", "wire-facts")
	v.raw = d.DOM.El("pre", "json")
	v.raw.Set("id", "wire-raw")
	v.raw.Set("tabIndex", 0)

	v.search = d.DOM.El("input", "field")
	v.search.Set("id", "wire-search")
	v.search.Set("type", "search")
	v.search.Set("placeholder", "Filter")
	v.search.Call("setAttribute", "aria-label", "Show events that contain")
	v.search.Call("setAttribute", "autocomplete", "off")
	d.DOM.On(v.search, "input", func(js.Value) { v.filter() }, d.Post)
	v.kind = d.DOM.El("select", "field")
	v.kind.Set("id", "wire-type")
	v.kind.Call("setAttribute", "aria-label", "Show events of the type")
	d.DOM.On(v.kind, "change", func(js.Value) { v.filter() }, d.Post)
	v.following = d.button("wire-follow", "button", "Follow", func() {
		v.follow = !v.follow
		d.Touch()
	})
	v.following.Set("title", "Follow the newest event")
	v.save = d.iconOnly("wire-save", "Download the log", kit.IconArrow, v.download)
	v.play = d.button("wire-replay", "button", "Replay", func() { v.replay.open() })
	v.play.Set("title", "Play the answer again at its recorded speed, free of charge")
	v.bar = d.div("wire-bar", v.search, v.kind)
	v.count = d.DOM.El("span", "request-facts faint")
	v.count.Set("id", "wire-count")
	v.empty = d.el("p", "empty", "")
	v.whole = d.DOM.El("pre", "json wire-whole")
	v.whole.Set("id", "wire-body")
	v.whole.Set("tabIndex", 0)

	v.list = newWireList(v)
	v.heads = d.div("wire-heads faint", d.span("wire-ms", "ms"), d.span("wire-offset", "Byte"), d.span("", "Event"), d.span("", "Data"))
	v.heads.Call("setAttribute", "aria-hidden", "true") // each event says it all
	v.detailName = d.DOM.El("p", "request-facts faint")
	v.detailPre = d.DOM.El("pre", "json")
	v.detailPre.Set("id", "wire-detail")
	v.detailPre.Set("tabIndex", 0)
	v.detailPre.Call("setAttribute", "role", "region")
	v.detailPre.Call("setAttribute", "aria-label", "The event's data")
	v.detailNote = d.DOM.El("p", "request-facts faint")
	var copied js.Value
	copied = d.iconOnly("wire-copy", "Copy the event as it came", kit.IconCopy, func() {
		if e, ok := v.event(); ok {
			d.CopyTo(string(d.inspect.Log.Raw(e)), copied)
		}
	})
	shut := d.iconOnly("", "Close the event", kit.IconClose, func() {
		v.choose(-1)
		v.list.box.Call("focus")
	})
	v.detailBox = d.div("wire-detail", d.div("line request-bar tight", v.detailName, copied, shut), v.detailPre, v.detailNote)
	v.replay = newReplayView(v)
	v.root = d.div("wire", v.steps.root, v.facts, v.raw, v.bar,
		d.div("line request-bar tight", v.count, v.following, v.play, v.save),
		v.empty, v.whole, d.div("wire-events", v.heads, v.list.box), v.detailBox, v.replay.root)
	return v
}

// event is the one that is read.
func (v *wireView) event() (inspect.Event, bool) {
	if events := v.d.inspect.Log.Events(); v.selected >= 0 && v.selected < len(events) {
		return events[v.selected], true
	}
	return inspect.Event{}, false
}

// filter takes what is asked for.
func (v *wireView) filter() {
	text, typ := v.search.Get("value").String(), v.kind.Get("value").String()
	if v.text != "" && v.passed != nil && typ == v.typ && strings.HasPrefix(text, v.text) {
		v.passed = v.d.inspect.Log.Narrow(v.passed, text) // more of the same was typed
	} else {
		v.passed, v.looked = nil, 0
	}
	v.text, v.typ = text, typ
	v.choose(-1)
	v.d.Touch()
}

func (v *wireView) filtered() bool { return v.text != "" || v.typ != "" }

// shown is how many events pass the filter, at the place of the i-th of them.
func (v *wireView) shown() int {
	if v.filtered() {
		return len(v.passed)
	}
	return len(v.d.inspect.Log.Events())
}

func (v *wireView) at(i int) int {
	if v.filtered() {
		return v.passed[i]
	}
	return i
}

// draw brings the tab up to date.
func (v *wireView) draw() {
	i := v.d.inspect
	l := i.Log
	if i.Fresh != v.fresh {
		v.fresh, v.rev, v.types = i.Fresh, -1, -1
		v.passed, v.looked, v.selected, v.detail, v.body = nil, 0, -1, -1, ""
		v.typ = ""
		v.follow = true
		v.list.reset()
		v.replay.close(false)
	}
	v.steps.draw()
	facts := headFacts(i)
	if facts != "" && i.Request.BaseURL != "" {
		facts = "POST " + snippet.Request{BaseURL: i.Request.BaseURL, Endpoint: gateway.Endpoint(i.Request.Endpoint)}.URL() + " · " + facts
	}
	kit.SetText(v.facts, facts)
	show(v.facts, facts != "")
	v.drawTrouble(i)

	if v.filtered() {
		v.passed = l.FilterFrom(v.looked, v.passed, v.typ, v.text)
	}
	v.looked = len(l.Events())

	replaying := v.replay.on
	events := l.Streams() && !replaying
	whole := l.Len() > 0 && !l.Streams() && !replaying
	show(v.bar, events)
	show(v.list.box, events && v.shown() > 0)
	show(v.heads, events && v.shown() > 0)
	show(v.count, !replaying && l.Len() > 0)
	show(v.following, events)
	show(v.save, l.Len() > 0 && !replaying)
	show(v.play, l.Ended && l.Len() > 0 && !replaying)
	show(v.whole, whole)
	press(v.following, v.follow)
	v.drawWhole(whole)
	v.drawKinds()
	why := ""
	switch {
	case replaying:
	case i.Run.ID == "":
		why = "Send a message to see every event of its answer here."
	case i.Problem != nil:
		why = i.Problem.Message
	case l.Len() == 0 && i.Run.Problem != nil && i.Run.Problem.Raw != "": // it stands above
	case i.NotAsked():
		why = "Not sent: over budget."
	case l.Len() == 0 && l.Ended:
		why = "The gateway sent nothing that could be kept."
	case l.Len() == 0:
		why = "Waiting for the first byte…"
	case events && v.shown() == 0:
		why = "No events match."
	}
	kit.SetText(v.empty, why)
	show(v.empty, why != "")

	count := figure.Count(int64(len(l.Events()))) + " events"
	if v.filtered() {
		count = figure.Count(int64(v.shown())) + " of " + count
	}
	if !l.Streams() {
		count = "One body"
	}
	count += " · " + figure.Count(l.Len()) + " bytes"
	if ms, ok := l.MS(l.TimesTo()); ok {
		count += " · " + figure.Milliseconds(ms)
	}
	kit.SetText(v.count, count)

	if events {
		v.list.draw()
	}
	v.drawDetail(events)
	v.replay.draw()
}

// drawTrouble shows the body of an error that came instead of an answer.
func (v *wireView) drawTrouble(i *inspect.Inspector) {
	raw := ""
	if i.Run.Problem != nil && i.Log.Len() == 0 {
		raw = i.Run.Problem.Raw
	}
	show(v.raw, raw != "")
	if raw != "" && v.raw.Get("dataset").Get("for").String() != i.Run.ID {
		v.raw.Get("dataset").Set("for", i.Run.ID)
		v.d.drawJSON(v.raw, inspect.Pretty([]byte(raw)))
	}
}

// drawWhole shows a reply that is one body.
func (v *wireView) drawWhole(shown bool) {
	l := v.d.inspect.Log
	if key := strconv.Itoa(v.fresh) + " " + strconv.FormatInt(l.Len(), 10); shown && v.body != key {
		v.body = key
		v.d.drawJSON(v.whole, inspect.Pretty(l.Bytes()))
	}
}

// drawKinds offers the types that have come.
func (v *wireView) drawKinds() {
	types := v.d.inspect.Log.Types()
	if len(types) == v.types {
		return
	}
	v.types = len(types)
	d := v.d
	option := func(value, text string) js.Value {
		o := d.el("option", "", text)
		o.Set("value", value)
		return o
	}
	v.kind.Call("replaceChildren", option("", "All types"))
	for _, t := range types {
		v.kind.Call("append", option(t, t))
	}
	v.kind.Set("value", v.typ)
}

// choose reads an event; -1 is none.
func (v *wireView) choose(event int) {
	v.selected = event
	if event >= 0 && event != v.at(v.shown()-1) {
		v.follow = false
	}
	v.list.dirty = true
	v.d.Touch()
}

// drawDetail shows the event that was chosen.
func (v *wireView) drawDetail(shown bool) {
	e, ok := v.event()
	show(v.detailBox, ok && shown)
	if !ok || v.detail == v.selected {
		return
	}
	v.detail = v.selected
	d, l := v.d, v.d.inspect.Log
	name := e.Type + " · bytes " + figure.Count(e.Start) + " to " + figure.Count(e.End)
	if ms, ok := l.MS(e.End); ok {
		name += " · " + figure.Milliseconds(ms)
	}
	kit.SetText(v.detailName, name)
	note := ""
	if left := d.drawJSON(v.detailPre, inspect.Pretty(l.Data(e))); left > 0 {
		note = figure.Count(int64(left)) + " more bytes aren’t shown. Copying includes all."
	}
	kit.SetText(v.detailNote, note)
	show(v.detailNote, note != "")
}

// download hands the log to the browser as a file.
func (v *wireView) download() {
	l := v.d.inspect.Log
	bytes := js.Global().Get("Uint8Array").New(int(l.Len()))
	js.CopyBytesToJS(bytes, l.Bytes())
	blob := js.Global().Get("Blob").New([]any{bytes}, map[string]any{"type": "application/octet-stream"})
	url := js.Global().Get("URL").Call("createObjectURL", blob)
	name := "answer-" + v.d.inspect.Run.ID[:8] + ".sse"
	if !l.Streams() {
		name = "answer-" + v.d.inspect.Run.ID[:8] + ".json"
	}
	a := v.d.DOM.El("a", "")
	a.Set("href", url)
	a.Set("download", name)
	a.Call("click")
	v.d.After(downloadGrace, func() { js.Global().Get("URL").Call("revokeObjectURL", url) })
}
