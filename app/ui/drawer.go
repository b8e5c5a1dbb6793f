//go:build js && wasm

package ui

import (
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/inspect"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// drawer is what stands at the right of the lanes: the parameters of the
// focused one, its next request or what was sent, and every event that came.
// On a phone it stands in place of the lanes.
type drawer struct {
	p       *page
	open    bool
	tab     drawerTab
	message string // the answer that is looked at; "" is the lane's newest
	lane    int    // of which that is one
	inspect *inspect.Inspector
	request *requestView // nil until it is first shown
	wires   *wireView    // nil until it is first shown
	touch   func()       // has it drawn with the next frame
}

type drawerTab string

// The tabs, in their order.
const (
	tabParams  drawerTab = "params"
	tabRequest drawerTab = "request"
	tabWire    drawerTab = "wire"
)

var drawerTabs = []struct {
	tab  drawerTab
	name string
}{{tabParams, "Parameters"}, {tabRequest, "Request"}, {tabWire, "Wire"}}

// Names in the browser's store.
const (
	drawerOpenName = "screentest.drawer"
	drawerTabName  = "screentest.drawer.tab"
)

func newDrawer(p *page) *drawer {
	d := &drawer{p: p, tab: tabParams}
	d.touch = p.Waker(d.draw)
	d.inspect = inspect.New(inspect.Options{Server: p.Server, After: p.After, Changed: d.touch})
	return d
}

// restore takes up what the person left open. On a phone the lanes come first.
func (d *drawer) restore() {
	d.open = d.p.storage.Get(drawerOpenName) == "open" && !d.narrow()
	for _, t := range drawerTabs {
		if string(t.tab) == d.p.storage.Get(drawerTabName) {
			d.tab = t.tab
		}
	}
}

// listen watches for the key. It has to be told at once that the browser is
// not to act on it.
func (d *drawer) listen() {
	d.p.hear(d.p.DOM.Doc, "keydown", func(ev js.Value) bool {
		return d.p.view == viewChat && ev.Get("key").String() == "i" && (ev.Get("ctrlKey").Bool() || ev.Get("metaKey").Bool()) &&
			!ev.Get("shiftKey").Bool() && !ev.Get("altKey").Bool()
	}, func(js.Value) {
		if !d.p.picker.open && !d.p.modal() {
			d.toggle()
		}
	})
}

// narrow says that the drawer covers the lanes.
func (d *drawer) narrow() bool {
	return js.Global().Call("matchMedia", "(max-width: 50rem)").Get("matches").Bool()
}

func (d *drawer) toggle() { d.setOpen(!d.open) }

func (d *drawer) setOpen(open bool) {
	if d.open == open {
		return
	}
	d.open = open
	value := "closed"
	if open {
		value = "open"
	}
	d.p.storage.Set(drawerOpenName, value)
	d.touch()
	d.p.changed(chat.PartBar)
	d.p.Context().Defer(func(app.Context) {
		if open {
			d.p.DOM.Focus("#tab-" + string(d.tab))
			d.p.reveal(threadID("lane", d.p.chat.Shown().Focused)) // the drawer takes room from the lanes
		} else if a := d.p.DOM.Doc.Get("activeElement"); a.Equal(d.p.DOM.Doc.Get("body")) {
			d.p.DOM.Focus("#inspector")
		}
	})
}

// show opens a tab for an answer of a lane.
func (d *drawer) show(tab drawerTab, lane int, message string) {
	d.p.chat.Lane(lane).Focus()
	d.lane, d.message = lane, message
	d.choose(tab)
	d.setOpen(true)
	d.touch()
}

func (d *drawer) choose(tab drawerTab) {
	d.tab = tab
	d.p.storage.Set(drawerTabName, string(tab))
	d.touch()
	d.p.changed(chat.PartBar)
}

// draw brings what is shown up to date.
func (d *drawer) draw() {
	if !d.open || d.p.view != viewChat {
		return
	}
	d.follow()
	switch d.tab {
	case tabRequest:
		if d.request != nil {
			d.request.draw()
		}
	case tabWire:
		if d.wires != nil {
			d.inspect.Read()
			d.wires.draw()
		}
	}
}

// answers are those of the focused lane, oldest first.
func (d *drawer) answers() []*chat.Message {
	var list []*chat.Message
	c := d.p.chat.Shown()
	if d.p.chat.Shown().Focused >= len(c.Lanes) {
		return nil
	}
	for _, m := range c.Lane(d.p.chat.Shown().Focused).Path() {
		if m.Role == "assistant" && m.Run != nil {
			list = append(list, m)
		}
	}
	return list
}

// follow has the answer inspected that is looked at. Another lane in focus
// means its newest.
func (d *drawer) follow() {
	if d.lane != d.p.chat.Shown().Focused {
		d.lane, d.message = d.p.chat.Shown().Focused, ""
	}
	m := d.answer()
	if m == nil {
		d.inspect.Show(wire.Run{}, true)
		return
	}
	d.inspect.Show(*m.Run, m.Unsent())
}

// answer is the one that is looked at, or nil.
func (d *drawer) answer() *chat.Message {
	if c := d.p.chat.Current; c != nil && d.message != "" {
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

// Drawer draws the frame: the tabs, and the place of what they show.
type Drawer struct {
	app.Compo
	p      *page
	Rev    int
	Open   bool
	Tab    string
	Lane   int
	Narrow bool
}

func (p *page) drawerUI() app.UI {
	return &Drawer{p: p, Rev: p.rev.lanes, Open: p.inspector.open, Tab: string(p.inspector.tab), Lane: p.chat.Shown().Focused, Narrow: p.inspector.narrow()}
}

// Render implements app.Composer.
func (c *Drawer) Render() (ui app.UI) {
	p := c.p
	defer p.Drawing("the drawer", &ui)
	if !c.Open {
		return kit.El("section", "drawer", kit.At{"id", "drawer", "hidden", true})
	}
	tabs := make([]app.UI, 0, len(drawerTabs))
	for i, t := range drawerTabs {
		index := -1
		if string(t.tab) == c.Tab {
			index = 0
		}
		tabs = append(tabs, kit.El("button", "drawer-tab", kit.At{"id", "tab-" + string(t.tab), "type", "button", "role", "tab",
			"aria-selected", index == 0, "aria-controls", "drawer-panel", "tabindex", index,
			"onclick", p.Do("tab "+t.name, func() { p.inspector.choose(t.tab) }),
			"onkeydown", p.On("tab-key "+t.name, func(_ app.Context, e app.Event) {
				var to int
				switch e.Get("key").String() {
				case "ArrowRight":
					to = (i + 1) % len(drawerTabs)
				case "ArrowLeft":
					to = (i + len(drawerTabs) - 1) % len(drawerTabs)
				case "Home":
					to = 0
				case "End":
					to = len(drawerTabs) - 1
				default:
					return
				}
				e.PreventDefault()
				p.inspector.choose(drawerTabs[to].tab)
				p.DOM.Focus("#tab-" + string(drawerTabs[to].tab))
			})}, t.name))
	}
	return kit.El("section", "drawer", kit.At{"id", "drawer", "hidden", false, "aria-label", "Parameters, request and wire"},
		kit.Box("div", "drawer-head",
			kit.El("div", "drawer-tabs", kit.At{"role", "tablist", "aria-label", "What the drawer shows"}, tabs),
			kit.El("button", "icon-button", kit.At{"id", "drawer-close", "type", "button",
				"aria-label", "Close the drawer", "title", "Close (Ctrl I)",
				"onclick", p.Do("drawer-close", func() {
					p.inspector.setOpen(false)
					p.DOM.Focus("#inspector")
				})},
				kit.Icon(kit.IconClose, "icon")),
		),
		kit.El("div", "drawer-panel", kit.At{"id", "drawer-panel", "role", "tabpanel", "aria-labelledby", "tab-" + c.Tab},
			c.panel()),
	)
}

func (c *Drawer) panel() app.UI {
	switch p := c.p; {
	case c.Tab == string(tabParams):
		return kit.Box("div", "drawer-scroll", p.parameters(c.Lane))
	case p.chat.Shown().Hidden():
		return kit.Box("div", "params", kit.Box("p", "params-about", "What is sent and what comes names the model. It is shown after your vote."))
	}
	return &drawerHost{p: c.p, Tab: c.Tab}
}

// drawerHost is the place of a tab that is drawn by direct DOM, because it
// changes with every key or every event. What it shows is made once and put
// there again.
type drawerHost struct {
	app.Compo
	p   *page
	Tab string
}

// CompoID implements app.DismountEnforcer: another tab is another element.
func (h *drawerHost) CompoID() string { return h.Tab }

// OnMount implements app.Mounter.
func (h *drawerHost) OnMount(app.Context) {
	defer h.p.Guard("the drawer")
	d, host := h.p.inspector, h.p.DOM.ByID("host-"+h.Tab)
	if !host.Truthy() {
		return
	}
	switch drawerTab(h.Tab) {
	case tabRequest:
		if d.request == nil {
			d.request = newRequestView(d)
		}
		host.Call("replaceChildren", d.request.root)
	case tabWire:
		if d.wires == nil {
			d.wires = newWireView(d)
		}
		host.Call("replaceChildren", d.wires.root)
	}
	d.touch()
}

// Render implements app.Composer.
func (h *drawerHost) Render() app.UI {
	return kit.El("div", "drawer-host", kit.At{"id", "host-" + h.Tab})
}
