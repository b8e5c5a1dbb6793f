package verify_test

import (
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"screentest/server/seal"
	"screentest/server/store"
	"screentest/server/store/audit"
	"screentest/server/store/chain"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/storetest"
	"screentest/server/store/verify"
)

// books fills a folder with a ledger and an audit of so many rows each, the
// audit's first apart, and closes it.
func books(t *testing.T, rows int) (dir string) {
	t.Helper()
	dir = storetest.Folder(t)
	db, err := store.Open(t.Context(), dir, store.Options{})
	storetest.Must(t, err)
	fill(t, db, rows)
	storetest.Must(t, db.Close())
	return dir
}

func fill(t *testing.T, db *store.DB, rows int) {
	t.Helper()
	owner, err := db.EnsureLocalUser(t.Context())
	storetest.Must(t, err)
	for i := range rows {
		if booked, err := storetest.Book(db, owner, storetest.SomeEntry("charge", storetest.MustID(t), int64(i+1))); !booked || err != nil {
			t.Fatal(booked, err)
		}
		db.Audit().Note(audit.Entry{Person: owner, Action: "limits.changed", Object: fmt.Sprint(i), Detail: map[string]any{"day": i}, Address: "127.0.0.1"})
	}
}

// tamper does what somebody with sqlite3 and without the key can do.
func tamper(t *testing.T, dir string, statements ...string) {
	t.Helper()
	pool, err := sql.Open("sqlite", "file:"+filepath.Join(dir, folder.DatabaseFile)+"?_pragma=ignore_check_constraints(1)")
	storetest.Must(t, err)
	defer pool.Close()
	for _, name := range []string{"ledger_no_update", "ledger_no_delete", "ledger_chain_no_update", "ledger_chain_no_delete", "audit_no_update", "audit_no_delete"} {
		storetest.Must(t, storetest.Second(pool.Exec("DROP TRIGGER IF EXISTS "+name)))
	}
	for _, s := range statements {
		if _, err := pool.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func verified(t *testing.T, dir string) (r verify.Report, wrong string) {
	t.Helper()
	r, err := verify.Verify(t.Context(), dir, "")
	storetest.Must(t, err)
	for _, w := range r.Wrong {
		wrong += fmt.Sprintf("%s %d %s\n", w.Table, w.N, w.What)
	}
	return r, wrong
}

// What somebody does to the rows is found, and the first row of it named.
func TestTamperedRowsAreNamed(t *testing.T) {
	t.Parallel()
	good := books(t, 12)
	if r, wrong := verified(t, good); wrong != "" || r.Ledger.Rows != 12 || r.Ledger.N != 12 || r.Audit.Rows != 13 || r.Hours == 0 || r.NanoUSD != 78 || r.BeganMS == 0 {
		t.Fatalf("%+v: %s", r, wrong)
	}
	hashOf := func(n int) string { return fmt.Sprintf("(SELECT hash FROM ledger_chain WHERE n = %d)", n) }
	for name, c := range map[string]struct {
		do   []string
		want []string // each is in what is found
		not  []string
	}{
		"a sum is changed":              {do: []string{"UPDATE ledger SET cost_nano_usd = 0 WHERE n = 5"}, want: []string{"ledger 5 doesn't follow the row before it, 4", "spend_hours 0 is not the sum"}},
		"a sum and those of the hours":  {do: []string{"UPDATE ledger SET cost_nano_usd = 0 WHERE n = 5", "UPDATE spend_hours SET charged = charged - 5"}, want: []string{"ledger 5 "}, not: []string{"spend_hours"}},
		"the first row":                 {do: []string{"UPDATE ledger SET basis = 'x' WHERE n = 1"}, want: []string{"ledger 1 doesn't follow the row before it:"}},
		"another person's":              {do: []string{"INSERT INTO users (name, created_ms) VALUES ('x', 0)", "UPDATE ledger SET owner = 2 WHERE n = 7"}, want: []string{"ledger 7 "}},
		"another key's":                 {do: []string{"UPDATE ledger SET paid_by = 'x' WHERE n = 7"}, want: []string{"ledger 7 "}},
		"another type":                  {do: []string{"UPDATE ledger SET conversation = x'00000000000000000000000000000000' WHERE n = 7"}, want: []string{"ledger 7 "}},
		"a row is deleted":              {do: []string{"DELETE FROM ledger WHERE n = 6"}, want: []string{"ledger 6 is gone, and the chain has it", "spend_hours"}},
		"a row with its hash":           {do: []string{"DELETE FROM ledger WHERE n = 6", "DELETE FROM ledger_chain WHERE n = 6"}, want: []string{"ledger 7 doesn't follow the row before it, 5"}},
		"a row is put in behind":        {do: []string{"INSERT INTO ledger (owner, kind, what, subject, model, cost_nano_usd, basis, source, created_ms) VALUES (1, 'charge', 'text', randomblob(16), 'm', 1, '', 'reported', 1)"}, want: []string{"ledger 13 is in no chain"}, not: []string{"spend_hours"}},
		"a row with a hash of its own":  {do: []string{"INSERT INTO ledger (owner, kind, what, subject, model, cost_nano_usd, basis, source, created_ms) VALUES (1, 'charge', 'text', randomblob(16), 'm', 1, '', 'reported', 1)", "INSERT INTO ledger_chain VALUES (13, randomblob(32))"}, want: []string{"ledger 13 doesn't follow"}},
		"the end is cut off":            {do: []string{"DELETE FROM ledger WHERE n > 8", "DELETE FROM ledger_chain WHERE n > 8"}, want: []string{"ledger 9 is gone, with all behind it up to row 12"}},
		"all is cut off":                {do: []string{"DELETE FROM ledger", "DELETE FROM ledger_chain", "DELETE FROM spend_hours"}, want: []string{"ledger 1 is gone, with all behind it up to row 12"}},
		"the end, and its note":         {do: []string{"DELETE FROM ledger WHERE n > 8", "DELETE FROM ledger_chain WHERE n > 8", "DELETE FROM meta WHERE name = 'chain:ledger'"}, want: []string{"ledger 8 is the last, and the sealed note"}},
		"with the note of the audit":    {do: []string{"UPDATE meta SET value = (SELECT value FROM meta WHERE name = 'chain:audit') WHERE name = 'chain:ledger'"}, want: []string{"ledger 12 is the last, and the note of which row is the last was sealed by somebody else"}},
		"two rows change places":        {do: []string{"UPDATE ledger SET n = -3 WHERE n = 3", "UPDATE ledger SET n = 3 WHERE n = 4", "UPDATE ledger SET n = 4 WHERE n = -3"}, want: []string{"ledger 3 doesn't follow"}, not: []string{"spend_hours"}},
		"two rows with their hashes":    {do: []string{"UPDATE ledger_chain SET hash = " + hashOf(9) + " WHERE n = 8"}, want: []string{"ledger 8 doesn't follow"}},
		"only the sums":                 {do: []string{"UPDATE spend_hours SET rows = rows - 1"}, want: []string{"spend_hours 0 is not the sum"}, not: []string{"ledger 1"}},
		"a sum of nothing":              {do: []string{"INSERT INTO spend_hours VALUES (1, 99, 'text', 'm', 0, '', 1, 0, 0, 0, 1, 0, 0)"}, want: []string{"spend_hours 99 is not the sum"}},
		"the audit: a line is changed":  {do: []string{"UPDATE audit SET detail = '{}' WHERE n = 4"}, want: []string{"audit 4 doesn't follow the row before it, 3"}},
		"the audit: a line is deleted":  {do: []string{"DELETE FROM audit WHERE n = 4"}, want: []string{"audit 5 doesn't follow the row before it, 3"}},
		"the audit: the end is cut off": {do: []string{"DELETE FROM audit WHERE n > 10"}, want: []string{"audit 11 is gone, with all behind it up to row 13"}},
		"the audit: by nobody":          {do: []string{"UPDATE audit SET person = NULL WHERE n = 13"}, want: []string{"audit 13 "}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			storetest.Must(t, os.CopyFS(dir, os.DirFS(good)))
			tamper(t, dir, c.do...)
			_, wrong := verified(t, dir)
			for _, want := range c.want {
				if !strings.Contains("\n"+wrong, "\n"+want) {
					t.Errorf("found %q, want %q", wrong, want)
				}
			}
			for _, not := range c.not {
				if strings.Contains(wrong, not) {
					t.Errorf("found %q, which %q is not of", wrong, not)
				}
			}
		})
	}
}

// No later row makes good what was done to those before: a server that goes on
// after it, seals its rows behind what the end was.
func TestLaterRowsMakeNothingGood(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   []string
		want string
	}{
		"the end is cut off": {[]string{"DELETE FROM ledger WHERE n > 3", "DELETE FROM ledger_chain WHERE n > 3", "UPDATE spend_hours SET charged = charged - 9, rows = rows - 2",
			"UPDATE sqlite_sequence SET seq = 3 WHERE name = 'ledger'"}, "ledger 4 doesn't follow the row before it, 3"},
		"the last row is changed": {[]string{"UPDATE ledger SET basis = 'x' WHERE n = 5"}, "ledger 5 "},
		"and its hash":            {[]string{"UPDATE ledger_chain SET hash = randomblob(32) WHERE n = 5"}, "ledger 5 "},
		"the note of the end":     {[]string{"DELETE FROM meta WHERE name = 'chain:ledger'"}, "ledger 6 doesn't follow"},
		"the audit's end":         {[]string{"DELETE FROM audit WHERE n > 4", "UPDATE sqlite_sequence SET seq = 4 WHERE name = 'audit'"}, "audit 7 doesn't follow the row before it, 4"},
		"all of the audit":        {[]string{"DELETE FROM audit", "DELETE FROM meta WHERE name = 'chain:audit'"}, "audit 1 is gone: it said"},
		"the chain, so that the server makes it anew": {[]string{"UPDATE ledger SET cost_nano_usd = 1000 WHERE n = 2", "UPDATE spend_hours SET charged = charged + 998",
			"DELETE FROM ledger_chain", "DELETE FROM meta WHERE name LIKE 'chain:%'", "DELETE FROM audit",
			"INSERT INTO meta (name, value) VALUES ('ledger_unchained', CAST('5' AS BLOB))"}, "ledger 1 is in no chain"},
		"with the note of the key, as if the folder were older": {[]string{"UPDATE ledger SET cost_nano_usd = 1000 WHERE n = 2", "UPDATE spend_hours SET charged = charged + 998",
			"DELETE FROM ledger_chain", "DELETE FROM meta WHERE name LIKE 'chain:%' OR name = 'seal_check'", "DELETE FROM audit",
			"INSERT INTO meta (name, value) VALUES ('ledger_unchained', CAST('5' AS BLOB))"}, "ledger 1 is in no chain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := books(t, 5)
			tamper(t, dir, c.do...)
			for range 2 {
				db, err := store.Open(t.Context(), dir, store.Options{})
				storetest.Must(t, err)
				fill(t, db, 3)
				storetest.Must(t, db.Close())
			}
			if _, wrong := verified(t, dir); !strings.HasPrefix(wrong, c.want) {
				t.Errorf("found %q, want %q", wrong, c.want)
			}
		})
	}
}

// Rows are booked and noted while the books are looked through.
func TestVerifyBesideAServer(t *testing.T) {
	t.Parallel()
	dir := storetest.Folder(t)
	db := storetest.Open(t, dir, store.Options{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		fill(t, db, 300)
	}()
	looked := 0
	for more := true; more; looked++ {
		select {
		case <-ended:
			more = false
		default:
		}
		if wrong := storetest.Books(t, dir).Wrong; len(wrong) > 0 {
			t.Fatal(wrong)
		}
	}
	if r := storetest.Books(t, dir); r.Ledger.Rows != 300 {
		t.Errorf("%d rows after %d looks", r.Ledger.Rows, looked)
	}
}

// stopAt makes a folder that is chained what it was when rows up to n of upTo
// had been taken in.
func stopAt(t *testing.T, dir string, n, upTo int64) {
	t.Helper()
	box, err := seal.Load(filepath.Join(dir, folder.SealKeyFile), slog.New(slog.DiscardHandler))
	storetest.Must(t, err)
	db, err := store.Open(t.Context(), dir, store.Options{})
	storetest.Must(t, err)
	storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error {
		for _, s := range []string{"DROP TRIGGER ledger_chain_no_delete", "DROP TRIGGER audit_no_delete", "DELETE FROM audit", "DELETE FROM meta WHERE name = 'chain:audit'",
			fmt.Sprintf("DELETE FROM ledger_chain WHERE n > %d", n), fmt.Sprintf("INSERT INTO meta (name, value) VALUES ('ledger_unchained', CAST('%d' AS BLOB))", upTo)} {
			if _, err := w.Exec(s); err != nil {
				return err
			}
		}
		if _, err := w.Exec("UPDATE meta SET value = ? WHERE name = ?", box.Seal(folder.SealCheck, "", []byte(folder.SealCheckText)), folder.SealCheck); err != nil {
			return err
		}
		var stored []byte
		if err := w.Scan("SELECT hash FROM ledger_chain WHERE n = ?", []any{n}, &stored); err != nil {
			return err
		}
		chain.New(chain.Ledger, box).SetHead(w, n, chain.Hash(stored))
		return nil
	}), db.Close())
}

// A ledger of a folder that had no chain is taken into one, also if the first
// start is broken off in the middle of that; what is booked then goes on from it.
func TestOlderLedgerIsTakenIn(t *testing.T) {
	t.Parallel()
	const rows = 5000
	ctx := t.Context()
	dir := storetest.OpenVersion(t, 8, func(exec func(string, ...any)) {
		exec("INSERT INTO users (n, name, local, created_ms) VALUES (1, 'local', 1, 0)")
		exec(`INSERT INTO ledger (owner, kind, what, subject, model, cost_nano_usd, basis, source, created_ms)
			WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ?) SELECT 1, 'charge', 'text', randomblob(16), 'm', n, 'b', 'reported', n * 1000 FROM i`, rows)
	})
	box, err := seal.LoadOrCreate(filepath.Join(dir, folder.SealKeyFile), slog.New(slog.DiscardHandler))
	storetest.Must(t, err)
	tamper(t, dir, fmt.Sprintf("INSERT INTO meta (name, value) VALUES ('%s', x'%x')", folder.SealCheck, box.Seal(folder.SealCheck, "", []byte(folder.SealCheckText))))
	db, err := store.Open(ctx, dir, store.Options{})
	storetest.Must(t, err, db.Close())
	if r, wrong := verified(t, dir); wrong != "" || r.Ledger.Rows != rows {
		t.Fatalf("%+v: %s", r, wrong)
	}
	stopAt(t, dir, 2000, rows)
	if _, err := verify.Verify(ctx, dir, ""); storetest.Problem(err).Code != "data_older" {
		t.Errorf("in the middle: %v", err)
	}
	db, err = store.Open(ctx, dir, store.Options{})
	storetest.Must(t, err)
	fill(t, db, 3)
	storetest.Must(t, db.Close())
	r, wrong := verified(t, dir)
	if wrong != "" || r.Ledger.Rows != rows+3 || r.Audit.Rows != 4 {
		t.Errorf("%+v: %s", r, wrong)
	}
}

// Without the note of which key it was sealed with nothing can be said of a folder.
func TestWithoutTheNoteOfTheKey(t *testing.T) {
	t.Parallel()
	dir := books(t, 1)
	tamper(t, dir, "DELETE FROM meta WHERE name = 'seal_check'")
	if _, err := verify.Verify(t.Context(), dir, ""); storetest.Problem(err).Code != "seal_check_gone" {
		t.Errorf("%v", err)
	}
}

// A database of before the chains is not called wrong.
func TestOlderDatabaseIsServedFirst(t *testing.T) {
	t.Parallel()
	dir := storetest.OpenVersion(t, 8, func(func(string, ...any)) {})
	if _, err := verify.Verify(t.Context(), dir, ""); storetest.Problem(err).Code != "data_older" {
		t.Errorf("%v", err)
	}
}

// Any one change of any value of any row is found, and no row before it named.
func TestAnyChangeIsFound(t *testing.T) {
	t.Parallel()
	const rows = 8
	good := books(t, rows)
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		storetest.Must(t, err, os.CopyFS(dir, os.DirFS(good)))
		table := rapid.SampledFrom([]chain.Table{chain.Ledger, chain.Audit}).Draw(r, "table")
		column := rapid.SampledFrom(table.Columns[1:]).Draw(r, "column")
		n := rapid.IntRange(1, rows).Draw(r, "n")
		to := map[string]string{"kind": "'correction'", "what": "'text'", "source": "'reported'", "subject": "randomblob(16)", "conversation": "randomblob(16)",
			"prices": `'{"x":1}'`, "detail": `'{"x":1}'`, "person": "CASE WHEN person IS NULL THEN 1 END", "team": "1",
			"model": "model || 'x'", "basis": "basis || 'x'", "paid_by": "'x'", "action": "action || 'x'", "object": "object || 'x'", "address": "address || 'x'"}[column]
		if to == "" {
			to = column + " + " + fmt.Sprint(rapid.IntRange(1, 1<<40).Draw(r, "more"))
		}
		tamper(t, dir, fmt.Sprintf("UPDATE %s SET %s = %s WHERE n = %d", table.Name, column, to, n))
		_, wrong := verified(t, dir)
		if !strings.HasPrefix(wrong, fmt.Sprintf("%s %d ", table.Name, n)) {
			r.Fatalf("found %q", wrong)
		}
	})
}

// The sums of PostgreSQL's are compared some rows at a time: whatever is wrong with one is
// found, also where the ledger has no row.
func TestSumsInSpans(t *testing.T) {
	db := storetest.OpenShared(t, storetest.Database(t))
	owner, err := db.EnsureLocalUser(t.Context())
	storetest.Must(t, err)
	for i := range 20 {
		e := storetest.SomeEntry("charge", storetest.MustID(t), int64(i+1))
		e.CreatedMS = int64(100+i/3*2) * 3_600_000 // three an hour, and every other hour
		storetest.Must(t, storetest.Second(storetest.Book(db, owner, e)))
	}
	exec := func(statements ...string) {
		t.Helper()
		storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error {
			for _, s := range statements {
				if _, err := w.Exec(s); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	exec("CREATE TABLE right_hours AS SELECT * FROM spend_hours")
	found := func(rows int64) (hour int64) {
		t.Helper()
		wrong, err := verify.InSpans(db.Engine().At(t.Context()), rows)
		storetest.Must(t, err)
		if wrong != nil {
			hour = wrong.N
		}
		return hour
	}
	const extra = "INSERT INTO spend_hours (owner, hour, what, model, team, paid_by, charged, returned, corrected, estimated, rows, input_tokens, output_tokens) VALUES (1, %d, 'text', 'm', 0, '', 1, 0, 0, 0, 1, 0, 0)"
	for _, tt := range []struct {
		do   string
		want int64
	}{
		{"SELECT 1", 0},
		{"UPDATE spend_hours SET charged = charged + 1 WHERE hour = 108", 108},
		{"UPDATE spend_hours SET charged = charged + 1 WHERE hour >= 104", 104},
		{"DELETE FROM spend_hours WHERE hour = 112", 112},
		{fmt.Sprintf(extra, 5), 5},
		{fmt.Sprintf(extra, 103), 103},
		{fmt.Sprintf(extra, 900), 900},
	} {
		exec("DELETE FROM spend_hours", "INSERT INTO spend_hours SELECT * FROM right_hours", tt.do)
		for _, rows := range []int64{1, 2, 4, 7, 1000} {
			if got := found(rows); got != tt.want {
				t.Errorf("%q, %d rows at a time: found %d, want %d", tt.do, rows, got, tt.want)
			}
		}
	}
}
