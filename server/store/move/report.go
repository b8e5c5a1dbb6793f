package move

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"screentest/server/blob"
	"screentest/server/store/engine"
	"screentest/server/store/pack"
	"screentest/server/store/verify"
)

// A Report is what was compared of the two ends, line by line.
type Report struct{ Lines []Line }

// A Line is one thing that was compared, as people read it.
type Line struct {
	What, From, To string
	Equal          bool
}

func (r *Report) add(what string, from, to string) {
	r.Lines = append(r.Lines, Line{what, from, to, from == to})
}

// differ names what isn't equal; "" where all is.
func (r Report) differ() string {
	var names []string
	for _, l := range r.Lines {
		if !l.Equal {
			names = append(names, fmt.Sprintf("%s (%s there, %s here)", l.What, l.From, l.To))
		}
	}
	return strings.Join(names, ", ")
}

// compare reads both ends.
func (m *Move) compare(ctx context.Context) (r Report, err error) {
	m.Say("Comparing.")
	from, to := m.From.DB.At(ctx), m.To.DB.At(ctx)
	for _, t := range slices.SortedFunc(slices.Values(m.plan), func(a, b *table) int { return strings.Compare(a.name, b.name) }) {
		var was, is digest
		if was, err = digestOf(from, t); err != nil {
			return r, err
		}
		if is, err = digestOf(to, t); err != nil {
			return r, err
		}
		r.Lines = append(r.Lines, Line{"table " + t.name, fmt.Sprint(was.Rows, " rows"), fmt.Sprint(is.Rows, " rows"), was == is})
	}
	for _, look := range []struct {
		what string
		of   func(engine.Reading) (string, error)
	}{
		{"sums of the ledger, by person and kind", func(q engine.Reading) (string, error) { return sumsOf(q, summedRows) }},
		{"logs of answers", logsOf},
	} {
		was, err := look.of(from)
		if err != nil {
			return r, fmt.Errorf("%s: %w", look.what, err)
		}
		is, err := look.of(to)
		if err != nil {
			return r, fmt.Errorf("%s: %w", look.what, err)
		}
		r.add(look.what, was, is)
	}
	was, err := m.books(ctx, m.From.DB)
	if err != nil {
		return r, err
	}
	is, err := m.books(ctx, m.To.DB)
	if err != nil {
		return r, err
	}
	for i := range was {
		r.add(was[i][0], was[i][1], is[i][1])
	}
	err = m.compareFiles(ctx, &r)
	return r, err
}

// books are what verify says of an end, as pairs of what and how.
func (m *Move) books(ctx context.Context, db *engine.DB) (lines [][2]string, err error) {
	err = db.Snapshot(ctx, func(q engine.Reading) error {
		r, err := verify.Books(q, m.Box)
		if err != nil {
			return err
		}
		wrong := "right"
		for i, w := range r.Wrong {
			if i == 0 {
				wrong = ""
			}
			wrong += fmt.Sprintf("%s, row %d: it %s. ", w.Table, w.N, w.What)
		}
		lines = [][2]string{
			{"chain of the ledger", fmt.Sprintf("%d rows, %x", r.Ledger.Rows, r.Ledger.Hash[:4])},
			{"chain of the audit", fmt.Sprintf("%d rows, %x", r.Audit.Rows, r.Audit.Hash[:4])},
			{"screentest verify", strings.TrimSpace(wrong)},
		}
		return nil
	})
	return lines, err
}

// summedRows is how many rows of the ledger are summed up at a time: an answer may not
// take long.
const summedRows = 200_000

// sumsOf are the sums of the ledger by owner and kind, which is read so many rows at a
// time.
func sumsOf(q engine.Reading, atOnce int64) (string, error) {
	type group struct {
		owner int64
		kind  string
	}
	type sum struct{ rows, cost, estimated int64 }
	sums := map[group]sum{}
	var last sql.NullInt64
	if err := q.Scan("SELECT max(n) FROM ledger", nil, &last); err != nil {
		return "", err
	}
	for after := int64(0); after < last.Int64; after += atOnce {
		err := q.Each("SELECT owner, kind, count(*), sum(cost_nano_usd), sum(estimated_nano_usd) FROM ledger WHERE n > ? AND n <= ? GROUP BY owner, kind", []any{after, after + atOnce}, func(rows *sql.Rows) error {
			var g group
			var s sum
			err := rows.Scan(&g.owner, &g.kind, &s.rows, &s.cost, &s.estimated)
			before := sums[g]
			sums[g] = sum{before.rows + s.rows, before.cost + s.cost, before.estimated + s.estimated}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	h, all := sha256.New(), int64(0)
	for _, g := range slices.SortedFunc(maps.Keys(sums), func(a, b group) int { return cmp.Or(cmp.Compare(a.owner, b.owner), strings.Compare(a.kind, b.kind)) }) {
		s := sums[g]
		fmt.Fprintln(h, g.owner, g.kind, s.rows, s.cost, s.estimated)
		all += s.cost
	}
	return fmt.Sprintf("%d sums, %d nano-USD, %x", len(sums), all, h.Sum(nil)[:4]), nil
}

// logsOf is a checksum over those of each run's log, which is over its bytes as the
// gateway sent them.
func logsOf(q engine.Reading) (string, error) {
	packer, err := pack.New()
	if err != nil {
		return "", err
	}
	t := &table{name: "run_log", key: []string{"run", "start", "size", "n"}}
	for _, name := range []string{"run", "start", "size", "n", "coding", "data"} {
		kind := "int"
		if name == "data" {
			kind = "bytes"
		}
		t.columns = append(t.columns, column{name: name, kind: kind})
	}
	all, one := sha256.New(), sha256.New()
	runs, bytes, run := 0, int64(0), int64(0)
	ended := func() {
		if run > 0 {
			fmt.Fprintf(all, "%d %x\n", run, one.Sum(nil))
			runs++
			one.Reset()
		}
	}
	for c := (&cursor{t: t}); ; {
		batch, err := c.next(q)
		if err != nil {
			return "", err
		}
		for _, row := range batch {
			if n := row[0].(int64); n != run {
				ended()
				run = n
			}
			plain, err := packer.Unpack(nil, int(row[4].(int64)), row[5].([]byte))
			if err != nil {
				return "", fmt.Errorf("run %d: %w", run, err)
			}
			one.Write(plain)
			bytes += int64(len(plain))
		}
		if len(batch) == 0 {
			ended()
			return fmt.Sprintf("%d logs, %d bytes, %x", runs, bytes, all.Sum(nil)[:4]), nil
		}
	}
}

// compareFiles counts the files, each of which was compared when it was copied.
func (m *Move) compareFiles(ctx context.Context, r *Report) error {
	from, err := m.From.Files.list(ctx, true)
	if err != nil {
		return err
	}
	to, err := m.To.Files.list(ctx, true)
	if err != nil {
		return err
	}
	there := map[file]bool{}
	for _, f := range to {
		there[f] = true
	}
	for _, place := range []string{archive, uploads} {
		var was, is amount
		for _, f := range from {
			if f.place != place {
				continue
			}
			was.add(f)
			if there[f] {
				is.add(f)
			}
		}
		r.add("files of "+place, was.String(), is.String())
	}
	return m.sayMissing(ctx, there)
}

// sayMissing tells of clips that the database has and the target has not. That is no
// difference: they were gone before, or are where neither end looks, such as the -files
// of the server that had the folder.
func (m *Move) sayMissing(ctx context.Context, there map[file]bool) error {
	names := map[string]bool{}
	for f := range there {
		names[f.String()] = true
	}
	missing := 0
	err := m.From.DB.At(ctx).Each("SELECT DISTINCT sha256 FROM video_outputs WHERE archive = 'saved' AND sha256 IS NOT NULL", nil, func(rows *sql.Rows) error {
		var sha []byte
		err := rows.Scan(&sha)
		if !names[archive+"/"+blob.Name(sha)] {
			missing++
		}
		return err
	})
	if missing > 0 {
		m.Say("Archived clips of %s that are in neither place: %d. Bring them to the new one if they are kept elsewhere.", m.From.Name, missing)
	}
	return err
}

// An amount is how many files there are.
type amount struct{ files, bytes int64 }

func (a *amount) add(f file) { a.files, a.bytes = a.files+1, a.bytes+f.bytes }

func (a amount) String() string { return fmt.Sprintf("%d files, %d bytes", a.files, a.bytes) }
