package store

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"screentest/shared/wire"
)

// A full disk refuses what does not fit with a sentence, keeps what does, and
// goes on when there is room again.
func TestDiskFull(t *testing.T) {
	ctx := context.Background()
	db, owner := openLocal(t)
	kept := startAt(t, db, owner, "kept", 1)
	limit := func(pages string) {
		must(t, db.Engine().Write(ctx, 0, func(w *tx) error {
			var n int
			return w.scan("PRAGMA max_page_count = "+pages, nil, &n)
		}))
	}
	var pages int
	must(t, db.Engine().At(ctx).scan("PRAGMA page_count", nil, &pages))
	limit(fmt.Sprint(pages + 20))

	release := hold(t, db)
	large := newStart("", strings.Repeat("x", 1<<20))
	small := newStart("", "small")
	answers := make(chan error, 2)
	db.StartTurn(owner, large, runOf(large), "large", "", func(err error) { answers <- err })
	db.StartTurn(owner, small, runOf(small), "small", "", func(err error) { answers <- err })
	release()
	if p := problem(<-answers); p.Code != "disk_full" || !strings.Contains(p.Message, "full") || p.Hint == "" {
		t.Errorf("the large one: %+v", p)
	}
	if err := <-answers; err != nil {
		t.Errorf("the small one, committed with it: %v", err)
	}
	if err := startTurn(db, owner, large); problem(err).Code != "disk_full" {
		t.Errorf("the large one, alone: %v", err)
	}
	for _, s := range []wire.Start{kept, small} {
		if _, err := db.Run(ctx, owner, s.Run); err != nil {
			t.Errorf("what was stored: %v", err)
		}
	}
	limit("1073741823")
	must(t, startTurn(db, owner, large))
	checkIntegrity(t, db)
}

func checkIntegrity(t testing.TB, db *DB) {
	t.Helper()
	var verdict string
	must(t, db.Engine().At(context.Background()).scan("PRAGMA integrity_check", nil, &verdict))
	if verdict != "ok" {
		t.Errorf("integrity_check: %s", verdict)
	}
	var broken int
	must(t, db.Engine().At(context.Background()).scan("SELECT count(*) FROM pragma_foreign_key_check", nil, &broken))
	if broken != 0 {
		t.Errorf("%d rows refer to nothing", broken)
	}
}

// A connection that may not write, as on a disk that was mounted read-only
// while the server ran.
func TestReadOnly(t *testing.T) {
	ctx := context.Background()
	db, owner := openLocal(t)
	readOnly := func(on string) {
		must(t, db.Engine().WriterConn().Raw(func(any) error { return nil })) // the writer is idle
		_, err := db.Engine().WriterConn().ExecContext(ctx, "PRAGMA query_only = "+on)
		must(t, err)
	}
	readOnly("1")
	if p := problem(db.SetSetting(ctx, owner, "a", "b")); p.Code != "data_read_only" || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	readOnly("0")
	must(t, db.SetSetting(ctx, owner, "a", "b"))
}
