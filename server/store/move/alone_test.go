package move

import (
	"context"
	"testing"
	"time"

	"screentest/server/store/engine"
	"screentest/server/store/storetest"
)

// A replica that counts on is one that runs; one that was ended without a word
// doesn't, and what it held is let go.
func TestWantAlone(t *testing.T) {
	e := openPostgres(t, newDatabase(t), t.TempDir(), false)
	defer e.close()
	exec := func(statement string) {
		t.Helper()
		storetest.Must(t, e.DB.Write(t.Context(), 0, func(w *engine.Tx) error { return storetest.Second(w.Exec(statement)) }))
	}
	within := 30 * time.Millisecond
	look := func(fn func(engine.Reading) error) error { return e.DB.Snapshot(context.Background(), fn) }
	alone := func() string {
		t.Helper()
		return storetest.Problem(WantAlone(t.Context(), "x", within, look)).Code
	}
	exec("DROP TABLE IF EXISTS replicas CASCADE")
	if code := alone(); code != "" {
		t.Errorf("without the table: %q", code)
	}
	exec("CREATE TABLE replicas (n BIGINT PRIMARY KEY, address TEXT NOT NULL, beats BIGINT NOT NULL, gone_ms BIGINT NOT NULL)")
	if code := alone(); code != "" {
		t.Errorf("without a replica: %q", code)
	}
	exec("INSERT INTO replicas VALUES (1, 'http://a', 5, 100), (2, 'http://b', 7, 0)")
	if code := alone(); code != "" {
		t.Errorf("one that was ended: %q", code)
	}
	looked := 0
	counting := func(fn func(engine.Reading) error) error {
		if looked++; looked == 3 {
			exec("UPDATE replicas SET beats = beats + 1 WHERE n = 2")
		}
		return look(fn)
	}
	if err := WantAlone(t.Context(), "x", time.Minute, counting); storetest.Problem(err).Code != "move_served" {
		t.Errorf("one that runs: %v", err)
	}
	looked = 0
	joining := func(fn func(engine.Reading) error) error {
		if looked++; looked == 2 {
			exec("INSERT INTO replicas VALUES (3, 'http://c', 0, 0)")
		}
		return look(fn)
	}
	if err := WantAlone(t.Context(), "x", time.Minute, joining); storetest.Problem(err).Code != "move_served" {
		t.Errorf("one that comes: %v", err)
	}
}
