package verify_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"screentest/server/seal"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/storetest"
	"screentest/server/store/verify"
)

// BenchmarkAMillionRows has a ledger of a million rows taken into the chain, as
// at the first start of an older folder, and looked through.
func BenchmarkAMillionRows(b *testing.B) {
	const rows = 1_000_000
	ctx := context.Background()
	for range b.N {
		dir := b.TempDir()
		db, err := store.Open(ctx, dir, store.Options{})
		storetest.Must(b, err)
		box, err := seal.Load(filepath.Join(dir, folder.SealKeyFile), slog.New(slog.DiscardHandler))
		storetest.Must(b, err)
		owner, err := db.EnsureLocalUser(ctx)
		storetest.Must(b, err, db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
			for _, query := range []string{
				`INSERT INTO ledger (owner, kind, what, subject, model, cost_nano_usd, basis, source, input_tokens, output_tokens, prices, created_ms)
					WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ?2) SELECT ?1, 'charge', 'text', randomblob(16), 'vendor/model-' || (n % 10), n % 977,
					'31 in × $1.25/M + 118 out × $10/M', 'reported', 31, 118, '{}', n * 30000 FROM i`,
				"INSERT INTO meta (name, value) SELECT 'ledger_unchained', CAST(CAST(?2 AS TEXT) AS BLOB) WHERE ?1 > 0",
				"DELETE FROM meta WHERE name = 'chain:ledger' AND ?1 > 0 AND ?2 > 0",
			} {
				if _, err := w.Exec(query, engine.ParseOwner(owner), rows); err != nil {
					return err
				}
			}
			_, err := w.Exec("UPDATE meta SET value = ? WHERE name = ?", box.Seal(folder.SealCheck, "", []byte(folder.SealCheckText)), folder.SealCheck)
			return err
		}), db.Close())
		begin := time.Now()
		db, err = store.Open(ctx, dir, store.Options{})
		storetest.Must(b, err)
		b.ReportMetric(time.Since(begin).Seconds(), "taken-in-s")
		begin = time.Now()
		r, err := verify.Verify(ctx, dir, "")
		storetest.Must(b, err, db.Close())
		b.ReportMetric(time.Since(begin).Seconds(), "verify-s")
		if r.Ledger.Rows != rows || len(r.Wrong) != 1 { // the audit says that it is the second time
			b.Fatalf("%+v", r)
		}
	}
	b.ReportMetric(0, "ns/op")
}
