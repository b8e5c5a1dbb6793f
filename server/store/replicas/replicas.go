// Package replicas knows the processes that serve one PostgreSQL database, and what
// each of them holds: the answers and clips that are under way there.
//
// A replica that is found gone is so for ever. Who finds it, in one transaction that
// one of them wins, takes over what it held; from then on nothing that it writes is
// stored ([engine.Settled]), however late it wakes up.
package replicas

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// A Replica is one of the processes.
type Replica struct {
	N       int64
	Address string // at which the others reach it, "": at none
	Version string
	Beats   int64 // counts on while it is there
	Leaving bool  // takes nothing new
}

// Replicas are the processes that serve a database.
type Replicas struct {
	db *engine.DB
	// watch is how long those are watched in whose place Join would put this process.
	watch time.Duration
	// beats has a connection of its own: who is there doesn't hang on what else is asked.
	beats *line
}

// New returns the replicas of a database of PostgreSQL's. Close it.
func New(db *engine.DB) *Replicas {
	return &Replicas{db: db, watch: watchFor, beats: newLine(func() *sql.DB { return db.Postgres.Open(1) }, beat)}
}

// Close ends the connection of the beats.
func (r *Replicas) Close() error { return r.beats.close() }

// nowMS is the database's time, in Unix milliseconds.
const nowMS = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"

// beat is one statement: an answer may be half a second away.
const beat = `WITH counted AS (UPDATE replicas SET beats = beats + 1 WHERE n = ? AND gone_ms = 0 RETURNING n)
	SELECT n, address, version, beats, leaving, EXISTS (SELECT 1 FROM counted) FROM replicas WHERE gone_ms = 0 ORDER BY n`

// Join makes this process one of the replicas. One that had the same address is
// gone, since this one listens there: what it held is taken over. Where this one has
// none it is alone, and all others are gone: it may be the same server started again
// after a kill, or the database a copy of one that replicas served. One that is there is
// left so, and it is an error. n is this one's number.
func (r *Replicas) Join(ctx context.Context, address, version string) (n int64, err error) {
	before, err := r.wantSilent(ctx, address)
	if err != nil {
		return 0, err
	}
	err = r.db.Write(ctx, 0, func(w *engine.Tx) error {
		if err := wantServed(w); err != nil {
			return err
		}
		now, err := rivalsOf(func(query string, args []any, fn func(*sql.Rows) error) error { return w.Each(ctx, query, args, fn) }, address)
		if err != nil {
			return err
		}
		if err := wantOnly(before, now, address); err != nil {
			return err
		}
		if n, err = w.Insert("INSERT INTO replicas (address, version, joined_ms) VALUES (?, ?, "+nowMS+")", address, version); err != nil {
			return err
		}
		if err := take(w, 0, n); err != nil {
			return err
		}
		for _, x := range now {
			if x.address != address && address != "" {
				continue
			}
			if _, err := w.Exec(goneSince, n, x.n); err != nil {
				return err
			}
			if err := take(w, x.n, n); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		r.db.Settle(engine.Settled{Holder: n, Query: fmt.Sprintf("SELECT 1 FROM replicas WHERE n = %d AND gone_ms = 0", n)})
	}
	return n, err
}

// wantServed refuses a database that is moved: who comes after the move has begun would
// write what is not moved. Who came before is let go by the move ([LetAllGo]), or has no
// row any more where all is moved to.
func wantServed(w *engine.Tx) error {
	names, err := engine.Column[string](w, "SELECT name FROM meta WHERE name IN (?, ?, ?)", engine.MovedName, engine.MovingInName, engine.MovingOutName)
	if err != nil || len(names) == 0 {
		return err
	}
	return &engine.Error{Problem: wire.Problem{Code: "being_moved", Message: "The database is being moved, or was moved since this server began to start.",
		Hint: "Wait until screentest move is done, and start it again: it tells then what became of it."}}
}

// Beat counts that this process is there, and gives all that are, itself too, as they
// were before. It waits for no write, and not long for an answer. [engine.ErrUnsettled]:
// it was found gone.
func (r *Replicas) Beat(ctx context.Context) (there []Replica, err error) {
	counted := false
	var all []Replica
	err = r.beats.ask(ctx, []any{r.db.Holder()}, func(rows *sql.Rows) error {
		var x Replica
		err := rows.Scan(&x.N, &x.Address, &x.Version, &x.Beats, &x.Leaving, &counted)
		all = append(all, x)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !counted {
		return nil, engine.ErrUnsettled
	}
	return all, nil
}

// TakeOver takes what the replica n held, which is gone from then on. won is false
// where another one did so first.
func (r *Replicas) TakeOver(ctx context.Context, n int64) (won bool, err error) {
	err = r.db.Write(ctx, 0, func(w *engine.Tx) error {
		won = false
		res, err := w.Exec(goneSince, w.Holder(), n)
		if err != nil {
			return err
		}
		if rows, err := res.RowsAffected(); err != nil || rows == 0 {
			return err
		}
		won = true
		return take(w, n, w.Holder())
	})
	return won && err == nil, err
}

const goneSince = "UPDATE replicas SET gone_ms = " + nowMS + ", taken_by = ? WHERE n = ? AND gone_ms = 0"

// held is what has a holder, with what it is of that is still to be done.
var held = [...]string{
	"UPDATE runs SET holder = ?1 WHERE holder = ?2 AND state = 'running'",
	`UPDATE video_tasks SET holder = ?1 WHERE holder = ?2 AND (state IN ('creating', 'unknown', 'queued', 'running')
		OR n IN (SELECT task FROM video_outputs WHERE archive IN ('waiting', 'copying', 'full')))`,
	"UPDATE reservations SET holder = ?1 WHERE holder = ?2",
	"UPDATE leavings SET holder = ?1 WHERE holder = ?2",
}

// take gives what n held to another one, or to nobody for 0.
func take(w *engine.Tx, n, to int64) error {
	for _, query := range held {
		if _, err := w.Exec(query, to, n); err != nil {
			return err
		}
	}
	return nil
}

// Adopt takes what nobody holds: what a replica that left by itself has left, or what
// came from a folder. some is false where there is nothing.
func (r *Replicas) Adopt(ctx context.Context) (some bool, err error) {
	err = r.db.At(ctx).Scan(`SELECT EXISTS (SELECT 1 FROM runs WHERE state = 'running' AND holder = 0)
		OR EXISTS (SELECT 1 FROM leavings WHERE holder = 0)
		OR EXISTS (SELECT 1 FROM reservations WHERE holder = 0)
		OR EXISTS (SELECT 1 FROM video_tasks WHERE holder = 0 AND state IN ('creating', 'unknown', 'queued', 'running'))
		OR EXISTS (SELECT 1 FROM video_outputs o JOIN video_tasks t ON t.n = o.task WHERE o.archive IN ('waiting', 'copying', 'full') AND t.holder = 0)`, nil, &some)
	if err != nil || !some {
		return false, err
	}
	return true, r.db.Write(ctx, 0, func(w *engine.Tx) error { return take(w, 0, w.Holder()) })
}

// LetAllGo says of all replicas that they are gone, for good: one that was only stopped
// for long writes nothing more. What they held is nobody's then.
func LetAllGo(w *engine.Tx) error {
	all, err := engine.Column[int64](w, "SELECT n FROM replicas WHERE gone_ms = 0")
	if err != nil {
		return err
	}
	for _, n := range all {
		if err := take(w, n, 0); err != nil {
			return err
		}
	}
	_, err = w.Exec("UPDATE replicas SET gone_ms = " + nowMS + " WHERE gone_ms = 0")
	return err
}

// Leave says that this process takes nothing new.
func (r *Replicas) Leave(ctx context.Context) error {
	return r.db.Write(ctx, 0, func(w *engine.Tx) error {
		_, err := w.Exec("UPDATE replicas SET leaving = 1 WHERE n = ?", w.Holder())
		return err
	})
}

// Left says that this process has ended: what it holds is nobody's, and it writes
// no more.
func (r *Replicas) Left(ctx context.Context) error {
	return r.db.Write(ctx, 0, func(w *engine.Tx) error {
		if err := take(w, w.Holder(), 0); err != nil {
			return err
		}
		_, err := w.Exec("UPDATE replicas SET gone_ms = "+nowMS+" WHERE n = ?", w.Holder())
		return err
	})
}

// Holds is the replica that a running answer of an owner's is of, as far as it is
// there. fs.ErrNotExist: the run isn't running, or is nobody's.
func (r *Replicas) Holds(ctx context.Context, owner, run string) (n int64, err error) {
	id, _ := engine.ParseID(run)
	return r.holds(ctx, "SELECT holder FROM runs WHERE owner = ? AND id = ? AND state = 'running'", owner, id)
}

// ClipHolder is the replica that a clip is of, which is there: this one takes it where
// it is nobody's, or of one that is gone.
func (r *Replicas) ClipHolder(ctx context.Context, owner, task string) (n int64, err error) {
	id, _ := engine.ParseID(task)
	args := []any{engine.ParseOwner(owner), id}
	const query = `SELECT t.holder, EXISTS (SELECT 1 FROM replicas x WHERE x.n = t.holder AND x.gone_ms = 0) FROM video_tasks t WHERE t.owner = ? AND t.id = ?`
	find := func(q engine.Scanner) (there bool, err error) {
		err = q.Scan(query, args, &n, &there)
		if errors.Is(err, sql.ErrNoRows) {
			err = engine.NotFound("video task")
		}
		return there, err
	}
	if there, err := find(r.db.At(ctx)); err != nil || there {
		return n, err
	}
	err = r.db.Write(ctx, 0, func(w *engine.Tx) error {
		if there, err := find(w); err != nil || there {
			return err
		}
		n = w.Holder()
		_, err := w.Exec("UPDATE video_tasks SET holder = ? WHERE owner = ? AND id = ?", append([]any{n}, args...)...)
		return err
	})
	return n, err
}

// HoldsClip is the replica that a clip is of that is being made or copied.
func (r *Replicas) HoldsClip(ctx context.Context, owner, task string) (n int64, err error) {
	id, _ := engine.ParseID(task)
	return r.holds(ctx, "SELECT holder FROM video_tasks WHERE owner = ? AND id = ?", owner, id)
}

func (r *Replicas) holds(ctx context.Context, query, owner string, id []byte) (n int64, err error) {
	err = r.db.At(ctx).Scan(query, []any{engine.ParseOwner(owner), id}, &n)
	if errors.Is(err, sql.ErrNoRows) || err == nil && n == 0 {
		return 0, engine.NotFound("replica")
	}
	return n, err
}

// Clock is the database's time, in Unix milliseconds.
func (r *Replicas) Clock(ctx context.Context) (ms int64, err error) {
	err = r.db.At(ctx).Scan("SELECT "+nowMS, nil, &ms)
	return ms, err
}
