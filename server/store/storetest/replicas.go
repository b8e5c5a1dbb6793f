package storetest

import (
	"fmt"
	"testing"

	"screentest/server/pgtest"
	"screentest/server/store"
)

// Replicas are n stores that share a database of PostgreSQL's, which is new and has
// its local user, as n replicas do.
func Replicas(t testing.TB, n int) (all []*store.DB, owner string) {
	t.Helper()
	url := Database(t)
	for i := range n {
		db := OpenShared(t, url)
		Must(t, Second(db.Replicas().Join(t.Context(), fmt.Sprintf("http://replica-%d:8081", i+1), "test")))
		all = append(all, db)
	}
	owner, err := all[0].EnsureLocalUser(t.Context())
	Must(t, err)
	return all, owner
}

// Database is the address of a new, empty database of PostgreSQL's.
func Database(t testing.TB) (url string) {
	t.Helper()
	return pgtest.URL(t)
}

// OpenShared opens the database at url, as one of several processes.
func OpenShared(t testing.TB, url string) *store.DB {
	t.Helper()
	return Open(t, t.TempDir(), store.Options{Database: url, SealKey: SealKey})
}
