//go:build js && wasm

package spend

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/spend"
	"screentest/app/ui/kit"
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
				return kit.Box("div", "spend-inner",
					p.head(d.Spend),
					kit.Box("div", "spend-row",
						&Chart{s: p.s, Rev: p.Rev},
						p.groups("By model", "Model", d.Spend.Models, func(v *spend.View, g wire.SpendGroup) { v.Model = g.Key }),
					),
					p.payers(d.Spend),
					&Ledger{s: p.s, Rev: p.Rev},
				)
			}),
			kit.If(d.Spend == nil && d.Problem == nil && d.Trouble == "", func() app.UI {
				return kit.El("p", "soft", kit.At{"role", "status"}, "Loading…")
			}),
		),
	)
}

// trouble says why there are no figures, or old ones.
func trouble(h *kit.Host, d *spend.Desk) app.UI {
	switch {
	case d.Trouble != "":
		return kit.Notice(kit.Bad, "", kit.At{"role", "alert"},
			kit.Box("p", "", d.Trouble),
			kit.If(d.View.Downloadable(), func() app.UI { return kit.Box("div", "line", downloads(d)) }),
		)
	case d.Problem != nil:
		return kit.Notice(kit.Bad, "", kit.At{"role", "alert"},
			kit.Box("p", "", d.Problem.Message),
			kit.SayIf("p", "todo", d.Problem.Hint),
			kit.Button("", nil, h.Do("retry", d.Retry), "Try again"),
		)
	}
	return kit.Nothing()
}

// controls choose the days, the split and whose spend it is.
func (p *Page) controls() app.UI {
	d := p.s.desk
	v := d.View
	var ranges []kit.Choice
	for _, r := range spend.Ranges() {
		to := v.Wide()
		to.Range = r
		if r == spend.Custom && v.Range != spend.Custom {
			to.To = d.Clock.Today()
			to.From = to.To.Plus(-13)
		}
		ranges = append(ranges, kit.Choice{Name: r.Name(), To: to.Address(), On: v.Range == r})
	}
	var splits, whose []kit.Choice
	for _, split := range d.Splits() {
		to := v
		to.Split = split
		splits = append(splits, kit.Choice{Name: spend.SplitName(split), To: to.Address(), On: v.Split == split})
	}
	for _, w := range d.Whose() {
		whose = append(whose, kit.Choice{Name: w.Name, To: w.View.Address(), On: w.On})
	}
	return kit.Box("div", "line",
		kit.Segments("Days", "", ranges),
		kit.If(v.Range == spend.Custom, func() app.UI {
			return kit.Box("div", "line",
				p.day("spend-from", "From", v.From, func(v *spend.View, to spend.Date) { v.From = to }),
				p.day("spend-to", "To", v.To, func(v *spend.View, to spend.Date) { v.To = to }),
			)
		}),
		kit.Segments("Bars", "", splits),
		kit.If(len(whose) > 0, func() app.UI { return kit.Segments("Whose", "", whose) }),
		kit.Box("div", "line", kit.Times(len(d.Narrowings()), func(i int) app.UI {
			n := d.Narrowings()[i]
			return narrowed(n.Name, n.Without)
		})),
	)
}

// day is one end of the custom days.
func (p *Page) day(id, name string, at spend.Date, set func(*spend.View, spend.Date)) app.UI {
	return kit.El("label", "line soft", kit.At{"for", id},
		kit.Box("span", "", name),
		p.s.host.Field(id, "field fits", kit.At{"type", "date", "required", true}, at.String(), func(text string) {
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
		return kit.Nothing()
	}
	return kit.Notice(kit.Warn, "strip", kit.At{"id", "spend-warning", "role", "status"},
		kit.Box("div", "push", kit.Times(len(list), func(i int) app.UI { return kit.Box("p", "", spend.Words(list[i], p.s.desk.Clock)) })),
		kit.El("a", "button", kit.At{"href", kit.BudgetsPath}, kit.BudgetsVerb()),
	)
}

// head is what is to be seen first: what the days come to, beside how the budgets
// stand, over some figures more.
func (p *Page) head(s *wire.Spend) app.UI {
	d := p.s.desk
	line := d.Headline()
	return kit.Box("div", "spend-inner",
		kit.Box("div", "spend-row",
			kit.El("section", "card headline", kit.At{"id", "headline", "aria-labelledby", "headline-name"},
				kit.El("h2", "soft", kit.At{"id", "headline-name"}, line.Name+p.zone()),
				kit.Box("p", "line",
					kit.El("span", "total-figure figure", kit.At{"title", figure.Exact(line.NanoUSD)}, figure.Dollars(line.NanoUSD)),
					kit.SayIf("span", "estimated", kit.When(s.Range.EstimatedNanoUSD != 0, "≈ "+figure.Dollars(s.Range.EstimatedNanoUSD)+" of it estimated")),
					kit.Pill(kit.At{"id", "headline-sample", "hidden", !d.Sandbox, "title", "The sandbox’s prices are samples; what it answers is charged nowhere"}, "sample"),
				),
				kit.SayIf("p", "", line.Change),
				kit.SayIf("p", "soft", line.Forecast),
				p.totals(s),
			),
			p.budgets(s),
		),
	)
}

// zone is said behind the days where a budget goes by another one.
func (p *Page) zone() string {
	if z := p.s.desk.ZoneOfDays(); z != "" {
		return ", " + z
	}
	return ""
}

// totals are the figures beside the headline.
func (p *Page) totals(s *wire.Spend) app.UI {
	total := func(id, name string, nano int64, why string) app.UI {
		return kit.El("div", "", kit.At{"id", id, "title", why},
			kit.Box("dt", "", name),
			kit.El("dd", "total-figure figure", kit.At{"title", figure.Exact(nano)}, figure.Dollars(nano)),
		)
	}
	return kit.El("dl", "totals", kit.At{"aria-label", "Totals"},
		total("tile-today", "Today", s.Today.NanoUSD, ""),
		total("tile-month", "This month", s.Month.NanoUSD, ""),
		total("tile-reserved", "Reserved", s.ReservedNanoUSD, "Set aside for what is running"),
		total("tile-returned", "Returned", -s.Range.ReturnedNanoUSD, "Charges of clips that failed, in the days shown"),
	)
}

// budgets are how those stand whose spend is shown.
func (p *Page) budgets(s *wire.Spend) app.UI {
	d := p.s.desk
	var bars []app.UI
	for _, b := range s.Budgets {
		if d.View.Shows(b) {
			bars = append(bars, kit.El("li", "share", kit.At{"data-period", b.Period},
				kit.Box("div", "line", kit.Box("span", "", spend.Name(b)), kit.Box("span", "push"), kit.Box("span", "figure", spend.Percent(b))),
				share(b, d.Clock),
			))
		}
	}
	return kit.El("section", "card", kit.At{"id", "spend-budgets"},
		kit.Box("div", "line", kit.Box("h2", "", "Budgets"), kit.Box("span", "push"), kit.El("a", "", kit.At{"href", kit.BudgetsPath}, kit.BudgetsVerb())),
		kit.If(len(bars) == 0, func() app.UI {
			return kit.Box("p", "soft", "No budget is set. A budget stops a request before it is sent.")
		}),
		kit.Box("ul", "budget-states", bars),
	)
}

// share is how far a budget is used up. Of one that counts other hours than the
// page it says whose days they are.
func share(b wire.BudgetState, c spend.Clock) app.UI {
	tone := kit.Info
	if b.Warn || b.Reached {
		tone = kit.Warn
	}
	words := figure.Dollars(b.SpentNanoUSD) + " of " + figure.Dollars(b.LimitNanoUSD)
	if zone := spend.OtherZone(b, c); zone != "" {
		words += " by the " + b.Period + "s of " + zone
	}
	switch {
	case b.SpentNanoUSD >= b.LimitNanoUSD:
		words += ", used up"
	case b.Reached:
		words += ", the rest is reserved"
	case b.Warn:
		words += ", " + spend.Percent(b) + " used"
	}
	return kit.Box("div", "share",
		kit.Meter(tone, spend.Name(b), min(b.SpentNanoUSD+b.ReservedNanoUSD, b.LimitNanoUSD), b.LimitNanoUSD),
		kit.Box("span", "", words),
	)
}

// payers are the tables of who spent and who paid, where there are several.
func (p *Page) payers(s *wire.Spend) app.UI {
	table := func(title, head string, list []wire.SpendGroup, narrow func(*spend.View, wire.SpendGroup)) app.UI {
		return kit.If(len(list) > 1, func() app.UI { return p.groups(title, head, list, narrow) })
	}
	return kit.El("div", "spend-payers", kit.At{"hidden", len(s.People) < 2 && len(s.Teams) < 2 && len(s.PaidBy) < 2},
		table("By person", "Person", s.People, func(v *spend.View, g wire.SpendGroup) { v.Person = g.ID }),
		table("By team", "Team", s.Teams, func(v *spend.View, g wire.SpendGroup) { v.Team = g.ID }),
		table("By key", "Key", s.PaidBy, func(v *spend.View, g wire.SpendGroup) { v.PaidBy = g.Key }),
	)
}

// groups is a table of figures; each row leads to its entries, by what narrow
// makes of the view.
func (p *Page) groups(title, head string, list []wire.SpendGroup, narrow func(*spend.View, wire.SpendGroup)) app.UI {
	d := p.s.desk
	if len(list) == 0 {
		return kit.Box("section", "card", kit.Box("h2", "", title), kit.Box("p", "soft", "Nothing was spent in these days."))
	}
	costs := make([]int64, len(list))
	for i := range list {
		costs[i] = list[i].Sum.NanoUSD
	}
	dollars := figure.NewColumn(costs, d.View.Exact)
	return kit.Box("section", "card",
		kit.Box("h2", "", title),
		kit.El("div", "scroll", kit.At{"tabindex", 0, "role", "region", "aria-label", title},
			kit.Box("table", "figures",
				kit.Box("thead", "", kit.Box("tr", "",
					kit.El("th", "", kit.At{"scope", "col"}, head), kit.El("th", "num", kit.At{"scope", "col"}, "Entries"), kit.El("th", "num", kit.At{"scope", "col"}, "Cost"),
				)),
				kit.Box("tbody", "", kit.Times(len(list), func(i int) app.UI {
					g := list[i]
					v := d.View
					narrow(&v, g)
					var name any = g.Key
					if v != d.View {
						name = kit.El("a", "", kit.At{"href", v.Address(), "title", "Show the entries of this " + strings.ToLower(head)}, g.Key)
					}
					return kit.Box("tr", "",
						kit.Box("td", "mono", name),
						kit.Box("td", "num", figure.Count(g.Sum.Rows)),
						kit.Amount("", dollars, g.Sum.NanoUSD, kit.When(g.Sum.EstimatedNanoUSD != 0, "≈ ")),
					)
				})),
			),
		),
	)
}
