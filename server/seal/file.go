package seal

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"screentest/server/disk"
)

// maxFile bounds what is read of a key file, in bytes.
const maxFile = 4 << 10

// Load returns the Box of the key file at path, which has one key, or several in lines
// of their own. A file that others than its
// owner may read or write is tightened to mode 0600, with a warning: its key
// may have been seen. fs.ErrNotExist: there is no file.
func Load(path string, log *slog.Logger) (*Box, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("sealing key: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("sealing key: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("sealing key: %s is not a key file", path)
	}
	if open := info.Mode().Perm() &^ 0o600; open != 0 && runtime.GOOS != "windows" {
		if err := f.Chmod(0o600); err != nil {
			return nil, fmt.Errorf("sealing key: %s can be read by others (mode %04o) and could not be tightened to 0600: %w", path, info.Mode().Perm(), err)
		}
		log.Warn("the sealing key's file could be read by others and was tightened to mode 0600", "file", path, "mode", fmt.Sprintf("%04o", info.Mode().Perm()))
	}
	text := make([]byte, info.Size())
	if _, err := f.ReadAt(text, 0); err != nil {
		return nil, fmt.Errorf("sealing key: %w", err)
	}
	b, err := Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// LoadOrCreate is Load, and makes the file with a new key if there is none. The
// new file is on the disk when LoadOrCreate returns.
func LoadOrCreate(path string, log *slog.Logger) (*Box, error) {
	b, err := Load(path, log)
	if !errors.Is(err, fs.ErrNotExist) {
		return b, err
	}
	key := NewKey()
	if err := writeFile(path, []byte(FormatKey(key)+"\n")); err != nil {
		return nil, fmt.Errorf("make the sealing key: %w", err)
	}
	return New(key)
}

// writeFile writes path whole or not at all, so that a crash leaves no half a
// key. It never replaces a file.
func writeFile(path string, p []byte) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".seal-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.Write(p); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return disk.SyncFolder(dir)
}
