package blob

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"screentest/server/disk"
)

// incoming is where files wait in a shared folder until they are settled: what comes
// from another disk is there under its name only when it is whole.
const incoming = "incoming"

// Folder is a place on a disk.
type Folder struct {
	Dir string
	// shared says that what is added comes from elsewhere, such as the data folder
	// while this is another machine's.
	shared bool
}

// NewFolder returns the place in dir, which is made if need be. What is added must be
// on the same disk.
func NewFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Folder{Dir: dir}, nil
}

// newShared returns the place in a folder that others may have too.
func newShared(dir string) (*Folder, error) {
	if err := os.MkdirAll(filepath.Join(dir, incoming), 0o700); err != nil {
		return nil, err
	}
	return &Folder{Dir: dir, shared: true}, nil
}

func (f *Folder) path(name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", fs.ErrNotExist
	}
	return filepath.Join(f.Dir, filepath.FromSlash(name)), nil
}

// Open opens a file.
func (f *Folder) Open(_ context.Context, name string) (io.ReadSeekCloser, error) {
	path, err := f.path(name)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err // and no *os.File that is nil
	}
	return file, nil
}

// Add moves a file in. See [Place].
func (f *Folder) Add(ctx context.Context, name, from string, _ []byte, hold func(settle func() error) error) error {
	to, err := f.path(name)
	if err != nil {
		return err
	}
	if !f.shared {
		return f.add(from, to, hold)
	}
	for n := 1; ; n++ {
		here, err := f.bring(ctx, from)
		if err != nil {
			return err
		}
		err = f.add(here, to, hold)
		_ = os.Remove(here) // it is there no more, mostly
		switch {
		case err == nil:
			return os.Remove(from)
		case n == mostPuts || !errors.Is(err, errSwept):
			return err
		}
	}
}

func (f *Folder) add(here, to string, hold func(settle func() error) error) error {
	settle := func() error { return f.settle(here, to) }
	if hold == nil {
		return settle()
	}
	return hold(settle)
}

// bring copies a file into the shared folder, and syncs it.
func (f *Folder) bring(ctx context.Context, from string) (path string, err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Join(f.Dir, incoming), "file-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close(), ctx.Err()); err != nil {
		os.Remove(out.Name())
		return "", err
	}
	return out.Name(), nil
}

func (f *Folder) settle(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if _, err := os.Stat(to); err == nil {
		return os.Remove(from) // the same bytes are there
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	err := disk.SyncFolder(filepath.Dir(to))
	if filepath.Dir(to) != f.Dir {
		err = errors.Join(err, disk.SyncFolder(f.Dir))
	}
	return err
}

// Remove removes a file.
func (f *Folder) Remove(_ context.Context, name string) error {
	path, err := f.path(name)
	if err != nil {
		return nil
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Each calls fn with every file right in the folder, or in one of two letters.
func (f *Folder) Each(ctx context.Context, fn func(name string, since time.Time) error) error {
	return f.each(ctx, "", fn)
}

func (f *Folder) each(ctx context.Context, below string, fn func(name string, since time.Time) error) error {
	entries, err := os.ReadDir(filepath.Join(f.Dir, below))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if below != "" {
			name = below + "/" + name
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !e.IsDir():
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // removed meanwhile
			}
			if err != nil {
				return err
			}
			if err := fn(name, info.ModTime()); err != nil {
				return err
			}
		case below == "" && len(name) == 2:
			if err := f.each(ctx, name, fn); err != nil {
				return err
			}
		}
	}
	return nil
}

// Tidy removes what was being brought before.
func (f *Folder) Tidy(_ context.Context, before time.Time) error {
	if !f.shared {
		return nil
	}
	list, err := os.ReadDir(filepath.Join(f.Dir, incoming))
	if err != nil {
		return err
	}
	for _, e := range list {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), "file-") && info.ModTime().Before(before) {
			err = os.Remove(filepath.Join(f.Dir, incoming, e.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
