package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"screentest/shared/wire"
)

// benchRows is the size of the ledger that spend is measured with.
const benchRows = 1_000_000

// aYearOfSpend is a ledger of a million rows over the year up to now: ten
// models, a tenth of it video, some of that returned.
func aYearOfSpend(b *testing.B) (db *DB, owner string, now time.Time) {
	b.Helper()
	db, owner = openLocal(b)
	now = time.Now().UTC().Truncate(time.Hour)
	from := now.AddDate(-1, 0, 0).UnixMilli()
	must(b, db.Engine().Write(context.Background(), 0, func(w *tx) error {
		_, err := w.exec(`INSERT INTO ledger (owner, kind, what, subject, model, cost_nano_usd, basis, source, input_tokens, output_tokens, prices, created_ms)
			WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < ?2 - 1)
			SELECT ?1, 'charge', CASE n % 10 WHEN 0 THEN 'video' ELSE 'text' END, randomblob(16), 'vendor/model-' || (n % 10), 1000 + n % 977,
				'31 in × $1.25/M + 118 out × $10/M', 'reported', 31, 118, '{}', ?3 + n * (?4 - ?3) / ?2 FROM i`,
			parseOwner(owner), benchRows, from, now.UnixMilli())
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
		e := someEntry("charge", mustBenchID(b), 1)
		e.createdMS = now.UnixMilli() - 1
		if _, err := book(db, owner, e); err != nil {
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
			must(b, db.Engine().At(ctx).scan("SELECT sum(cost_nano_usd) FROM ledger WHERE owner = ? AND created_ms >= ?", []any{parseOwner(owner), now.AddDate(0, -1, 0).UnixMilli()}, &n))
		})), "30d-by-rows-ms")
	}
	b.ReportMetric(0, "ns/op")
}

func mustBenchID(b *testing.B) []byte {
	id, ok := parseID(newID())
	if !ok {
		b.Fatal("not an id")
	}
	return id
}

// Backup while 32 sides write durable rows: its speed, and what it costs them.
func BenchmarkBackup(b *testing.B) {
	ctx := context.Background()
	dir := b.TempDir()
	db := open(b, dir, Options{})
	owner, err := db.EnsureLocalUser(ctx)
	must(b, err)
	log, times := answerLog(300)
	for range 2000 {
		oneRun(b, db, owner, log, times)
	}
	clip := make([]byte, 4<<20)
	for i := range clip {
		clip[i] = byte(i*i>>9 ^ i*7>>3)
	}
	must(b, os.MkdirAll(filepath.Join(dir, "archive", "ab"), 0o700))
	for i := range 25 {
		clip[i]++
		must(b, os.WriteFile(filepath.Join(dir, "archive", "ab", fmt.Sprint(i)), clip, 0o600))
	}
	writes := func(until func()) (perSecond float64) {
		var stop atomic.Bool
		var n atomic.Int64
		ended := make(chan struct{}, 32)
		begin := time.Now()
		for range 32 {
			go func() {
				for !stop.Load() {
					oneRun(b, db, owner, log[:2000], times)
					n.Add(1)
				}
				ended <- struct{}{}
			}()
		}
		until()
		took := time.Since(begin)
		stop.Store(true)
		for range 32 {
			<-ended
		}
		return float64(n.Load()) / took.Seconds()
	}
	for i := range b.N {
		var m Manifest
		var took time.Duration
		file := filepath.Join(b.TempDir(), fmt.Sprint("backup", i))
		busy := writes(func() {
			begin := time.Now()
			m, err = Backup(ctx, dir, file, "bench")
			took = time.Since(begin)
			must(b, err)
		})
		alone := writes(func() { time.Sleep(took) })
		b.ReportMetric(float64(m.Bytes())/1e6/took.Seconds(), "MB/s")
		b.ReportMetric(busy, "runs/s-meanwhile")
		b.ReportMetric(alone, "runs/s-without")
	}
	b.ReportMetric(0, "ns/op")
}
