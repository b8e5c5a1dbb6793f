package chat_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"screentest/server/store"
	"screentest/server/store/chat"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
)

// checkLog reads a log whole, and pieces of it from everywhere.
func checkLog(t *testing.T, db *store.DB, owner, run string, log, times []byte) {
	t.Helper()
	ctx := context.Background()
	for _, r := range []struct {
		from  int64
		limit int
	}{
		{0, len(log) + 1}, {0, 1}, {999, 2}, {1000, 1}, {1001, 68_000}, {69_999, 10}, {int64(len(log)) / 2, 300_000},
		{chat.PieceSize - 1, 2}, {chat.PieceSize, 2}, {int64(len(log)), 5}, {int64(len(log)) + 7, 5}, {3, 0},
	} {
		from := min(r.from, int64(len(log)))
		want := log[from:min(from+int64(r.limit), int64(len(log)))]
		got, err := db.ReadRunLog(ctx, owner, run, r.from, r.limit)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("log from %d, at most %d: %d bytes, %v; want %d", r.from, r.limit, len(got), err, len(want))
		}
	}
	if got, err := db.RunTimes(ctx, owner, run); err != nil || !bytes.Equal(got, times) {
		t.Errorf("times = %v, %v; want %v", got, err, times)
	}
	if _, err := db.ReadRunLog(ctx, owner, run, -1, 1); storetest.Problem(err).Code != "bad_offset" {
		t.Errorf("from -1: %v", err)
	}
}

func TestAppendRunLogRefused(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s := storetest.NewStart("", "x")
	storetest.Must(t, storetest.StartTurn(db, owner, s))
	storetest.Must(t, storetest.AppendLog(db, owner, s.Run, 0, []byte("0123456789"), nil))
	storetest.Must(t, storetest.AppendLog(db, owner, s.Run, 0, []byte("0123456789"), nil)) // again: there already
	if err := storetest.AppendLog(db, owner, s.Run, 20, []byte("gap"), nil); err == nil || !strings.Contains(err.Error(), "10 bytes are stored") {
		t.Errorf("a gap: %v", err)
	}
	if err := storetest.AppendLog(db, owner, s.Run, 5, []byte("56789ab"), nil); err == nil {
		t.Error("an overlap was taken")
	}
	if err := storetest.AppendLog(db, owner, storetest.NewID(), 0, []byte("x"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such run: %v", err)
	}
	checkLog(t, db, owner, s.Run, []byte("0123456789"), nil)

	storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 1), "t", []byte("0123456789"), nil, nil))
	if err := storetest.AppendLog(db, owner, s.Run, 10, []byte("more"), nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("after the end: %v", err)
	}
	if err := db.FinishRun(ctx, owner, storetest.RunOf(s), "", nil, nil, nil); err == nil || !strings.Contains(err.Error(), "not a final one") {
		t.Errorf("finished as running: %v", err)
	}
}

// However a log was appended, its end leaves it whole, in few pieces.
func TestFinishedLogIsWhole(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	log, times := storetest.AnswerLog(3000)
	for name, c := range map[string]struct {
		stretch int    // log bytes
		part    int    // of the time index with each
		last    int    // offset of the last stretch, before the end
		times   []byte // at the end
		rows    int
	}{
		"nothing was appended":            {len(log), 0, 0, times, 3},
		"small stretches become one":      {1000, 3, 200_000, times, 3},
		"large stretches stay":            {2 * chat.KeepFrom, 100, 10 * chat.KeepFrom, times, 7}, // and what comes after
		"large stretches were all":        {2 * chat.KeepFrom, 100, len(log), times, len(log)/(2*chat.KeepFrom) + 2},
		"the time index is another":       {2 * chat.KeepFrom, 100, 10 * chat.KeepFrom, times[1:], 3},
		"the log was longer than its end": {2 * chat.KeepFrom, 100, len(log), times, 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStart("", "x")
			storetest.Must(t, storetest.StartTurn(db, owner, s))
			end := log
			if strings.HasSuffix(name, "than its end") {
				end = log[:len(log)-1]
			}
			for from, n := 0, 0; from < c.last; from, n = from+c.stretch, n+1 {
				storetest.Must(t, storetest.AppendLog(db, owner, s.Run, int64(from), log[from:min(from+c.stretch, len(log))], times[n*c.part:(n+1)*c.part]))
			}
			storetest.Must(t, db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 1), "", end, c.times, nil))
			checkLog(t, db, owner, s.Run, end, c.times)
			var rows int
			storetest.Must(t, db.Engine().At(ctx).Scan("SELECT count(*) FROM run_log l JOIN runs r ON r.n = l.run JOIN messages m ON m.n = r.message WHERE m.id = (SELECT id FROM messages ORDER BY n DESC LIMIT 1)", nil, &rows))
			if rows != c.rows {
				t.Errorf("%d rows, want %d", rows, c.rows)
			}
		})
	}
}

// A stretch that is stored after FinishRun looked is not left behind.
func TestLateStretch(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s := storetest.NewStart("", "x")
	log := bytes.Repeat([]byte("0123456789abcdef"), 5*chat.KeepFrom/16)
	storetest.Must(t, storetest.StartTurn(db, owner, s))
	storetest.Must(t, storetest.AppendLog(db, owner, s.Run, 0, log[:2*chat.KeepFrom], []byte{1}))
	id, _ := engine.ParseID(s.Run)
	w, count, end, err := db.PrepareLog(ctx, engine.ParseOwner(owner), id, log, []byte{1, 2})
	storetest.Must(t, err)
	if count != 1 || end != 2*chat.KeepFrom {
		t.Fatalf("kept %d stretches, %d bytes", count, end)
	}
	storetest.Must(t, storetest.AppendLog(db, owner, s.Run, 2*chat.KeepFrom, log[2*chat.KeepFrom:3*chat.KeepFrom], nil))
	storetest.Must(t, db.Engine().Write(ctx, 0, func(t *engine.Tx) error {
		var run int64
		if err := t.Scan("SELECT n FROM runs WHERE id = ?", []any{id}, &run); err != nil {
			return err
		}
		return db.StoreLog(t, engine.ParseOwner(owner), run, w)
	}))
	checkLog(t, db, owner, s.Run, log, []byte{1, 2})
}
