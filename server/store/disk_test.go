package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// A full disk refuses what does not fit with a sentence, keeps what does, and
// goes on when there is room again.
func TestDiskFull(t *testing.T) {
	storetest.OnlySQLite(t)
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	kept := storetest.StartAt(t, db, owner, "kept", 1)
	limit := func(pages string) {
		storetest.Must(t, db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
			var n int
			return w.Scan("PRAGMA max_page_count = "+pages, nil, &n)
		}))
	}
	var pages int
	storetest.Must(t, db.Engine().At(ctx).Scan("PRAGMA page_count", nil, &pages))
	limit(fmt.Sprint(pages + 20))

	release := storetest.Hold(t, db)
	large := storetest.NewStart("", strings.Repeat("x", 1<<20))
	small := storetest.NewStart("", "small")
	answers := make(chan error, 2)
	db.StartTurn(owner, large, storetest.RunOf(large), "large", "", func(err error) { answers <- err })
	db.StartTurn(owner, small, storetest.RunOf(small), "small", "", func(err error) { answers <- err })
	release()
	if p := storetest.Problem(<-answers); p.Code != "disk_full" || !strings.Contains(p.Message, "full") || p.Hint == "" {
		t.Errorf("the large one: %+v", p)
	}
	if err := <-answers; err != nil {
		t.Errorf("the small one, committed with it: %v", err)
	}
	if err := storetest.StartTurn(db, owner, large); storetest.Problem(err).Code != "disk_full" {
		t.Errorf("the large one, alone: %v", err)
	}
	for _, s := range []wire.Start{kept, small} {
		if _, err := db.Run(ctx, owner, s.Run); err != nil {
			t.Errorf("what was stored: %v", err)
		}
	}
	limit("1073741823")
	storetest.Must(t, storetest.StartTurn(db, owner, large))
	storetest.CheckIntegrity(t, db)
}
