// Package disk asks of a disk what the standard library has no call for: how
// much room it has left, and that a new name in a folder is durable.
package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// SyncFolder makes the names in dir durable, where the system can.
func SyncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	// Not every file system can, and Windows doesn't allow it.
	for _, cannot := range []error{errors.ErrUnsupported, syscall.EINVAL, fs.ErrPermission} {
		if errors.Is(err, cannot) {
			return nil
		}
	}
	return err
}
