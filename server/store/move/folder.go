package move

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"screentest/server/disk"
)

// InFolder are the files in a folder, as a data folder has them.
func InFolder(dir string) Files {
	return Files{Archive: Folder(filepath.Join(dir, archive)), Uploads: Folder(filepath.Join(dir, uploads))}
}

// Folder is a place in a folder, which need not be there yet.
type Folder string

func (f Folder) file(name string) string { return filepath.Join(string(f), filepath.FromSlash(name)) }

// Open is for [Place].
func (f Folder) Open(_ context.Context, name string) (io.ReadSeekCloser, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fs.ErrNotExist
	}
	return os.Open(f.file(name))
}

// Add is for [Place]. What comes from another disk is there under its name only when
// it is whole.
func (f Folder) Add(_ context.Context, name, from string, _ []byte, _ func(settle func() error) error) error {
	to := f.file(name)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if _, err := os.Stat(to); err == nil {
		return os.Remove(from)
	}
	if os.Rename(from, to) != nil {
		part := to + ".part"
		if err := copyTo(part, from); err != nil {
			return errors.Join(err, os.RemoveAll(part))
		}
		if err := errors.Join(os.Rename(part, to), os.Remove(from)); err != nil {
			return err
		}
	}
	return errors.Join(disk.SyncFolder(filepath.Dir(to)), disk.SyncFolder(string(f)))
}

func copyTo(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// Each is for [Place].
func (f Folder) Each(ctx context.Context, fn func(name string, since time.Time) error) error {
	root := string(f)
	if to, err := filepath.EvalSymlinks(root); err == nil {
		root = to // the archive may be on another disk
	}
	return filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && at == root:
			return fs.SkipAll
		case errors.Is(err, fs.ErrPermission) && d != nil && d.Name() == "lost+found":
			return fs.SkipDir
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case !d.Type().IsRegular():
			return nil
		}
		name, err := filepath.Rel(root, at)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return fn(filepath.ToSlash(name), info.ModTime())
	})
}
