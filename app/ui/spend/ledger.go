//go:build js && wasm

package spend

import (
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/spend"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Ledger is the rows that the figures are sums of.
type Ledger struct {
	app.Compo
	s   *Section
	Rev int
}

// Render implements app.Composer.
func (l *Ledger) Render() (ui app.UI) {
	h, d := l.s.host, l.s.desk
	defer h.Drawing("the ledger", &ui)
	return kit.El("section", "card", kit.At{"id", "ledger"},
		kit.Box("div", "line ledger-head",
			kit.Box("h2", "", "Ledger"),
			kit.El("span", "soft figure", kit.At{"role", "status"}, l.found()),
			kit.Box("div", "push"),
			downloads(d)[0], downloads(d)[1],
		),
		l.filters(),
		kit.If(d.RowsProblem != nil, func() app.UI {
			return kit.Notice(kit.Bad, "", kit.At{"role", "alert"}, d.RowsProblem.Message+" "+d.RowsProblem.Hint)
		}),
		kit.If(len(d.Rows) > 0, l.table),
		kit.If(len(d.Rows) == 0 && !d.Fetching && d.RowsProblem == nil, func() app.UI {
			if d.View.Narrowed() {
				return kit.Box("p", "soft ledger-empty", "No entries match. ", kit.El("a", "", kit.At{"href", d.View.Wide().Address()}, "Show all entries of these days"))
			}
			return kit.Box("p", "soft ledger-empty", "Nothing was spent in these days. ", kit.El("a", "", kit.At{"href", "/", "hidden", l.s.host.Guest}, "Ask a model something"))
		}),
		kit.If(d.More, func() app.UI {
			return kit.Button("wide", kit.At{"id", "ledger-more", "disabled", d.Fetching}, h.Do("more", d.FetchMore), "Show older entries")
		}),
	)
}

// downloads are the rows that the view finds, as files.
func downloads(d *spend.Desk) []app.UI {
	return []app.UI{
		kit.El("a", "button", kit.At{"id", "ledger-csv", "href", d.View.Download(wire.LedgerCSV, d.Clock), "download", "ledger.csv"}, "Download CSV"),
		kit.El("a", "button", kit.At{"id", "ledger-json", "href", d.View.Download(wire.LedgerJSON, d.Clock), "download", "ledger.json"}, "JSON"),
	}
}

// found says how many entries there are and what they come to.
func (l *Ledger) found() string {
	t := l.s.desk.Total
	if t == nil {
		return ""
	}
	sum := figure.Dollars
	if l.s.desk.View.Exact {
		sum = figure.Exact
	}
	return figure.Plural(t.Rows, "entry", "entries") + ", " + sum(t.NanoUSD)
}

// filters narrow the rows. The day and the model come from the bars and the
// table; they are taken away here.
func (l *Ledger) filters() app.UI {
	v := l.s.desk.View
	var chips []app.UI
	chip := func(text string, without spend.View) {
		chips = append(chips, narrowed(text, without))
	}
	if v.Day != (spend.Date{}) {
		without := v
		without.Day = spend.Date{}
		chip(v.Day.Words(l.s.desk.Clock.Today()), without)
	}
	if v.Model != "" {
		without := v
		without.Model = ""
		chip(v.Model, without)
	}
	return kit.Box("div", "line ledger-filters", append([]app.UI{
		kit.Box("label", "field field-box ledger-search",
			kit.Icon(kit.IconSearch, "icon small"),
			l.s.host.Field("ledger-search", "", kit.At{"type", "search", "aria-label", "Search the ledger", "placeholder", "Search titles and models", "maxlength", wire.MaxLedgerSearch}, v.Search, l.s.search),
		),
		l.filter("filter-what", "Text or video", "Text and video", v.What, func(v *spend.View, s string) { v.What = s },
			wire.WhatText, "Text", wire.WhatVideo, "Video"),
		l.filter("filter-kind", "Kind of entry", "All entries", v.Kind, func(v *spend.View, s string) { v.Kind = s },
			wire.KindCharge, "Charges", wire.KindReturn, "Returns", wire.KindCorrection, "Corrections"),
		l.filter("filter-source", "Source of the amount", "All sources", v.Source, func(v *spend.View, s string) { v.Source = s },
			wire.SourceReported, "Reported", wire.SourceComputed, "Computed", wire.SourceEstimated, "Estimated"),
		l.s.host.Select("ledger-sort", "Order of the entries", "field fits", nil, v.Sort, kit.Options(spend.SortNames()...), func(chosen string) {
			v := l.s.desk.View
			v.Sort = chosen
			l.s.host.Context().Navigate(v.Address())
		}),
		kit.El("label", "line", kit.At{"for", "ledger-exact"},
			l.s.host.Switch("ledger-exact", "", nil, v.Exact, func(on bool) {
				v := l.s.desk.View
				v.Exact = on
				l.s.host.Context().Navigate(v.Address())
			}), "Exact amounts"),
	}, chips...))
}

// narrowed is something that the page is narrowed to, which a click takes away.
func narrowed(text string, without spend.View) app.UI {
	return kit.El("a", "chip", kit.At{"href", without.Address(), "aria-label", text + ": remove this filter"},
		text, kit.El("span", "", kit.At{"aria-hidden", true}, "×"))
}

func (l *Ledger) filter(id, name, all, now string, set func(*spend.View, string), options ...string) app.UI {
	return l.s.host.Select(id, name, "field fits", nil, now, kit.Options(append([]string{"", all}, options...)...), func(chosen string) {
		v := l.s.desk.View
		set(&v, chosen)
		l.s.host.Context().Navigate(v.Address())
	})
}

func (l *Ledger) table() app.UI {
	d := l.s.desk
	rows := make([]*wire.LedgerRow, 0, len(d.Rows)+1) // nil is the form under the row before
	for i := range d.Rows {
		if rows = append(rows, &d.Rows[i]); d.Rows[i].N == d.Correction.Row {
			rows = append(rows, nil)
		}
	}
	costs := make([]int64, len(d.Rows))
	for i := range d.Rows {
		costs[i] = d.Rows[i].CostNanoUSD
	}
	dollars := figure.NewColumn(costs, d.View.Exact)
	today := d.Clock.Today()
	return kit.El("div", "scroll", kit.At{"tabindex", 0, "role", "region", "aria-label", "Ledger"},
		kit.Box("table", "figures ledger",
			kit.Box("thead", "", kit.Box("tr", "",
				kit.El("th", "", kit.At{"scope", "col"}, "When"), kit.El("th", "", kit.At{"scope", "col"}, "What"), kit.El("th", "", kit.At{"scope", "col"}, "Basis"),
				kit.El("th", "num", kit.At{"scope", "col"}, "Amount"), kit.Box("td", ""),
			)),
			kit.Box("tbody", "", kit.Times(len(rows), func(i int) app.UI {
				if rows[i] == nil {
					return l.fix()
				}
				r := *rows[i]
				class := ""
				switch {
				case r.Source == wire.SourceEstimated:
					class = "estimated"
				case r.CostNanoUSD < 0:
					class = "returned"
				}
				return kit.El("tr", "", kit.At{"data-kind", r.Kind},
					kit.Box("td", "when",
						kit.Box("span", "", d.Clock.DateOf(r.CreatedMS).Words(today)+" "),
						kit.Box("span", "soft", d.Clock.Time(r.CreatedMS)),
					),
					kit.Box("td", "what", l.what(r)),
					kit.Box("td", "soft basis", basis(r)),
					kit.Amount(class, dollars, r.CostNanoUSD, kit.When(r.Source == wire.SourceEstimated, "≈ ")),
					kit.Box("td", "act", kit.If(d.Corrects(r), func() app.UI { return l.fixButton(r) })),
				)
			})),
		),
	)
}

// what is a row's subject, which leads to its answer or its clip where that is
// one's own, and who spent it, where rows are of others.
func (l *Ledger) what(r wire.LedgerRow) app.UI {
	d := l.s.desk
	name := spend.RowName(r)
	payers := kit.Box("span", "soft payer", strings.TrimSuffix(spend.RowKind(r)+" · "+d.Payer(r), " · "))
	switch to := d.RowAddress(r); {
	case to != "":
		return kit.Box("span", "", kit.El("a", "", kit.At{"href", to}, name), " ", payers)
	case d.Own(r):
		return kit.Box("span", "", kit.El("span", "", kit.At{"title", "This was deleted"}, name), " ", payers)
	}
	return kit.Box("span", "", name, " ", payers)
}

func basis(r wire.LedgerRow) string {
	if r.Basis == "" {
		return r.Source
	}
	return r.Basis
}

// search waits until the typing rests. The address then is that of what is found.
func (s *Section) search(text string) {
	if s.searching != nil {
		s.searching()
	}
	s.searching = s.host.After(300*time.Millisecond, func() {
		s.searching = nil
		v := s.desk.View
		if v.Search = strings.TrimSpace(text); v.Search == s.desk.View.Search {
			return
		}
		s.desk.Go(v)
		js.Global().Get("history").Call("replaceState", nil, "", v.Address())
	})
}

// fixButton opens the form for what a row's run or clip really cost.
func (l *Ledger) fixButton(r wire.LedgerRow) app.UI {
	f := &l.s.desk.Correction
	id := fixID(r.N)
	return kit.IconButton("small", "Correct "+figure.Exact(r.CostNanoUSD)+" of "+spend.RowName(r), kit.IconPencil,
		kit.At{"id", id, "title", "Enter the actual cost", "aria-expanded", f.Row == r.N}, l.s.host.Do(id, func() {
			if f.Row == r.N {
				f.Close()
				return
			}
			f.Open(r)
			l.s.focus("#" + spend.FieldCost)
		}))
}

// fix is the form itself, as a row of the table.
func (l *Ledger) fix() app.UI {
	h, f := l.s.host, &l.s.desk.Correction
	back := "#" + fixID(f.Row)
	return kit.El("tr", "", kit.At{"id", "fix", "data-kind", "fix"}, kit.El("td", "", kit.At{"colspan", 5},
		kit.El("form", "line fix-form", kit.At{"id", "fix-form",
			"onsubmit", h.On("fix-save", func(_ app.Context, e app.Event) {
				e.PreventDefault()
				f.Save()
				if f.Wrong != "" {
					l.s.focus("#" + spend.FieldCost)
				}
			}),
			"onkeydown", h.On("fix-key", func(_ app.Context, e app.Event) {
				if e.Get("key").String() == "Escape" && !kit.Composing(e.Value) {
					e.Call("stopPropagation")
					f.Close()
					l.s.focus(back)
				}
			})},
			field(l.s, spend.FieldCost, "Actual cost", "$", f.Text, f.Wrong, f.Saving, f.Type),
			kit.Button("primary", kit.At{"id", "fix-save", "type", "submit", "disabled", f.Saving}, nil, "Add correction"),
			kit.Button("", nil, h.Do("fix-cancel", func() { f.Close(); l.s.focus(back) }), "Cancel"),
			kit.Box("p", "faint", "Take it from your gateway’s dashboard. The entry stays; the difference is added as a correction."),
			outcome(f.Problem, false, ""),
		),
	))
}

// focus goes to an element once it is drawn. What is deferred by an element that
// goes away, as the form does, would not be done: the Shell does it.
func (s *Section) focus(selector string) {
	s.host.Context().Defer(func(app.Context) {
		defer s.host.Guard("the ledger")
		s.host.DOM.Focus(selector)
	})
}

// fixID is the id of the button that opens the form under a row.
func fixID(row int64) string { return "fix-" + strconv.FormatInt(row, 10) }
