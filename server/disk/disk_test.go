package disk

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestFreeBytes(t *testing.T) {
	if free := Free(t.TempDir()); runtime.GOOS == "linux" && free <= 0 {
		t.Errorf("%d bytes are free", free)
	}
	if free := Free(filepath.Join(t.TempDir(), "none")); free != -1 {
		t.Errorf("a folder that is not there has %d bytes free, want -1 for unknown", free)
	}
}

func TestSyncFolder(t *testing.T) {
	dir := t.TempDir()
	if err := SyncFolder(dir); err != nil {
		t.Error(err)
	}
	if err := SyncFolder(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there was synced")
	}
}
