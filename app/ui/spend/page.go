//go:build js && wasm

package spend

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
	return kit.Box("div", "spend",
		kit.Box("div", "spend-inner",
			p.controls(),
			p.warning(),
			trouble(h, d),
			kit.If(d.Spend != nil && d.Trouble == "", func() app.UI {
				return kit.Box("div", "spend-body",
					p.tiles(d.Spend),
					kit.Box("div", "spend-row",
						&Chart{s: p.s, Rev: p.Rev},
						p.groups("By model", "Model", d.Spend.Models, true),
					),
					kit.If(len(d.Spend.People) > 1, func() app.UI { return p.groups("By person", "Person", d.Spend.People, false) }),
					&Ledger{s: p.s, Rev: p.Rev},
				)
			}),
			kit.If(d.Spend == nil && d.Problem == nil && d.Trouble == "", func() app.UI {
				return kit.El("p", "spend-wait", kit.At{"role", "status"}, "Adding up…")
			}),
		),
	)
}

// trouble says why there are no figures, or old ones.
func trouble(h *kit.Host, d *spend.Desk) app.UI {
	switch {
	case d.Trouble != "":
		return kit.El("div", "problem", kit.At{"role", "alert"},
			kit.Box("p", "problem-what", d.Trouble),
			kit.If(d.View.Downloadable(), func() app.UI {
				return kit.Box("div", "card-head", downloads(d))
			}),
		)
	case d.Problem != nil:
		return kit.El("div", "problem", kit.At{"role", "alert"},
			kit.Box("p", "problem-what", d.Problem.Message),
			kit.Box("p", "problem-todo", d.Problem.Hint),
			kit.El("button", "button", kit.At{"type", "button",
				"onclick", h.Do("retry", func() { d.Retry() })}, "Try again"),
		)
	}
	return kit.El("div", "", kit.At{"hidden", true})
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
	return kit.Box("div", "spend-controls",
		kit.El("nav", "choices", kit.At{"aria-label", "Days"}, ranges),
		kit.If(v.Range == spend.Custom, func() app.UI {
			return kit.Box("div", "spend-days",
				p.day("spend-from", "From", v.From, func(v *spend.View, to spend.Date) { v.From = to }),
				p.day("spend-to", "To", v.To, func(v *spend.View, to spend.Date) { v.To = to }),
			)
		}),
		kit.El("nav", "choices", kit.At{"aria-label", "Bars"},
			choice("By kind", byKind.Address(), v.Split == wire.SplitByKind),
			choice("By model", byModel.Address(), v.Split == wire.SplitByModel),
		),
		kit.If(d.Spend != nil && d.Spend.MayEverybody && (!d.Spend.Alone || v.Everybody), func() app.UI {
			return kit.El("nav", "choices", kit.At{"aria-label", "Whose"},
				choice("Mine", mine.Address(), !v.Everybody),
				choice("Everybody’s", all.Address(), v.Everybody),
			)
		}),
	)
}

// choice is one of several views, as a link: the address tells which is shown.
func choice(name, to string, current bool) app.UI {
	return kit.El("a", "choice", kit.At{"href", to, "aria-current", kit.When(current, "true")}, name)
}

// day is one end of the custom days.
func (p *Page) day(id, name string, at spend.Date, set func(*spend.View, spend.Date)) app.UI {
	return kit.El("label", "", kit.At{"for", id},
		kit.Box("span", "", name),
		p.s.host.Field(id, "field", kit.At{"type", "date", "required", true}, at.String(), func(text string) {
			to, ok := spend.ParseDate(text)
			if !ok {
				return // half typed
			}
			v := p.s.desk.View.Wide()
			set(&v, to)
			p.s.host.Context().Navigate(v.Address())
		}),
	)
}

// warning are the budgets that are nearly used up.
func (p *Page) warning() app.UI {
	list := p.s.desk.Budgets.Warned()
	if len(list) == 0 {
		return kit.El("div", "", kit.At{"hidden", true})
	}
	return kit.El("div", "spend-warning", kit.At{"role", "status"},
		kit.Box("div", "", kit.Times(len(list), func(i int) app.UI { return kit.Box("p", "", spend.Words(list[i], p.s.desk.Clock)) })),
		kit.El("a", "button", kit.At{"href", kit.BudgetsPath}, "Change budgets"),
	)
}

// tiles are the figures to be seen first.
func (p *Page) tiles(s *wire.Spend) app.UI {
	tile := func(id, name string, nano int64, under ...app.UI) app.UI {
		return kit.El("div", "tile", kit.At{"id", id},
			kit.Box("span", "tile-name", name),
			kit.El("span", "tile-figure", kit.At{"title", money.NanoUSD(nano).String()}, figure.Dollars(nano)),
			kit.Box("div", "tile-under", under),
		)
	}
	said := func(text string) app.UI { return kit.Box("span", "", text) }
	estimated := func(s wire.Sum) app.UI {
		if s.EstimatedNanoUSD == 0 {
			return said(figure.Plural(s.Rows, "entry", "entries"))
		}
		return kit.Box("span", "estimated", "≈ "+figure.Dollars(s.EstimatedNanoUSD)+" of it estimated")
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
	return kit.El("section", "tiles", kit.At{"aria-label", "Totals"},
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
	return kit.Box("div", class,
		kit.El("progress", "", kit.At{"max", b.LimitNanoUSD, "value", min(b.SpentNanoUSD+b.ReservedNanoUSD, b.LimitNanoUSD),
			"aria-label", spend.Name(b)}),
		kit.Box("span", "", words),
	)
}

// groups is a table by model or by person; the models lead to their rows.
func (p *Page) groups(title, head string, list []wire.SpendGroup, link bool) app.UI {
	d := p.s.desk
	if len(list) == 0 {
		return kit.Box("section", "card", kit.Box("h2", "", title), kit.Box("p", "card-empty", "Nothing was spent in these days."))
	}
	return kit.Box("section", "card",
		kit.Box("h2", "", title),
		kit.El("div", "card-scroll", kit.At{"tabindex", 0, "role", "region", "aria-label", title},
			kit.Box("table", "figures",
				kit.Box("thead", "", kit.Box("tr", "",
					kit.El("th", "", kit.At{"scope", "col"}, head), kit.El("th", "num", kit.At{"scope", "col"}, "Entries"), kit.El("th", "num", kit.At{"scope", "col"}, "Cost"),
				)),
				kit.Box("tbody", "", kit.Times(len(list), func(i int) app.UI {
					g := list[i]
					v := d.View
					v.Model = g.Key
					var name any = g.Key
					if link {
						name = kit.El("a", "", kit.At{"href", v.Address(), "title", "Show the entries of this model"}, g.Key)
					}
					return kit.Box("tr", "",
						kit.Box("td", "mono", name),
						kit.Box("td", "num", figure.Count(g.Sum.Rows)),
						kit.El("td", "num", kit.At{"title", money.NanoUSD(g.Sum.NanoUSD).String()}, amount(g.Sum.NanoUSD, g.Sum.EstimatedNanoUSD != 0)),
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
