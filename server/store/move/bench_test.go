package move

import (
	"testing"

	"screentest/server/store"
	"screentest/server/store/storetest"
)

// A hundred thousand messages, moved to PostgreSQL and back.
func BenchmarkMove(b *testing.B) {
	const turns = 50_000
	dir := b.TempDir()
	db, err := store.Open(b.Context(), dir, store.Options{SealKey: sealKey})
	storetest.Must(b, err)
	owner, err := db.EnsureLocalUser(b.Context())
	storetest.Must(b, err)
	storetest.FillTalk(b, db, owner, turns)
	storetest.Must(b, db.Close())
	for b.Loop() {
		url, files, home := newDatabase(b), b.TempDir(), b.TempDir()
		began := b.Elapsed()
		_, _, err = moved(b, openFolder(b, dir, true), openPostgres(b, url, files, false), nil)
		storetest.Must(b, err)
		there := b.Elapsed() - began
		_, _, err = moved(b, openPostgres(b, url, files, true), openFolder(b, home, false), nil)
		storetest.Must(b, err)
		b.ReportMetric(there.Seconds(), "s-there")
		b.ReportMetric((b.Elapsed() - began - there).Seconds(), "s-back")
		dir = home
	}
}
