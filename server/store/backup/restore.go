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
	"path"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"screentest/server/disk"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/schema"
	"screentest/shared/wire"
)

// badBackup is what a person reads of a file that can't be restored.
func badBackup(format string, args ...any) error {
	return &engine.Error{Problem: wire.Problem{Code: "bad_backup", Message: "The backup can't be used: " + fmt.Sprintf(format, args...),
		Hint: "Take another backup. Nothing was changed."}}
}

// readBackup reads a whole backup, hands its files to each, and compares them
// with the manifest. each need not read a file whole.
func readBackup(ctx context.Context, r io.Reader, each func(name string, r io.Reader) error) (m Manifest, err error) {
	z, err := zstd.NewReader(withContext{ctx, r}, zstd.WithDecoderMaxMemory(256<<20))
	if err != nil {
		return m, err
	}
	defer z.Close()
	t := tar.NewReader(z)
	var found []BackupFile
	for first := true; ; first = false {
		h, err := t.Next()
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return m, ctx.Err()
		case first:
			return m, badBackup("it is not a backup of Screentest (%v).", err)
		default:
			return m, badBackup("it is damaged or was cut off after %d files (%v).", len(found), err)
		}
		if first != (h.Name == markName) {
			return m, badBackup("it is not a backup of Screentest.")
		}
		if first {
			continue
		}
		if h.Name == manifestName {
			if h.Size > maxManifest || json.NewDecoder(t).Decode(&m) != nil {
				return m, badBackup("its manifest can't be read.")
			}
			break
		}
		if h.Typeflag != tar.TypeReg || !safeName(h.Name) {
			return m, badBackup("it has an entry %q, which no backup has.", h.Name)
		}
		sum := sha256.New()
		source := &noting{r: t}
		file := io.TeeReader(source, sum)
		err = each(h.Name, file)
		if err == nil {
			_, err = io.Copy(io.Discard, file)
		}
		switch {
		case ctx.Err() != nil:
			return m, ctx.Err()
		case source.err != nil:
			return m, badBackup("%s is damaged or was cut off (%v).", h.Name, source.err)
		case err != nil:
			return m, fmt.Errorf("%s: %w", h.Name, err)
		}
		found = append(found, BackupFile{h.Name, h.Size, hex.EncodeToString(sum.Sum(nil))})
	}
	// The checksum of the compressed stream is at its very end.
	if _, err := io.Copy(io.Discard, z); err != nil {
		return m, badBackup("it is damaged (%v).", err)
	}
	return m, m.compare(found)
}

// noting is a Reader that notes how reading failed, to tell a damaged backup
// from a full disk.
type noting struct {
	r   io.Reader
	err error
}

func (n *noting) Read(p []byte) (int, error) {
	k, err := n.r.Read(p)
	if err != nil && err != io.EOF {
		n.err = err
	}
	return k, err
}

// safeName says whether a name stays within the folder it is restored to.
func safeName(name string) bool {
	return fs.ValidPath(name) && name != "." && filepath.IsLocal(filepath.FromSlash(name)) && path.Clean(name) == name
}

// compare refuses files other than the manifest's.
func (m Manifest) compare(found []BackupFile) error {
	if m.Format != backupFormat {
		return badBackup("it is of format %d, made by another Screentest (%s); this one reads format %d.", m.Format, m.Program, backupFormat)
	}
	if len(found) != len(m.Files) || len(found) == 0 || found[0].Name != folder.DatabaseFile {
		return badBackup("it has %d files in place of %d.", len(found), len(m.Files))
	}
	for i, f := range m.Files {
		if found[i] != f {
			return badBackup("%s is not as it was when the backup was made.", f.Name)
		}
	}
	return nil
}

// Restore unpacks the backup file to the data folder dir, which must not be
// there or be empty. Nothing appears in its place before all was checked:
// checksums, the database itself, and that this program knows its version.
// Nothing is left behind after an error but the lock of a folder that was there.
func Restore(ctx context.Context, file, dir string) (m Manifest, err error) {
	in, err := os.Open(file)
	if err != nil {
		return m, fmt.Errorf("the backup: %w", err)
	}
	defer in.Close()
	defer func() {
		err = engine.NoRoom(err, "There is too little room for what is in the backup.", "Give a folder on another disk with -data, or free some space. Nothing was left there.")
	}()
	to, err := newDestination(dir)
	if err != nil {
		return m, err
	}
	defer func() {
		if err != nil {
			to.undo()
		}
	}()
	m, err = readBackup(ctx, in, func(name string, r io.Reader) error {
		path := filepath.Join(to.fresh, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return writeFile(path, r)
	})
	if err != nil {
		return m, err
	}
	newest, err := engine.NewestMigration(schema.Files)
	if err != nil {
		return m, err
	}
	database := filepath.Join(to.fresh, folder.DatabaseFile)
	if err := engine.Inspect(ctx, database, newest); err != nil {
		return m, err
	}
	if err := checkDatabase(ctx, database); err != nil {
		return m, err
	}
	if err := syncFolders(to.fresh); err != nil {
		return m, err
	}
	return m, to.put()
}

// writeFile writes r to a new file and returns once it is on the disk.
func writeFile(path string, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncFolders has the names in dir and below on the disk.
func syncFolders(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return disk.SyncFolder(path)
	})
}
