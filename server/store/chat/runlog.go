package chat

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"screentest/server/store/engine"
	"screentest/server/store/pack"
	"screentest/shared/wire"
)

// pieceSize is how many log bytes are compressed together once a run ended:
// what a read in the middle of a log has to unpack.
const pieceSize = 256 << 10

// keepFrom is how many bytes the stretches of a log have on average for them to
// stay as they are when the run ends. Smaller ones compress much better
// together.
const keepFrom = 16 << 10

// logEnd is the length of the stored log of the run r.
const logEnd = "coalesce((SELECT start + size FROM run_log WHERE run = r.n ORDER BY start DESC LIMIT 1), 0)"

// AppendRunLog queues bytes of a running run's log, starting at offset from,
// with their part of the time index: bytes in the caller's own encoding, which
// are given back by RunTimes in order and joined. from must be the length
// stored so far; a stretch that is already stored whole is no error. p and
// times must not be changed until done.
func (c *Chat) AppendRunLog(owner, run string, from int64, p, times []byte, done func(error)) {
	who := engine.ParseOwner(owner)
	c.db.Post(len(p)+len(times), func(w *engine.Tx) error {
		id, _ := engine.ParseID(run)
		var n, end int64
		var state wire.RunState
		err := w.Scan("SELECT n, state, "+logEnd+" FROM runs r WHERE owner = ? AND id = ?", []any{who, id}, &n, &state, &end)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return engine.NotFound("run")
		case err != nil:
			return err
		case state != wire.Running:
			return engine.Conflict("This run has ended; its log does not grow.")
		case from+int64(len(p)) <= end:
			return nil
		case from != end:
			return fmt.Errorf("append to the log of run %s: from %d, but %d bytes are stored", run, from, end)
		}
		return insertLog(w, who, n, from, p, times, c.packer)
	}, done)
}

// insertLog stores one stretch.
func insertLog(w *engine.Tx, owner, run, start int64, p, times []byte, z *pack.Packer) error {
	coding, data := z.Pack(p)
	timesCoding, packed := z.Pack(times)
	return insertPiece(w, owner, run, piece{start, len(p), coding, data, timesCoding, packed})
}

// A piece is a stretch of a log as it is stored.
type piece struct {
	start       int64
	size        int
	coding      int
	data        []byte
	timesCoding int
	times       []byte
}

func insertPiece(w *engine.Tx, owner, run int64, p piece) error {
	_, err := w.Exec("INSERT INTO run_log (owner, run, start, size, coding, data, times_coding, times) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		owner, run, p.start, p.size, p.coding, p.data, p.timesCoding, p.times)
	return err
}

// pieces compresses log, whose first byte is at offset start of a run's log.
// The time index goes with the first piece.
func pieces(z *pack.Packer, start int64, log, times []byte) []piece {
	var ps []piece
	for len(log) > 0 || len(times) > 0 {
		p := piece{start: start, size: min(len(log), pieceSize)}
		p.coding, p.data = z.Pack(log[:p.size])
		p.timesCoding, p.times = z.Pack(times)
		ps = append(ps, p)
		start, log, times = start+int64(p.size), log[p.size:], nil
	}
	return ps
}

// An extent is how much of a log is stored, and in how many stretches.
type extent struct{ count, end int64 }

// selectExtent gives that of the run r.
const selectExtent = "(SELECT count(*) FROM run_log WHERE run = r.n), " + logEnd

// stays says that what is stored of a log of so many bytes is as large as to stay.
func (e extent) stays(size int) bool {
	return e.count > 0 && e.end <= int64(size) && e.end >= e.count*keepFrom
}

// A whole is the log of a run that ended, ready to be stored: kept stays as it
// is, and pieces come after it.
type whole struct {
	log, times []byte
	kept       extent
	pieces     []piece
}

// prepareLog compresses what has to be, before the writing goroutine is asked.
// What was appended in large stretches stays: it is compressed already, and
// doing it again was half of what a fast run's log cost.
func (c *Chat) prepareLog(ctx context.Context, owner int64, id, log, times []byte) (w whole, err error) {
	w = whole{log: log, times: times}
	var run int64
	var stored extent
	err = c.db.At(ctx).Scan("SELECT r.n, "+selectExtent+" FROM runs r WHERE owner = ? AND id = ?", []any{owner, id}, &run, &stored.count, &stored.end)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return w, err
	}
	var keptTimes []byte
	if stored.stays(len(log)) {
		// What comes in between shows when the log is stored.
		if keptTimes, err = c.readTimes(c.db.At(ctx), run); err != nil {
			return w, err
		}
		if bytes.HasPrefix(times, keptTimes) {
			w.kept = stored
		}
	}
	if w.kept == (extent{}) {
		keptTimes = nil
	}
	w.pieces = pieces(c.packer, w.kept.end, log[w.kept.end:], times[len(keptTimes):])
	return w, nil
}

// size is how many bytes are left to write.
func (w whole) size() (n int) {
	for _, p := range w.pieces {
		n += len(p.data) + len(p.times)
	}
	return n
}

// storeLog puts the whole log in place of what is stored, which is e.
func storeLog(t *engine.Tx, owner, run int64, e extent, w whole, z *pack.Packer) error {
	if w.kept != (extent{}) && e != w.kept {
		// A stretch came in between.
		w.kept, w.pieces = extent{}, pieces(z, 0, w.log, w.times)
	}
	if w.kept == (extent{}) && e.count > 0 {
		if _, err := t.Exec("DELETE FROM run_log WHERE run = ?", run); err != nil {
			return err
		}
	}
	for _, p := range w.pieces {
		if err := insertPiece(t, owner, run, p); err != nil {
			return err
		}
	}
	return nil
}

// ReadRunLog returns up to limit bytes of a run's stored log from offset from;
// none at its end. Of a run under way it reads what has reached the disk.
func (c *Chat) ReadRunLog(ctx context.Context, owner, id string, from int64, limit int) ([]byte, error) {
	if from < 0 || limit < 0 {
		return nil, engine.BadField("bad_offset", "from", "A log is read from offset 0 on.")
	}
	var out []byte
	err := c.db.Snapshot(ctx, func(q engine.Reading) error {
		run, err := findRun(q, owner, id)
		if err != nil || limit == 0 {
			return err
		}
		out = make([]byte, 0, min(limit, pieceSize))
		enough := errors.New("enough")
		err = q.Each(`SELECT start, coding, data FROM run_log WHERE run = ?1
			AND start >= coalesce((SELECT start FROM run_log WHERE run = ?1 AND start <= ?2 ORDER BY start DESC LIMIT 1), 0) ORDER BY start`,
			[]any{run, from}, func(rows *sql.Rows) error {
				var start int64
				var coding int
				var data sql.RawBytes
				if err := rows.Scan(&start, &coding, &data); err != nil {
					return err
				}
				had := len(out)
				if out, err = c.packer.Unpack(out, coding, data); err != nil {
					return err
				}
				if skip := from - start; skip > 0 { // the first is read from its middle
					out = append(out[:had], out[had+min(int(skip), len(out)-had):]...)
				}
				if len(out) >= limit {
					out = out[:limit]
					return enough
				}
				return nil
			})
		if errors.Is(err, enough) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// RunTimes returns the time index stored with a run's log, joined.
func (c *Chat) RunTimes(ctx context.Context, owner, id string) ([]byte, error) {
	var out []byte
	err := c.db.Snapshot(ctx, func(q engine.Reading) error {
		run, err := findRun(q, owner, id)
		if err != nil {
			return err
		}
		out, err = c.readTimes(q, run)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (c *Chat) readTimes(q engine.Reading, run int64) (out []byte, err error) {
	err = q.Each("SELECT times_coding, times FROM run_log WHERE run = ? ORDER BY start", []any{run}, func(rows *sql.Rows) error {
		var coding int
		var times sql.RawBytes
		if err := rows.Scan(&coding, &times); err != nil {
			return err
		}
		out, err = c.packer.Unpack(out, coding, times)
		return err
	})
	return out, err
}

// findRun returns the row number of a run.
func findRun(q engine.Scanner, owner, id string) (n int64, err error) {
	b, ok := engine.ParseID(id)
	if !ok {
		return 0, engine.NotFound("run")
	}
	err = q.Scan("SELECT n FROM runs WHERE owner = ? AND id = ?", []any{engine.ParseOwner(owner), b}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, engine.NotFound("run")
	}
	return n, err
}
