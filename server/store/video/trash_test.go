package video_test

import (
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestVideoLineageSumsTheWholeTree(t *testing.T) {
	db, ann := storetest.OpenLocal(t)
	v := db.Videos()
	make := func(source string) string {
		task := storetest.NewVideo("of " + source)
		task.Source = source
		storetest.Taken(t, v, ann, task)
		return task.ID
	}
	root := make("")
	a := make(root)
	b := make(a)
	side := make(root)
	make("") // of no kin
	ids := func(tasks []wire.VideoTask) (out []string) {
		for _, t := range tasks {
			out = append(out, t.ID)
		}
		return out
	}
	look := func(id string, up, down []string) {
		t.Helper()
		o := storetest.Got(v.Opened(t.Context(), ann, id))
		if !slices.Equal(ids(o.Ancestors), up) || !slices.Equal(ids(o.Descendants), down) || o.LineageNanoUSD != 4*300_000_000 {
			t.Errorf("%s: up %v, down %v, cost %d", id, ids(o.Ancestors), ids(o.Descendants), o.LineageNanoUSD)
		}
		if want := int64(1+len(up)+len(down)) * 300_000_000; o.ShownNanoUSD != want {
			t.Errorf("%s: what is shown costs %d, want %d", id, o.ShownNanoUSD, want)
		}
	}
	look(root, nil, []string{a, b, side})
	look(a, []string{root}, []string{b})
	look(b, []string{a, root}, nil)

	// A deleted clip is shown where the way to another one leads over it.
	storetest.Got(v.SetDeleted(t.Context(), ann, a, 5))
	storetest.Got(v.SetDeleted(t.Context(), ann, side, 5))
	look(root, nil, []string{a, b})
	look(b, []string{a, root}, nil)
	storetest.Got(v.SetDeleted(t.Context(), ann, b, 5))
	look(root, nil, nil)
}

func TestVideoDeletionIsForGoodOnceItEnded(t *testing.T) {
	db, ann := storetest.OpenLocal(t)
	v := db.Videos()
	task := storetest.Taken(t, v, ann, storetest.NewVideo("secret prompt"))
	storetest.Got(v.SetDeleted(t.Context(), ann, task.ID, 5))
	if _, n, err := v.PurgeDeleted(t.Context(), 10); err != nil || n != 0 {
		t.Errorf("an open task was purged: %d, %v", n, err)
	}
	task.State, task.FinishedMS = wire.VideoDone, 6
	got2(v.End(t.Context(), ann, task, []string{"http://x/1"}, 6))
	got2(v.SetOutput(t.Context(), ann, task.ID, wire.VideoOutput{Archive: wire.ArchiveSaved, SHA256: strings.Repeat("cd", 32)}, 7))
	if _, n, err := v.PurgeDeleted(t.Context(), 5); err != nil || n != 0 {
		t.Errorf("purged too early: %d, %v", n, err)
	}
	files, n, err := v.PurgeDeleted(t.Context(), 10)
	if err != nil || n != 1 || len(files) != 1 {
		t.Fatalf("%d tasks, %d files, %v", n, len(files), err)
	}
	if used := storetest.Got(v.FileUsed(t.Context(), files[0])); used {
		t.Error("its file is still used")
	}
	if _, err := v.Task(t.Context(), ann, task.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if spent(t, db, ann) != 300_000_000 {
		t.Error("the ledger changed")
	}
}

// What is deleted is listed apart, and counts nowhere else.
func TestDeletedVideosAreListedApart(t *testing.T) {
	db, ann := storetest.OpenLocal(t)
	v := db.Videos()
	done := func(prompt, sha string) string {
		t.Helper()
		task := storetest.Taken(t, v, ann, storetest.NewVideo(prompt))
		task.State, task.FinishedMS = wire.VideoDone, 6
		got2(v.End(t.Context(), ann, task, []string{"http://x/1"}, 6))
		got2(v.SetOutput(t.Context(), ann, task.ID, wire.VideoOutput{Archive: wire.ArchiveSaved, SHA256: strings.Repeat(sha, 32), Bytes: 100}, 7))
		return task.ID
	}
	fox, twin, owl := done("a fox", "ab"), done("a fox again", "ab"), done("an owl", "cd")
	old := storetest.Taken(t, v, ann, storetest.NewVideo("an old fox"))
	old.State, old.FinishedMS = wire.VideoExpired, 6
	got2(v.End(t.Context(), ann, old, nil, 6))
	storetest.Got(v.SetDeleted(t.Context(), ann, fox, 11))
	storetest.Got(v.SetDeleted(t.Context(), ann, owl, 12))

	page := storetest.Got(v.Tasks(t.Context(), ann, wire.VideoQuery{Deleted: true}))
	if len(page.Tasks) != 2 || !page.Tasks[0].Deleted || page.Tasks[0].ID != owl || page.Tasks[0].DeletedMS != 12 || page.Tasks[1].ID != fox {
		t.Errorf("deleted: %+v", page.Tasks)
	}
	if page.Counts.All != 2 || page.Counts.States["done"] != 1 {
		t.Errorf("they count: %+v", page.Counts)
	}
	if page := storetest.Got(v.Tasks(t.Context(), ann, wire.VideoQuery{Deleted: true, Text: "owl"})); len(page.Tasks) != 1 {
		t.Errorf("a search in them finds %d", len(page.Tasks))
	}
	// The file of a twin that is there is no deleted one's.
	bytes, files, deleted, _, err := v.ArchiveUse(t.Context(), ann)
	if err != nil || bytes != 100 || files != 1 || deleted != 100 {
		t.Errorf("%d bytes in %d files, and %d of deleted ones, %v", bytes, files, deleted, err)
	}
	if _, ids, err := v.OldestSaved(t.Context(), ann, 9); err != nil || !slices.Equal(ids, []string{twin}) {
		t.Errorf("to make room: %v, %v", ids, err)
	}
	if _, ids, err := v.OldestDeleted(t.Context(), ann, 9); err != nil || !slices.Equal(ids, []string{fox, owl}) {
		t.Errorf("deleted ones: %v, %v", ids, err)
	}

	// The counts beside the states are of what else is asked for.
	for _, c := range []struct {
		q    wire.VideoQuery
		want wire.VideoFound
	}{
		{wire.VideoQuery{}, wire.VideoFound{States: map[string]int{"done": 1, "expired": 1}, Gone: 1, Deleted: 2}},
		{wire.VideoQuery{Text: "old"}, wire.VideoFound{States: map[string]int{"expired": 1}, Gone: 1}},
		{wire.VideoQuery{Text: "owl", Deleted: true}, wire.VideoFound{States: map[string]int{}, Deleted: 1}},
		{wire.VideoQuery{Text: "fox", States: []wire.VideoState{wire.VideoFailed}, Gone: wire.GoneOnly},
			wire.VideoFound{States: map[string]int{"done": 1, "expired": 1}, Gone: 1, Deleted: 1}},
	} {
		if page := storetest.Got(v.Tasks(t.Context(), ann, c.q)); page.Found == nil || !reflect.DeepEqual(*page.Found, c.want) {
			t.Errorf("%+v: %+v, want %+v", c.q, page.Found, c.want)
		}
	}
	both := []wire.VideoState{wire.VideoDone, wire.VideoExpired}
	for gone, want := range map[wire.Gone]string{wire.GoneOnly: old.ID, wire.GoneOut: twin} {
		if page := storetest.Got(v.Tasks(t.Context(), ann, wire.VideoQuery{States: both, Gone: gone})); len(page.Tasks) != 1 || page.Tasks[0].ID != want {
			t.Errorf("gone %q: %+v", gone, page.Tasks)
		}
	}
}

// One clip goes for good when a person says so, if it is deleted and has ended.
func TestOneVideoGoesForGood(t *testing.T) {
	db, ann := storetest.OpenLocal(t)
	v := db.Videos()
	task := storetest.Taken(t, v, ann, storetest.NewVideo("secret prompt"))
	if _, _, err := v.Purge(t.Context(), ann, task.ID); !errors.Is(err, fs.ErrExist) {
		t.Errorf("one that is not deleted: %v", err)
	}
	storetest.Got(v.SetDeleted(t.Context(), ann, task.ID, 5))
	if _, _, err := v.Purge(t.Context(), ann, task.ID); !errors.Is(err, fs.ErrExist) || !strings.Contains(storetest.Problem(err).Message, "not ended") {
		t.Errorf("one under way: %v", err)
	}
	task.State, task.FinishedMS = wire.VideoDone, 6
	got2(v.End(t.Context(), ann, task, []string{"http://x/1"}, 6))
	got2(v.SetOutput(t.Context(), ann, task.ID, wire.VideoOutput{Archive: wire.ArchiveSaved, SHA256: strings.Repeat("cd", 32)}, 7))
	last := storetest.Got(v.Task(t.Context(), ann, task.ID)).Version
	files, version, err := v.Purge(t.Context(), ann, task.ID)
	if err != nil || version <= last {
		t.Errorf("it went with version %d after %d: %v", version, last, err)
	}
	if len(files) != 1 || storetest.Got(v.FileUsed(t.Context(), files[0])) {
		t.Errorf("%d files, or one is used", len(files))
	}
	if _, err := v.Task(t.Context(), ann, task.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if spent(t, db, ann) != 300_000_000 {
		t.Error("the ledger changed")
	}
}
