package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"screentest/server/pgtest"
	"screentest/server/seal"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/schema"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// furnish makes a data folder with a history, a sealed session, a clip and what
// a backup leaves out.
func furnish(t *testing.T) (dir string, db *store.DB, owner string, s wire.Start) {
	t.Helper()
	storetest.OnlySQLite(t) // a backup is of a folder that holds its database
	ctx := context.Background()
	dir = filepath.Join(t.TempDir(), "data")
	storetest.Must(t, os.Rename(storetest.Folder(t), dir))
	db = storetest.Open(t, dir, store.Options{})
	owner, err := db.EnsureLocalUser(ctx)
	storetest.Must(t, err)
	s = storetest.NewStart("", "What is kept?")
	storetest.Must(t, storetest.StartTurn(db, owner, s), db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 7), "All of it.", []byte("log"), nil, nil),
		db.SetSetting(ctx, owner, "theme", "dark"), db.SaveSession(ctx, "sid", owner, []byte("sealed words"), time.Now().AddDate(1, 0, 0)))
	for name, text := range map[string]string{
		"archive/ab/abcdef.mp4": strings.Repeat("clip", 50_000), "archive/empty.mp4": "", "uploads/ä b.png": "image",
		"archive/half.mp4.part": "half", "archive/partial/1-x-0": "half", "backups/screentest.db.v1-20260101T000000.000": "old",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		storetest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
	}
	return dir, db, owner, s
}

// A backup taken while the server writes, restored: whole, as of one moment,
// and opened by the same key.
func TestBackupAndRestore(t *testing.T) {
	ctx := context.Background()
	dir, db, owner, s := furnish(t)
	before := storetest.Everything(t, db, owner, s)
	var stop atomic.Bool
	wrote := make(chan int)
	first := make(chan struct{})
	go func() { // the server goes on
		n := 0
		for ; !stop.Load(); n++ {
			if err := db.SetServerSetting(ctx, "busy", fmt.Sprint(n)); err != nil {
				t.Error(err)
			}
			if n == 0 {
				close(first)
			}
		}
		wrote <- n
	}()
	<-first
	file := filepath.Join(t.TempDir(), "b.backup")
	m, err := Backup(ctx, dir, file, "v1.2.3")
	stop.Store(true)
	if n := <-wrote; n == 0 {
		t.Error("nothing was written meanwhile")
	}
	storetest.Must(t, err)
	newest, err := engine.NewestMigration(schema.Files)
	storetest.Must(t, err)
	var names []string
	for _, f := range m.Files {
		names = append(names, f.Name)
	}
	if want := []string{folder.DatabaseFile, "archive/ab/abcdef.mp4", "archive/empty.mp4", folder.SealKeyFile, "uploads/ä b.png"}; !reflect.DeepEqual(names, want) {
		t.Errorf("it has %q, want %q", names, want)
	}
	if m.Program != "v1.2.3" || m.Database != newest || !m.SealKey() || m.Gone != 0 || m.Bytes() < 200_000 {
		t.Errorf("manifest %+v", m)
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(left) != 1 {
		t.Errorf("left beside the backup: %v, %v", left, err)
	}
	if info, _ := left[0].Info(); info.Mode().Perm() != 0o600 {
		t.Errorf("the backup is open to others: %v", info.Mode())
	}

	for _, prepare := range []func(dir string) error{
		func(string) error { return nil },
		func(dir string) error { return os.Mkdir(dir, 0o755) },
	} {
		to := filepath.Join(t.TempDir(), "restored")
		storetest.Must(t, prepare(to))
		restored, err := Restore(ctx, file, to)
		if err != nil || !reflect.DeepEqual(restored, m) {
			t.Fatalf("%+v, %v; want %+v", restored, err, m)
		}
		clip, err := os.ReadFile(filepath.Join(to, "archive", "ab", "abcdef.mp4"))
		if err != nil || len(clip) != 200_000 {
			t.Errorf("the clip: %d bytes, %v", len(clip), err)
		}
		again := storetest.Open(t, to, store.Options{})
		storetest.CheckIntegrity(t, again)
		storetest.CheckHours(t, again)
		if after := storetest.Everything(t, again, owner, s); !reflect.DeepEqual(after, before) {
			t.Errorf("restored\n%+v, want\n%+v", after, before)
		}
		if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the folder: %v, %v", info.Mode(), err)
		}
	}
}

// rewrite gives a copy of a backup whose entries went through change; an entry
// that comes back without a name is left out.
func rewrite(t *testing.T, backup []byte, change func(name string, data []byte) (string, []byte)) []byte {
	t.Helper()
	in, err := zstd.NewReader(bytes.NewReader(backup))
	storetest.Must(t, err)
	defer in.Close()
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out)
	storetest.Must(t, err)
	from, to := tar.NewReader(in), tar.NewWriter(z)
	for {
		h, err := from.Next()
		if err == io.EOF {
			break
		}
		storetest.Must(t, err)
		data, err := io.ReadAll(from)
		storetest.Must(t, err)
		if h.Name, data = change(h.Name, data); h.Name == "" {
			continue
		}
		h.Size = int64(len(data))
		storetest.Must(t, to.WriteHeader(h))
		_, err = to.Write(data)
		storetest.Must(t, err)
	}
	storetest.Must(t, to.Close(), z.Close())
	return out.Bytes()
}

// What is not whole is refused with a sentence, and leaves nothing behind.
func TestRestoreRefuses(t *testing.T) {
	ctx := context.Background()
	dir, _, _, _ := furnish(t)
	good := filepath.Join(t.TempDir(), "good")
	_, err := Backup(ctx, dir, good, "v1")
	storetest.Must(t, err)
	whole, err := os.ReadFile(good)
	storetest.Must(t, err)
	manifest := func(change func(m *Manifest)) func(string, []byte) (string, []byte) {
		return func(name string, data []byte) (string, []byte) {
			if name == manifestName {
				var m Manifest
				storetest.Must(t, json.Unmarshal(data, &m))
				change(&m)
				data, err = json.Marshal(m)
				storetest.Must(t, err)
			}
			return name, data
		}
	}
	entry := func(which string, change func(data []byte) (string, []byte)) func(string, []byte) (string, []byte) {
		return func(name string, data []byte) (string, []byte) {
			if name == which {
				return change(data)
			}
			return name, data
		}
	}
	// One bit alone may be one that zstd reads the same either way.
	stretch, sum := bytes.Clone(whole), bytes.Clone(whole)
	for i := range 64 {
		stretch[len(stretch)/2+i] ^= 0xff
	}
	sum[len(sum)-1] ^= 1
	for name, c := range map[string]struct {
		backup []byte
		want   string
	}{
		"nothing":              {nil, "not a backup"},
		"another file":         {bytes.Repeat([]byte("GIF89a"), 500), "not a backup"},
		"another archive":      {rewrite(t, whole, entry(markName, func([]byte) (string, []byte) { return "", nil })), "not a backup"},
		"cut off in a file":    {whole[:len(whole)/2], "cut off"},
		"cut off at its end":   {whole[:len(whole)-5], ""},
		"a stretch changed":    {stretch, ""},
		"its sum changed":      {sum, ""},
		"a file changed":       {rewrite(t, whole, entry("archive/ab/abcdef.mp4", func(d []byte) (string, []byte) { d[7]++; return "archive/ab/abcdef.mp4", d })), "abcdef.mp4 is not as it was"},
		"a file missing":       {rewrite(t, whole, entry(folder.SealKeyFile, func([]byte) (string, []byte) { return "", nil })), "4 files in place of 5"},
		"no manifest":          {rewrite(t, whole, entry(manifestName, func([]byte) (string, []byte) { return "", nil })), "cut off"},
		"no JSON for manifest": {rewrite(t, whole, entry(manifestName, func([]byte) (string, []byte) { return manifestName, []byte("{") })), "manifest"},
		"a name that climbs":   {rewrite(t, whole, entry("archive/empty.mp4", func([]byte) (string, []byte) { return "../evil", nil })), "no backup has"},
		"an absolute name":     {rewrite(t, whole, entry("archive/empty.mp4", func([]byte) (string, []byte) { return "/evil", nil })), "no backup has"},
		"a newer format":       {rewrite(t, whole, manifest(func(m *Manifest) { m.Format = 2 })), "format 2"},
		"a damaged database": {rewrite(t, whole, func(name string, data []byte) (string, []byte) {
			if name == folder.DatabaseFile {
				return name, append(data[:5000:5000], bytes.Repeat([]byte{1}, len(data)-5000)...)
			}
			return name, data
		}), "not as it was"},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			file := filepath.Join(parent, "backup")
			storetest.Must(t, os.WriteFile(file, c.backup, 0o600))
			to := filepath.Join(parent, "data")
			_, err := Restore(ctx, file, to)
			if p := storetest.Problem(err); p.Code != "bad_backup" || !strings.Contains(p.Message, c.want) || p.Hint == "" {
				t.Errorf("%v; want %q", err, c.want)
			}
			if left, _ := os.ReadDir(parent); len(left) != 1 {
				t.Errorf("left behind: %v", left)
			}
		})
	}

	// A database that is sound by its checksum and yet not by itself, and one of
	// a newer program.
	for name, c := range map[string]struct {
		change func(path string)
		code   string
	}{
		"damaged before the backup": {func(path string) {
			data, err := os.ReadFile(path)
			storetest.Must(t, err, os.WriteFile(path, append(data[:8192:8192], bytes.Repeat([]byte{1}, len(data)-8192)...), 0o600))
		}, "data_damaged"},
		"newer": {func(path string) {
			pool, err := engine.OpenPool(path, engine.CommonSettings, 1)
			storetest.Must(t, err)
			_, err = pool.Exec("PRAGMA user_version = 7000")
			storetest.Must(t, err, pool.Close())
		}, "data_newer"},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			path := filepath.Join(parent, folder.DatabaseFile)
			var m Manifest
			backup := rewrite(t, whole, func(name string, data []byte) (string, []byte) {
				switch name {
				case folder.DatabaseFile:
					storetest.Must(t, os.WriteFile(path, data, 0o600))
					c.change(path)
					data, err = os.ReadFile(path)
					storetest.Must(t, err)
					m.Files = []BackupFile{{Name: name, Size: int64(len(data)), SHA256: sumHex(data)}}
				case manifestName:
					m.Format = backupFormat
					data, err = json.Marshal(m)
					storetest.Must(t, err)
				case markName:
				default:
					return "", nil
				}
				return name, data
			})
			storetest.Must(t, os.Remove(path))
			file := filepath.Join(parent, "backup")
			storetest.Must(t, os.WriteFile(file, backup, 0o600))
			if _, err := Restore(ctx, file, filepath.Join(parent, "data")); storetest.Problem(err).Code != c.code {
				t.Errorf("%v; want %s", err, c.code)
			}
			if left, _ := filepath.Glob(filepath.Join(parent, "data*")); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}

	full := t.TempDir()
	storetest.Must(t, os.WriteFile(filepath.Join(full, "mine.txt"), []byte("mine"), 0o600))
	if _, err := Restore(ctx, good, full); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("into a folder with files: %v", err)
	}
	if left, _ := os.ReadDir(full); len(left) != 1 {
		t.Errorf("it holds %v", left)
	}
	if _, err := Restore(ctx, good+"-not", filepath.Join(full, "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no backup: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Restore(ended, good, filepath.Join(full, "x")); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if left, _ := os.ReadDir(full); len(left) != 1 {
		t.Errorf("it holds %v", left)
	}
}

func TestBackupRefuses(t *testing.T) {
	ctx := context.Background()
	dir, _, _, _ := furnish(t)
	out := t.TempDir()
	file := filepath.Join(out, "backup")
	if _, err := Backup(ctx, t.TempDir(), file, ""); err == nil || !strings.Contains(err.Error(), "not a data folder") {
		t.Errorf("of a folder without a database: %v", err)
	}
	storetest.Must(t, os.WriteFile(file, []byte("precious"), 0o600))
	if _, err := Backup(ctx, dir, file, ""); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("in place of a file: %v", err)
	}
	if text, _ := os.ReadFile(file); string(text) != "precious" {
		t.Errorf("the file is %q", text)
	}
	if _, err := Backup(ctx, dir, filepath.Join(out, "no", "such", "folder"), ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("to a folder that is not there: %v", err)
	}
	elsewhere := t.TempDir()
	symlink(t, elsewhere, filepath.Join(dir, "elsewhere"))
	symlink(t, dir, filepath.Join(elsewhere, "back"))
	for _, in := range []string{dir, filepath.Join(dir, "archive"), filepath.Join(dir, engine.BackupsFolder), elsewhere, filepath.Join(elsewhere, "back", "uploads")} {
		if _, err := Backup(ctx, dir, filepath.Join(in, "my.backup"), ""); err == nil || !strings.Contains(err.Error(), "is in the data folder") {
			t.Errorf("into %s: %v", in, err)
		}
		if left, _ := filepath.Glob(filepath.Join(in, "my.*")); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Backup(ended, dir, filepath.Join(out, "b"), ""); err == nil {
		t.Error("interrupted, and yet made")
	}
	if left, _ := os.ReadDir(out); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// What PostgreSQL holds is in no folder: its backup is that database's own. A folder
// whose database came back is backed up again.
func TestADatabaseElsewhereIsNotBackedUp(t *testing.T) {
	ctx, url := t.Context(), pgtest.URL(t)
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "my.backup")
	db, err := store.Open(ctx, dir, store.Options{Database: url, SealKey: seal.FormatKey(seal.NewKey())})
	storetest.Must(t, err, db.Close())
	_, err = Backup(ctx, dir, file, "")
	p := storetest.Problem(err)
	at, _, _ := strings.Cut(strings.TrimPrefix(url, "postgres://postgres@"), "?")
	for _, want := range []string{dir, "PostgreSQL's at " + at, "pg_dump", "-files", "SCREENTEST_SEAL_KEY"} {
		if !strings.Contains(p.Message+p.Hint, want) {
			t.Errorf("%q, %q doesn't say %q", p.Message, p.Hint, want)
		}
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a backup all the same: %v", err)
	}
	db, err = store.Open(ctx, dir, store.Options{})
	storetest.Must(t, err, db.Close())
	storetest.Must(t, storetest.Second(Backup(ctx, dir, file, "")))
}

// Only the newest copies of older databases are kept, one of each version before
// a second one, and nothing else is touched or takes their place: a file that a
// killed process left beside a copy once did.
func TestOldCopiesGo(t *testing.T) {
	storetest.OnlySQLite(t)
	dir := t.TempDir()
	folder := filepath.Join(dir, engine.BackupsFolder)
	storetest.Must(t, os.Mkdir(folder, 0o700))
	for _, name := range []string{
		"screentest.db.v1-20260101T000000.000", "screentest.db.v9-20260102T000000.000", "screentest.db.v2-20260103T000000.000",
		"screentest.db.v10-20260104T000000.000", "screentest.db.v10-20260105T000000.000", "mine.txt", "screentest.db.v10-20260106T000000.000-journal",
	} {
		storetest.Must(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	storetest.Open(t, dir, store.Options{})
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	storetest.Must(t, err)
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if want := []string{"mine.txt", "screentest.db.v10-20260105T000000.000", "screentest.db.v10-20260106T000000.000-journal", "screentest.db.v2-20260103T000000.000", "screentest.db.v9-20260102T000000.000"}; !reflect.DeepEqual(left, want) {
		t.Errorf("left are %q", left)
	}
}

func sumHex(p []byte) string {
	sum := sha256.Sum256(p)
	return hex.EncodeToString(sum[:])
}
