package backup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"screentest/server/store"
	"screentest/server/store/folder"
	"screentest/server/store/storetest"
)

// names are what is in a folder.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	storetest.Must(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// An empty folder is filled and not taken away: it may be where a volume is
// mounted, which nothing can be renamed to.
func TestRestoreFillsAnEmptyFolder(t *testing.T) {
	from, db, owner, s := furnish(t)
	before := storetest.Everything(t, db, owner, s)
	file := filepath.Join(t.TempDir(), "b.backup")
	m, err := Backup(t.Context(), from, file, "v1")
	storetest.Must(t, err)
	for name, c := range map[string]struct {
		prepare func(t *testing.T, dir string) error
		also    []string // in the folder beside what is restored
	}{
		"empty": {func(*testing.T, string) error { return nil }, nil},
		"a disk of its own": {func(_ *testing.T, dir string) error {
			return os.Mkdir(filepath.Join(dir, folder.LostFound), 0o700)
		}, []string{folder.LostFound}},
		"what was broken off while it unpacked": {func(_ *testing.T, dir string) error {
			return errors.Join(os.MkdirAll(filepath.Join(dir, folder.Unfinished, "archive", "ab"), 0o700),
				os.WriteFile(filepath.Join(dir, folder.Unfinished, "archive", "ab", "half"), []byte("half"), 0o600),
				os.WriteFile(filepath.Join(dir, folder.Unfinished, folder.DatabaseFile), []byte("half"), 0o600),
				os.WriteFile(filepath.Join(dir, folder.LockFile), nil, 0o600))
		}, nil},
	} {
		for _, linked := range []bool{false, true} {
			if linked {
				name += ", by a link"
			}
			t.Run(name, func(t *testing.T) {
				parent := t.TempDir()
				dir := filepath.Join(parent, "volume")
				storetest.Must(t, os.Mkdir(dir, 0o700), c.prepare(t, dir))
				was, err := os.Stat(dir)
				storetest.Must(t, err)
				given := dir
				if linked {
					given = filepath.Join(t.TempDir(), "link")
					symlink(t, dir, given)
				}
				restored, err := Restore(t.Context(), file, given)
				if err != nil || !reflect.DeepEqual(restored, m) {
					t.Fatalf("%+v, %v; want %+v", restored, err, m)
				}
				if is, err := os.Stat(dir); err != nil || !os.SameFile(was, is) {
					t.Errorf("the folder is another one now: %v", err)
				}
				if info, err := os.Lstat(given); err != nil || (info.Mode()&os.ModeSymlink != 0) != linked {
					t.Errorf("given was %v, %v", info.Mode(), err)
				}
				want := append([]string{"archive", folder.DatabaseFile, folder.LockFile, folder.SealKeyFile, "uploads"}, c.also...)
				slices.Sort(want)
				if got := names(t, dir); !slices.Equal(got, want) {
					t.Errorf("it holds %q, want %q", got, want)
				}
				if got := names(t, parent); len(got) != 1 {
					t.Errorf("beside it are %q", got)
				}
				if after := storetest.Everything(t, storetest.Open(t, dir, store.Options{}), owner, s); !reflect.DeepEqual(after, before) {
					t.Errorf("restored\n%+v, want\n%+v", after, before)
				}
			})
		}
	}
}

// What goes wrong leaves an empty folder as empty as it was, but for its lock.
func TestARefusedRestoreLeavesAnEmptyFolderEmpty(t *testing.T) {
	from, _, _, _ := furnish(t)
	good := filepath.Join(t.TempDir(), "good")
	_, err := Backup(t.Context(), from, good, "v1")
	storetest.Must(t, err)
	whole, err := os.ReadFile(good)
	storetest.Must(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		backup []byte
	}{
		"cut off":     {t.Context(), whole[:len(whole)/2]},
		"no backup":   {t.Context(), []byte("GIF89a")},
		"no manifest": {t.Context(), rewrite(t, whole, func(name string, data []byte) (string, []byte) { return strings.TrimSuffix(name, manifestName), data })},
		"interrupted": {ended, whole},
	} {
		t.Run(name, func(t *testing.T) {
			dir, file := t.TempDir(), filepath.Join(t.TempDir(), "backup")
			storetest.Must(t, os.WriteFile(file, c.backup, 0o600))
			if _, err := Restore(c.ctx, file, dir); err == nil {
				t.Error("it was restored")
			}
			if got := names(t, dir); !slices.Equal(got, []string{folder.LockFile}) {
				t.Errorf("left behind: %q", got)
			}
		})
	}
	t.Run("a link to nothing", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "link")
		symlink(t, filepath.Join(t.TempDir(), "gone"), link)
		if _, err := Restore(t.Context(), good, link); err == nil || !strings.Contains(err.Error(), "is a link to nothing") {
			t.Error(err)
		}
		if _, err := os.Readlink(link); err != nil {
			t.Errorf("the link is gone: %v", err)
		}
	})
	t.Run("in use", func(t *testing.T) {
		dir := t.TempDir()
		d, err := newDestination(dir) // of another restore
		storetest.Must(t, err)
		if _, err := Restore(t.Context(), good, dir); !errors.Is(err, folder.ErrInUse) {
			t.Error(err)
		}
		if got := names(t, dir); !slices.Equal(got, []string{folder.Unfinished, folder.LockFile}) {
			t.Errorf("it holds %q", got)
		}
		d.undo()
	})
}

// unpacked is a destination with what a backup might hold, not yet settled.
func unpacked(t *testing.T) *destination {
	t.Helper()
	d, err := newDestination(t.TempDir())
	storetest.Must(t, err)
	storetest.Must(t, os.Mkdir(filepath.Join(d.fresh, "archive"), 0o700),
		os.WriteFile(filepath.Join(d.fresh, "archive", "clip"), []byte("clip"), 0o600),
		os.WriteFile(filepath.Join(d.fresh, folder.DatabaseFile), nil, 0o600), // SQLite takes it for an empty database
		os.WriteFile(filepath.Join(d.fresh, folder.SealKeyFile), []byte("key"), 0o600))
	return d
}

// A file that came to be where one is to go stays, and what was moved up before
// it goes again.
func TestARestoreTakesThePlaceOfNothing(t *testing.T) {
	for _, name := range []string{"archive", folder.DatabaseFile, folder.SealKeyFile} {
		d := unpacked(t)
		theirs := filepath.Join(d.dir, name)
		storetest.Must(t, os.WriteFile(theirs, []byte("theirs"), 0o600))
		if err := d.put(); err == nil || !strings.Contains(err.Error(), name+" came to be there") {
			t.Errorf("%s: %v", name, err)
		}
		d.undo()
		want := []string{name, folder.LockFile}
		slices.Sort(want)
		if got := names(t, d.dir); !slices.Equal(got, want) {
			t.Errorf("%s: left are %q", name, got)
		}
		if text, _ := os.ReadFile(theirs); string(text) != "theirs" {
			t.Errorf("%s holds %q", name, text)
		}
	}
}

// Wherever a restore is killed, no server begins with half of it: it would make
// a new database and remove all clips as nobody's.
func TestAServerRefusesHalfARestore(t *testing.T) {
	for moved, c := range [][]string{nil, {"archive"}, {"archive", folder.SealKeyFile}} {
		d := unpacked(t)
		for _, name := range c {
			storetest.Must(t, d.moveUp(name))
		}
		storetest.Must(t, d.lock.Close()) // killed
		if db, err := store.Open(t.Context(), d.dir, store.Options{}); err == nil || !strings.Contains(err.Error(), "was broken off") {
			t.Errorf("%d moved up: %v", moved, err)
			db.Close()
		}
		want := append([]string{folder.Unfinished, folder.LockFile}, c...)
		slices.Sort(want)
		if got := names(t, d.dir); !slices.Equal(got, want) {
			t.Errorf("%d moved up: it holds %q, want %q", moved, got, want)
		}
		again, err := newDestination(d.dir)
		if moved == 0 {
			storetest.Must(t, err)
			again.undo()
		} else if err == nil || !strings.Contains(err.Error(), "broken off at its end. Remove what is in it (.restoring too)") {
			t.Errorf("%d moved up: restored again: %v", moved, err)
		}
	}
	d := unpacked(t)
	for _, name := range []string{"archive", folder.SealKeyFile, folder.DatabaseFile} {
		storetest.Must(t, d.moveUp(name))
	}
	storetest.Must(t, d.lock.Close(), os.Remove(filepath.Join(d.dir, folder.SealKeyFile))) // it is none
	storetest.Open(t, d.dir, store.Options{})
	if got := names(t, d.dir); slices.Contains(got, folder.Unfinished) || !slices.Contains(got, "archive") {
		t.Errorf("all moved up: it holds %q", got)
	}
}
