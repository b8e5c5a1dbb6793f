package video_test

import (
	"testing"
	"time"

	"screentest/server/video"
	"screentest/shared/wire"
)

// A deleted clip can be had back with its file; after its time it goes for
// good, and one that a person says so of at once.
func TestDeletedForGood(t *testing.T) {
	everywhere(t, func(t *testing.T, place option) {
		w := newWorld(t, place)
		keep, gone, now := w.create(body("same")), w.create(body("other")), w.create(body("third"))
		w.awaitSaved(keep)
		w.awaitSaved(gone)
		w.awaitSaved(now)
		left := func(want int) {
			t.Helper()
			if page := must(w.Tasks(t.Context(), w.owner, wire.VideoQuery{})); len(page.Tasks) != want {
				t.Errorf("%d tasks, want %d", len(page.Tasks), want)
			}
		}
		drop := func(id string) {
			t.Helper()
			if err := w.Delete(t.Context(), w.owner, id); err != nil {
				t.Fatal(err)
			}
		}
		drop(gone)
		left(2)
		if back := must(w.Undelete(t.Context(), w.owner, gone)); back.Deleted || !back.Archived {
			t.Errorf("%+v", back)
		}
		left(3)
		drop(gone)
		at := w.task(gone).DeletedMS
		if n, err := w.PurgeDeleted(t.Context(), time.UnixMilli(at)); err != nil || n != 0 || len(w.archived()) != 3 {
			t.Errorf("%d went too early, %v", n, err)
		}
		if n, err := w.PurgeDeleted(t.Context(), time.UnixMilli(at+1)); err != nil || n != 1 || len(w.archived()) != 2 {
			t.Errorf("%d went, %v; files %v", n, err, w.archived())
		}
		if err := w.Purge(t.Context(), w.owner, now); err == nil {
			t.Error("one that was not deleted went for good")
		}
		drop(now)
		if err := w.Purge(t.Context(), w.owner, now); err != nil || len(w.archived()) != 1 {
			t.Errorf("%v; files %v", err, w.archived())
		}
		left(1)
		w.balanced()
	})
}

// Deleted clips take no room from new ones: where the quota is used up their
// files go first, with no wait for a warning.
func TestDeletedClipsMakeRoomFirst(t *testing.T) {
	everywhere(t, func(t *testing.T, place option) {
		w := newWorld(t, place, limits(video.Limits{Grace: time.Hour}))
		kept, gone := w.create(body("kept")), w.create(body("gone"))
		w.awaitSaved(kept)
		w.awaitSaved(gone)
		used := must(w.ArchiveNow(t.Context(), w.owner))
		w.quota(used.Bytes + 1000) // for these two, and none besides
		if err := w.Delete(t.Context(), w.owner, gone); err != nil {
			t.Fatal(err)
		}
		now := must(w.ArchiveNow(t.Context(), w.owner))
		if now.DeletedBytes == 0 || now.Bytes+now.DeletedBytes != used.Bytes || now.Files != 1 {
			t.Errorf("%+v, of %d bytes before", now, used.Bytes)
		}
		w.awaitSaved(w.create(body("three")))
		if !w.task(kept).Archived || w.task(gone).Archived {
			t.Error("another file than the deleted clip's made room")
		}
	})
}
