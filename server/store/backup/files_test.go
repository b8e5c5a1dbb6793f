package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"screentest/server/blob"
	"screentest/server/s3test"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// A backup has the clips and uploads that are elsewhere, and what is restored from it
// has them in its folder.
func TestABackupOfFilesElsewhere(t *testing.T) {
	for name, at := range map[string]func(t *testing.T) string{
		"a shared folder": func(t *testing.T) string { return t.TempDir() },
		"a bucket":        func(t *testing.T) string { return s3test.Address(t) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, db, _, _ := furnish(t)
			storetest.Must(t, db.Close())
			address := storetest.Got(blob.Parse(at(t)))
			files := storetest.Got(blob.Open(t.Context(), address, dir, nil))
			defer files.Close()
			add := func(text string, add func(path string, sha []byte) error) (name string) {
				path, sum := filepath.Join(t.TempDir(), "file"), sha256.Sum256([]byte(text))
				storetest.Must(t, os.WriteFile(path, []byte(text), 0o600), add(path, sum[:]))
				return hex.EncodeToString(sum[:])
			}
			sha := add("a clip elsewhere", func(path string, sha []byte) error {
				return files.Archive.Add(t.Context(), path, sha, func() error { return nil })
			})
			add("an upload", func(path string, _ []byte) error { return files.Uploads.Add(t.Context(), "up.png", path, nil, nil) })

			file, to := filepath.Join(t.TempDir(), "my.backup"), filepath.Join(t.TempDir(), "restored")
			m := storetest.Got(WithFiles(t.Context(), dir, files, file, "v1"))
			storetest.Must(t, storetest.Second(Restore(t.Context(), file, to)))
			for name, want := range map[string]string{"archive/" + sha[:2] + "/" + sha: "a clip elsewhere", "uploads/up.png": "an upload"} {
				if got, err := os.ReadFile(filepath.Join(to, filepath.FromSlash(name))); err != nil || string(got) != want {
					t.Errorf("%s: %q, %v", name, got, err)
				}
			}
			for _, f := range m.Files {
				if strings.HasSuffix(f.Name, ".mp4") {
					t.Errorf("%s is of a folder whose files are elsewhere", f.Name)
				}
			}
		})
	}
}

// A backup that would miss all clips is refused.
func TestABackupThatWouldMissTheClips(t *testing.T) {
	dir, db, owner, _ := furnish(t)
	storetest.Must(t, os.RemoveAll(filepath.Join(dir, "archive")))
	file := filepath.Join(t.TempDir(), "my.backup")
	if _, err := Backup(t.Context(), dir, file, "v1"); err != nil {
		t.Errorf("of a folder without clips: %v", err)
	}
	storetest.Must(t, os.Remove(file), savedClip(t, db, owner), db.Close())
	if _, err := Backup(t.Context(), dir, file, "v1"); err == nil || !strings.Contains(err.Error(), "-files") {
		t.Errorf("%v", err)
	}
	if left := storetest.Got(filepath.Glob(file + "*")); len(left) > 0 {
		t.Errorf("left is %v", left)
	}
}

// savedClip has the database know of an archived clip.
func savedClip(t *testing.T, db *store.DB, owner string) error {
	v := db.Videos()
	task := storetest.Taken(t, v, owner, storetest.NewVideo("kept"))
	task.State = wire.VideoDone
	storetest.Must(t, func() error { _, _, err := v.End(t.Context(), owner, task, []string{"https://files/a"}, 5); return err }())
	_, _, err := v.SetOutput(t.Context(), owner, task.ID, wire.VideoOutput{Archive: wire.ArchiveSaved, SHA256: strings.Repeat("ab", 32), Type: "video/mp4", Bytes: 9}, 7)
	return err
}
