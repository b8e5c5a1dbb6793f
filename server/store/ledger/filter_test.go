package ledger_test

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"screentest/server/store/engine"
	"screentest/server/store/ledger"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// A page of rows is what the filters say, in their order and each once; the
// total is that of all of them; and a file of them is the pages, newest first, joined.
func TestTheLedgerIsFiltered(t *testing.T) {
	ctx := context.Background()
	db, _ := storetest.OpenLocal(t)
	rapid.Check(t, func(rt *rapid.T) {
		owner := storetest.AddUser(t, db, "ann")
		subjects := make([][]byte, 6)
		for i := range subjects {
			subjects[i] = storetest.MustID(t)
		}
		for range rapid.IntRange(0, 40).Draw(rt, "n") {
			e := someBooking(rt, subjects)
			e.CreatedMS /= ledger.HourMS          // many at the same time
			e.CostNanoUSD -= e.CostNanoUSD % 4e11 // and many of the same cost
			if _, err := storetest.Book(db, owner, e); err != nil {
				rt.Fatal(err)
			}
		}
		rows := storetest.LedgerRows(t, db, owner)
		some := func(name string, values ...string) string {
			return rapid.SampledFrom(append(values, "", "")).Draw(rt, name)
		}
		q := wire.LedgerQuery{
			Kind: some("kind", "charge", "return", "correction"), What: some("what", "text", "video"),
			Model: some("model", "m-1", "m-2"), Source: some("source", "reported", "estimated"),
			Subject: some("subject", engine.FormatID(subjects[0]), engine.FormatID(subjects[1])),
			From:    rapid.Int64Range(0, 40).Draw(rt, "from"), To: rapid.Int64Range(0, 80).Draw(rt, "to"),
			Search: some("search", "m-1", "M-", "_", "%", `\`),
			Sort:   some("sort", wire.SortOldest, wire.SortDearest, wire.SortCheapest),
			Limit:  rapid.IntRange(1, 10).Draw(rt, "limit"),
		}
		if rapid.Bool().Draw(rt, "bounded") {
			least, most := int64(-5e11), int64(5e11)
			q.MinNanoUSD, q.MaxNanoUSD = &least, &most
		}
		is := func(r wire.LedgerRow) bool {
			return (q.Kind == "" || q.Kind == r.Kind) && (q.What == "" || q.What == r.What) && (q.Model == "" || q.Model == r.Model) &&
				(q.Source == "" || q.Source == r.Source) && strings.Contains(r.Model, strings.ToLower(q.Search)) && (q.Subject == "" || q.Subject == r.Subject) &&
				r.CreatedMS >= q.From && (q.To == 0 || r.CreatedMS < q.To) &&
				(q.MinNanoUSD == nil || r.CostNanoUSD >= *q.MinNanoUSD && r.CostNanoUSD <= *q.MaxNanoUSD)
		}
		var want, got []wire.LedgerRow
		for _, r := range rows {
			if is(r) {
				want = append(want, r)
			}
		}
		newest := func(a, b wire.LedgerRow) int {
			return cmp.Or(cmp.Compare(b.CreatedMS, a.CreatedMS), cmp.Compare(b.N, a.N))
		}
		dearest := func(a, b wire.LedgerRow) int {
			return cmp.Or(cmp.Compare(b.CostNanoUSD, a.CostNanoUSD), cmp.Compare(b.N, a.N))
		}
		slices.SortFunc(want, newest)
		inFile := slices.Clone(want)
		switch q.Sort {
		case wire.SortOldest:
			slices.Reverse(want)
		case wire.SortDearest:
			slices.SortFunc(want, dearest)
		case wire.SortCheapest:
			slices.SortFunc(want, dearest)
			slices.Reverse(want)
		}
		all := q
		for first := true; ; first = false {
			page, err := db.Ledger(ctx, owner, q)
			if err != nil {
				rt.Fatal(err)
			}
			if (page.Total != nil) != first || len(page.Rows) > q.Limit {
				rt.Fatalf("a page of %d rows with the total %v", len(page.Rows), page.Total)
			}
			if first {
				if total := sumOf(rows, is); *page.Total != total {
					rt.Fatalf("total %+v, the rows make %+v", *page.Total, total)
				}
			}
			got = append(got, page.Rows...)
			if q.Before = page.Before; q.Before == "" {
				break
			}
		}
		if !reflect.DeepEqual(got, want) {
			rt.Fatalf("pages of\n%+v, want\n%+v", got, want)
		}
		var file []wire.LedgerRow
		if err := db.EachLedger(ctx, owner, all, func(r wire.LedgerRow) error { file = append(file, r); return nil }); err != nil || !reflect.DeepEqual(file, inFile) {
			rt.Fatalf("file of %d rows, %v", len(file), err)
		}
	})
}

// Rows are found by what their conversation or clip is called, one's own only: of
// somebody else's the title isn't told, nor whether it has a word in it.
func TestRowsAreFoundByTheirTitle(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	other := storetest.AddUser(t, db, "ben")
	for i, title := range []string{"About 100% of lighthouses", "About boats"} {
		s := storetest.StartAt(t, db, owner, title, 1000)
		storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), int64(i+1)), "x", nil, nil, nil))
	}
	s := storetest.StartAt(t, db, other, "A lighthouse of somebody else's", 1000)
	storetest.Must(t, db.FinishRun(ctx, other, storetest.Ended(storetest.RunOf(s), 4), "x", nil, nil, nil))

	clip := storetest.NewVideo("A paper boat, lit by a lamp")
	clip.PriceNanoUSD = 8
	storetest.Taken(t, db.Videos(), owner, clip)

	for search, want := range map[string]int64{"light": 1, "LIGHTHOUSE": 1, "boat": 10, "boats": 2, "lamp": 8, "about": 3, "100%": 1, "1%s": 0, "nothing like that": 0} {
		for who, read := range map[string]func(q wire.LedgerQuery) (wire.LedgerPage, error){
			"one's own":   func(q wire.LedgerQuery) (wire.LedgerPage, error) { return db.Ledger(ctx, owner, q) },
			"everybody's": func(q wire.LedgerQuery) (wire.LedgerPage, error) { return db.LedgerOfEverybody(ctx, owner, q) },
		} {
			page, err := read(wire.LedgerQuery{Search: search})
			storetest.Must(t, err)
			var sum int64
			for _, r := range page.Rows {
				sum += r.CostNanoUSD
			}
			if sum != want || page.Total.NanoUSD != want {
				t.Errorf("%q in %s: rows of %d, in all %d, want %d", search, who, sum, page.Total.NanoUSD, want)
			}
		}
	}
}
