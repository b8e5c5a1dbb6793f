//go:build js && wasm

// Command gallery draws every component of kit on a page of its own: a living
// style sheet, which the tests of server/e2e use as a person does.
package main

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

func main() {
	app.Route("/", func() app.Composer { return newGallery() })
	app.RunWhenOnBrowser()
}

// gallery is what a page would be: what its controls are to show, and what was
// done last.
type gallery struct {
	app.Compo
	h *kit.Host

	name, text, colour, unit, size, tab, view string
	on, frozen                                bool
	pressed                                   int
	said                                      string
	dialog                                    string
}

func newGallery() *gallery {
	g := &gallery{name: "Ada", text: "One\nTwo", colour: "red", unit: "fathom", size: "m", tab: "one", view: "list", frozen: true}
	g.h = kit.NewHost(nil, func() { g.h.Context().Dispatch(func(app.Context) {}) })
	g.h.Charged, g.h.Charges = "t1", []wire.Charge{{ID: "t1", Name: "Everyone", HasKey: true}, {ID: wire.ChargePersonal}}
	g.h.Charge = func(id string) { g.set("charge "+id, func() { g.h.Charged = id }) }
	return g
}

// OnMount implements app.Mounter.
func (g *gallery) OnMount(ctx app.Context) { g.h.Bind(ctx) }

// set changes what is shown and says so.
func (g *gallery) set(what string, change func()) {
	change()
	g.said = what
	g.h.Redraw()
}

// Render implements app.Composer.
func (g *gallery) Render() (ui app.UI) {
	defer g.h.Drawing("the gallery", &ui)
	return kit.Box("main", "settings", kit.Box("div", "settings-inner",
		kit.Box("h1", "", "Kit"),
		kit.El("p", "soft", kit.At{"id", "said", "role", "status"}, g.said),
		g.section("buttons", "Buttons", g.buttons()),
		g.section("fields", "Fields", g.fields()),
		g.section("choices", "Choices", g.choices()),
		g.section("notices", "What is said", g.notices()),
		g.section("figures", "Figures", g.figures()),
		g.dialogs(),
	))
}

func (g *gallery) section(id, name string, kids ...any) app.UI {
	return kit.El("section", "", kit.At{"id", id}, kit.Box("h2", "", name), kids)
}

func (g *gallery) press(what string) *kit.Handler {
	return g.h.Do(what, func() { g.set(what, func() { g.pressed++ }) })
}

func (g *gallery) buttons() []any {
	return []any{
		kit.Box("div", "line",
			kit.Button("primary", kit.At{"id", "primary"}, g.press("primary"), "Primary"),
			kit.Button("", kit.At{"id", "usual"}, g.press("usual"), kit.Icon(kit.IconPlus, "icon small"), "Usual"),
			kit.Button("plain", kit.At{"id", "plain"}, g.press("plain"), "Plain"),
			kit.Button("small", kit.At{"id", "small"}, g.press("small"), "Small"),
			kit.Button("", kit.At{"id", "held", "aria-pressed", g.on}, g.h.Do("held", func() { g.set("held", func() { g.on = !g.on }) }), "Held"),
			kit.Button("", kit.At{"id", "off", "disabled", true}, g.press("off"), "Off"),
		),
		kit.Box("div", "line",
			kit.IconButton("", "Search", kit.IconSearch, kit.At{"id", "sign"}, g.press("sign")),
			kit.IconButton("small", "Delete", kit.IconTrash, nil, g.press("small sign")),
			kit.IconButton("", "Close", kit.IconClose, kit.At{"disabled", true}, nil),
			kit.Chip(kit.At{"id", "chip"}, g.press("chip"), "Chip"),
			kit.Pill(nil, "Pill"),
			kit.El("button", "link", kit.At{"type", "button", "onclick", g.press("link")}, "Link"),
		),
	}
}

func (g *gallery) fields() []any {
	return []any{
		kit.Labelled("name", "Name", "as it is called", g.h.Field("name", "field", nil, g.name, func(text string) {
			g.set("name "+text, func() { g.name = text })
		})),
		kit.Labelled("text", "Text", nil, g.h.Area("text", "field", kit.At{"rows", 2}, g.text, func(text string) {
			g.set("text "+text, func() { g.text = text })
		})),
		kit.Labelled("fixed", "Fixed", nil, kit.Fixed("field mono", kit.At{"id", "fixed"}, "can be copied")),
		kit.Labelled("colour", "Colour", nil, g.h.Select("colour", "Colour", "field", nil, g.colour,
			kit.Options("", "Any colour", "red", "Red", "green", "Green"), func(value string) {
				g.set("colour "+value, func() { g.colour = value })
			})),
		kit.Labelled("unit", "Unit", nil, g.h.Select("unit", "Unit", "field", nil, g.unit,
			[]kit.Option{{Value: "m", Name: "Metre", Group: "SI"}, {Value: "kg", Name: "Kilogram", Group: "SI"}, {Value: "yd", Name: "Yard", Group: "Imperial"}},
			func(value string) { g.set("unit "+value, func() { g.unit = value }) })),
		kit.Box("label", "switch-line", kit.Box("span", "label", "Switch"),
			g.h.Switch("switch", "switch", nil, g.on, func(on bool) { g.set("switch", func() { g.on = on }) })),
		kit.Box("label", "switch-line", kit.Box("span", "label", "Switch that the page does not let go"),
			g.h.Switch("frozen", "switch", nil, g.frozen, func(bool) { g.set("frozen", func() {}) })),
		kit.Box("label", "check", g.h.Switch("check", "", nil, g.on, func(on bool) { g.set("check", func() { g.on = on }) }), "Check"),
		kit.Box("div", "line", kit.Button("", kit.At{"id", "empty"}, g.h.Do("empty", func() {
			g.set("emptied", func() { g.name, g.text, g.colour = "", "", "" })
			g.h.Put("name", "")
		}), "Empty all"),
			kit.Button("", kit.At{"id", "louder"}, g.h.Do("louder", func() {
				g.set("louder", func() { g.name, g.text = strings.ToUpper(g.name), strings.ToUpper(g.text) })
			}), "Louder")),
	}
}

func (g *gallery) choices() []any {
	view := func(name string) kit.Choice {
		return kit.Choice{ID: "view-" + name, Name: name, On: g.view == name, Do: g.h.Do("view "+name, func() { g.set("view "+name, func() { g.view = name }) })}
	}
	tab := func(name string) kit.Choice {
		return kit.Choice{ID: "tab-" + name, Name: name, On: g.tab == name, Do: g.h.Do("tab "+name, func() { g.set("tab "+name, func() { g.tab = name }) })}
	}
	return []any{
		kit.Segments("View", "", []kit.Choice{view("list"), view("grid"), view("map")}),
		kit.Segments("Days", "wide", []kit.Choice{{Name: "Week", To: "#week", On: true}, {Name: "Month", To: "#month"}}),
		g.h.Radios("size", "Size", "", g.size, kit.Options("s", "Small", "m", "Middle", "l", "Large"), func(value string) {
			g.set("size "+value, func() { g.size = value })
		}),
		g.h.ChargeChoice("charge"),
		g.h.Tabs("Tabs", "", "panel", []kit.Choice{tab("one"), tab("two")}),
		kit.El("div", "", kit.At{"id", "panel", "role", "tabpanel", "aria-labelledby", "tab-" + g.tab}, "Panel "+g.tab),
		kit.Button("", kit.At{"id", "more", "popovertarget", "menu"}, nil, "Menu"),
		kit.El("div", "menu", kit.At{"id", "menu", "popover", "auto", "role", "group", "aria-label", "Menu"},
			kit.MenuItem("item", "", nil, g.press("item"), "Item"),
			kit.MenuItem("barred", "Not today", nil, g.press("barred"), "Barred")),
	}
}

func (g *gallery) notices() []any {
	return []any{
		kit.Notice(kit.Info, "", nil, "To be known."),
		kit.Notice(kit.Warn, "strip", nil, kit.Box("span", "", "To be heeded."), kit.Button("", nil, g.press("heed"), "Heed")),
		kit.Notice(kit.Bad, "", kit.At{"role", "alert"}, kit.Box("p", "", "Gone wrong."), kit.Box("p", "todo", "Do it again.")),
		kit.Empty("", kit.Box("p", "", "Nothing here yet."), kit.Button("", nil, g.press("begin"), "Begin")),
		kit.Outcome("outcome", g.said != "frozen", g.said),
		kit.SayIf("p", "soft", g.name),
	}
}

func (g *gallery) figures() []any {
	return []any{
		kit.Meter(kit.Warn, "Used", 80, 100),
		kit.Box("dl", "facts", kit.Box("dt", "", "Address"), kit.Box("dd", "mono", strings.Repeat("long", 40))),
		kit.El("div", "scroll", kit.At{"tabindex", 0, "role", "region", "aria-label", "Costs"}, kit.Box("table", "figures",
			kit.Box("thead", "", kit.Box("tr", "", kit.El("th", "", kit.At{"scope", "col"}, "What"), kit.El("th", "num", kit.At{"scope", "col"}, "Cost"))),
			kit.Box("tbody", "", kit.Times(g.pressed+1, func(i int) app.UI {
				return kit.Box("tr", "", kit.Box("td", "", "Row ", i), kit.Box("td", "num", "$0.0010"))
			})))),
	}
}

func (g *gallery) dialogs() []any {
	shut := func(how string) func() {
		return func() { g.h.DOM.ByID("dialog").Call("close"); g.set(how, func() { g.dialog = "" }) }
	}
	var body app.UI
	if g.dialog != "" {
		body = kit.Box("div", "dialog-body", kit.Labelled("in-dialog", "In it", nil,
			g.h.Field("in-dialog", "field", nil, g.dialog, func(text string) { g.set("in it "+text, func() { g.dialog = text }) })))
	}
	return []any{
		kit.Button("", kit.At{"id", "open"}, g.h.Do("open", func() {
			g.set("opened", func() { g.dialog = "open" })
			g.h.DOM.ByID("dialog").Call("showModal")
		}), "Open a dialog"),
		g.h.Dialog("dialog", "A dialog", nil, shut("cancelled"), shut("closed"), body),
	}
}
