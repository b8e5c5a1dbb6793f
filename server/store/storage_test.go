package store_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestStorageByKind(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := storetest.Open(t, dir, store.Options{})
	owner, err := db.EnsureLocalUser(ctx)
	storetest.Must(t, err)
	s := storetest.NewStart("", strings.Repeat("a long question ", 5000))
	incompressible := make([]byte, 300_000)
	for i := range incompressible {
		incompressible[i] = byte(i*i>>7 ^ i*31)
	}
	storetest.Must(t, storetest.StartTurn(db, owner, s), db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 7), "an answer", incompressible, nil, nil))
	// A clip twice, with a poster beside it: one clip is counted, as in the
	// archive's own settings.
	v := db.Videos()
	task := storetest.Taken(t, v, owner, storetest.NewVideo("two files"))
	task.State, task.FinishedMS, task.FinishState, task.UUID = wire.VideoDone, time.Now().UnixMilli(), "SUCCESS", storetest.NewID()
	_, _, err = v.End(ctx, owner, task, []string{"http://x/1.mp4", "http://x/2.mp4"}, 1)
	storetest.Must(t, err)
	for i := range 2 {
		o := wire.VideoOutput{Index: i, Archive: wire.ArchiveSaved, SHA256: strings.Repeat("ab", 32), Bytes: 70_000, Type: "video/mp4"}
		_, _, err = v.SetOutput(ctx, owner, task.ID, o, 7)
		storetest.Must(t, err)
	}
	for name, size := range map[string]int{"archive/ab/poster": 500, "archive/ab/x": 70_000, "uploads/y": 20_000, "backups/z": 30_000} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		storetest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, make([]byte, size), 0o600))
	}
	got, err := db.Storage(ctx)
	storetest.Must(t, err)
	kinds := map[string]wire.Stored{}
	var sum int64
	for i, k := range got.Kinds {
		kinds[k.Kind] = k
		sum += k.Bytes
		if i > 0 && k.Bytes > got.Kinds[i-1].Bytes {
			t.Errorf("not the largest first: %+v", got.Kinds)
		}
	}
	if sum != got.Bytes || got.FreeBytes <= 0 {
		t.Errorf("%d of all, %d by kind, %d left", got.Bytes, sum, got.FreeBytes)
	}
	for kind, least := range map[string]int64{wire.StoredMessages: 80_000, wire.StoredWire: 20_000, wire.StoredLedger: 4096, wire.StoredSearch: 4096,
		wire.StoredVideo: 20_000, wire.StoredClips: 70_000, wire.StoredBackups: 30_000, wire.StoredOther: 1} {
		if kinds[kind].Bytes < least {
			t.Errorf("%s: %d bytes, want at least %d", kind, kinds[kind].Bytes, least)
		}
	}
	for kind, count := range map[string]int64{wire.StoredMessages: 2, wire.StoredWire: 1, wire.StoredLedger: 2, wire.StoredClips: 1, wire.StoredBackups: 1} {
		if kinds[kind].Count != count {
			t.Errorf("%s: %d, want %d", kind, kinds[kind].Count, count)
		}
	}
	var onDisk int64
	storetest.Must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, err := d.Info()
			storetest.Must(t, err)
			onDisk += info.Size()
		}
		return err
	}))
	defer wantElsewhere(t, dir, db, owner, got)
	if storetest.OnPostgres() {
		var held int64
		storetest.Must(t, db.Engine().At(ctx).Scan("SELECT pg_database_size(current_database())", nil, &held))
		if got.Bytes < onDisk+200_000 || got.Bytes > onDisk+held {
			t.Errorf("%d bytes by kind, %d in files and %d in the database", got.Bytes, onDisk, held)
		}
		return
	}
	// Pages that are only in the write-ahead log yet are counted with the log
	// and with their table.
	if got.Bytes < onDisk || got.Bytes > 2*onDisk {
		t.Errorf("%d bytes by kind, %d on the disk", got.Bytes, onDisk)
	}
}

// wantElsewhere looks that files which aren't in the data folder are counted by what is
// noted of their sizes. here is what is counted without them.
func wantElsewhere(t *testing.T, dir string, db *store.DB, owner string, here wire.Storage) {
	t.Helper()
	ctx := context.Background()
	u := wire.Upload{ID: "UPLOAD", Name: "a.png", Measured: wire.Measured{Type: "image/png", Bytes: 1 << 30, Width: 3, Height: 4}}
	_, room, err := db.Videos().AddUpload(ctx, owner, u, 5, 2<<30, 0)
	if err != nil || !room {
		t.Fatal(room, err)
	}
	storetest.Must(t, db.Close())
	db = storetest.Open(t, dir, store.Options{FilesElsewhere: true})
	there, err := db.Storage(ctx)
	storetest.Must(t, err)
	bytes := func(s wire.Storage, kind string) int64 {
		return s.Kinds[slices.IndexFunc(s.Kinds, func(k wire.Stored) bool { return k.Kind == kind })].Bytes
	}
	if got := bytes(there, wire.StoredClips) - bytes(here, wire.StoredClips); got != 70_000 {
		t.Errorf("clips elsewhere are %d bytes", got)
	}
	if got := bytes(there, wire.StoredVideo) - bytes(here, wire.StoredVideo); got < 1<<30 || got > 1<<30+1<<20 {
		t.Errorf("uploads elsewhere are %d bytes", got)
	}
}
