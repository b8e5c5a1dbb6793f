//go:build js && wasm

// Package inspector draws what stands at the right of the lanes: the parameters
// of the focused one, its next request or what was sent, and every event that
// came. On a phone it stands in place of the lanes.
//
// Make an [Inspector] with [New] and put [Inspector.UI] beside the lanes. Its
// parameters are drawn by go-app; the request and the wire, which change with
// every key or every event, by direct DOM (see panel.go).
package inspector

import (
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/inspect"
	"screentest/app/session"
	"screentest/app/ui/kit"
	"screentest/app/ui/prose"
	"screentest/shared/wire"
)

// Options are what an Inspector needs from the page of the chat.
type Options struct {
	Chat    *chat.Chat
	Session *session.Session
	Storage chat.Storage
	Pen     *prose.Pen
	// Shown says that the page of the chat is the one that is shown.
	Shown func() bool
	// Busy says that something is open above the page that has the keys.
	Busy func() bool
	// Changed is called when the inspector was opened or closed, or shows another
	// tab.
	Changed func()
	// Reveal brings a lane into view, FollowEnd has it stay at its end.
	Reveal, FollowEnd func(lane int)
	// OpenTools and OpenSettings lead to the functions of a lane and to the saved
	// settings.
	OpenTools    func(lane int)
	OpenSettings func()
}

// Inspector is the drawer at the right. See the package's comment.
type Inspector struct {
	*kit.Host
	o       Options
	chat    *chat.Chat
	session *session.Session

	// Touch has what is drawn by direct DOM brought up to date with the next
	// frame.
	Touch func()

	open    bool
	tab     Tab
	wireTab Tab    // the last one that was not the parameters
	width   int    // in CSS pixels
	message string // the answer that is looked at; "" is the lane's newest
	lane    int    // of which that is one
	inspect *inspect.Inspector
	request *requestView // nil until it is first shown
	wires   *wireView    // nil until it is first shown
}

// Tab names what the inspector shows.
type Tab string

// The tabs, in their order.
const (
	Params  Tab = "params"
	Request Tab = "request"
	Wire    Tab = "wire"
)

var tabs = []struct {
	tab  Tab
	name string
}{{Params, "Parameters"}, {Request, "Request"}, {Wire, "Wire"}}

// Names in the browser's store.
const (
	openName = "screentest.drawer"
	tabName  = "screentest.drawer.tab"
)

// New returns the Inspector as the person left it. On a phone the lanes come
// first.
func New(h *kit.Host, o Options) *Inspector {
	d := &Inspector{Host: h, o: o, chat: o.Chat, session: o.Session, tab: Params, wireTab: Request}
	d.Touch = h.Waker(d.draw)
	d.inspect = inspect.New(inspect.Options{Server: h.Server, After: h.After, Changed: d.Touch})
	d.recallWidth()
	d.open = o.Storage.Get(openName) == "open" && !d.Narrow()
	for _, t := range tabs {
		if string(t.tab) == o.Storage.Get(tabName) {
			d.tab = t.tab
			if d.tab != Params {
				d.wireTab = d.tab
			}
		}
	}
	return d
}

// Listen watches for the key. It has to be told at once that the browser is
// not to act on it.
func (d *Inspector) Listen() {
	d.Hear(d.DOM.Doc, "keydown", func(ev js.Value) bool {
		return d.o.Shown() && ev.Get("key").String() == "i" && (ev.Get("ctrlKey").Bool() || ev.Get("metaKey").Bool()) &&
			!ev.Get("shiftKey").Bool() && !ev.Get("altKey").Bool()
	}, func(js.Value) {
		if !d.o.Busy() {
			d.Toggle()
		}
	})
}

// Log takes a stretch of a run's log.
func (d *Inspector) Log(h wire.LogFrame, b []byte) { d.inspect.Frame(h, b) }

// Reconnected asks again for what a lost connection may have cut.
func (d *Inspector) Reconnected() { d.inspect.Reconnected() }

// Narrow says that the inspector covers the lanes.
func (d *Inspector) Narrow() bool {
	return js.Global().Call("matchMedia", "(max-width: 50rem)").Get("matches").Bool()
}

// IsOpen says that the inspector is open.
func (d *Inspector) IsOpen() bool { return d.open }

// Toggle opens or closes the inspector.
func (d *Inspector) Toggle() { d.setOpen(!d.open) }

// Tab is the one that is shown, or would be.
func (d *Inspector) Tab() Tab { return d.tab }

// ToggleWire shows the request or the wire, whichever was shown last, or closes
// the inspector where it shows one of them.
func (d *Inspector) ToggleWire() {
	switch {
	case d.open && d.tab != Params:
		d.Close()
	case d.tab == Params:
		d.Open(d.wireTab)
	default:
		d.Open(d.tab)
	}
}

// ToggleParams shows the parameters of a lane, or closes the inspector where it
// shows them.
func (d *Inspector) ToggleParams(lane int) {
	if d.open && d.tab == Params && d.chat.Shown().Focused == lane {
		d.Close()
		return
	}
	d.chat.Lane(lane).Focus()
	d.Open(Params)
}

// Instructions shows the parameters of a lane, ready to write how the model is to
// answer.
func (d *Inspector) Instructions(lane int) {
	d.chat.Lane(lane).Focus()
	d.Open(Params)
	d.Context().Defer(func(app.Context) { d.After(0, func() { d.DOM.Focus("#param-system") }) })
}

// Close closes the inspector.
func (d *Inspector) Close() { d.setOpen(false) }

// Open shows a tab.
func (d *Inspector) Open(tab Tab) {
	d.choose(tab)
	d.setOpen(true)
}

// Show shows a tab for an answer of a lane.
func (d *Inspector) Show(tab Tab, lane int, message string) {
	d.chat.Lane(lane).Focus()
	d.lane, d.message = lane, message
	d.Open(tab)
	d.Touch()
}

func (d *Inspector) setOpen(open bool) {
	if d.open == open {
		return
	}
	d.open = open
	value := "closed"
	if open {
		value = "open"
	}
	d.o.Storage.Set(openName, value)
	d.Touch()
	d.o.Changed()
	d.Context().Defer(func(app.Context) {
		if open {
			d.DOM.Focus("#tab-" + string(d.tab))
			d.o.Reveal(d.chat.Shown().Focused) // the inspector takes room from the lanes
		} else if a := d.DOM.Doc.Get("activeElement"); a.Equal(d.DOM.Doc.Get("body")) {
			d.focusOpener()
		}
	})
}

// focusOpener goes to the button that opens what was shown.
func (d *Inspector) focusOpener() {
	if d.tab == Params {
		d.DOM.Focus(`.lane[data-focused="true"] .lane-params`)
		return
	}
	d.DOM.Focus("#inspector")
}

func (d *Inspector) choose(tab Tab) {
	d.tab = tab
	if tab != Params {
		d.wireTab = tab
	}
	d.o.Storage.Set(tabName, string(tab))
	d.Touch()
	d.o.Changed()
}

// draw brings what is drawn by direct DOM up to date.
func (d *Inspector) draw() {
	if !d.open || !d.o.Shown() {
		return
	}
	d.follow()
	switch d.tab {
	case Request:
		if d.request != nil {
			d.request.draw()
		}
	case Wire:
		if d.wires != nil {
			d.inspect.Read()
			d.wires.draw()
		}
	}
}

// answers are those of the focused lane, oldest first.
func (d *Inspector) answers() []*chat.Message {
	var list []*chat.Message
	for _, m := range d.chat.Focused().Path() {
		if m.Role == "assistant" && m.Run != nil {
			list = append(list, m)
		}
	}
	return list
}

// follow has the answer inspected that is looked at. Another lane in focus
// means its newest.
func (d *Inspector) follow() {
	if d.lane != d.chat.Shown().Focused {
		d.lane, d.message = d.chat.Shown().Focused, ""
	}
	m := d.answer()
	if m == nil {
		d.inspect.Show(wire.Run{}, true)
		return
	}
	d.inspect.Show(*m.Run, m.Unsent())
}

// answer is the one that is looked at, or nil.
func (d *Inspector) answer() *chat.Message {
	if c := d.chat.Current; c != nil && d.message != "" {
		if m := c.Message(d.message); m != nil && m.Run != nil {
			return m
		}
	}
	list := d.answers()
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}
