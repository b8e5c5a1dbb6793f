// Package store keeps everything that must outlive the process in one SQLite
// file inside the data folder, or in a database of PostgreSQL that several
// processes share: users, sessions, conversations, messages, runs with their logs,
// settings, and the ledger.
//
// Open either with [Open]. What belongs to somebody is asked for by owner
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
// Each idea is a room of its own over package engine: chat, ledger,
// search, video and people have their SQL, each method one transaction of the
// engine or a part of somebody's. Two things cross: the end of a run or the start
// of a clip is booked in the transaction that stores it (ledger.Books.Book), and
// whatever can be found is noted in the one that writes it (search.Index). This
// package opens the folder and puts the rooms together.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"screentest/server/seal"
	"screentest/server/store/approvals"
	"screentest/server/store/audit"
	"screentest/server/store/chain"
	"screentest/server/store/chat"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/leaving"
	"screentest/server/store/ledger"
	"screentest/server/store/notices"
	"screentest/server/store/people"
	"screentest/server/store/ranking"
	"screentest/server/store/replicas"
	"screentest/server/store/review"
	"screentest/server/store/schema"
	"screentest/server/store/sealed"
	"screentest/server/store/search"
	"screentest/server/store/share"
	"screentest/server/store/teamlibrary"
	"screentest/server/store/transfer"
	"screentest/server/store/video"
	"screentest/shared/wire"
)

// Options of Open. The zero value is right for a server with a key file.
type Options struct {
	// Database is the address of one of PostgreSQL's, postgres://…, in the place of
	// the file in the data folder; then SealKey must be given, since the folder is
	// one replica's and the database is all of theirs.
	Database string
	// SealKey is the 32-byte sealing key in base64 or hex, as in
	// SCREENTEST_SEAL_KEY, or several with commas between them: the first seals,
	// and all open. Empty: seal.key in the data folder, made on first start.
	SealKey string
	Logger  *slog.Logger     // nil: discards
	Now     func() time.Time // nil: time.Now
	// FilesElsewhere says that clips, posters and uploads aren't in the data folder.
	FilesElsewhere bool
	// Moving says that it is opened to be moved, and not to be served: a note that a
	// move of it is under way stays.
	Moving bool
	// Committed is told how long a group of writes took, Booked of each row of
	// the ledger once it is durable, where what came back is below 0. Both must
	// return at once; nil: nobody is told.
	Committed func(took time.Duration)
	Booked    func(what string, nanoUSD int64)
}

// DB is an open data folder: its parts, each with an idea of its own, over one
// database. Its methods may be called from any goroutine.
type DB struct {
	*chat.Chat
	*ledger.Books
	*search.Finder
	*people.Register
	*transfer.Transfer
	videos *video.Videos
	ranks  *ranking.Rankings
	audit  *audit.Log
	leave  *leaving.Leavings
	notes  *notices.Notices
	shelf  *teamlibrary.Library
	shares *share.Shares
	asked  *approvals.Approvals
	review *review.Reviews
	others *replicas.Replicas // nil: a folder is one process's

	dir    string
	log    *slog.Logger
	lock   *flock.Flock
	engine *engine.DB
	box    *seal.Box
	// elsewhere says that files are.
	elsewhere bool
	// chained says that the ledger was, when the folder was opened.
	chained bool

	closing sync.Once
	closed  error // what Close gives
}

// Engine returns the database under the parts, for who looks at all of it.
func (db *DB) Engine() *engine.DB { return db.engine }

// Replicas returns the processes that serve the database, which is PostgreSQL's.
func (db *DB) Replicas() *replicas.Replicas { return db.others }

// Derive returns a key of 32 bytes for a purpose, from the sealing key.
func (db *DB) Derive(purpose string) []byte { return db.box.Derive(purpose) }

// FileLock is the lock under which the file of a SHA-256 comes into use or goes out of
// it, of all processes that have the database; nil where this is the only one. still
// fails where it isn't held any more.
func (db *DB) FileLock() func(ctx context.Context, sha []byte) (still func(context.Context) error, unlock func(), err error) {
	if locks := db.engine.Locks(); locks != nil {
		return locks.Lock
	}
	return nil
}

// DeriveOthers returns those of the other sealing keys, which are being replaced or are
// to replace the first.
func (db *DB) DeriveOthers(purpose string) [][]byte { return db.box.DeriveOthers(purpose) }

// SealKeys are the ids of the sealing keys, the first of which seals.
func (db *DB) SealKeys() []string { return db.box.IDs() }

// SealAnew seals with the first sealing key what others have sealed, a few rows at a
// time, so that those can be dropped. With a single key it changes nothing, and only
// looks which values don't open.
func (db *DB) SealAnew(ctx context.Context) (sealed.Report, error) {
	return sealed.Anew(ctx, db.engine, db.box, slices.Concat(chain.Sealed(), people.Sealed(), video.Sealed()))
}

// Audit returns what happened on the instance.
func (db *DB) Audit() *audit.Log { return db.audit }

// Leavings returns who is being seen off.
func (db *DB) Leavings() *leaving.Leavings { return db.leave }

// Notices returns what people are told in the page.
func (db *DB) Notices() *notices.Notices { return db.notes }

// TeamLibrary returns the prompts and settings of teams.
func (db *DB) TeamLibrary() *teamlibrary.Library { return db.shelf }

// Rankings returns the votes of teams.
func (db *DB) Rankings() *ranking.Rankings { return db.ranks }

// Shares returns what people show each other.
func (db *DB) Shares() *share.Shares { return db.shares }

// Approvals returns the clips that wait until they are released.
func (db *DB) Approvals() *approvals.Approvals { return db.asked }

// Reviews returns what people say of clips.
func (db *DB) Reviews() *review.Reviews { return db.review }

// Videos returns the video tasks.
func (db *DB) Videos() *video.Videos { return db.videos }

// Open opens the data folder dir, makes it on first use (mode 0700), and
// brings an older database up to date after keeping a copy in its folder
// backups. Errors, each a sentence for the person who starts the server: the
// folder is in use (ErrInUse), cannot be written to, is of a newer program, is
// damaged, holds half a restore or half a move, or its sealing key is another one.
func Open(ctx context.Context, dir string, o Options) (_ *DB, err error) {
	db := &DB{dir: dir, log: o.Logger, elsewhere: o.FilesElsewhere}
	if db.log == nil {
		db.log = slog.New(slog.DiscardHandler)
	}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	if db.lock, err = folder.Lock(dir, db.log); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			db.Close()
		}
	}()
	if err := folder.WantFinished(dir); err != nil {
		return nil, err
	}
	index := search.NewIndex()
	if err := db.openEngine(ctx, index, now, o); err != nil {
		return nil, err
	}
	if err := db.noteServed(ctx, o.Moving); err != nil {
		return nil, err
	}
	if err := db.openBox(ctx, o.SealKey); err != nil {
		return nil, err
	}
	db.Register = people.New(db.engine, db.box, now)
	db.Books = ledger.New(db.engine, db.box, now)
	db.Books.Booked = o.Booked
	db.audit = audit.New(db.engine, db.box, now, db.log)
	if err := db.takeIn(ctx); err != nil {
		return nil, fmt.Errorf("chain the ledger of before: %w", err)
	}
	db.leave = leaving.New(db.engine, index, db.audit, now)
	db.notes = notices.New(db.engine, now)
	db.shelf = teamlibrary.New(db.engine, db.audit, now)
	db.review = review.New(db.engine, now)
	db.Finder = search.NewFinder(db.engine, index, now)
	if db.Chat, err = chat.New(db.engine, db.Books, index, db.log, now); err != nil {
		return nil, err
	}
	db.Transfer = transfer.New(db.Chat, now)
	db.videos = video.New(db.engine, db.Books, index, db.Register, db.box, db.log)
	db.ranks = ranking.New(db.engine)
	if db.shares, err = share.New(db.engine, now); err != nil {
		return nil, err
	}
	db.asked = approvals.New(db.engine, db.videos, db.audit, now)
	if db.engine.ReadOnly() != nil {
		return db, nil
	}
	if err := db.Chat.DropStaged(ctx); err != nil {
		db.log.Error("what an import that was broken off has left is hidden, and not deleted yet", "err", err)
	}
	return db, nil
}

func (db *DB) openEngine(ctx context.Context, index *search.Index, now func() time.Time, o Options) (err error) {
	options := engine.Options{Migrations: schema.Files, Follower: index, Now: now, Committed: o.Committed, Logger: db.log}
	if o.Database != "" {
		if o.SealKey == "" {
			return errors.New("SCREENTEST_SEAL_KEY is missing: what -database holds is sealed with it, by each replica. Give the one that all replicas have; for a new database openssl rand -base64 32 makes one")
		}
		options.Migrations = schema.Postgres
		if db.engine, err = engine.OpenPostgres(ctx, o.Database, options); err != nil {
			return fmt.Errorf("open the database: %w", err)
		}
		db.others = replicas.New(db.engine)
		return folder.NoteElsewhere(db.dir, db.engine.Postgres.Address())
	}
	path := folder.DatabaseIn(db.dir)
	if err = folder.MakePrivate(path, db.log); err != nil {
		return err
	}
	if db.engine, err = engine.Open(ctx, path, options); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	return folder.NoteElsewhere(db.dir, "")
}

// noteServed refuses what half a move has been made to. Of what a move was begun
// from it takes the note of that away: what is written from now on wasn't copied.
func (db *DB) noteServed(ctx context.Context, moving bool) error {
	var in, out bool
	err := db.engine.At(ctx).Scan("SELECT EXISTS (SELECT 1 FROM meta WHERE name = ?), EXISTS (SELECT 1 FROM meta WHERE name = ?)",
		[]any{engine.MovingInName, engine.MovingOutName}, &in, &out)
	switch {
	case err != nil:
		return err
	case in:
		return &engine.Error{Problem: wire.Problem{Code: "half_moved", Message: "What is there is half a move.", Hint: "Call screentest move again: it goes on."}}
	case !out || moving || db.engine.ReadOnly() != nil:
		return nil
	}
	return db.engine.Write(ctx, 0, func(w *engine.Tx) error {
		_, err := w.Exec("DELETE FROM meta WHERE name = ?", engine.MovingOutName)
		return err
	})
}

// takeIn takes what was booked before the ledger had a chain into it. That is the
// first line of a folder's audit, also of a new one: who finds it anywhere else
// knows that somebody had the ledger chained anew.
func (db *DB) takeIn(ctx context.Context) error {
	if db.chained {
		return nil // and stays so, whatever somebody has written into the database
	}
	return db.Books.TakeIn(ctx, func(w *engine.Tx, rows int64) error {
		if rows > 0 {
			db.log.Info("chained the ledger of before", "rows", rows)
		}
		if _, err := w.Exec("UPDATE meta SET value = ? WHERE name = ?", db.box.Seal(folder.SealCheck, "", []byte(folder.SealCheckChained)), folder.SealCheck); err != nil {
			return err
		}
		return db.audit.Append(w, audit.Entry{Action: "ledger.chained", Detail: map[string]any{"rows": rows}})
	})
}

// openBox finds the sealing key and makes sure that it is the one this folder
// was sealed with: a new key in its place would lose every sealed value
// without a word.
func (db *DB) openBox(ctx context.Context, text string) error {
	given := text
	var check []byte
	err := db.engine.At(ctx).Scan("SELECT value FROM meta WHERE name = ?", []any{folder.SealCheck}, &check)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	known := err == nil

	file := filepath.Join(db.dir, folder.SealKeyFile)
	from := file
	switch {
	case text != "":
		from = "SCREENTEST_SEAL_KEY"
		if db.box, err = seal.Parse(text); err != nil {
			err = fmt.Errorf("%s: %w", from, err)
		}
	case known:
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

	if known {
		if err := db.recognise(ctx, from, check); err != nil {
			return err
		}
		return nil
	}
	// A folder that was in use had one. That it is gone makes no older folder of it,
	// whose ledger is to be chained: whoever removed it would have theirs sealed.
	var used bool
	if err := db.engine.At(ctx).Scan("SELECT EXISTS (SELECT 1 FROM users)", nil, &used); err != nil {
		return err
	}
	text = folder.SealCheckText
	if used {
		db.chained, text = true, folder.SealCheckChained
	}
	value := db.box.Seal(folder.SealCheck, "", []byte(text))
	first := false
	err = db.engine.Write(ctx, len(value), func(t *engine.Tx) error {
		res, err := t.Exec("INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", folder.SealCheck, value)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		first = n == 1
		return err
	})
	switch {
	case err == nil && !first: // another one was started at the same time, and its key counts
		return db.openBox(ctx, given)
	case err == nil && used:
		db.log.Error("the note of which key the data folder was sealed with is gone: something else has written into its database")
	}
	return err
}

// recognise makes sure that a key is the one that the probe was sealed with. Where that is
// another than the first, the first seals it from here on: who hasn't got that one is
// refused, because it could not read what is written.
func (db *DB) recognise(ctx context.Context, from string, check []byte) error {
	plain, err := db.box.Open(folder.SealCheck, "", check)
	db.chained = string(plain) == folder.SealCheckChained
	if err != nil || !db.chained && string(plain) != folder.SealCheckText {
		which := ""
		if id := seal.IDOf(check); id != "" {
			which = fmt.Sprintf(": that one has the id %s, and here is %s", id, strings.Join(db.box.IDs(), ", "))
		}
		what := "data folder"
		if db.engine.Postgres != nil {
			what = "database"
		}
		return fmt.Errorf("%s is not the sealing key that this %s was sealed with%s. Give the right one; nothing was changed: %w", from, what, which, seal.ErrOpen)
	}
	if db.box.Newest(check) || len(db.box.IDs()) == 1 || db.engine.ReadOnly() != nil {
		return nil
	}
	value := db.box.Seal(folder.SealCheck, "", plain)
	return db.engine.Write(ctx, len(value), func(t *engine.Tx) error {
		_, err := t.Exec("UPDATE meta SET value = ? WHERE name = ? AND value = ?", value, folder.SealCheck, check)
		return err
	})
}

// Close finishes the writes that are queued, closes the database, and releases
// the folder. Later calls give os.ErrClosed, but for a second Close, which
// gives what the first did.
func (db *DB) Close() error {
	db.closing.Do(func() {
		var errs []error
		if db.audit != nil {
			db.audit.Close()
		}
		if db.others != nil {
			errs = append(errs, db.others.Close())
		}
		if db.engine != nil {
			errs = append(errs, db.engine.Close())
		}
		errs = append(errs, db.lock.Close())
		db.closed = errors.Join(errs...)
	})
	return db.closed
}
