// Package blob keeps files for as long as somebody uses them: an [Archive] by the
// SHA-256 of their bytes, where a file that is there never changes and the same
// bytes are kept once, and uploads by names of their own. Both lie in a [Place],
// which is a [Folder] or a [Bucket] of an S3-compatible store: [Open] opens what
// -files names. Who uses a file is written elsewhere, so adding and removing one
// goes together with a look there.
package blob

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
)

// A Place keeps files by names, which may have one slash. Its errors that a person
// may read are found as *wire.Problem; fs.ErrNotExist: it is not there.
type Place interface {
	// Open opens a file, which is read under ctx.
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
	// Add moves the local file at from, which is whole and synced, into the place. What
	// takes long comes first; then hold is called, which calls settle: after that the
	// file is there. hold nil: settle is called at once. After an error from may be left
	// where it is, to be added again. sha is the SHA-256 of its bytes, nil where nobody
	// has summed them.
	Add(ctx context.Context, name, from string, sha []byte, hold func(settle func() error) error) error
	// Remove removes a file. It is no error if it is not there.
	Remove(ctx context.Context, name string) error
	// Each calls fn with every file's name and since when it is there.
	Each(ctx context.Context, fn func(name string, since time.Time) error) error
	// Tidy removes what was broken off before, while it was being added.
	Tidy(ctx context.Context, before time.Time) error
}

// Files are where a server keeps what it has.
type Files struct {
	Archive *Archive
	Uploads Place
	// Dir is the archive's folder, whose disk may fill; "" in a bucket, of which
	// nobody knows what room it has left.
	Dir string
	// Shared says that they lie outside the data folder, so that other servers may be
	// adding to them too: what nobody uses yet is known as left over by its age alone.
	Shared bool

	close func()
}

// Close closes what is open to a store. Files that are read must have been closed.
func (f *Files) Close() {
	if f.close != nil {
		f.close()
	}
}

// A Lock is held while a file comes into use or goes out of it: between putting it in
// its place and noting its user, and between finding that it has none and removing
// it. Where several servers share the files, they share it. A process of which nothing
// was heard for long, because it was stopped, may have lost it: still fails then.
type Lock func(ctx context.Context, sha []byte) (still func(context.Context) error, unlock func(), err error)

// ownLock is the lock of a process that is alone with its files.
func ownLock() Lock {
	held := make(chan struct{}, 1)
	still := func(context.Context) error { return nil }
	return func(ctx context.Context, _ []byte) (func(context.Context) error, func(), error) {
		select {
		case held <- struct{}{}:
			return still, func() { <-held }, nil
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// Archive keeps files by the SHA-256 of their bytes. Others may keep files of their
// own in its place, under other names.
type Archive struct {
	place Place
	lock  Lock
}

// NewArchive returns the archive in a place. lock nil: this process is alone with it.
func NewArchive(in Place, lock Lock) *Archive {
	if lock == nil {
		lock = ownLock()
	}
	return &Archive{place: in, lock: lock}
}

// Place is where the files are.
func (a *Archive) Place() Place { return a.place }

// Name is a file's name in the place: its SHA-256, behind the first two digits of it.
func Name(sha []byte) string {
	name := hex.EncodeToString(sha)
	return name[:2] + "/" + name
}

// shaOf is the SHA-256 of a file of ours; nil for another's.
func shaOf(name string) []byte {
	first, rest, _ := strings.Cut(name, "/")
	sha, err := hex.DecodeString(rest)
	if err != nil || len(sha) != 32 || len(first) != 2 || !strings.HasPrefix(rest, first) {
		return nil
	}
	return sha
}

// Open opens a file by its SHA-256 in hex.
func (a *Archive) Open(ctx context.Context, sha string) (io.ReadSeekCloser, error) {
	b, err := hex.DecodeString(sha)
	if err != nil || len(b) != 32 {
		return nil, fs.ErrNotExist
	}
	return a.place.Open(ctx, Name(b))
}

// Add moves the file at from, which is whole and synced, to its place, and then
// has its user noted. After an error of note the file may be left without one:
// call RemoveUnused.
func (a *Archive) Add(ctx context.Context, from string, sha []byte, note func() error) error {
	noted := false
	return a.place.Add(ctx, Name(sha), from, sha, func(settle func() error) error {
		still, unlock, err := a.lock(ctx, sha)
		if err != nil {
			return err
		}
		defer unlock()
		if err := settle(); err != nil || noted {
			return err
		}
		if err := note(); err != nil {
			return err
		}
		// Nobody finds it unused from here on. While it was noted somebody may have, if
		// the lock was lost: it is settled once more then.
		if noted = true; still(ctx) != nil {
			return errSwept
		}
		return nil
	})
}

// RemoveUnused removes a file if used says that nobody uses it. It is no error
// if it is not there.
func (a *Archive) RemoveUnused(ctx context.Context, sha []byte, used func() (bool, error)) error {
	still, unlock, err := a.lock(ctx, sha)
	if err != nil {
		return err
	}
	defer unlock()
	if is, err := used(); err != nil || is {
		return err
	}
	// A process that was stopped until now may be told by nothing else that somebody has
	// added the file meanwhile. What follows takes much less time than a lock lasts.
	ctx, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	if err := still(ctx); err != nil {
		return fmt.Errorf("a file is left that nobody uses: %w", err)
	}
	return a.place.Remove(ctx, Name(sha))
}

// Each calls fn with the SHA-256 of every file, and since when it is there.
func (a *Archive) Each(ctx context.Context, fn func(sha []byte, since time.Time) error) error {
	return a.place.Each(ctx, func(name string, since time.Time) error {
		if sha := shaOf(name); sha != nil {
			return fn(sha, since)
		}
		return nil
	})
}

// errSwept says that a file was removed between being brought and being settled, or may
// have been: it is to be brought again.
var errSwept = errors.New("the file was removed while it was being added")
