package ledger_test

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/ledger"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// sumOf adds rows up one by one, those that want says.
func sumOf(rows []wire.LedgerRow, want func(wire.LedgerRow) bool) (s wire.Sum) {
	estimates := map[string]int64{}
	slices.SortFunc(rows, func(a, b wire.LedgerRow) int { return int(a.N - b.N) })
	for _, r := range rows {
		var estimated int64
		switch {
		case r.Source == wire.SourceEstimated:
			estimated = r.CostNanoUSD
		case r.Kind != wire.KindCharge:
			estimated = -estimates[r.Subject]
		}
		estimates[r.Subject] += estimated
		if !want(r) {
			continue
		}
		s.NanoUSD += r.CostNanoUSD
		s.Rows++
		s.EstimatedNanoUSD += estimated
		*map[string]*int64{wire.KindCharge: &s.ChargedNanoUSD, wire.KindReturn: &s.ReturnedNanoUSD, wire.KindCorrection: &s.CorrectedNanoUSD}[r.Kind] += r.CostNanoUSD
	}
	return s
}

// someBooking draws a row within the first 72 hours of 1970.
func someBooking(rt *rapid.T, subjects [][]byte) ledger.Entry {
	e := ledger.Entry{
		Kind:         rapid.SampledFrom([]string{"charge", "charge", "return", "correction"}).Draw(rt, "kind"),
		What:         rapid.SampledFrom([]string{"text", "video"}).Draw(rt, "what"),
		Subject:      rapid.SampledFrom(subjects).Draw(rt, "subject"),
		Model:        fmt.Sprintf("m-%d", rapid.IntRange(1, 12).Draw(rt, "model")),
		Source:       rapid.SampledFrom([]string{"reported", "computed", "estimated"}).Draw(rt, "source"),
		Basis:        "basis",
		InputTokens:  rapid.Int64Range(0, 1000).Draw(rt, "in"),
		OutputTokens: rapid.Int64Range(0, 1000).Draw(rt, "out"),
		CreatedMS:    rapid.Int64Range(0, 72*ledger.HourMS-1).Draw(rt, "ms"),
	}
	e.CostNanoUSD = rapid.Int64Range(0, 1e12).Draw(rt, "cost")
	if e.Kind == "return" || e.Kind == "correction" && rapid.Bool().Draw(rt, "down") {
		e.CostNanoUSD = -e.CostNanoUSD
	}
	return e
}

// Whatever is booked, in whatever order of time, and whether it was looked at
// in between or not: each figure of the page is the sum of its rows, for days
// that begin on any quarter of an hour; what is remembered is what is stored;
// and the sums by hour are those of the rows.
func TestThePageIsTheSumOfItsRows(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, _ := storetest.OpenLocal(t)
	rapid.Check(t, func(rt *rapid.T) {
		owner := storetest.AddUser(t, db, "ann")
		subjects := make([][]byte, 8)
		for i := range subjects {
			subjects[i] = storetest.MustID(t)
		}
		q := wire.SpendQuery{Split: rapid.SampledFrom([]string{"", wire.SplitByKind, wire.SplitByModel}).Draw(rt, "split")}
		at := rapid.Int64Range(0, 96).Draw(rt, "zone") * ledger.HourMS / 4
		for range rapid.IntRange(2, 4).Draw(rt, "days") {
			q.Days = append(q.Days, at)
			at += rapid.SampledFrom([]int64{23, 24, 24, 25}).Draw(rt, "hours") * ledger.HourMS
		}
		end := q.Days[len(q.Days)-1]
		// Today may be one of the days, before them all, or behind.
		q.Tomorrow = max(end+rapid.Int64Range(-100, 100).Draw(rt, "tomorrow")*ledger.HourMS, ledger.HourMS)
		q.Today, q.Week, q.Month = max(q.Tomorrow-24*ledger.HourMS, 0), max(q.Tomorrow-7*24*ledger.HourMS, 0), rapid.Int64Range(0, q.Tomorrow-1).Draw(rt, "month")
		for range rapid.IntRange(0, 30).Draw(rt, "n") {
			if _, err := storetest.Book(db, owner, someBooking(rt, subjects)); err != nil {
				rt.Fatal(err)
			}
			if rapid.IntRange(0, 3).Draw(rt, "look") == 0 {
				if _, err := db.Spend(ctx, owner, q); err != nil {
					rt.Fatal(err)
				}
			}
		}
		q.PriorTo = q.Days[0]
		q.PriorFrom = q.PriorTo - rapid.Int64Range(1, 50).Draw(rt, "prior")*ledger.HourMS/4
		if q.PriorFrom < 0 {
			q.PriorFrom, q.PriorTo = 0, 0 // compared with nothing
		}
		got, err := db.Spend(ctx, owner, q)
		if err != nil {
			rt.Fatal(err)
		}
		if (got.Prior != nil) != (q.PriorTo > 0) {
			rt.Fatalf("asked for the days from %d to %d before, told %v", q.PriorFrom, q.PriorTo, got.Prior)
		}
		rows := storetest.LedgerRows(t, db, owner)
		between := func(from, to int64) func(wire.LedgerRow) bool {
			return func(r wire.LedgerRow) bool { return r.CreatedMS >= from && r.CreatedMS < to }
		}
		for name, c := range map[string]struct{ got, want wire.Sum }{
			"today": {got.Today, sumOf(rows, between(q.Today, q.Tomorrow))},
			"week":  {got.Week, sumOf(rows, between(q.Week, q.Tomorrow))},
			"month": {got.Month, sumOf(rows, between(q.Month, q.Tomorrow))},
			"range": {got.Range, sumOf(rows, between(q.Days[0], end))},
		} {
			if c.got != c.want {
				rt.Fatalf("%s is %+v, its rows make %+v", name, c.got, c.want)
			}
		}
		if got.Prior != nil && *got.Prior != sumOf(rows, between(q.PriorFrom, q.PriorTo)) {
			rt.Fatalf("the days before are %+v", *got.Prior)
		}
		for i, day := range got.Days {
			var parts int64
			for _, p := range day.Parts {
				parts += p
			}
			if want := sumOf(rows, between(q.Days[i], q.Days[i+1])).NanoUSD; day.FromMS != q.Days[i] || day.NanoUSD != want || parts != want {
				rt.Fatalf("day %d is %+v, its rows make %d", i, day, want)
			}
		}
		for k, key := range got.Keys {
			if key == wire.OtherKey {
				continue
			}
			var column int64
			for _, day := range got.Days {
				column += day.Parts[k]
			}
			want := sumOf(rows, func(r wire.LedgerRow) bool {
				return between(q.Days[0], end)(r) && (q.Split == wire.SplitByModel && r.Model == key || q.Split != wire.SplitByModel && r.What == key)
			})
			if column != want.NanoUSD {
				rt.Fatalf("%s is %d, its rows make %d", key, column, want.NanoUSD)
			}
		}
		for _, m := range got.Models {
			want := sumOf(rows, func(r wire.LedgerRow) bool {
				return between(q.Days[0], end)(r) && r.Model == m.Key && r.What == m.What
			})
			if m.Sum != want {
				rt.Fatalf("%s is %+v, its rows make %+v", m.Key, m.Sum, want)
			}
		}
		if len(got.People) != 1 || got.People[0].Sum != got.Range {
			rt.Fatalf("people %+v", got.People)
		}
		db.ForgetSums()
		if fresh, err := db.Spend(ctx, owner, q); err != nil || !reflect.DeepEqual(fresh, got) {
			rt.Fatalf("read anew %+v, %v; remembered %+v", fresh, err, got)
		}
		storetest.CheckHours(t, db)
	})
}

// A row leads to its answer while that is there.
func TestARowLeadsToItsAnswer(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s := storetest.NewStart("", "x")
	storetest.Must(t, storetest.StartTurn(db, owner, s), db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 7), "answer", nil, nil, []byte(`{"input":"1.25"}`)))
	row := func() wire.LedgerRow {
		page, err := db.Ledger(ctx, owner, wire.LedgerQuery{Subject: s.Run})
		if err != nil || len(page.Rows) != 1 {
			t.Fatalf("%+v, %v", page, err)
		}
		return page.Rows[0]
	}
	if r := row(); r.Conversation != s.Conversation || r.Message != s.Answer || r.CostNanoUSD != 7 || string(r.Prices) != `{"input":"1.25"}` {
		t.Errorf("%+v", r)
	}
	storetest.Must(t, db.DeleteConversation(ctx, owner, s.Conversation))
	if r := row(); r.Conversation != "" || r.Message != "" || r.CostNanoUSD != 7 {
		t.Errorf("after the deletion %+v", r)
	}
	for name, q := range map[string]wire.LedgerQuery{
		"no id":       {Subject: "x"},
		"no cursor":   {Before: "x"},
		"two at once": {Subject: s.Run, Conversation: s.Conversation},
		"before 1970": {From: -1},
		"no order":    {Sort: "weather"},
		"a long text": {Search: strings.Repeat("x", wire.MaxLedgerSearch+1)},
	} {
		if _, err := db.Ledger(ctx, owner, q); storetest.Problem(err).Code == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, q := range map[string]wire.SpendQuery{
		"no days":           {},
		"one boundary":      {Days: []int64{1}},
		"out of order":      {Days: []int64{5, 4}},
		"too many":          {Days: slices.Repeat([]int64{1}, wire.MaxSpendDays+2)},
		"before, backwards": {Days: []int64{1, 2}, Tomorrow: 1, PriorFrom: 2, PriorTo: 1},
		"before, no end":    {Days: []int64{1, 2}, Tomorrow: 1, PriorFrom: 2},
		"today too late":    {Days: []int64{1, 2}, Today: 3, Tomorrow: 3},
		"split otherwise":   {Days: []int64{1, 2}, Tomorrow: 1, Split: "weather"},
	} {
		if _, err := db.Spend(ctx, owner, q); storetest.Problem(err).Code == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// More models than there are colours: the rest is joined, and nothing is lost.
func TestTheRestIsJoined(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	for i := range wire.MaxSplit + 3 {
		e := storetest.SomeEntry("charge", storetest.MustID(t), int64(100-i))
		e.Model = fmt.Sprintf("m-%02d", i)
		if _, err := storetest.Book(db, owner, e); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Spend(ctx, owner, wire.SpendQuery{Tomorrow: 1, Days: []int64{0, 24 * ledger.HourMS}, Split: wire.SplitByModel})
	if err != nil || len(s.Keys) != wire.MaxSplit+1 || s.Keys[0] != "m-00" || s.Keys[wire.MaxSplit] != wire.OtherKey || s.Days[0].Parts[wire.MaxSplit] != 92+91+90 {
		t.Errorf("%+v, %v", s, err)
	}
	if len(s.Models) != wire.MaxSplit+3 {
		t.Errorf("%d models", len(s.Models))
	}
}

func TestEverybodysSpend(t *testing.T) {
	ctx := context.Background()
	db, ann := storetest.OpenLocal(t)
	for who, cost := range map[string]int64{ann: 5, storetest.AddUser(t, db, "bob"): 7, storetest.AddUser(t, db, "cid"): 0} {
		if cost > 0 {
			if _, err := storetest.Book(db, who, storetest.SomeEntry("charge", storetest.MustID(t), cost)); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := db.SpendOfEverybody(ctx, wire.SpendQuery{Tomorrow: 1, Days: []int64{0, 24 * ledger.HourMS}})
	storetest.Must(t, err)
	got := map[string]int64{}
	for _, p := range s.People {
		got[p.Key] = p.Sum.NanoUSD
	}
	if s.Range.NanoUSD != 12 || !maps.Equal(got, map[string]int64{"local": 5, "bob": 7}) || s.People[0].Key != "bob" {
		t.Errorf("%+v", s)
	}
	if n, err := db.SpentByEverybody(ctx, time.UnixMilli(0), time.UnixMilli(ledger.HourMS)); err != nil || n != 12 {
		t.Errorf("%d, %v", n, err)
	}
}

// What was booked before the sums by hour were kept is in them after the
// migration; the ledger's rows themselves stay as they were.
func TestTheMigrationSumsUpWhatWasThere(t *testing.T) {
	storetest.OnlySQLite(t)
	ctx := context.Background()
	dir := storetest.OpenVersion(t, 3, func(exec func(string, ...any)) {
		exec(`INSERT INTO users (name, local, created_ms) VALUES ('local', 1, 0);
		INSERT INTO ledger (owner, kind, what, subject, model, cost_nano_usd, basis, source, created_ms) VALUES
		(1, 'charge', 'text', randomblob(16), 'm', 5, 'b', 'reported', 1000), (1, 'charge', 'text', randomblob(16), 'm', 6, 'b', 'estimated', 2000),
		(1, 'charge', 'video', randomblob(16), 'v', 7, 'b', 'computed', 3600000)`)
	})
	db := storetest.Open(t, dir, store.Options{})
	storetest.CheckHours(t, db)
	s, err := db.Spend(ctx, "1", wire.SpendQuery{Tomorrow: 1, Days: []int64{0, 24 * ledger.HourMS}})
	if err != nil || s.Range != (wire.Sum{NanoUSD: 18, ChargedNanoUSD: 18, EstimatedNanoUSD: 6, Rows: 3}) {
		t.Errorf("%+v, %v", s.Range, err)
	}
	if err := db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
		_, err := w.Exec("UPDATE ledger SET basis = ''")
		return err
	}); err == nil {
		t.Error("the ledger can be changed after the migration")
	}
}
