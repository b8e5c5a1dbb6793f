package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"screentest/shared/wire"
)

// wireLog is what a run has logged.
var wireLog = bytes.Repeat([]byte("data: {\"delta\":\"a few words\"}\n\n"), 300)

// Wire events of old runs go, and nothing else: not the text, not what it cost,
// not what is newer, under way, or somebody else's.
func TestOldWireEventsGo(t *testing.T) {
	ctx := context.Background()
	db, owner := openLocal(t)
	bob := addUser(t, db, "bob")
	old := runOf(newStart("", "")).StartedMS
	run := func(who string, startedMS int64) wire.Start {
		t.Helper()
		s := newStart("", "a question")
		r := runOf(s)
		r.StartedMS = startedMS
		must(t, wait(func(done func(error)) { db.StartTurn(who, s, r, "title", "", done) }),
			db.FinishRun(ctx, who, ended(r, 7), "an answer", wireLog, []byte{1, 2, 3}, nil))
		return s
	}
	var gone []wire.Start
	for range 2*wireStep + 3 {
		gone = append(gone, run(owner, old))
	}
	newer, bobs := run(owner, old+time.Hour.Milliseconds()), run(bob, old)
	running := newStart("", "under way")
	must(t, startTurn(db, owner, running))
	before := ledgerRows(t, db, owner)

	n, err := db.DropWire(ctx, owner, time.UnixMilli(old+time.Hour.Milliseconds()))
	if err != nil || n != len(gone) {
		t.Fatalf("of %d runs, %v; want %d", n, err, len(gone))
	}
	for _, s := range gone {
		log, err := db.ReadRunLog(ctx, owner, s.Run, 0, 1<<20)
		if err != nil || len(log) != 0 {
			t.Fatalf("%d bytes of log are left, %v", len(log), err)
		}
		if _, err := db.RunRequest(ctx, owner, s.Run); err == nil {
			t.Fatal("the sent body is left")
		}
		opened, err := db.OpenConversation(ctx, owner, pageOf(s))
		must(t, err)
		answer := opened.Messages[len(opened.Messages)-1]
		if answer.Text != "an answer" || answer.Run.Bytes != 0 || answer.Run.CostNanoUSD != 7 || answer.Run.OutputTokens != 118 || answer.Run.State != wire.Done {
			t.Fatalf("the answer is %+v, %+v", answer, answer.Run)
		}
	}
	for who, s := range map[string]wire.Start{owner: newer, bob: bobs} {
		if log, err := db.ReadRunLog(ctx, who, s.Run, 0, 1<<20); err != nil || !bytes.Equal(log, wireLog) {
			t.Errorf("what is newer, or another's: %d bytes, %v", len(log), err)
		}
	}
	if _, err := db.RunRequest(ctx, owner, running.Run); err != nil {
		t.Errorf("what is under way: %v", err)
	}
	if after := ledgerRows(t, db, owner); !reflect.DeepEqual(after, before) {
		t.Errorf("the ledger is now\n%+v, was\n%+v", after, before)
	}
	if n, err := db.DropWire(ctx, owner, time.UnixMilli(old+time.Hour.Milliseconds())); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
	checkIntegrity(t, db)
}

func TestStorageByKind(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := open(t, dir, Options{})
	owner, err := db.EnsureLocalUser(ctx)
	must(t, err)
	s := newStart("", strings.Repeat("a long question ", 5000))
	incompressible := make([]byte, 300_000)
	for i := range incompressible {
		incompressible[i] = byte(i*i>>7 ^ i*31)
	}
	must(t, startTurn(db, owner, s), db.FinishRun(ctx, owner, ended(runOf(s), 7), "an answer", incompressible, nil, nil))
	// A clip twice, with a poster beside it: one clip is counted, as in the
	// archive's own settings.
	v := db.Videos()
	task := taken(t, v, owner, newVideo("two files"))
	task.State, task.FinishedMS, task.FinishState, task.UUID = wire.VideoDone, time.Now().UnixMilli(), "SUCCESS", newID()
	_, _, err = v.End(ctx, owner, task, []string{"http://x/1.mp4", "http://x/2.mp4"}, 1)
	must(t, err)
	for i := range 2 {
		o := wire.VideoOutput{Index: i, Archive: wire.ArchiveSaved, SHA256: strings.Repeat("ab", 32), Bytes: 70_000, Type: "video/mp4"}
		_, _, err = v.SetOutput(ctx, owner, task.ID, o, 7)
		must(t, err)
	}
	for name, size := range map[string]int{"archive/ab/poster": 500, "archive/ab/x": 70_000, "uploads/y": 20_000, "backups/z": 30_000} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, make([]byte, size), 0o600))
	}
	got, err := db.Storage(ctx)
	must(t, err)
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
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, err := d.Info()
			must(t, err)
			onDisk += info.Size()
		}
		return err
	}))
	// Pages that are only in the write-ahead log yet are counted with the log
	// and with their table.
	if got.Bytes < onDisk || got.Bytes > 2*onDisk {
		t.Errorf("%d bytes by kind, %d on the disk", got.Bytes, onDisk)
	}
}

func TestEachSetting(t *testing.T) {
	ctx := context.Background()
	db, ann := openLocal(t)
	bob := addUser(t, db, "bob")
	addUser(t, db, "cid")
	must(t, db.SetSetting(ctx, ann, "retention", "a"), db.SetSetting(ctx, bob, "retention", "b"), db.SetSetting(ctx, bob, "theme", "dark"))
	got := map[string]string{}
	must(t, db.EachSetting(ctx, "retention", func(owner, value string) error { got[owner] = value; return nil }))
	if !reflect.DeepEqual(got, map[string]string{ann: "a", bob: "b"}) {
		t.Errorf("%v", got)
	}
}
