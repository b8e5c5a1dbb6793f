//go:build js && wasm

package spenddesk

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/spend"
	"screentest/app/ui/kit"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// Page is the Spend page.
type Page struct {
	app.Compo
	s   *Section
	Rev int
}

// Render implements app.Composer.
func (p *Page) Render() (ui app.UI) {
	h, d := p.s.host, p.s.desk
	defer h.Drawing("the spend", &ui)
	return app.Div().Class("spend").Body(
		app.Div().Class("spend-inner").Body(
			p.controls(),
			p.warning(),
			trouble(h, d),
			app.If(d.Spend != nil && d.Trouble == "", func() app.UI {
				return app.Div().Class("spend-body").Body(
					p.tiles(d.Spend),
					app.Div().Class("spend-row").Body(
						&Chart{s: p.s, Rev: p.Rev},
						p.groups("By model", "Model", d.Spend.Models, true),
					),
					app.If(len(d.Spend.People) > 1, func() app.UI { return p.groups("By person", "Person", d.Spend.People, false) }),
					&Ledger{s: p.s, Rev: p.Rev},
				)
			}).ElseIf(d.Problem == nil && d.Trouble == "", func() app.UI {
				return app.P().Class("spend-wait").Role("status").Text("Adding up…")
			}),
		),
	)
}

// trouble says why there are no figures, or old ones.
func trouble(h *kit.Host, d *spend.Desk) app.UI {
	switch {
	case d.Trouble != "":
		return app.Div().Class("problem").Role("alert").Body(
			app.P().Class("problem-what").Text(d.Trouble),
			app.If(d.View.Downloadable(), func() app.UI {
				return app.Div().Class("card-head").Body(downloads(d)...)
			}),
		)
	case d.Problem != nil:
		return app.Div().Class("problem").Role("alert").Body(
			app.P().Class("problem-what").Text(d.Problem.Message),
			app.P().Class("problem-todo").Text(d.Problem.Hint),
			app.Button().Class("button").Type("button").Text("Try again").
				OnClick(h.On("retry", func(app.Context, app.Event) { d.Retry() })),
		)
	}
	return app.Div().Hidden(true)
}

// controls choose the days, the split and whose spend it is.
func (p *Page) controls() app.UI {
	d := p.s.desk
	v := d.View
	var ranges []app.UI
	for _, r := range spend.Ranges() {
		to := v.Wide()
		to.Range = r
		if r == spend.Custom && v.Range != spend.Custom {
			to.To = d.Clock.Today()
			to.From = to.To.Plus(-13)
		}
		ranges = append(ranges, choice(r.Name(), to.Address(), v.Range == r))
	}
	byKind, byModel, mine, all := v, v, v, v
	byKind.Split, byModel.Split = wire.SplitByKind, wire.SplitByModel
	mine.Everybody, all.Everybody = false, true
	return app.Div().Class("spend-controls").Body(
		app.Nav().Class("choices").Aria("label", "Days").Body(ranges...),
		app.If(v.Range == spend.Custom, func() app.UI {
			return app.Div().Class("spend-days").Body(
				p.day("spend-from", "From", v.From, func(v *spend.View, to spend.Date) { v.From = to }),
				p.day("spend-to", "To", v.To, func(v *spend.View, to spend.Date) { v.To = to }),
			)
		}),
		app.Nav().Class("choices").Aria("label", "Bars").Body(
			choice("By kind", byKind.Address(), v.Split == wire.SplitByKind),
			choice("By model", byModel.Address(), v.Split == wire.SplitByModel),
		),
		app.If(d.Spend != nil && d.Spend.MayEverybody && (!d.Spend.Alone || v.Everybody), func() app.UI {
			return app.Nav().Class("choices").Aria("label", "Whose").Body(
				choice("Mine", mine.Address(), !v.Everybody),
				choice("Everybody’s", all.Address(), v.Everybody),
			)
		}),
	)
}

// choice is one of several views, as a link: the address tells which is shown.
func choice(name, to string, current bool) app.UI {
	a := app.A().Class("choice").Href(to).Text(name)
	if current {
		a = a.Aria("current", "true")
	}
	return a
}

// day is one end of the custom days.
func (p *Page) day(id, name string, at spend.Date, set func(*spend.View, spend.Date)) app.UI {
	return app.Label().For(id).Body(
		app.Span().Text(name),
		p.s.host.Field(id, at.String(), func(text string) {
			to, ok := spend.ParseDate(text)
			if !ok {
				return // half typed
			}
			v := p.s.desk.View.Wide()
			set(&v, to)
			p.s.host.Context().Navigate(v.Address())
		}).Class("field").Type("date").Required(true),
	)
}

// warning are the budgets that are nearly used up.
func (p *Page) warning() app.UI {
	list := p.s.desk.Budgets.Warned()
	if len(list) == 0 {
		return app.Div().Hidden(true)
	}
	return app.Div().Class("spend-warning").Role("status").Body(
		app.Div().Body(app.Range(list).Slice(func(i int) app.UI { return app.P().Text(spend.Words(list[i], p.s.desk.Clock)) })),
		app.A().Class("button").Href(kit.BudgetsPath).Text("Change budgets"),
	)
}

// tiles are the figures to be seen first.
func (p *Page) tiles(s *wire.Spend) app.UI {
	tile := func(id, name string, nano int64, under ...app.UI) app.UI {
		return app.Div().ID(id).Class("tile").Body(
			app.Span().Class("tile-name").Text(name),
			app.Span().Class("tile-figure").Title(money.NanoUSD(nano).String()).Text(figure.Dollars(nano)),
			app.Div().Class("tile-under").Body(under...),
		)
	}
	said := func(text string) app.UI { return app.Span().Text(text) }
	estimated := func(s wire.Sum) app.UI {
		if s.EstimatedNanoUSD == 0 {
			return said(rows(s.Rows))
		}
		return app.Span().Class("estimated").Text("≈ " + figure.Dollars(s.EstimatedNanoUSD) + " of it estimated")
	}
	days, zone := "in the days shown", ""
	if z := p.s.desk.ZoneOfDays(); z != "" {
		zone = ", " + z
	}
	today, month := []app.UI{estimated(s.Today)}, []app.UI{estimated(s.Month)}
	for _, b := range s.Budgets {
		if (b.Scope == wire.ScopeEverybody) != p.s.desk.View.Everybody {
			continue
		}
		if b.Period == wire.PeriodDay {
			today = append(today, share(b, p.s.desk.Clock))
		} else {
			month = append(month, share(b, p.s.desk.Clock))
		}
	}
	return app.Section().Class("tiles").Aria("label", "Totals").Body(
		tile("tile-today", "Today"+zone, s.Today.NanoUSD, today...),
		tile("tile-week", "7 days"+zone, s.Week.NanoUSD, estimated(s.Week)),
		tile("tile-month", "This month"+zone, s.Month.NanoUSD, month...),
		tile("tile-reserved", "Reserved", s.ReservedNanoUSD, said("for what is under way")),
		tile("tile-returned", "Returned", -s.Range.ReturnedNanoUSD, said(days)),
		tile("tile-estimated", "Estimated", s.Range.EstimatedNanoUSD, said(days)),
	)
}

// share is how far a budget is used up. A budget that counts other hours than
// the page says its own figure, and whose days they are.
func share(b wire.BudgetState, c spend.Clock) app.UI {
	class := "meter"
	if b.Warn || b.Reached {
		class += " warn"
	}
	words := "of " + figure.Dollars(b.LimitNanoUSD)
	if zone := spend.OtherZone(b, c); zone != "" {
		words = figure.Dollars(b.SpentNanoUSD) + " " + words + " by the " + b.Period + "s of " + zone
	}
	switch {
	case b.SpentNanoUSD >= b.LimitNanoUSD:
		words += ", used up"
	case b.Reached:
		words += ", the rest is reserved"
	case b.Warn:
		words += ", " + spend.Percent(b) + " used"
	}
	return app.Div().Class(class).Body(
		app.Elem("progress").Attr("max", b.LimitNanoUSD).Attr("value", min(b.SpentNanoUSD+b.ReservedNanoUSD, b.LimitNanoUSD)).
			Aria("label", spend.Name(b)),
		app.Span().Text(words),
	)
}

func rows(n int64) string {
	if n == 1 {
		return "1 entry"
	}
	return figure.Count(n) + " entries"
}

// groups is a table by model or by person; the models lead to their rows.
func (p *Page) groups(title, head string, list []wire.SpendGroup, link bool) app.UI {
	d := p.s.desk
	if len(list) == 0 {
		return app.Section().Class("card").Body(app.H2().Text(title), app.P().Class("card-empty").Text("Nothing was spent in these days."))
	}
	return app.Section().Class("card").Body(
		app.H2().Text(title),
		app.Div().Class("card-scroll").TabIndex(0).Role("region").Aria("label", title).Body(
			app.Table().Class("figures").Body(
				app.THead().Body(app.Tr().Body(
					app.Th().Scope("col").Text(head), app.Th().Scope("col").Class("num").Text("Entries"), app.Th().Scope("col").Class("num").Text("Cost"),
				)),
				app.TBody().Body(app.Range(list).Slice(func(i int) app.UI {
					g := list[i]
					v := d.View
					v.Model = g.Key
					return app.Tr().Body(
						app.Td().Class("mono").Body(app.If(link, func() app.UI {
							return app.A().Href(v.Address()).Title("Show the entries of this model").Text(g.Key)
						}).Else(func() app.UI { return app.Text(g.Key) })),
						app.Td().Class("num").Text(figure.Count(g.Sum.Rows)),
						app.Td().Class("num").Title(money.NanoUSD(g.Sum.NanoUSD).String()).Text(amount(g.Sum.NanoUSD, g.Sum.EstimatedNanoUSD != 0)),
					)
				})),
			),
		),
	)
}

// amount writes a cost, and that it is an estimate, or holds one.
func amount(nano int64, estimated bool) string {
	if estimated {
		return "≈ " + figure.Dollars(nano)
	}
	return figure.Dollars(nano)
}
