// Package folder is the data folder: the names of what is in it, who may open
// it, and a walk through its files.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/gofrs/flock"

	"screentest/server/seal"
)

// The files of a data folder that this package owns.
const (
	DatabaseFile = "screentest.db"
	SealKeyFile  = "seal.key"
	LockFile     = "screentest.lock"
)

// Unfinished is the folder in an empty data folder that a backup is unpacked to.
// While it is there without a database beside it, what else there is is not
// whole: Open refuses it.
const Unfinished = ".restoring"

// ElsewhereFile says in a data folder that its database is PostgreSQL's, and where.
const ElsewhereFile = "database.txt"

// NoteElsewhere notes in dir that its database is at address, which names nobody and
// holds no password; "" for the file in dir.
func NoteElsewhere(dir, address string) error {
	file := filepath.Join(dir, ElsewhereFile)
	if address == "" {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if was, err := os.ReadFile(file); err == nil && string(was) == address+"\n" {
		return nil
	}
	return os.WriteFile(file, []byte(address+"\n"), 0o600)
}

// Elsewhere is what NoteElsewhere noted last.
func Elsewhere(dir string) (address string, err error) {
	text, err := os.ReadFile(filepath.Join(dir, ElsewhereFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// DatabaseIn is the database of the data folder dir.
func DatabaseIn(dir string) string { return filepath.Join(dir, DatabaseFile) }

// ErrInUse says that another process has the data folder open.
var ErrInUse = errors.New("the data folder is in use")

// Lock makes dir if need be, and holds it for this process. The lock is
// the system's and ends with the process, so that a kill leaves none behind.
func Lock(dir string, log *slog.Logger) (*flock.Flock, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file: give a folder with -data", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	if err := tightenFolder(dir, log); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, LockFile), flock.SetPermissions(0o600))
	held, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("the data folder %s cannot be written to: %w", dir, err)
	}
	if !held {
		return nil, fmt.Errorf("%w: another Screentest server has %s open. Stop that one, or give this one another folder with -data", ErrInUse, dir)
	}
	return lock, nil
}

// tightenFolder closes dir to others if it is ours: new and empty, or a data
// folder already. A folder with other things in it may be open for a reason;
// there the modes of our files have to do.
func tightenFolder(dir string, log *slog.Logger) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("the data folder: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("the data folder %s is a file", dir)
	}
	if info.Mode().Perm()&0o077 == 0 || runtime.GOOS == "windows" {
		return nil
	}
	mode := fmt.Sprintf("%04o", info.Mode().Perm())
	names, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("the data folder: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, DatabaseFile)); err != nil && len(names) > 0 {
		log.Warn("the data folder is open to other users of this machine; its files are not", "folder", dir, "mode", mode)
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		log.Warn("the data folder is open to other users of this machine and could not be closed; its files are not", "folder", dir, "mode", mode, "err", err)
		return nil
	}
	log.Info("the data folder was closed to other users of this machine", "folder", dir, "mode", mode)
	return nil
}

// MakePrivate makes path with mode 0600 if it is not there, and tightens it if
// it is. SQLite gives the files it makes beside a database the same mode.
func MakePrivate(path string, log *slog.Logger) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("it cannot be written to; check its owner and mode: %w", err)
	}
	if errors.Is(err, syscall.EROFS) {
		return errors.New("it cannot be written to: its disk is mounted read-only")
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		if err := f.Chmod(0o600); err != nil {
			return fmt.Errorf("%s is open to other users and could not be tightened to mode 0600: %w", path, err)
		}
		log.Warn("a file of the data folder was open to other users and was tightened to mode 0600", "file", path, "mode", fmt.Sprintf("%04o", info.Mode().Perm()))
	}
	return nil
}

// WantFinished refuses a folder that a restore was broken off in: a server would
// begin with a new database there, and remove the clips that are not in it.
func WantFinished(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, Unfinished)); err != nil {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(dir, DatabaseFile)); err == nil {
		os.Remove(filepath.Join(dir, Unfinished)) // the database came last: it is empty by now
		return nil
	}
	return fmt.Errorf("a restore to %s was broken off, and what is there is not whole: restore the backup to it again", dir)
}

// What is sealed in meta to recognise the sealing key again. Once the ledger is
// chained it says that, too: without the key nobody can have it chained anew.
const (
	SealCheck        = seal.Probe // its name, and what its seal is bound to
	SealCheckText    = "Screentest"
	SealCheckChained = "Screentest, chained"
)
