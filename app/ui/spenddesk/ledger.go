//go:build js && wasm

package spenddesk

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/spend"
	"screentest/app/ui/kit"
	"screentest/shared/money"
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
	return app.Section().ID("ledger").Class("card").Body(
		app.Div().Class("card-head").Body(
			app.H2().Text("Ledger"),
			app.Span().Class("card-note").Role("status").Text(l.found()),
			app.Div().Class("push"),
			downloads(d)[0], downloads(d)[1],
		),
		l.filters(),
		app.If(d.RowsProblem != nil, func() app.UI {
			return app.P().Class("problem").Role("alert").Text(d.RowsProblem.Message + " " + d.RowsProblem.Hint)
		}),
		app.If(len(d.Rows) > 0, l.table).ElseIf(!d.Fetching && d.RowsProblem == nil, func() app.UI {
			if d.View.Narrowed() {
				return app.P().Class("card-empty").Body(app.Text("No entry fits. "), app.A().Href(d.View.Wide().Address()).Text("Show all of these days"))
			}
			return app.P().Class("card-empty").Body(app.Text("Nothing was spent in these days. "), app.A().Href("/").Text("Ask a model something"))
		}),
		app.If(d.More, func() app.UI {
			return app.Button().ID("ledger-more").Class("button wide").Type("button").Text("Show older entries").Disabled(d.Fetching).
				OnClick(h.On("more", func(app.Context, app.Event) { d.FetchMore() }))
		}),
	)
}

// downloads are the rows that the view finds, as files.
func downloads(d *spend.Desk) []app.UI {
	return []app.UI{
		app.A().ID("ledger-csv").Class("button").Href(d.View.Download(wire.LedgerCSV, d.Clock)).Download("ledger.csv").Text("Download CSV"),
		app.A().ID("ledger-json").Class("button").Href(d.View.Download(wire.LedgerJSON, d.Clock)).Download("ledger.json").Text("JSON"),
	}
}

// found says how many entries there are and what they come to.
func (l *Ledger) found() string {
	t := l.s.desk.Total
	if t == nil {
		return ""
	}
	return rows(t.Rows) + ", " + signed(t.NanoUSD)
}

// filters narrow the rows. The day and the model come from the bars and the
// table; they are taken away here.
func (l *Ledger) filters() app.UI {
	v := l.s.desk.View
	var chips []app.UI
	chip := func(text string, without spend.View) {
		chips = append(chips, app.A().Class("chip").Href(without.Address()).Aria("label", text+": remove this filter").Body(
			app.Text(text), app.Span().Aria("hidden", true).Text("×")))
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
	return app.Div().Class("filters").Body(append([]app.UI{
		l.filter("filter-what", "Of text or of video", "Text and video", v.What, func(v *spend.View, s string) { v.What = s },
			wire.WhatText, "Text", wire.WhatVideo, "Video"),
		l.filter("filter-kind", "Kind of entry", "All entries", v.Kind, func(v *spend.View, s string) { v.Kind = s },
			wire.KindCharge, "Charges", wire.KindReturn, "Returns", wire.KindCorrection, "Corrections"),
		l.filter("filter-source", "How the figure was found", "All figures", v.Source, func(v *spend.View, s string) { v.Source = s },
			wire.SourceReported, "Reported", wire.SourceComputed, "Computed", wire.SourceEstimated, "Estimated"),
	}, chips...)...)
}

func (l *Ledger) filter(id, name, all, now string, set func(*spend.View, string), options ...string) app.UI {
	return l.s.host.Select(id, name, now, kit.Options(append([]string{"", all}, options...)...), func(chosen string) {
		v := l.s.desk.View
		set(&v, chosen)
		l.s.host.Context().Navigate(v.Address())
	}).Class("field select")
}

func (l *Ledger) table() app.UI {
	d := l.s.desk
	rows := make([]*wire.LedgerRow, 0, len(d.Rows)+1) // nil is the form under the row before
	for i := range d.Rows {
		if rows = append(rows, &d.Rows[i]); d.Rows[i].N == d.Fix.Row {
			rows = append(rows, nil)
		}
	}
	today := d.Clock.Today()
	return app.Div().Class("card-scroll").TabIndex(0).Role("region").Aria("label", "Ledger").Body(
		app.Table().Class("figures ledger").Body(
			app.THead().Body(app.Tr().Body(
				app.Th().Scope("col").Text("When"), app.Th().Scope("col").Text("What"), app.Th().Scope("col").Text("How the figure was made"),
				app.Th().Scope("col").Class("num").Text("Amount"), app.Td(),
			)),
			app.TBody().Body(app.Range(rows).Slice(func(i int) app.UI {
				if rows[i] == nil {
					return l.fix()
				}
				r := *rows[i]
				class := "num"
				if r.CostNanoUSD < 0 {
					class += " returned"
				}
				if r.Source == wire.SourceEstimated {
					class += " estimated"
				}
				return app.Tr().DataSet("kind", r.Kind).Body(
					app.Td().Class("when").Body(
						app.Span().Text(d.Clock.DateOf(r.CreatedMS).Words(today)+" "),
						app.Span().Class("soft").Text(d.Clock.Time(r.CreatedMS)),
					),
					app.Td().Class("what").Body(what(r)),
					app.Td().Class("soft basis").Text(basis(r)),
					app.Td().Class(class).Title(r.Source).Text(exact(r)),
					app.Td().Class("act").Body(app.If(spend.Fixable(r), func() app.UI { return l.fixButton(r) })),
				)
			})),
		),
	)
}

// what is a row's subject, which leads to its answer or its clip.
func what(r wire.LedgerRow) app.UI {
	name := spend.RowName(r)
	if to := spend.RowAddress(r); to != "" {
		return app.A().Href(to).Text(name)
	}
	return app.Span().Title("What this paid for was deleted").Text(name)
}

func basis(r wire.LedgerRow) string {
	if r.Basis == "" {
		return r.Source
	}
	return r.Basis
}

// exact writes a row's amount to the nano-dollar.
func exact(r wire.LedgerRow) string {
	s := signed(r.CostNanoUSD)
	if r.Source == wire.SourceEstimated {
		s = "≈ " + s
	}
	return s
}

// signed writes an amount to the nano-dollar, with a real minus sign and the
// thousands apart.
func signed(nano int64) string {
	if nano < 0 {
		return "−" + signed(-nano)
	}
	_, cents, _ := strings.Cut(money.NanoUSD(nano).String(), ".")
	return "$" + figure.Count(nano/int64(money.USD)) + "." + cents
}

// fixButton opens the form for what a row's run or clip really cost.
func (l *Ledger) fixButton(r wire.LedgerRow) app.UI {
	f := &l.s.desk.Fix
	id := fixID(r.N)
	return app.Button().ID(id).Class("icon-button small").Type("button").
		Aria("label", "Correct "+exact(r)+" of "+spend.RowName(r)).Title("Enter what it really cost").Aria("expanded", f.Row == r.N).
		OnClick(l.s.host.On(id, func(app.Context, app.Event) {
			if f.Row == r.N {
				f.Close()
				return
			}
			f.Open(r)
			l.s.focus("#" + spend.FieldFix)
		})).
		Body(kit.Icon(kit.IconPencil, "icon small"))
}

// fix is the form itself, as a row of the table.
func (l *Ledger) fix() app.UI {
	h, f := l.s.host, &l.s.desk.Fix
	back := "#" + fixID(f.Row)
	return app.Tr().ID("fix").DataSet("kind", "fix").Body(app.Td().ColSpan(5).Body(
		app.Form().ID("fix-form").Class("fix-form").
			OnSubmit(h.On("fix-save", func(_ app.Context, e app.Event) {
				e.PreventDefault()
				f.Save()
				if f.Wrong != "" {
					l.s.focus("#" + spend.FieldFix)
				}
			})).
			OnKeyDown(h.On("fix-key", func(_ app.Context, e app.Event) {
				if e.Get("key").String() == "Escape" && !kit.Composing(e.Value) {
					e.Call("stopPropagation")
					f.Close()
					l.s.focus(back)
				}
			})).
			Body(
				field(l.s, spend.FieldFix, "What all of it cost, by the gateway’s own account", "$", f.Text, f.Wrong, f.Saving, f.Type),
				app.Div().Class("form-end").Body(
					app.Button().ID("fix-save").Class("button primary").Type("submit").Disabled(f.Saving).Text("Book the difference"),
					app.Button().Class("button").Type("button").Text("Cancel").
						OnClick(h.On("fix-cancel", func(app.Context, app.Event) { f.Close(); l.s.focus(back) })),
				),
				app.P().Class("soft").Text("The entry stays as it is; what it differs by is added as an entry of its own."),
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
