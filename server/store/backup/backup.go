// Package backup writes a whole data folder to one file and makes a data folder
// of such a file: [Backup] and [Restore].
package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"screentest/server/blob"
	"screentest/server/disk"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/schema"
	"screentest/shared/wire"
)

// A backup is a tar archive, compressed with zstd, of a data folder: markName
// first, the database as of one moment, every other file, and the manifest with
// their checksums last, so that a backup that was cut off has none.
const (
	backupFormat = 1
	markName     = "screentest-backup"
	manifestName = "manifest.json"
	// maxManifest bounds the manifest of a backup, in bytes: some 500 000 files.
	maxManifest = 64 << 20
)

// notBackedUp are what a data folder is whole without: the lock, SQLite's own
// files beside the database, copies of older databases, downloads and restores
// under way.
func notBackedUp(name string) bool {
	return name == folder.LockFile || name == folder.Unfinished || strings.HasPrefix(name, folder.DatabaseFile) || name == engine.BackupsFolder ||
		strings.HasPrefix(name, engine.BackupsFolder+"/") || strings.HasSuffix(name, "/partial") || strings.HasSuffix(name, ".part") || strings.HasSuffix(name, ".tmp")
}

// A Manifest says what is in a backup.
type Manifest struct {
	Format    int          `json:"format"`
	Program   string       `json:"program"`  // the version that made it
	Database  int          `json:"database"` // the version of the database
	CreatedMS int64        `json:"created_ms"`
	Files     []BackupFile `json:"files"` // in the order of the archive
	// Gone counts the files that were deleted while the backup was made.
	Gone int `json:"gone,omitempty"`
}

// BackupFile is a file of a data folder. Its name has slashes.
type BackupFile struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // in hex
}

// Bytes is the size of all files.
func (m Manifest) Bytes() (n int64) {
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// SealKey says whether the sealing key is in the backup. Without it, it is
// needed from SCREENTEST_SEAL_KEY, as when the backup was made.
func (m Manifest) SealKey() bool {
	for _, f := range m.Files {
		if f.Name == folder.SealKeyFile {
			return true
		}
	}
	return false
}

// Backup writes the data folder dir to file, which must not be there, and reads
// it back to check it. A server may have the folder open and goes on writing:
// the database is as of the moment the backup begins. Links right in the folder
// are followed, see eachFile; others are refused, for they would be missed.
// program is the version to note. It needs room for a copy of the database
// beside file. Nothing is left behind after an error.
// A folder whose database is PostgreSQL's is refused: the database has tools for that.
func Backup(ctx context.Context, dir, file, program string) (Manifest, error) {
	return WithFiles(ctx, dir, nil, file, program)
}

// WithFiles is a Backup of a folder whose clips and uploads are elsewhere: they are in
// it as if they were in the folder, and so they will be when it is restored. nil: they
// are there, and if the database knows of some it is refused where there are none.
func WithFiles(ctx context.Context, dir string, files *blob.Files, file, program string) (m Manifest, err error) {
	if address, err := folder.Elsewhere(dir); err != nil {
		return m, fmt.Errorf("make the backup: %w", err)
	} else if address != "" {
		return m, &engine.Error{Problem: wire.Problem{Code: "database_elsewhere",
			Message: fmt.Sprintf("The database of %s is PostgreSQL's at %s, so the folder holds next to nothing of what is kept.", dir, address),
			Hint:    "Back the database up with pg_dump, then copy the files: the objects of -files, or the folders archive and uploads. Keep SCREENTEST_SEAL_KEY too, apart from both."}}
	}
	if _, err := os.Stat(filepath.Join(dir, folder.DatabaseFile)); err != nil { // goes through links
		return m, fmt.Errorf("%s is not a data folder: %w", dir, err)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%s is there already; a backup doesn't take the place of a file", file)
	}
	if within, err := isWithin(dir, file); err != nil {
		return m, fmt.Errorf("make the backup: %w", err)
	} else if within {
		return m, fmt.Errorf("%s is in the data folder %s: what becomes of the folder would become of its backup too, and each would hold the one before. Give a file somewhere else", file, dir)
	}
	defer func() {
		err = engine.NoRoom(err, "There is too little room for "+file+".",
			"A backup needs room for a copy of the database, and for itself. Give another file, or free some space. Nothing was left there.")
	}()
	part := file + ".part"
	out, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return m, fmt.Errorf("%s is there: another backup is being made, or one was broken off; then delete it and what begins with %s.db.part", part, file)
	}
	if err != nil {
		return m, fmt.Errorf("make the backup: %w", err)
	}
	defer func() {
		out.Close()
		if err != nil {
			os.Remove(part)
		}
	}()
	copied := file + ".db.part"
	defer engine.RemoveDatabase(copied)
	m = Manifest{Format: backupFormat, Program: program, CreatedMS: time.Now().UnixMilli()}
	if m.Database, err = copyDatabase(ctx, dir, copied); err != nil {
		return m, err
	}
	if err := m.write(ctx, out, dir, files, copied); err != nil {
		return m, fmt.Errorf("write the backup: %w", err)
	}
	if err := m.wantClips(ctx, dir, copied); err != nil {
		return m, err
	}
	if err := out.Sync(); err != nil {
		return m, fmt.Errorf("write the backup: %w", err)
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return m, err
	}
	if _, err := readBackup(ctx, out, func(string, io.Reader) error { return nil }); err != nil {
		return m, fmt.Errorf("the backup was written but can't be read back; is its disk sound? %w", err)
	}
	if err := os.Rename(part, file); err != nil {
		return m, err
	}
	return m, disk.SyncFolder(filepath.Dir(file))
}

// isWithin says whether a file that is not there yet would be in the data folder
// dir, or in a folder that a link right in it leads to.
func isWithin(dir, file string) (bool, error) {
	parent, err := filepath.Abs(filepath.Dir(file))
	if err == nil {
		parent, err = filepath.EvalSymlinks(parent)
	}
	if err != nil {
		return false, err
	}
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return false, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	roots := []string{dir}
	for _, e := range entries {
		link := filepath.Join(dir, e.Name())
		if to := folder.Follow(dir, link); e.Type()&fs.ModeSymlink != 0 && to != link {
			roots = append(roots, to)
		}
	}
	for _, root := range roots {
		top, err := os.Stat(root)
		if err != nil || !top.IsDir() {
			continue // a link to a file
		}
		for at := parent; ; at = filepath.Dir(at) {
			if info, err := os.Stat(at); err == nil && os.SameFile(info, top) {
				return true, nil
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return false, nil
}

// copyDatabase writes the database of a folder to path as of now, checks the
// copy, and gives its version.
func copyDatabase(ctx context.Context, dir, path string) (version int, err error) {
	pool, err := engine.OpenPool(filepath.Join(dir, folder.DatabaseFile), engine.CommonSettings, 1)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return 0, engine.Explain(err)
	}
	defer conn.Close()
	newest, err := engine.NewestMigration(schema.Files)
	if err != nil {
		return 0, err
	}
	if version, err = engine.VersionOf(ctx, conn, newest); err != nil {
		return 0, err
	}
	if err := engine.VacuumInto(ctx, conn, path); err != nil {
		return 0, fmt.Errorf("copy the database: %w", err)
	}
	return version, checkDatabase(ctx, path)
}

// checkDatabase has SQLite look at all of a database.
func checkDatabase(ctx context.Context, path string) error {
	pool, err := engine.OpenPool(path, engine.ReaderSettings, 1)
	if err != nil {
		return err
	}
	defer pool.Close()
	var verdict string
	if err := pool.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
		return engine.Explain(err)
	}
	if verdict != "ok" {
		return &engine.Error{Problem: wire.Problem{Code: "data_damaged", Message: "The database is damaged: " + verdict,
			Hint: "Restore it from an earlier backup."}}
	}
	return nil
}

// write packs the copy of the database, the other files of dir, and files.
func (m *Manifest) write(ctx context.Context, out io.Writer, dir string, files *blob.Files, database string) error {
	z, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	mark := fmt.Appendf(nil, "A backup of a Screentest data folder, format %d.\n", backupFormat)
	if err := m.header(t, markName, int64(len(mark))); err != nil {
		return err
	}
	if _, err := t.Write(mark); err != nil {
		return err
	}
	if err := m.add(ctx, t, folder.DatabaseFile, database); err != nil {
		return err
	}
	leftOut := notBackedUp
	if files != nil {
		leftOut = func(name string) bool { return name == "archive" || name == "uploads" || notBackedUp(name) }
	}
	err = folder.EachFile(dir, leftOut, func(name, file string, info fs.FileInfo) error {
		if info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
			to, err := os.Readlink(file)
			if err != nil {
				to = "another place" // what Windows has besides links
			}
			return fmt.Errorf("%s is a link to %s, which a backup doesn't follow: it follows those right in the data folder, to what is there and isn't around it. Put in its place what it stands for, or remove it", name, to)
		}
		if !info.Mode().IsRegular() {
			return nil
		}
		err := m.add(ctx, t, name, file)
		if errors.Is(err, fs.ErrNotExist) {
			m.Gone++
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	if files != nil {
		if err := m.addFiles(ctx, t, files); err != nil {
			return err
		}
	}
	list, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := m.header(t, manifestName, int64(len(list))); err != nil {
		return err
	}
	if _, err := t.Write(list); err != nil {
		return err
	}
	return errors.Join(t.Close(), z.Close())
}

func (m *Manifest) header(t *tar.Writer, name string, size int64) error {
	return t.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: time.UnixMilli(m.CreatedMS), Format: tar.FormatPAX})
}

// add packs one file. What is appended to it meanwhile is left out.
func (m *Manifest) add(ctx context.Context, t *tar.Writer, name, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return m.addOpened(ctx, t, name, f)
}

func (m *Manifest) addOpened(ctx context.Context, t *tar.Writer, name string, f io.ReadSeeker) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	if err := m.header(t, name, size); err != nil {
		return err
	}
	h := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(t, h), withContext{ctx, f}, size); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	m.Files = append(m.Files, BackupFile{name, size, hex.EncodeToString(h.Sum(nil))})
	return nil
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
