package ledger_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// benchRows is the size of the ledger that spend is measured with.
const benchRows = 1_000_000

// aYearOfSpend is a ledger of a million rows over the year up to now: ten
// models, a tenth of it video, some of that returned.
func aYearOfSpend(b *testing.B) (db *store.DB, owner string, now time.Time) {
	b.Helper()
	db, owner = storetest.OpenLocal(b)
	now = time.Now().UTC().Truncate(time.Hour)
	from := now.AddDate(-1, 0, 0).UnixMilli()
	storetest.Must(b, db.Engine().Write(context.Background(), 0, func(w *engine.Tx) error {
		_, err := w.Exec(`INSERT INTO ledger (owner, kind, what, subject, model, cost_nano_usd, basis, source, input_tokens, output_tokens, prices, created_ms)
			WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < ?2 - 1)
			SELECT ?1, 'charge', CASE n % 10 WHEN 0 THEN 'video' ELSE 'text' END, randomblob(16), 'vendor/model-' || (n % 10), 1000 + n % 977,
				'31 in × $1.25/M + 118 out × $10/M', 'reported', 31, 118, '{}', ?3 + n * (?4 - ?3) / ?2 FROM i`,
			engine.ParseOwner(owner), benchRows, from, now.UnixMilli())
		return err
	}))
	return db, owner, now
}

// p50 runs fn n times, each after prepare, and gives the median of fn.
func p50(n int, prepare, fn func()) time.Duration {
	took := make([]time.Duration, n)
	for i := range took {
		prepare()
		begin := time.Now()
		fn()
		took[i] = time.Since(begin)
	}
	slices.Sort(took)
	return took[n/2]
}

// The Spend page over a million rows, its days in a zone of whole hours and in
// one of three quarters: first after a start, again after each booking, and
// against adding up the rows.
func BenchmarkSpend(b *testing.B) {
	ctx := context.Background()
	db, owner, now := aYearOfSpend(b)
	query := func(days int, zone time.Duration) (q wire.SpendQuery) {
		end := now.Truncate(24 * time.Hour).Add(24*time.Hour - zone)
		for i := days; i >= 0; i-- {
			q.Days = append(q.Days, end.AddDate(0, 0, -i).UnixMilli())
		}
		q.Tomorrow, q.Today, q.Week, q.Month, q.Split = end.UnixMilli(), end.AddDate(0, 0, -1).UnixMilli(), end.AddDate(0, 0, -7).UnixMilli(), end.AddDate(0, 0, -30).UnixMilli(), wire.SplitByModel
		return q
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	forget := db.ForgetSums
	booking := func() {
		e := storetest.SomeEntry("charge", mustBenchID(b), 1)
		e.CreatedMS = now.UnixMilli() - 1
		if _, err := storetest.Book(db, owner, e); err != nil {
			b.Fatal(err)
		}
	}
	for range b.N {
		for _, c := range []struct {
			name string
			days int
			zone time.Duration
		}{{"30d", 30, 2 * time.Hour}, {"30d-0545", 30, 345 * time.Minute}, {"365d", 365, 2 * time.Hour}} {
			q := query(c.days, c.zone)
			ask := func() {
				if s, err := db.Spend(ctx, owner, q); err != nil || s.Range.Rows == 0 {
					b.Fatal(s.Range, err)
				}
			}
			b.ReportMetric(ms(p50(5, forget, ask)), c.name+"-first-ms")
			b.ReportMetric(ms(p50(200, booking, ask)), c.name+"-p50-ms")
		}
		page := func(q wire.LedgerQuery) time.Duration {
			return p50(200, booking, func() {
				if got, err := db.Ledger(ctx, owner, q); err != nil || len(got.Rows) != 50 {
					b.Fatal(len(got.Rows), err)
				}
			})
		}
		b.ReportMetric(ms(page(wire.LedgerQuery{})), "ledger-p50-ms")
		b.ReportMetric(ms(page(wire.LedgerQuery{Model: "vendor/model-3", From: now.AddDate(0, -1, 0).UnixMilli()})), "ledger-model-p50-ms")
		// What a budget asks before each send: the day and the month.
		b.ReportMetric(float64(p50(1000, booking, func() {
			for _, from := range []time.Time{now.Truncate(24 * time.Hour), now.AddDate(0, 0, 1-now.Day())} {
				if _, err := db.Spent(ctx, owner, from, now.AddDate(0, 1, 0)); err != nil {
					b.Fatal(err)
				}
			}
		}).Nanoseconds())/1e6, "budget-p50-ms")
		b.ReportMetric(ms(p50(3, func() {}, func() {
			var n int64
			storetest.Must(b, db.Engine().At(ctx).Scan("SELECT sum(cost_nano_usd) FROM ledger WHERE owner = ? AND created_ms >= ?", []any{engine.ParseOwner(owner), now.AddDate(0, -1, 0).UnixMilli()}, &n))
		})), "30d-by-rows-ms")
	}
	b.ReportMetric(0, "ns/op")
}

func mustBenchID(b *testing.B) []byte {
	id, ok := engine.ParseID(storetest.NewID())
	if !ok {
		b.Fatal("not an id")
	}
	return id
}
