package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"screentest/server/pgtest"
	"screentest/server/store"
)

// OnPostgres tells whether the suite runs on PostgreSQL: SCREENTEST_TEST_ENGINE
// says so.
func OnPostgres() bool { return os.Getenv("SCREENTEST_TEST_ENGINE") == "postgres" }

// OnlySQLite skips a test of what SQLite alone has: its files, its settings, or a
// database of a version that PostgreSQL never had.
func OnlySQLite(t testing.TB) {
	t.Helper()
	if OnPostgres() {
		t.Skip("this is about SQLite's files")
	}
}

// sealKey seals what databases of tests hold.
const sealKey = "c2NyZWVudGVzdC1zY3JlZW50ZXN0LXNjcmVlbnRlc3Q="

var databases sync.Map // a folder to its database

// databaseLike makes a database that stands for the folder dir.
func databaseLike(t testing.TB, dir, key string, prepare func(url string) error) string {
	t.Helper()
	url := pgtest.URLLike(t, key, prepare)
	databases.Store(dir, url)
	t.Cleanup(func() { databases.Delete(dir) })
	return url
}

// withLocalUser is the database of a folder that [Folder] makes.
func withLocalUser(t testing.TB, dir string) {
	t.Helper()
	databaseLike(t, dir, "local", func(url string) error {
		scratch, err := os.MkdirTemp("", "storetest")
		if err != nil {
			return err
		}
		defer os.RemoveAll(scratch)
		ctx := context.Background()
		db, err := store.Open(ctx, scratch, store.Options{Database: url, SealKey: sealKey})
		if err != nil {
			return err
		}
		_, err = db.EnsureLocalUser(ctx)
		return errors.Join(err, db.Close())
	})
}

// onEngine has o open the database that the suite runs on.
func onEngine(t testing.TB, dir string, o *store.Options) {
	t.Helper()
	if !OnPostgres() || o.Database != "" {
		return
	}
	url, made := databases.Load(dir)
	if !made {
		url = databaseLike(t, dir, "", nil)
	}
	o.Database = url.(string)
	if o.SealKey == "" {
		o.SealKey = sealKey
	}
}

// Joined are n stores on one new database of PostgreSQL's, each a replica of its own.
// The first made its local user.
func Joined(t testing.TB, n int) (all []*store.DB, owner string) {
	t.Helper()
	ctx := context.Background()
	url := pgtest.URL(t)
	for i := range n {
		db, err := store.Open(ctx, t.TempDir(), store.Options{Database: url, SealKey: sealKey})
		Must(t, err)
		t.Cleanup(func() { Must(t, db.Close()) })
		_, err = db.Replicas().Join(ctx, fmt.Sprintf("http://127.0.0.1:%d", 1+i), "test")
		Must(t, err)
		all = append(all, db)
	}
	owner, err := all[0].EnsureLocalUser(ctx)
	Must(t, err)
	return all, owner
}
