//go:build js && wasm

package spend

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/spend"
	"screentest/app/ui/kit"
)

// Chart is the bars by day. Each bar is a link to its rows; one of them is in
// the order of the Tab key, the arrows move between them. The same figures
// stand in a table below.
type Chart struct {
	app.Compo
	s     *Section
	Rev   int
	focus int // the bar in the order of the Tab key, from the last one back
}

// Render implements app.Composer.
func (c *Chart) Render() (ui app.UI) {
	h, d := c.s.host, c.s.desk
	defer h.Drawing("the bars", &ui)
	chart := d.Chart()
	if chart == nil {
		return kit.El("section", "card", kit.At{"hidden", true})
	}
	n := len(chart.Bars)
	c.focus = min(c.focus, n-1)
	return kit.Box("section", "card",
		kit.El("h2", "", kit.At{"id", "chart-title"}, "By day"),
		kit.El("p", "soft figure", kit.At{"id", "chart-said"}, c.said(chart)),
		kit.Box("div", "chart",
			kit.El("div", "faint figure chart-ticks", kit.At{"aria-hidden", true}, kit.Times(len(chart.Ticks), func(i int) app.UI {
				return kit.Box("span", "", chart.Ticks[len(chart.Ticks)-1-i].Label)
			})),
			kit.Box("div", "chart-plot",
				lines(chart.Ticks),
				kit.El("div", "chart-bars", kit.At{"id", "chart-bars", "role", "group", "aria-labelledby", "chart-title",
					"onkeydown", h.On("chart-key", c.onKey), "onmouseover", h.On("chart-over", c.onPoint), "onfocusin", h.On("chart-in", c.onPoint),
					"onmouseleave", h.On("chart-out", c.onLeave), "onfocusout", h.On("chart-off", c.onLeave)},
					kit.Times(len(chart.Bars), func(i int) app.UI {
						return c.bar(chart, i, n-1-i == c.focus)
					})),
			),
			kit.El("div", "faint chart-days", kit.At{"aria-hidden", true},
				kit.Times(len(chart.Days), func(i int) app.UI { return kit.Box("span", "", chart.Bars[chart.Days[i]].Date.Short()) }),
			),
		),
		kit.Box("ul", "line soft", kit.Times(len(chart.Keys), func(i int) app.UI {
			return kit.Box("li", "line", kit.Box("span", "swatch fill-"+strconv.Itoa(chart.Keys[i].Series)), chart.Keys[i].Name)
		})),
		c.table(chart),
	)
}

// lines are drawn across the chart, behind the bars.
func lines(ticks []spend.Tick) app.UI {
	kids := make([]app.UI, 0, len(ticks))
	for _, t := range ticks {
		y := strconv.Itoa(1000 - t.At)
		kids = append(kids, kit.SVG("line", kit.At{"x1", "0", "x2", "1000", "y1", y, "y2", y}))
	}
	return kit.SVG("svg", kit.At{"class", "chart-lines", "viewBox", "0 0 1000 1000",
		"preserveAspectRatio", "none", "aria-hidden", true}, kids)
}

func (c *Chart) bar(chart *spend.Chart, i int, tab bool) app.UI {
	b := chart.Bars[i]
	v := c.s.desk.View
	v.Day = b.Date
	current := c.s.desk.View.Day == b.Date
	parts := make([]app.UI, 0, len(b.Parts))
	for _, p := range b.Parts {
		parts = append(parts, kit.SVG("rect", kit.At{"class", "fill-" + strconv.Itoa(chart.Keys[p.Key].Series), "x", "0", "width", "1",
			"y", strconv.Itoa(1000 - p.Bottom - p.Height), "height", strconv.Itoa(p.Height)}))
	}
	index := -1
	if tab {
		index = 0
	}
	return kit.El("a", "chart-bar", kit.At{"href", v.Address(), "aria-label", b.Label,
		"data-index", i, "data-current", current, "tabindex", index, "aria-current", kit.When(current, "true")},
		kit.SVG("svg", kit.At{"viewBox", "0 0 1 1000", "preserveAspectRatio", "none", "aria-hidden", true}, parts))
}

// said is what stands over the bars while none is pointed at: the day that is
// chosen, else the dearest.
func (c *Chart) said(chart *spend.Chart) string {
	for _, b := range chart.Bars {
		if b.Date == c.s.desk.View.Day {
			return b.Label
		}
	}
	if chart.Most == "" {
		return "Nothing was spent in these days."
	}
	return chart.Most
}

// onPoint says what a bar is when it is pointed at or has the focus; a draw for
// each would be too much.
func (c *Chart) onPoint(ctx app.Context, e app.Event) {
	ctx.PreventUpdate()
	if bar := e.Get("target").Call("closest", ".chart-bar"); bar.Truthy() {
		c.say(bar.Call("getAttribute", "aria-label").String())
	}
}

func (c *Chart) onLeave(ctx app.Context, _ app.Event) {
	ctx.PreventUpdate()
	if chart := c.s.desk.Chart(); chart != nil {
		c.say(c.said(chart))
	}
}

func (c *Chart) say(words string) { kit.SetText(c.s.host.DOM.ByID("chart-said"), words) }

// onKey moves between the bars.
func (c *Chart) onKey(ctx app.Context, e app.Event) {
	chart := c.s.desk.Chart()
	if chart == nil {
		return
	}
	last := len(chart.Bars) - 1
	at := last - c.focus
	switch e.Get("key").String() {
	case "ArrowLeft":
		at--
	case "ArrowRight":
		at++
	case "Home":
		at = 0
	case "End":
		at = last
	default:
		ctx.PreventUpdate()
		return
	}
	e.PreventDefault()
	at = max(0, min(at, last))
	c.focus = last - at
	ctx.Defer(func(app.Context) {
		defer c.s.host.Guard("the bars")
		c.s.host.DOM.Focus(`.chart-bar[data-index="` + strconv.Itoa(at) + `"]`)
	})
}

// table says the same as the bars, the newest day first.
func (c *Chart) table(chart *spend.Chart) app.UI {
	d := c.s.desk
	days := d.Spend.Days
	today := d.Clock.Today()
	var all []int64
	for _, day := range days {
		all = append(append(all, day.Parts...), day.NanoUSD)
	}
	dollars := figure.NewColumn(all, d.View.Exact)
	heads := []app.UI{kit.El("th", "", kit.At{"scope", "col"}, "Day")}
	for _, k := range chart.Keys {
		heads = append(heads, kit.El("th", "num", kit.At{"scope", "col"}, k.Name))
	}
	heads = append(heads, kit.El("th", "num", kit.At{"scope", "col"}, "Sum"))
	return kit.El("details", "fold", kit.At{"id", "chart-table"},
		kit.Box("summary", "", kit.Icon(kit.IconChevron, "icon small turns"), "Show as a table"),
		kit.El("div", "scroll", kit.At{"tabindex", 0, "role", "region", "aria-label", "Spend by day"},
			kit.Box("table", "figures",
				kit.Box("thead", "", kit.Box("tr", "", heads)),
				kit.Box("tbody", "", kit.Times(len(days), func(i int) app.UI {
					i = len(days) - 1 - i
					cells := []app.UI{kit.El("th", "", kit.At{"scope", "row"}, chart.Bars[i].Date.Words(today))}
					for _, n := range days[i].Parts {
						cells = append(cells, kit.Amount("", dollars, n, ""))
					}
					return kit.Box("tr", "", append(cells, kit.Amount("", dollars, days[i].NanoUSD, "")))
				})),
			),
		),
	)
}
