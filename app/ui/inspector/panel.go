//go:build js && wasm

package inspector

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
)

// Frame draws the frame: the tabs, and the place of what they show.
type Frame struct {
	app.Compo
	p      *Inspector
	Rev    int
	Open   bool
	Tab    string
	Lane   int
	Narrow bool
}

// UI is the inspector; rev counts the changes of the lanes.
func (d *Inspector) UI(rev int) app.UI {
	return &Frame{p: d, Rev: rev, Open: d.open, Tab: string(d.tab), Lane: d.chat.Shown().Focused, Narrow: d.Narrow()}
}

// Render implements app.Composer.
func (c *Frame) Render() (ui app.UI) {
	p := c.p
	defer p.Drawing("the inspector", &ui)
	if !c.Open {
		return kit.El("section", "drawer", kit.At{"id", "drawer", "hidden", true})
	}
	list := make([]app.UI, 0, len(tabs))
	for i, t := range tabs {
		index := -1
		if string(t.tab) == c.Tab {
			index = 0
		}
		list = append(list, kit.El("button", "drawer-tab", kit.At{"id", "tab-" + string(t.tab), "type", "button", "role", "tab",
			"aria-selected", index == 0, "aria-controls", "drawer-panel", "tabindex", index,
			"onclick", p.Do("tab "+t.name, func() { p.choose(t.tab) }),
			"onkeydown", p.On("tab-key "+t.name, func(_ app.Context, e app.Event) {
				var to int
				switch e.Get("key").String() {
				case "ArrowRight":
					to = (i + 1) % len(tabs)
				case "ArrowLeft":
					to = (i + len(tabs) - 1) % len(tabs)
				case "Home":
					to = 0
				case "End":
					to = len(tabs) - 1
				default:
					return
				}
				e.PreventDefault()
				p.choose(tabs[to].tab)
				p.DOM.Focus("#tab-" + string(tabs[to].tab))
			})}, t.name))
	}
	return kit.El("section", "drawer", kit.At{"id", "drawer", "hidden", false, "aria-label", "Parameters, request and wire"},
		kit.Box("div", "drawer-head",
			kit.El("div", "drawer-tabs", kit.At{"role", "tablist", "aria-label", "What the drawer shows"}, list),
			kit.El("button", "icon-button", kit.At{"id", "drawer-close", "type", "button",
				"aria-label", "Close the drawer", "title", "Close (Ctrl I)",
				"onclick", p.Do("drawer-close", func() {
					p.setOpen(false)
					p.DOM.Focus("#inspector")
				})},
				kit.Icon(kit.IconClose, "icon")),
		),
		kit.El("div", "drawer-panel", kit.At{"id", "drawer-panel", "role", "tabpanel", "aria-labelledby", "tab-" + c.Tab},
			c.panel()),
	)
}

func (c *Frame) panel() app.UI {
	switch p := c.p; {
	case c.Tab == string(Params):
		return kit.Box("div", "drawer-scroll", p.parameters(c.Lane, c.Rev))
	case p.chat.Shown().Hidden():
		return kit.Box("div", "params", kit.Box("p", "params-about", "What is sent and what comes names the model. It is shown after your vote."))
	}
	return &panelHost{p: c.p, Tab: c.Tab}
}

// panelHost is the place of a tab that is drawn by direct DOM, because it
// changes with every key or every event. What it shows is made once and put
// there again.
type panelHost struct {
	app.Compo
	p   *Inspector
	Tab string
}

// CompoID implements app.DismountEnforcer: another tab is another element.
func (h *panelHost) CompoID() string { return h.Tab }

// OnMount implements app.Mounter.
func (h *panelHost) OnMount(app.Context) {
	defer h.p.Guard("the inspector")
	d, host := h.p, h.p.DOM.ByID("host-"+h.Tab)
	if !host.Truthy() {
		return
	}
	switch Tab(h.Tab) {
	case Request:
		if d.request == nil {
			d.request = newRequestView(d)
		}
		host.Call("replaceChildren", d.request.root)
	case Wire:
		if d.wires == nil {
			d.wires = newWireView(d)
		}
		host.Call("replaceChildren", d.wires.root)
	}
	d.Touch()
}

// Render implements app.Composer.
func (h *panelHost) Render() app.UI {
	return kit.El("div", "drawer-host", kit.At{"id", "host-" + h.Tab})
}
