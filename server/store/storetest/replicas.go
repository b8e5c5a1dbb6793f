package storetest

import (
	"context"
	"fmt"
	"testing"

	"screentest/server/pgtest"
	"screentest/server/store"
)

// Replicas opens one PostgreSQL database n times, as n replicas do, and makes its
// local user. Each is closed with the test.
func Replicas(t testing.TB, n int) (all []*store.DB, owner string) {
	t.Helper()
	url, ctx := pgtest.URL(t), context.Background()
	for i := range n {
		db := Open(t, t.TempDir(), store.Options{Database: url, SealKey: sealKey})
		_, err := db.Replicas().Join(ctx, fmt.Sprintf("http://replica-%d:8081", i+1), "test")
		Must(t, err)
		all = append(all, db)
	}
	owner, err := all[0].EnsureLocalUser(ctx)
	Must(t, err)
	return all, owner
}
