package video_test

import (
	"testing"
	"time"

	"screentest/shared/wire"
)

// Clips of long ago go from the archive; favourites, pinned and newer ones stay,
// and so do the tasks and the ledger.
func TestOldClipsGo(t *testing.T) {
	w := newWorld(t)
	plain, favourite, pinned := w.create(body("one")), w.create(body("two")), w.create(body("three"))
	for _, id := range []string{plain, favourite, pinned} {
		w.awaitSaved(id)
	}
	yes := true
	must(w.Edit(t.Context(), w.owner, wire.VideoEdit{ID: favourite, Favourite: &yes}))
	must(w.Edit(t.Context(), w.owner, wire.VideoEdit{ID: pinned, Pinned: &yes}))
	spent := w.spent()
	if n, err := w.DropClips(t.Context(), w.owner, time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("of the last hour: %d, %v", n, err)
	}
	if n, err := w.DropClips(t.Context(), w.owner, time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("%d went, %v", n, err)
	}
	if o := w.task(plain).Outputs[0]; o.Archive != wire.ArchiveRemoved {
		t.Errorf("the plain one is %+v", o)
	}
	for _, id := range []string{favourite, pinned} {
		if _, p, err := w.media(id, 0, ""); err != nil || len(p) == 0 || w.task(id).Outputs[0].Archive != wire.ArchiveSaved {
			t.Errorf("a kept one: %d bytes, %v", len(p), err)
		}
	}
	if files := w.archived(); len(files) != 2 {
		t.Errorf("the archive holds %v", files)
	}
	if w.spent() != spent {
		t.Errorf("the ledger says %d, said %d", w.spent(), spent)
	}
}
