// Package blob keeps files by the SHA-256 of their bytes: a file that is there
// never changes, and the same bytes are kept once. Who uses a file is written
// elsewhere, so adding and removing one goes together with a look there.
package blob

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"screentest/server/disk"
)

// Folder keeps its files in a folder, each named by its SHA-256 and below a
// folder of that name's first two digits. Others may keep files of their own
// there, under other names.
type Folder struct {
	Dir string
	// use is held while a file comes into use or goes out of it: between moving
	// it into the folder and noting its user, and between finding that it has
	// none and removing it.
	use sync.Mutex
}

// New returns the files below dir, which is made if need be.
func New(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Folder{Dir: dir}, nil
}

// Open opens a file by its SHA-256 in hex. fs.ErrNotExist: it is not there.
func (f *Folder) Open(sha string) (*os.File, error) {
	b, err := hex.DecodeString(sha)
	if err != nil || len(b) != 32 {
		return nil, fs.ErrNotExist
	}
	return os.Open(f.path(b))
}

func (f *Folder) path(sha []byte) string {
	name := hex.EncodeToString(sha)
	return filepath.Join(f.Dir, name[:2], name)
}

// Add moves the file at from, which is whole and synced, to its place, and then
// has its user noted. After an error of note the file may be left without one:
// call RemoveUnused.
func (f *Folder) Add(from string, sha []byte, note func() error) error {
	f.use.Lock()
	defer f.use.Unlock()
	if err := f.move(from, sha); err != nil {
		return err
	}
	return note()
}

func (f *Folder) move(from string, sha []byte) error {
	to := f.path(sha)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if _, err := os.Stat(to); err == nil {
		return os.Remove(from) // the same bytes are there
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return errors.Join(disk.SyncFolder(filepath.Dir(to)), disk.SyncFolder(f.Dir))
}

// RemoveUnused removes a file if used says that nobody uses it. It is no error
// if it is not there.
func (f *Folder) RemoveUnused(sha []byte, used func() (bool, error)) error {
	f.use.Lock()
	defer f.use.Unlock()
	if is, err := used(); err != nil || is {
		return err
	}
	if err := os.Remove(f.path(sha)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Each calls fn with the SHA-256 of every file.
func (f *Folder) Each(fn func(sha []byte) error) error {
	folders, err := os.ReadDir(f.Dir)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if !folder.IsDir() || len(folder.Name()) != 2 {
			continue
		}
		names, err := os.ReadDir(filepath.Join(f.Dir, folder.Name()))
		if err != nil {
			return err
		}
		for _, name := range names {
			sha, err := hex.DecodeString(name.Name())
			if err != nil || len(sha) != 32 || !strings.HasPrefix(name.Name(), folder.Name()) {
				continue // not ours
			}
			if err := fn(sha); err != nil {
				return err
			}
		}
	}
	return nil
}
