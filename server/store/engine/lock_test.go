package engine_test

import (
	"fmt"
	"testing"

	"screentest/server/pgtest"
	"screentest/server/store"
	"screentest/server/store/engine"
)

// A process that dies, as one whose connections are cut, leaves no lock behind, and
// connections that broke off while nobody used them are not noticed.
func TestALockGoesWithItsConnection(t *testing.T) {
	url := pgtest.URL(t)
	open := func() *engine.DB {
		db, err := store.Open(t.Context(), t.TempDir(), store.Options{Database: url, SealKey: "c2NyZWVudGVzdC1zY3JlZW50ZXN0LXNjcmVlbnRlc3Q="})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		return db.Engine()
	}
	a, b := open(), open()
	pool := a.Postgres.Open(1)
	defer pool.Close()
	cut := func(where string) {
		t.Helper()
		var n int
		if err := pool.QueryRowContext(t.Context(), "SELECT count(pg_terminate_backend(pid)) FROM "+where).Scan(&n); err != nil || n == 0 {
			t.Fatalf("%d connections were cut, %v", n, err)
		}
	}
	name := []byte("a file")
	still, unlock, err := a.Locks().Lock(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if err := still(t.Context()); err != nil {
		t.Errorf("held: %v", err)
	}
	cut(fmt.Sprintf("pg_locks WHERE locktype = 'advisory' AND granted AND classid::bigint = %d", uint64(engine.LockKey(name))>>32))
	others, again, err := b.Locks().Lock(t.Context(), name)
	if err != nil {
		t.Fatalf("after its holder is gone: %v", err)
	}
	if still(t.Context()) == nil || others(t.Context()) != nil {
		t.Error("it is held by who is gone, or not by who has it")
	}
	unlock() // of what is gone: no harm
	again()
	cut("pg_stat_activity WHERE query LIKE '%pg_advisory_unlock%' AND pid <> pg_backend_pid()")
	for range 2 {
		for _, e := range []*engine.DB{a, b} {
			_, unlock, err := e.Locks().Lock(t.Context(), name)
			if err != nil {
				t.Fatalf("with a connection that broke off: %v", err)
			}
			unlock()
		}
	}
}
