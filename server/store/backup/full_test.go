//go:build linux

package backup

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
)

// A backup that the disk has no room for leaves nothing: neither itself nor the
// journal that SQLite could not write back.
func TestBackupToAFullDiskLeavesNothing(t *testing.T) {
	storetest.OnlySQLite(t) // a backup is of a folder that holds its database
	ctx := context.Background()
	dir := storetest.Folder(t)
	db, err := store.Open(ctx, dir, store.Options{})
	storetest.Must(t, err)
	storetest.Must(t, db.Engine().Write(ctx, 0, func(w *engine.Tx) error { // more than SQLite keeps in memory
		_, err := w.Exec("INSERT INTO meta (name, value) VALUES ('large', zeroblob(24000000))")
		return err
	}))
	storetest.Must(t, db.Close())

	// Files of this process may not grow any further than this.
	var was syscall.Rlimit
	storetest.Must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
	full := was
	full.Cur = 12 << 20
	storetest.Must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full))
	out := t.TempDir()
	_, err = Backup(ctx, dir, filepath.Join(out, "my.backup"), "")
	storetest.Must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was))
	if err == nil {
		t.Error("it was made")
	}
	if left, _ := os.ReadDir(out); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
