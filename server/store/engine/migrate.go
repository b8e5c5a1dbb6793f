package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"screentest/server/disk"
	"screentest/shared/wire"
)

// applicationID marks our database files ("Scrn"), so that another program's
// is not written to.
const applicationID = 0x5363726e

// A Migration brings a database from version-1 to version. Its file is named
// NNNN_what.sql.
type Migration struct {
	version int
	name    string
	sql     string
}

// ReadMigrations reads the migrations in the root of files, in order and
// without a gap. The first has any number: all of before it is in it.
func ReadMigrations(files fs.FS) ([]Migration, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var ms []Migration
	for i, name := range names {
		number, _, _ := strings.Cut(name, "_")
		v, err := strconv.Atoi(number)
		if err != nil || i > 0 && v != ms[i-1].version+1 {
			return nil, fmt.Errorf("migration %s: its number isn't the next", name)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		ms = append(ms, Migration{v, name, string(text)})
	}
	return ms, nil
}

// VersionOf reads the version of a database, 0 for an empty one, and refuses
// one that this program must not touch: another program's, and one of a newer
// version than newest.
func VersionOf(ctx context.Context, conn *sql.Conn, newest int) (version int, err error) {
	var app, tables int
	err = conn.QueryRowContext(ctx, "SELECT (SELECT * FROM pragma_application_id), (SELECT * FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").Scan(&app, &version, &tables)
	switch {
	case err != nil:
		return 0, Explain(err)
	case tables > 0 && app != applicationID:
		return 0, &Error{Problem: wire.Problem{Code: "data_foreign", Message: "The database in the data folder is not one of Screentest's.", Hint: "Give another folder with -data."}}
	case version > newest:
		return 0, &Error{Problem: wire.Problem{
			Code:    "data_newer",
			Message: fmt.Sprintf("The database is of version %d, written by a newer Screentest; this one knows versions up to %d.", version, newest),
			Hint:    "Start the newer program, or restore the copy that it kept in the folder backups. Nothing was changed.",
		}}
	}
	return version, nil
}

// Inspect refuses a database that migrate would refuse, without changing so
// much as its journal mode.
func Inspect(ctx context.Context, path string, newest int) error {
	pool, err := OpenPool(path, ReaderSettings, 1)
	if err != nil {
		return err
	}
	defer pool.Close()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return Explain(err)
	}
	defer conn.Close()
	_, err = VersionOf(ctx, conn, newest)
	return err
}

// Migrate brings the database up to the newest of ms, each in a transaction of
// its own, so that a failure leaves the last whole version. copyFirst is called
// with the old version before an existing database is changed; drop undoes it
// when nothing was changed after all, so that a server that is started again
// and again does not fill the disk with copies.
func Migrate(ctx context.Context, conn *sql.Conn, ms []Migration, copyFirst func(version int) (drop func(), err error), log *slog.Logger) error {
	version, err := VersionOf(ctx, conn, len(ms))
	if err != nil || version == len(ms) {
		return err
	}
	drop := func() {}
	if version > 0 {
		if drop, err = copyFirst(version); err != nil {
			return fmt.Errorf("keep a copy before migrating: %w", err)
		}
	}
	// A migration may have to rebuild a table that others refer to. The keys
	// can be switched off only outside of a transaction; they are checked at
	// the end of each one instead.
	whole := context.WithoutCancel(ctx)
	if _, err := conn.ExecContext(whole, "PRAGMA foreign_keys = 0"); err != nil {
		return Explain(err)
	}
	for i, m := range ms[version:] {
		if err := m.apply(ctx, conn); err != nil {
			if i == 0 {
				drop()
			}
			return fmt.Errorf("migration %s: %w", m.name, Explain(err))
		}
		if version > 0 {
			log.Info("migrated the database", "to", m.version, "migration", m.name)
		}
	}
	_, err = conn.ExecContext(whole, "PRAGMA foreign_keys = 1")
	return Explain(err)
}

func (m Migration) apply(ctx context.Context, conn *sql.Conn) (err error) {
	// Where ctx ends while BEGIN or COMMIT runs, it is said to have failed though
	// it has not: neither is under it.
	whole := context.WithoutCancel(ctx)
	if _, err := conn.ExecContext(whole, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			// SQLite may have rolled back by itself; then this has nothing to do.
			conn.ExecContext(whole, "ROLLBACK")
		}
	}()
	if _, err := conn.ExecContext(ctx, m.sql); err != nil {
		return err
	}
	var broken int
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM pragma_foreign_key_check").Scan(&broken); err != nil {
		return err
	}
	if broken > 0 {
		return fmt.Errorf("%d rows would refer to rows that are gone", broken)
	}
	if _, err := conn.ExecContext(whole, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, m.version)); err != nil {
		return err
	}
	_, err = conn.ExecContext(whole, "COMMIT")
	return err
}

// Copies of older databases, in a folder of the data folder.
const (
	BackupsFolder = "backups"
	// keptCopies is how many are kept, the newest.
	keptCopies = 3
)

// unfinished ends the name of a copy that is being written.
const unfinished = ".part"

// keepCopy writes the whole database as it is now to the folder of copies
// beside it, with its version and the time in the name, and returns once it is
// on the disk. What a killed process has left of one is removed.
func keepCopy(ctx context.Context, conn *sql.Conn, database string, version int, now time.Time) (path string, err error) {
	folder := filepath.Join(filepath.Dir(database), BackupsFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	left, err := filepath.Glob(filepath.Join(folder, filepath.Base(database)+".v*-*"+unfinished))
	if err != nil {
		return "", err
	}
	for _, half := range left {
		RemoveDatabase(half)
	}
	path = filepath.Join(folder, fmt.Sprintf("%s.v%d-%s", filepath.Base(database), version, now.UTC().Format("20060102T150405.000")))
	if err := VacuumInto(ctx, conn, path+unfinished); err != nil {
		return "", err
	}
	if err := os.Rename(path+unfinished, path); err != nil {
		return "", errors.Join(err, os.Remove(path+unfinished))
	}
	return path, disk.SyncFolder(folder)
}

// copyName is the name of a copy behind that of its database: version and time.
var copyName = regexp.MustCompile(`^\.v([0-9]+)-([0-9]{8}T[0-9]{6}\.[0-9]{3})$`)

// dropOldCopies removes all but the newest copies. Of each version one comes
// first: a migration of many steps that is killed again and again keeps copies of
// a version in between, which no program is of, and these must not take the place
// of the one that can be gone back to.
func dropOldCopies(database string) error {
	folder := filepath.Join(filepath.Dir(database), BackupsFolder)
	files, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	type copied struct{ name, version, made string }
	var copies []copied
	for _, f := range files {
		behind, ours := strings.CutPrefix(f.Name(), filepath.Base(database))
		if m := copyName.FindStringSubmatch(behind); ours && m != nil {
			copies = append(copies, copied{f.Name(), m[1], m[2]})
		}
	}
	slices.SortFunc(copies, func(a, b copied) int { return strings.Compare(b.made, a.made) })
	var first, more []copied
	for _, c := range copies {
		if slices.ContainsFunc(first, func(f copied) bool { return f.version == c.version }) {
			more = append(more, c)
		} else {
			first = append(first, c)
		}
	}
	var errs []error
	for i, c := range append(first, more...) {
		if i >= keptCopies {
			errs = append(errs, os.Remove(filepath.Join(folder, c.name)))
		}
	}
	return errors.Join(errs...)
}

// VacuumInto writes the database as it is now to a new file, without what was
// deleted from it, and returns once it is on the disk. Others may go on
// writing.
func VacuumInto(ctx context.Context, conn *sql.Conn, path string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // SQLite fills an empty file
	if err != nil {
		return err
	}
	defer func() {
		f.Close()
		if err != nil {
			RemoveDatabase(path)
		}
	}()
	if _, err := conn.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return Explain(err)
	}
	return f.Sync()
}

// RemoveDatabase removes a database with what SQLite may have left beside it:
// after a disk was full, a journal.
func RemoveDatabase(path string) {
	for _, more := range []string{"", "-journal", "-wal", "-shm"} {
		os.Remove(path + more)
	}
}

// NewestPostgres is the version of the databases of PostgreSQL's that files lead to,
// whose first has what is before it.
func NewestPostgres(files fs.FS) (int, error) {
	ms, err := ReadMigrations(files)
	if err != nil {
		return 0, err
	}
	return ms[len(ms)-1].version, nil
}

// NewestMigration is the version of the databases that files lead to.
func NewestMigration(files fs.FS) (int, error) {
	ms, err := ReadMigrations(files)
	return len(ms), err
}
