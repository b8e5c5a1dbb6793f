//go:build js && wasm

package spenddesk

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/spend"
)

const svgNS = "http://www.w3.org/2000/svg"

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
		return app.Section().Class("card").Hidden(true)
	}
	n := len(chart.Bars)
	c.focus = min(c.focus, n-1)
	return app.Section().Class("card chart-card").Body(
		app.H2().ID("chart-title").Text("By day"),
		app.Div().Class("chart").Body(
			app.Div().Class("chart-ticks").Aria("hidden", true).Body(app.Range(chart.Ticks).Slice(func(i int) app.UI {
				return app.Span().Class("chart-tick").Text(chart.Ticks[len(chart.Ticks)-1-i].Label)
			})),
			app.Div().Class("chart-plot").Body(
				lines(chart.Ticks),
				app.Div().ID("chart-bars").Class("chart-bars").Role("group").Aria("labelledby", "chart-title").
					OnKeyDown(h.On("chart-key", c.onKey)).
					Body(app.Range(chart.Bars).Slice(func(i int) app.UI {
						return c.bar(chart, i, n-1-i == c.focus)
					})),
			),
			app.Div().Class("chart-days").Aria("hidden", true).Body(
				app.Span().Text(chart.Bars[0].Date.Short()),
				app.If(n > 2, func() app.UI { return app.Span().Text(chart.Bars[n/2].Date.Short()) }),
				app.If(n > 1, func() app.UI { return app.Span().Text(chart.Bars[n-1].Date.Short()) }),
			),
		),
		app.Ul().Class("chart-keys").Body(app.Range(chart.Keys).Slice(func(i int) app.UI {
			return app.Li().Body(app.Span().Class("swatch fill-"+strconv.Itoa(chart.Keys[i].Series)), app.Text(chart.Keys[i].Name))
		})),
		c.table(chart),
	)
}

// lines are drawn across the chart, behind the bars.
func lines(ticks []spend.Tick) app.UI {
	kids := make([]app.UI, 0, len(ticks))
	for _, t := range ticks {
		y := strconv.Itoa(1000 - t.At)
		kids = append(kids, app.Elem("line").XMLNS(svgNS).Attr("x1", "0").Attr("x2", "1000").Attr("y1", y).Attr("y2", y))
	}
	return app.Elem("svg").XMLNS(svgNS).Class("chart-lines").Attr("viewBox", "0 0 1000 1000").
		Attr("preserveAspectRatio", "none").Aria("hidden", true).Body(kids...)
}

func (c *Chart) bar(chart *spend.Chart, i int, tab bool) app.UI {
	b := chart.Bars[i]
	v := c.s.desk.View
	v.Day = b.Date
	current := c.s.desk.View.Day == b.Date
	parts := make([]app.UI, 0, len(b.Parts))
	for _, p := range b.Parts {
		parts = append(parts, app.Elem("rect").XMLNS(svgNS).Class("fill-"+strconv.Itoa(chart.Keys[p.Key].Series)).
			Attr("x", "0").Attr("width", "1").
			Attr("y", strconv.Itoa(1000-p.Bottom-p.Height)).Attr("height", strconv.Itoa(p.Height)))
	}
	index := -1
	if tab {
		index = 0
	}
	a := app.A().Class("chart-bar").Href(v.Address()).Title(b.Label).Aria("label", b.Label).
		DataSet("index", i).DataSet("current", current).TabIndex(index)
	if current {
		a = a.Aria("current", "true")
	}
	return a.Body(app.Elem("svg").XMLNS(svgNS).Attr("viewBox", "0 0 1 1000").
		Attr("preserveAspectRatio", "none").Aria("hidden", true).Body(parts...))
}

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
	heads := []app.UI{app.Th().Scope("col").Text("Day")}
	for _, k := range chart.Keys {
		heads = append(heads, app.Th().Scope("col").Class("num").Text(k.Name))
	}
	heads = append(heads, app.Th().Scope("col").Class("num").Text("Sum"))
	return app.Details().ID("chart-table").Class("chart-table").Body(
		app.Summary().Text("Show as a table"),
		app.Div().Class("card-scroll").TabIndex(0).Role("region").Aria("label", "Spend by day").Body(
			app.Table().Class("figures").Body(
				app.THead().Body(app.Tr().Body(heads...)),
				app.TBody().Body(app.Range(days).Slice(func(i int) app.UI {
					i = len(days) - 1 - i
					cells := []app.UI{app.Th().Scope("row").Text(chart.Bars[i].Date.Words(today))}
					for _, n := range days[i].Parts {
						cells = append(cells, app.Td().Class("num").Text(figure.Dollars(n)))
					}
					return app.Tr().Body(append(cells, app.Td().Class("num").Text(figure.Dollars(days[i].NanoUSD)))...)
				})),
			),
		),
	)
}
