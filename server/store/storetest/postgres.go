package storetest

import (
	"context"
	"errors"
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

// SealKey seals what databases of tests hold.
const SealKey = "c2NyZWVudGVzdC1zY3JlZW50ZXN0LXNjcmVlbnRlc3Q="

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
		db, err := store.Open(ctx, scratch, store.Options{Database: url, SealKey: SealKey})
		if err != nil {
			return err
		}
		_, err = db.EnsureLocalUser(ctx)
		return errors.Join(err, db.Close())
	})
}

// URLOf is the address of the database that stands for the folder dir.
func URLOf(t testing.TB, dir string) string {
	t.Helper()
	if url, made := databases.Load(dir); made {
		return url.(string)
	}
	return databaseLike(t, dir, "", nil)
}

// onEngine has o open the database that the suite runs on.
func onEngine(t testing.TB, dir string, o *store.Options) {
	t.Helper()
	if !OnPostgres() || o.Database != "" {
		return
	}
	o.Database = URLOf(t, dir)
	if o.SealKey == "" {
		o.SealKey = SealKey
	}
}

// Environ is the environment of a program that is to open the folder dir on the
// engine that the suite runs on.
func Environ(t testing.TB, dir string) (env []string) {
	t.Helper()
	if !OnPostgres() {
		return nil
	}
	return []string{"SCREENTEST_DATABASE=" + URLOf(t, dir), "SCREENTEST_SEAL_KEY=" + SealKey}
}

// ChildOptions opens a folder in a program that was given [Environ].
func ChildOptions() store.Options {
	return store.Options{Database: os.Getenv("SCREENTEST_DATABASE"), SealKey: os.Getenv("SCREENTEST_SEAL_KEY")}
}

// SameDatabase has the folder other stand for the database that dir stands for.
func SameDatabase(t testing.TB, dir, other string) {
	t.Helper()
	url, made := databases.Load(dir)
	if !made {
		t.Fatal("the folder has no database yet")
	}
	databases.Store(other, url)
	t.Cleanup(func() { databases.Delete(other) })
}
