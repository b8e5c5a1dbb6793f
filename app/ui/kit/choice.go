//go:build js && wasm

package kit

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// Choice is one of the things that [Segments] or [Host.Tabs] have side by
// side. Name may be followed by more, such as a count.
type Choice struct {
	ID   string
	Name string
	On   bool     // it is chosen
	To   string   // where it leads, if it is a link
	Do   *Handler // else what it does
	At   At
	More []any
}

// Segments choose one of a few, which are all to be seen. Links tell by their
// address what is shown, buttons press.
func Segments(label, look string, list []Choice) app.UI {
	return El("div", and("segments", look), At{"role", "group", "aria-label", label}, Times(len(list), func(i int) app.UI {
		c := list[i]
		if c.To != "" {
			return El("a", "segment", append(At{"id", c.ID, "href", c.To, "aria-current", When(c.On, "true")}, c.At...), c.Name, c.More)
		}
		return El("button", "segment", pressed(append(At{"id", c.ID, "aria-pressed", c.On}, c.At...), c.Do), c.Name, c.More)
	}))
}

// Radios are Segments of a form: one of them is chosen with the arrow keys. The
// ids are set, a dash and the value.
func (h *Host) Radios(set, label, look, value string, options []Option, choose func(string)) app.UI {
	return El("fieldset", and("segments", look), nil, Box("legend", "sr-only", label), Times(len(options), func(i int) app.UI {
		o := options[i]
		return Box("label", "segment",
			h.Radio(set+"-"+o.Value, "", nil, set, o.Value, value == o.Value, func() { choose(o.Value) }), o.Name)
	}))
}

// Tabs choose what a panel shows, whose id is panel; where each has one of its
// own, that is "", and the At of the Choice names it. The arrow keys, Home and
// End go from one to the other.
func (h *Host) Tabs(label, look, panel string, list []Choice) app.UI {
	return El("div", and("tabs", look), At{"role", "tablist", "aria-label", label}, Times(len(list), func(i int) app.UI {
		c := list[i]
		index := -1
		if c.On {
			index = 0
		}
		at := At{"id", c.ID, "role", "tab", "aria-selected", c.On, "aria-controls", panel, "tabindex", index,
			"onkeydown", h.On("tab-key "+c.ID, func(ctx app.Context, e app.Event) {
				ctx.PreventUpdate()
				if to := after(e.Get("key").String(), i, len(list)); to >= 0 {
					e.PreventDefault()
					next := h.DOM.ByID(list[to].ID)
					next.Call("focus")
					next.Call("click")
				}
			})}
		return El("button", "tab", pressed(append(at, c.At...), c.Do), c.Name, c.More)
	}))
}

// after is where a key leads from the i-th of n, -1 for nowhere.
func after(key string, i, n int) int {
	switch key {
	case "ArrowRight":
		return (i + 1) % n
	case "ArrowLeft":
		return (i + n - 1) % n
	case "Home":
		return 0
	case "End":
		return n - 1
	}
	return -1
}

// MenuItem is an entry of a menu. why says why it can't be chosen, "" that it
// can.
func MenuItem(id, why string, at At, do *Handler, kids ...any) app.UI {
	at = append(At{"id", id}, at...)
	if why != "" {
		at = append(at, "aria-disabled", true, "title", why)
	}
	if why != "" {
		do = nil
	}
	return El("button", "menu-item", pressed(at, do), kids...)
}
