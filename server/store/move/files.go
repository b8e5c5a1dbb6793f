package move

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// A Place keeps files by names with slashes: in a folder, or in an object store.
type Place interface {
	// Open opens a file. fs.ErrNotExist: it isn't there.
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
	// Add moves the local file at from, whose SHA-256 is sha, to its place, where it
	// is whole or not at all. One that is there already stays. hold is nil here.
	Add(ctx context.Context, name, from string, sha []byte, hold func(settle func() error) error) error
	// Each calls fn with the name of every file, and of what else is there.
	Each(ctx context.Context, fn func(name string, since time.Time) error) error
}

// Files are where an end keeps its files: clips and posters by the SHA-256 of their
// bytes, behind a folder of its first two digits, and uploads by what they are served
// as.
type Files struct{ Archive, Uploads Place }

// The names of the places.
const (
	archive = "archive"
	uploads = "uploads"
)

// A file is one of an end's.
type file struct {
	place, name string
	bytes       int64
}

func (f file) String() string { return f.place + "/" + f.name }

func (f Files) of(place string) Place {
	if place == archive {
		return f.Archive
	}
	return f.Uploads
}

// ours tells whether something is a file that is moved: not one that isn't whole,
// nor what else lies there.
func ours(place, name string) bool {
	if place == uploads {
		return !strings.Contains(name, "/") && !strings.HasSuffix(name, ".part") && !strings.HasPrefix(name, ".")
	}
	first, rest, _ := strings.Cut(name, "/")
	b, err := hex.DecodeString(rest)
	return err == nil && len(b) == sha256.Size && hex.EncodeToString(b) == rest && first == rest[:2]
}

// list are all files, in the order of their names. Their lengths are looked up where
// sized says so.
func (f Files) list(ctx context.Context, sized bool) (all []file, err error) {
	for _, place := range []string{archive, uploads} {
		err := f.of(place).Each(ctx, func(name string, _ time.Time) error {
			if ours(place, name) {
				all = append(all, file{place: place, name: name})
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("list the files of %s: %w", place, err)
		}
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.String(), b.String()) })
	for i := range all {
		if !sized {
			break
		}
		in, err := f.of(all[i].place).Open(ctx, all[i].name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", all[i], err)
		}
		all[i].bytes, err = in.Seek(0, io.SeekEnd)
		if err := errors.Join(err, in.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", all[i], err)
		}
	}
	return all, nil
}

// copyFiles copies the files that aren't there, and reads each of them there to
// compare it. How far it is it notes now and then.
func (m *Move) copyFiles(ctx context.Context) error {
	all, err := m.From.Files.list(ctx, false)
	if err != nil {
		return err
	}
	there, err := m.To.Files.list(ctx, false)
	if err != nil {
		return err
	}
	has := map[string]bool{}
	for _, f := range there {
		has[f.String()] = true
	}
	if len(all) > 0 {
		m.Say("Copying %d files.", len(all))
	}
	scratch, err := os.MkdirTemp("", "screentest-move-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	const noteEvery = 64
	for i, f := range all {
		if f.String() <= m.state.File {
			continue
		}
		if err := m.copyFile(ctx, f, has[f.String()], scratch); err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		m.state.File = f.String()
		if i%noteEvery == noteEvery-1 {
			if err := m.note(ctx); err != nil {
				return err
			}
		}
		if m.written != nil {
			if err := m.written(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *Move) copyFile(ctx context.Context, f file, there bool, scratch string) error {
	from, to := m.From.Files.of(f.place), m.To.Files.of(f.place)
	var copied *os.File
	var err error
	into := io.Discard
	if !there {
		if copied, err = os.CreateTemp(scratch, "file-*"); err != nil {
			return err
		}
		defer copied.Close()
		into = copied
	}
	want, err := read(ctx, from, f.name, into)
	if err != nil {
		return err
	}
	if f.place == archive && !strings.HasSuffix(f.name, hex.EncodeToString(want)) {
		return &engine.Error{Problem: wire.Problem{Code: "move_damaged", Message: "The file " + f.String() + " in " + m.From.Name + " is damaged: its bytes aren't those that were archived.",
			Hint: "Put it back from a backup, or remove it, and call screentest move again: it goes on."}}
	}
	if !there {
		if err := errors.Join(copied.Sync(), copied.Close()); err != nil {
			return err
		}
		if err := to.Add(ctx, f.name, copied.Name(), want, nil); err != nil {
			return err
		}
		if err := os.Remove(copied.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	got, err := read(ctx, to, f.name, io.Discard)
	if err == nil && !bytes.Equal(got, want) {
		err = &engine.Error{Problem: wire.Problem{Code: "move_file_differs", Message: "The file " + f.String() + " in " + m.To.Name + " has other bytes than the one it is a copy of.",
			Hint: "Look whether that place is sound, remove the file there, and call screentest move again: it goes on."}}
	}
	return err
}

// read writes a file to w and gives the SHA-256 of its bytes.
func read(ctx context.Context, p Place, name string, w io.Writer) (sha []byte, err error) {
	in, err := p.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(h, w), withContext{ctx, in})
	return h.Sum(nil), err
}

// withContext is a Reader that ends with ctx.
type withContext struct {
	ctx context.Context
	r   io.Reader
}

func (c withContext) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
