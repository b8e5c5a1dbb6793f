package storetest

import (
	"testing"

	"screentest/server/pgtest"
	"screentest/server/store"
)

// Replicas are n stores that share a database of PostgreSQL's, which is new and has
// its local user.
func Replicas(t testing.TB, n int) (all []*store.DB, owner string) {
	t.Helper()
	url := Database(t)
	for range n {
		all = append(all, OpenShared(t, url))
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
