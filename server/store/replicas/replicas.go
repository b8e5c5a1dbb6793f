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

	"screentest/server/store/engine"
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
	// beating is a connection of its own: who is there doesn't hang on what else is
	// asked.
	beating *sql.DB
}

// New returns the replicas of a database of PostgreSQL's. Close it.
func New(db *engine.DB) *Replicas { return &Replicas{db, db.Postgres.Open(1)} }

// Close ends the connection of the beats.
func (r *Replicas) Close() error { return r.beating.Close() }

// nowMS is the database's time, in Unix milliseconds.
const nowMS = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"

// Join makes this process one of the replicas. One that had the same address is
// gone, since this one listens there: what it held is taken over. So is one that had
// none, as this one has: it was alone, and so is this one, which may be the same
// server started again after a kill. n is this one's number.
func (r *Replicas) Join(ctx context.Context, address, version string) (n int64, err error) {
	err = r.db.Write(ctx, 0, func(w *engine.Tx) (err error) {
		if n, err = w.Insert("INSERT INTO replicas (address, version, joined_ms) VALUES (?, ?, "+nowMS+")", address, version); err != nil {
			return err
		}
		from := []int64{0}
		err = w.Each(ctx, "SELECT n FROM replicas WHERE gone_ms = 0 AND address = ? AND n <> ?", []any{address, n}, func(rows *sql.Rows) error {
			var before int64
			err := rows.Scan(&before)
			from = append(from, before)
			return err
		})
		for _, f := range from {
			if err == nil {
				_, err = w.Exec(goneSince, n, f)
			}
			if err == nil {
				err = take(w, f, n)
			}
		}
		return err
	})
	if err == nil {
		r.db.Settle(engine.Settled{Holder: n, Query: fmt.Sprintf("SELECT 1 FROM replicas WHERE n = %d AND gone_ms = 0", n)})
	}
	return n, err
}

// Beat counts that this process is there, and gives all that are, itself too. It
// waits for no write. [engine.ErrUnsettled]: it was found gone.
func (r *Replicas) Beat(ctx context.Context) (there []Replica, err error) {
	var beats int64
	err = r.beating.QueryRowContext(ctx, "UPDATE replicas SET beats = beats + 1 WHERE n = ? AND gone_ms = 0 RETURNING beats", r.db.Holder()).Scan(&beats)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, engine.ErrUnsettled
	}
	if err != nil {
		return nil, err
	}
	rows, err := r.beating.QueryContext(ctx, "SELECT n, address, version, beats, leaving FROM replicas WHERE gone_ms = 0 ORDER BY n")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var x Replica
		if err := rows.Scan(&x.N, &x.Address, &x.Version, &x.Beats, &x.Leaving); err != nil {
			return nil, err
		}
		there = append(there, x)
	}
	return there, rows.Err()
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
		OR EXISTS (SELECT 1 FROM video_tasks WHERE holder = 0 AND state IN ('creating', 'unknown', 'queued', 'running'))
		OR EXISTS (SELECT 1 FROM video_outputs o JOIN video_tasks t ON t.n = o.task WHERE o.archive IN ('waiting', 'copying', 'full') AND t.holder = 0)`, nil, &some)
	if err != nil || !some {
		return false, err
	}
	return true, r.db.Write(ctx, 0, func(w *engine.Tx) error { return take(w, 0, w.Holder()) })
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
