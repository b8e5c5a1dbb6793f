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
		return kit.El("section", "inspector", kit.At{"id", "drawer", "hidden", true})
	}
	list := make([]kit.Choice, 0, len(tabs))
	for _, t := range tabs {
		list = append(list, kit.Choice{ID: "tab-" + string(t.tab), Name: t.name, On: string(t.tab) == c.Tab,
			Do: p.Do("tab "+t.name, func() { p.choose(t.tab) })})
	}
	return kit.El("section", "inspector", kit.At{"id", "drawer", "hidden", false, "aria-label", "Parameters, request and wire"},
		kit.El("div", "inspector-edge", kit.At{"id", "drawer-edge", "tabindex", 0, "role", "separator", "aria-orientation", "vertical", "aria-label", "Width of the drawer",
			"aria-valuemin", minWidth, "aria-valuemax", maxWidth, "aria-valuenow", p.width,
			"onpointerdown", p.On("drawer-edge", p.drag), "onkeydown", p.On("drawer-edge-key", p.onEdgeKey)}),
		kit.Box("div", "inspector-head",
			p.Tabs("Drawer tabs", "", "drawer-panel", list),
			kit.IconButton("", "Close the drawer", kit.IconClose, kit.At{"id", "drawer-close",
				"title", "Close (Ctrl I)"},
				p.Do("drawer-close", func() {
					p.setOpen(false)
					p.focusOpener()
				})),
		),
		kit.El("div", "inspector-panel", kit.At{"id", "drawer-panel", "role", "tabpanel", "aria-labelledby", "tab-" + c.Tab},
			c.panel()),
	)
}

func (c *Frame) panel() app.UI {
	switch p := c.p; {
	case c.Tab == string(Params):
		return kit.Box("div", "inspector-scroll", p.parameters(c.Lane, c.Rev))
	case p.chat.Shown().Hidden():
		return kit.Box("div", "params", kit.Notice(kit.Info, "", nil, "Requests and replies name the model, so they appear after your vote."))
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
	return kit.El("div", "inspector-host", kit.At{"id", "host-" + h.Tab})
}
