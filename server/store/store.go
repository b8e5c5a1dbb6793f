// Package store keeps everything that must outlive the process in one SQLite
// file inside the data folder: users, sessions, conversations, messages, runs
// with their logs, settings, and the ledger.
//
// Open a folder with [Open]. What belongs to somebody is asked for by owner
// first and id second; ids are UUIDs in canonical form, in a name space of
// each owner's own, so that an id of somebody else's is simply not there.
//
// Methods take and give only types of the standard library and of shared/wire,
// so that a consumer can declare the small interface it uses. Errors follow
// the same rule: errors.Is(err, fs.ErrNotExist) means not there (or not
// yours), fs.ErrExist an id already used for something else, os.ErrClosed a
// closed store, and errors.As(err, **wire.Problem) gives what a person may
// read: disk_full, data_read_only and the like.
//
// Methods that write and take a context tell truthfully whether they did: after
// an error nothing of it is stored, and what was put in place for it can be
// taken back. A context that is over writes nothing; one that ends while a write
// is under way ends nothing.
//
// Methods without a context (StartTurn, RunReplied, AppendRunLog) never wait
// for the disk: they queue the write, in order, and call done once it is
// durable or has failed. done runs on the writing goroutine (on one of its own
// if the queue is full or closed): it must return at once and not wait for
// another write. done may be nil; a failure is logged then.
//
// One goroutine writes. It commits whatever is queued together, so the wait
// for the disk (synchronous FULL) is shared; two more connections read, and
// neither side waits for the other.
package store

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"screentest/server/seal"
)

// Options of Open. The zero value is right for a server with a key file.
type Options struct {
	// SealKey is the 32-byte sealing key in base64 or hex, as in
	// SCREENTEST_SEAL_KEY. Empty: seal.key in the data folder, made on first
	// start.
	SealKey string
	Logger  *slog.Logger     // nil: discards
	Now     func() time.Time // nil: time.Now
}

// DB is an open data folder. Its methods may be called from any goroutine.
type DB struct {
	dir     string
	log     *slog.Logger
	now     func() time.Time
	lock    *flock.Flock
	pool    *sql.DB // of the writing connection
	writer  *writer
	readers *readers
	packer  *packer
	periods periods
	box     *seal.Box
	// importing holds one while an import is stored.
	importing chan struct{}

	closing sync.Once
	closed  error // what Close gives
}

// Open opens the data folder dir, makes it on first use (mode 0700), and
// brings an older database up to date after keeping a copy in its folder
// backups. Errors, each a sentence for the person who starts the server: the
// folder is in use (ErrInUse), cannot be written to, is of a newer program, is
// damaged, holds half a restore, or its sealing key is another one.
func Open(ctx context.Context, dir string, o Options) (db *DB, err error) {
	db = &DB{dir: dir, log: o.Logger, now: o.Now, importing: make(chan struct{}, 1)}
	if db.log == nil {
		db.log = slog.New(slog.DiscardHandler)
	}
	if db.now == nil {
		db.now = time.Now
	}
	if db.lock, err = lockFolder(dir, db.log); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			db.Close()
			db = nil
		}
	}()
	if err := wantFinished(dir); err != nil {
		return db, err
	}
	if db.packer, err = newPacker(); err != nil {
		return db, err
	}
	if err := db.openDatabase(ctx); err != nil {
		return db, fmt.Errorf("open %s: %w", db.path(), err)
	}
	if err := db.openBox(ctx, o.SealKey); err != nil {
		return db, err
	}
	return db, nil
}

func (db *DB) path() string { return filepath.Join(db.dir, databaseFile) }

// openDatabase migrates, then starts the writer and the readers.
func (db *DB) openDatabase(ctx context.Context) error {
	if err := privateFile(db.path(), db.log); err != nil {
		return err
	}
	ms, err := ownMigrations()
	if err != nil {
		return err
	}
	if err := inspect(ctx, db.path(), len(ms)); err != nil {
		return err
	}
	if db.pool, err = openSQLite(db.path(), writerSettings, 1); err != nil {
		return err
	}
	conn, err := db.pool.Conn(ctx)
	if err != nil {
		return explain(err)
	}
	keep := func(version int) (drop func(), err error) {
		path, err := keepCopy(ctx, conn, db.path(), version, db.now())
		if err == nil {
			db.log.Info("kept a copy of the database before migrating it", "file", path)
		}
		return func() { removeDatabase(path) }, err
	}
	if err := migrate(ctx, conn, ms, keep, db.log); err != nil {
		return errors.Join(err, conn.Close())
	}
	if err := dropOldCopies(db.path()); err != nil {
		db.log.Warn("old copies of the database were not removed", "err", err)
	}
	if db.readers, err = openReaders(ctx, db.path()); err != nil {
		return errors.Join(err, conn.Close())
	}
	db.writer = startWriter(conn, db.log, &db.periods)
	if err := db.dropStaged(ctx); err != nil {
		db.log.Error("what an import that was broken off has left is hidden, and not deleted yet", "err", err)
	}
	return nil
}

// What openBox seals to recognise the key again.
const (
	sealCheckName = "seal_check"
	sealCheckText = "Screentest"
)

// openBox finds the sealing key and makes sure that it is the one this folder
// was sealed with: a new key in its place would lose every sealed value
// without a word.
func (db *DB) openBox(ctx context.Context, text string) error {
	var check []byte
	err := db.readers.at(ctx).scan("SELECT value FROM meta WHERE name = ?", []any{sealCheckName}, &check)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	sealed := err == nil

	file := filepath.Join(db.dir, sealKeyFile)
	from := file
	switch {
	case text != "":
		from = "SCREENTEST_SEAL_KEY"
		var key []byte
		if key, err = seal.ParseKey(text); err == nil {
			db.box, err = seal.New(key)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", from, err)
		}
	case sealed:
		db.box, err = seal.Load(file, db.log)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is missing, and the data folder holds keys that are sealed with it. Put the file back, or give its key in SCREENTEST_SEAL_KEY: %w", file, err)
		}
	default:
		db.box, err = seal.LoadOrCreate(file, db.log)
	}
	if err != nil {
		return err
	}

	if sealed {
		plain, err := db.box.Open(sealCheckName, "", check)
		if err != nil || subtle.ConstantTimeCompare(plain, []byte(sealCheckText)) != 1 {
			return fmt.Errorf("%s is not the sealing key that this data folder was sealed with. Give the right one; nothing was changed: %w", from, seal.ErrOpen)
		}
		return nil
	}
	value := db.box.Seal(sealCheckName, "", []byte(sealCheckText))
	return db.writer.write(ctx, len(value), func(t *tx) error {
		_, err := t.exec("INSERT INTO meta (name, value) VALUES (?, ?)", sealCheckName, value)
		return err
	})
}

// Close finishes the writes that are queued, closes the database, and releases
// the folder. Later calls give os.ErrClosed, but for a second Close, which
// gives what the first did.
func (db *DB) Close() error {
	db.closing.Do(func() {
		var errs []error
		if db.writer != nil {
			errs = append(errs, db.writer.close())
		}
		if db.readers != nil {
			errs = append(errs, db.readers.close())
		}
		if db.pool != nil {
			errs = append(errs, db.pool.Close()) // the last connection: it empties the write-ahead log
		}
		errs = append(errs, db.lock.Close())
		db.closed = errors.Join(errs...)
	})
	return db.closed
}
