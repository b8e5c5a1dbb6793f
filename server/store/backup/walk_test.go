package backup

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// symlink makes a link, or skips the test on Windows where that takes a right
// of its own.
func symlink(t *testing.T, to, link string) {
	t.Helper()
	err := os.Symlink(to, link)
	if err != nil && runtime.GOOS == "windows" {
		t.Skip("no links here: ", err)
	}
	storetest.Must(t, err)
}

// elsewhere moves a file or folder to another place and leaves a link to it.
func elsewhere(t *testing.T, path string) (to string) {
	t.Helper()
	to = filepath.Join(t.TempDir(), "other disk")
	storetest.Must(t, os.Rename(path, to))
	symlink(t, to, path)
	return to
}

// A backup holds the same and Storage counts the same whether a data folder, or
// what is right in it, stands where it is or is a link to another disk. A link
// in the folder's place once gave a backup of the database alone, which said
// that all was well.
func TestLinkedFoldersAreWhole(t *testing.T) {
	want := []string{folder.DatabaseFile, "archive/ab/abcdef.mp4", "archive/empty.mp4", folder.SealKeyFile, "uploads/ä b.png"}
	for name, move := range map[string]func(t *testing.T, dir string) (given string){
		"nothing is a link": func(_ *testing.T, dir string) string { return dir },
		"the folder itself": func(t *testing.T, dir string) string { elsewhere(t, dir); return dir },
		"a link to a link": func(t *testing.T, dir string) string {
			link := filepath.Join(t.TempDir(), "again")
			elsewhere(t, dir)
			symlink(t, dir, link)
			return link
		},
		"its archive, uploads, copies and key": func(t *testing.T, dir string) string {
			for _, name := range []string{"archive", "uploads", engine.BackupsFolder, folder.SealKeyFile} {
				elsewhere(t, filepath.Join(dir, name))
			}
			return dir
		},
		"a disk's own folder in it": func(t *testing.T, dir string) string {
			storetest.Must(t, os.Mkdir(filepath.Join(dir, folder.LostFound), 0o700), os.WriteFile(filepath.Join(dir, folder.LostFound, "1"), []byte("x"), 0o600))
			archive := elsewhere(t, filepath.Join(dir, "archive"))
			storetest.Must(t, os.Mkdir(filepath.Join(archive, folder.LostFound), 0))
			return dir
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, db, owner, s := furnish(t)
			before := storetest.Everything(t, db, owner, s)
			storetest.Must(t, db.Close())
			dir = move(t, dir)
			file := filepath.Join(t.TempDir(), "b.backup")
			m, err := Backup(t.Context(), dir, file, "v1")
			storetest.Must(t, err)
			var names []string
			for _, f := range m.Files {
				names = append(names, f.Name)
			}
			if !slices.Equal(names, want) {
				t.Errorf("it has %q, want %q", names, want)
			}
			to := filepath.Join(t.TempDir(), "restored")
			_, err = Restore(t.Context(), file, to)
			storetest.Must(t, err)
			if info, err := os.Lstat(filepath.Join(to, "archive")); err != nil || !info.IsDir() {
				t.Errorf("the archive is restored as %v, %v", info, err)
			}
			if after := storetest.Everything(t, storetest.Open(t, to, store.Options{}), owner, s); !reflect.DeepEqual(after, before) {
				t.Errorf("restored\n%+v, want\n%+v", after, before)
			}

			stored, err := storetest.Open(t, dir, store.Options{}).Storage(t.Context())
			storetest.Must(t, err)
			kinds := map[string]wire.Stored{}
			for _, k := range stored.Kinds {
				kinds[k.Kind] = k
			}
			if clips := kinds[wire.StoredClips]; clips.Bytes != 200_008 {
				t.Errorf("clips: %+v", clips)
			}
			if copies := kinds[wire.StoredBackups]; copies.Bytes != 3 || copies.Count != 1 {
				t.Errorf("copies: %+v", copies)
			}
		})
	}
}

// What can't be followed is not left out of a backup without a word, and
// Storage comes to its end.
func TestLinksThatAreNotFollowed(t *testing.T) {
	for name, link := range map[string]func(t *testing.T, dir string) (which string){
		"deeper": func(t *testing.T, dir string) string {
			elsewhere(t, filepath.Join(dir, "archive", "ab"))
			return "archive/ab"
		},
		"deeper, behind one that is followed": func(t *testing.T, dir string) string {
			elsewhere(t, filepath.Join(dir, "archive", "ab", "abcdef.mp4"))
			elsewhere(t, filepath.Join(dir, "archive"))
			return "archive/ab/abcdef.mp4"
		},
		"a disk that is not there": func(t *testing.T, dir string) string {
			storetest.Must(t, os.RemoveAll(elsewhere(t, filepath.Join(dir, "uploads"))))
			return "uploads"
		},
		"itself": func(t *testing.T, dir string) string {
			symlink(t, "loop", filepath.Join(dir, "loop"))
			return "loop"
		},
		"the folder it is in": func(t *testing.T, dir string) string {
			symlink(t, ".", filepath.Join(dir, "here"))
			return "here"
		},
		"a folder farther up": func(t *testing.T, dir string) string {
			symlink(t, string(filepath.Separator), filepath.Join(dir, "root"))
			return "root"
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, db, _, _ := furnish(t)
			which := link(t, dir)
			out := t.TempDir()
			if _, err := Backup(t.Context(), dir, filepath.Join(out, "b"), ""); err == nil || !strings.Contains(err.Error(), which+" is a link to ") {
				t.Errorf("%v; want it to name %s", err, which)
			}
			if left, _ := os.ReadDir(out); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			if _, err := db.Storage(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
