//go:build linux

package store

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A backup that the disk has no room for leaves nothing: neither itself nor the
// journal that SQLite could not write back.
func TestBackupToAFullDiskLeavesNothing(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db, err := Open(ctx, dir, Options{})
	must(t, err)
	must(t, db.Engine().Write(ctx, 0, func(w *tx) error { // more than SQLite keeps in memory
		_, err := w.exec("INSERT INTO meta (name, value) VALUES ('large', randomblob(24000000))")
		return err
	}))
	must(t, db.Close())

	// Files of this process may not grow any further than this.
	var was syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
	full := was
	full.Cur = 12 << 20
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full))
	out := t.TempDir()
	_, err = Backup(ctx, dir, filepath.Join(out, "my.backup"), "")
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was))
	if err == nil {
		t.Error("it was made")
	}
	if left, _ := os.ReadDir(out); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
