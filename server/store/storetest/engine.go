package storetest

import (
	"context"
	"sync"
	"testing"

	"screentest/server/store"
	"screentest/server/store/engine"
)

// Hold keeps the writer busy, inside an open transaction, until release.
func Hold(t testing.TB, db *store.DB) (release func()) {
	t.Helper()
	inside, free := make(chan struct{}), make(chan struct{})
	answer := make(chan error, 1)
	db.Engine().Post(0, func(w *engine.Tx) error {
		_, err := w.Exec("INSERT INTO meta (name, value) VALUES ('held', x'') ON CONFLICT DO NOTHING")
		close(inside)
		<-free
		return err
	}, func(err error) { answer <- err })
	<-inside
	return sync.OnceFunc(func() {
		close(free)
		if err := <-answer; err != nil {
			t.Error(err)
		}
	})
}

func CheckIntegrity(t testing.TB, db *store.DB) {
	t.Helper()
	if OnPostgres() {
		return // where it has no switch to leave foreign keys unchecked, nor files of ours
	}
	// A connection that has searched remembers what the index was made of, and would
	// look for pieces that were merged since.
	fresh, err := engine.OpenPool(DatabaseOf(t, db), engine.ReaderSettings, 1)
	Must(t, err)
	defer fresh.Close()
	var verdict string
	Must(t, fresh.QueryRow("PRAGMA integrity_check").Scan(&verdict))
	if verdict != "ok" {
		t.Errorf("integrity_check: %s", verdict)
	}
	var broken int
	Must(t, db.Engine().At(context.Background()).Scan("SELECT count(*) FROM pragma_foreign_key_check", nil, &broken))
	if broken != 0 {
		t.Errorf("%d rows refer to nothing", broken)
	}
}

// DatabaseOf is the file of db.
func DatabaseOf(t testing.TB, db *store.DB) (file string) {
	t.Helper()
	Must(t, db.Engine().At(context.Background()).Scan("SELECT file FROM pragma_database_list WHERE name = 'main'", nil, &file))
	return file
}
