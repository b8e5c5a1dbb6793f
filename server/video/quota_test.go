package video_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"screentest/server/video"
	"screentest/shared/wire"
)

func TestTheQuotaWarnsBeforeItMakesRoom(t *testing.T) {
	w := newWorld(t, limits(video.Limits{Grace: 50 * time.Millisecond}))
	first, second, third := w.create(body("one")), w.create(body("two")), ""
	a, b := w.awaitSaved(first), w.awaitSaved(second)
	pinned, other := first, second
	yes := true
	must(w.Edit(t.Context(), w.owner, wire.VideoEdit{ID: pinned, Pinned: &yes}))
	// There is room for these two and half another one.
	w.quota(a.Outputs[0].Bytes + b.Outputs[0].Bytes + 1000)
	third = w.create(body("three"))
	w.await(third, "full", func(t wire.VideoTask) bool {
		return len(t.Outputs) > 0 && t.Outputs[0].Archive == wire.ArchiveFull
	})
	w.mu.Lock()
	warned := len(w.archives) > 0 && w.archives[len(w.archives)-1].Warn && len(w.archives[len(w.archives)-1].NextOut) > 0
	w.mu.Unlock()
	if !warned {
		t.Error("nobody was warned")
	}
	w.awaitSaved(third)
	removed := w.await(other, "removed", func(t wire.VideoTask) bool { return t.Outputs[0].Archive == wire.ArchiveRemoved })
	if removed.Archived || len(w.archived()) != 2 {
		t.Errorf("%+v, %v", removed, w.archived())
	}
	if now := w.task(pinned); !now.Archived {
		t.Errorf("the pinned one is gone: %+v", now)
	}
	// It is still the gateway's, and plays from there.
	if res, p, err := w.media(other, 0, ""); err != nil || res.StatusCode != 200 || int64(len(p)) != removed.Outputs[0].Bytes {
		t.Errorf("%d, %d bytes, %v", res.StatusCode, len(p), err)
	}
}

// quota sets a quota below the smallest that a person may choose.
func (w *world) quota(bytes int64) {
	w.t.Helper()
	text := `{"quota_bytes":` + strconv.FormatInt(bytes, 10) + `,"make_room":true}`
	if err := w.db.SetSetting(context.Background(), w.owner, "video_archive", text); err != nil {
		w.t.Fatal(err)
	}
}
