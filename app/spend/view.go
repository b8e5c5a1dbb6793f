package spend

import (
	"net/url"

	"screentest/shared/wire"
)

// Path is where the page is.
const Path = "/spend"

// View is what the page shows of the ledger. It stands in the address, so that
// back, forward and a reload show the same.
type View struct {
	Range    Range
	From, To Date   // with Custom
	Split    string // wire.SplitByKind or another of them
	// Of is whose spend it shows, where one may see it: one's own, everybody's,
	// a team's, a person's, a key's.
	wire.Of

	// What the ledger's rows are narrowed to; empty is all.
	Day    Date
	Kind   string // wire.KindCharge, …
	What   string // wire.WhatText, …
	Model  string
	Source string // wire.SourceReported, …
	Search string // in the model or the title
	// Sort is the order of the rows, "" or wire.SortOldest, …; Exact shows amounts
	// to the nano-dollar.
	Sort  string
	Exact bool
}

// ParseView reads a view from an address; what makes no sense is left out.
func ParseView(q url.Values) View {
	v := View{Range: Days30, Split: wire.SplitByKind, Model: q.Get("model"),
		Of: wire.Of{Everybody: q.Get("who") == "everybody", Person: q.Get("person"), Team: q.Get("team"), PaidBy: q.Get("paid_by")}}
	for _, r := range Ranges() {
		if string(r) == q.Get("range") {
			v.Range = r
		}
	}
	if v.Range == Custom {
		from, okFrom := ParseDate(q.Get("from"))
		to, okTo := ParseDate(q.Get("to"))
		if !okFrom || !okTo {
			v.Range = Days30
		} else {
			v.From, v.To = from, to
		}
	}
	if split := one(q.Get("split"), wire.SplitByModel, wire.SplitByPerson, wire.SplitByTeam, wire.SplitByPaidBy); split != "" {
		v.Split = split
	}
	v.Day, _ = ParseDate(q.Get("day"))
	v.Kind = one(q.Get("kind"), wire.KindCharge, wire.KindReturn, wire.KindCorrection)
	v.What = one(q.Get("what"), wire.WhatText, wire.WhatVideo)
	v.Source = one(q.Get("source"), wire.SourceReported, wire.SourceComputed, wire.SourceEstimated)
	v.Search = wire.Cut(q.Get("q"), wire.MaxLedgerSearch)
	v.Sort = one(q.Get("sort"), wire.SortOldest, wire.SortDearest, wire.SortCheapest)
	v.Exact = q.Get("exact") == "1"
	return v
}

func one(s string, known ...string) string {
	for _, k := range known {
		if s == k {
			return s
		}
	}
	return ""
}

// Address is where the view is found again.
func (v View) Address() string {
	q := url.Values{}
	set := func(name, value, usual string) {
		if value != usual {
			q.Set(name, value)
		}
	}
	set("range", string(v.Range), string(Days30))
	if v.Range == Custom {
		q.Set("from", v.From.String())
		q.Set("to", v.To.String())
	}
	set("split", v.Split, wire.SplitByKind)
	if v.Everybody {
		q.Set("who", "everybody")
	}
	set("person", v.Person, "")
	set("team", v.Team, "")
	set("paid_by", v.PaidBy, "")
	if v.Day != (Date{}) {
		q.Set("day", v.Day.String())
	}
	set("kind", v.Kind, "")
	set("what", v.What, "")
	set("model", v.Model, "")
	set("source", v.Source, "")
	set("q", v.Search, "")
	set("sort", v.Sort, "")
	if v.Exact {
		q.Set("exact", "1")
	}
	if len(q) == 0 {
		return Path
	}
	return Path + "?" + q.Encode()
}

// Narrowed says that the ledger shows not all rows of the days.
func (v View) Narrowed() bool {
	return v.Day != (Date{}) || v.Kind != "" || v.What != "" || v.Model != "" || v.Source != "" || v.Search != ""
}

// Wide is the view with all rows of its days.
func (v View) Wide() View {
	v.Day, v.Kind, v.What, v.Model, v.Source, v.Search = Date{}, "", "", "", "", ""
	return v
}

// rows is the query for the ledger's rows.
func (v View) rows(c Clock) wire.LedgerQuery {
	from, to := v.days(c.Today())
	if v.Day != (Date{}) {
		from, to = v.Day, v.Day
	}
	return wire.LedgerQuery{
		From: c.Midnight(from), To: c.Midnight(to.Plus(1)),
		Kind: v.Kind, What: v.What, Model: v.Model, Source: v.Source, Search: v.Search, Sort: v.Sort, Of: v.of(),
	}
}

// of is whose spend the server is asked for. Of everybody's a person's or a
// team's alone is no more everybody's; a key's is.
func (v View) of() wire.Of {
	of := v.Of
	of.Everybody = of.Everybody && of.Person == "" && of.Team == ""
	return of
}

// Shows says whether a budget is of whose spend is shown.
func (v View) Shows(b wire.BudgetState) bool {
	switch b.Scope {
	case wire.ScopeEverybody:
		return v.Everybody && v.Person == "" && v.Team == "" && v.PaidBy == ""
	case wire.ScopeTeam:
		return v.Team != "" && v.Team == b.Team
	}
	return !v.Others()
}

// Others says that it may be the spend of others.
func (v View) Others() bool { return v.Everybody || v.Person != "" || v.Team != "" }

// Download is the address of the rows as a file: wire.LedgerCSV or
// wire.LedgerJSON.
func (v View) Download(path string, c Clock) string {
	q := v.rows(c)
	p := url.Values{}
	for _, f := range []struct{ name, value string }{
		{"from", itoa(q.From)}, {"to", itoa(q.To)}, {"kind", q.Kind}, {"what", q.What}, {"model", q.Model}, {"source", q.Source}, {"search", q.Search},
		{"person", q.Person}, {"team", q.Team}, {"paid_by", q.PaidBy},
	} {
		if f.value != "" {
			p.Set(f.name, f.value)
		}
	}
	if q.Everybody {
		p.Set("everybody", "true")
	}
	if path == wire.LedgerCSV && c.Zone() != "" {
		p.Set("zone", c.Zone())
	}
	return path + "?" + p.Encode()
}
