package video

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

// files is the archive's folder: each file is named by its SHA-256, below a
// folder of the first two digits, and never changes. Copies under way are in
// the folder partial.
type files struct {
	archive, partial, uploads string
	// use is held while a file comes to be used or ceases to be: between
	// putting it into the folder and storing that, and between finding that
	// nobody uses it and removing it.
	use sync.Mutex
}

func openFiles(dir string) (*files, error) {
	f := &files{
		archive: filepath.Join(dir, "archive"),
		partial: filepath.Join(dir, "archive", "partial"),
		uploads: filepath.Join(dir, "uploads"),
	}
	for _, dir := range []string{f.archive, f.partial, f.uploads} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *files) path(sha []byte) string {
	name := hex.EncodeToString(sha)
	return filepath.Join(f.archive, name[:2], name)
}

// open opens a file of the archive. fs.ErrNotExist: it is not there.
func (f *files) open(sha string) (*os.File, error) {
	b, err := hex.DecodeString(sha)
	if err != nil || len(b) != 32 {
		return nil, fs.ErrNotExist
	}
	return os.Open(f.path(b))
}

// put moves a whole and synced file into the archive. The lock is held.
func (f *files) put(from string, sha []byte) error {
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
	return errors.Join(disk.SyncFolder(filepath.Dir(to)), disk.SyncFolder(f.archive))
}

// each calls fn with the SHA-256 of every file in the archive.
func (f *files) each(fn func(sha []byte) error) error {
	folders, err := os.ReadDir(f.archive)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if !folder.IsDir() || len(folder.Name()) != 2 {
			continue
		}
		names, err := os.ReadDir(filepath.Join(f.archive, folder.Name()))
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
