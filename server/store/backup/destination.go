package backup

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"screentest/server/disk"
	"screentest/server/store/folder"
)

// A destination is where a restored data folder comes to be. One that is new is
// unpacked beside its place and renamed. One that is there and empty may be a
// volume, which can't be put in place by a rename, nor be filled from its
// parent's disk: it is unpacked to a folder within, whose entries are moved up
// when all was checked, the database last.
type destination struct {
	dir   string
	fresh string       // what is restored is unpacked here
	lock  *flock.Flock // of dir, if it was there
	moved []string     // what was moved up
}

// newDestination makes ready for a data folder dir, which must not be there or be
// empty, but for what a restore that was broken off has unpacked. Call undo
// after an error, and else put.
func newDestination(dir string) (*destination, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(abs); errors.Is(err, fs.ErrNotExist) {
		d := &destination{dir: abs, fresh: abs + ".restoring-" + rand.Text()[:8]}
		return d, os.MkdirAll(d.fresh, 0o700)
	}
	if abs, err = filepath.EvalSymlinks(abs); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is a link to nothing: make the folder that it leads to, or remove it", dir)
	} else if err != nil {
		return nil, err
	}
	if err := wantEmpty(dir, abs); err != nil {
		return nil, err
	}
	d := &destination{dir: abs, fresh: filepath.Join(abs, folder.Unfinished)}
	if d.lock, err = folder.Lock(abs, slog.New(slog.DiscardHandler)); err != nil {
		return nil, err
	}
	if err = os.RemoveAll(d.fresh); err == nil {
		err = os.Mkdir(d.fresh, 0o700)
	}
	if err == nil {
		err = disk.SyncFolder(d.dir)
	}
	if err != nil {
		d.undo()
		return nil, err
	}
	return d, nil
}

// wantEmpty refuses a folder that holds what a restore would have to replace;
// said is how the person calls it.
func wantEmpty(said, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var broken, others bool
	for _, e := range entries {
		switch e.Name() {
		case folder.Unfinished:
			broken = true
		case folder.LockFile, folder.LostFound:
		default:
			others = true
		}
	}
	switch {
	case others && broken:
		return fmt.Errorf("%s is not empty: a restore to it was broken off at its end. Remove what is in it (%s too), and restore again", said, folder.Unfinished)
	case others:
		return fmt.Errorf("%s is not empty: restore to a new folder, and start the server with it (-data)", said)
	}
	return nil
}

// put puts what was unpacked and checked in its place.
func (d *destination) put() error {
	if d.lock == nil {
		if err := os.Rename(d.fresh, d.dir); err != nil { // one that came to be there meanwhile stays
			return err
		}
		return disk.SyncFolder(filepath.Dir(d.dir))
	}
	entries, err := os.ReadDir(d.fresh)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != folder.DatabaseFile {
			if err := d.moveUp(e.Name()); err != nil {
				return err
			}
		}
	}
	if err := disk.SyncFolder(d.dir); err != nil {
		return err
	}
	if err := d.moveUp(folder.DatabaseFile); err != nil {
		return err
	}
	if err := disk.SyncFolder(d.dir); err != nil {
		return err
	}
	// What fails from here on takes nothing back: the folder is whole.
	os.Remove(d.fresh)
	d.lock.Close()
	return nil
}

// moveUp moves one entry up, in the place of nothing.
func (d *destination) moveUp(name string) error {
	to := filepath.Join(d.dir, name)
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s came to be there while the backup was unpacked: restore to another folder", to)
	}
	if err := os.Rename(filepath.Join(d.fresh, name), to); err != nil {
		return err
	}
	d.moved = append(d.moved, to)
	return nil
}

// undo leaves what was there before, the database gone first.
func (d *destination) undo() {
	for i := len(d.moved) - 1; i >= 0; i-- {
		os.RemoveAll(d.moved[i])
	}
	os.RemoveAll(d.fresh)
	if d.lock != nil {
		d.lock.Close() // its file stays: another may be about to lock it
	}
}
