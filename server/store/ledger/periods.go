package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"screentest/server/store/sqlite"
	"screentest/shared/wire"
)

// Sums over periods of time. A period's sums are read from spend_hours once and
// then kept, with each booking added as it is committed: a day of a year ago
// and the month that a budget asks for with every send cost nothing.

const hourMS = int64(time.Hour / time.Millisecond)

// maxPeriods bounds the periods that are kept of one owner.
const maxPeriods = 512

// A period is a stretch of time, in Unix milliseconds, to exclusive.
type period struct{ from, to int64 }

// A group is what sums are kept apart by.
type group struct{ what, model string }

// figures are sums of ledger rows, in nano-USD and tokens.
type figures struct{ charged, returned, corrected, estimated, rows, in, out int64 }

func (f *figures) add(g figures) {
	f.charged += g.charged
	f.returned += g.returned
	f.corrected += g.corrected
	f.estimated += g.estimated
	f.rows += g.rows
	f.in += g.in
	f.out += g.out
}

// kinds are those of a row, each with the sum that its cost counts in. The
// trigger ledger_hours says the same in the schema.
var kinds = []struct {
	name string
	sum  func(*figures) *int64
}{
	{wire.KindCharge, func(f *figures) *int64 { return &f.charged }},
	{wire.KindReturn, func(f *figures) *int64 { return &f.returned }},
	{wire.KindCorrection, func(f *figures) *int64 { return &f.corrected }},
}

// sumByKind sums up rows l as sumDest takes them.
var sumByKind = func() string {
	var columns strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&columns, "coalesce(sum(l.cost_nano_usd) FILTER (WHERE l.kind = '%s'), 0), ", k.name)
	}
	return columns.String() + "coalesce(sum(l.estimated_nano_usd), 0), count(*)"
}()

func (f *figures) sumDest() (dest []any) {
	for _, k := range kinds {
		dest = append(dest, k.sum(f))
	}
	return append(dest, &f.estimated, &f.rows)
}

// addRow adds one row of the ledger.
func (f *figures) addRow(kind string, cost, estimated, in, out int64) {
	for _, k := range kinds {
		if k.name == kind {
			*k.sum(f) += cost
		}
	}
	f.estimated += estimated
	f.rows++
	f.in += in
	f.out += out
}

func (f figures) nano() int64 { return f.charged + f.returned + f.corrected }

func (f figures) sum() wire.Sum {
	return wire.Sum{NanoUSD: f.nano(), ChargedNanoUSD: f.charged, ReturnedNanoUSD: f.returned, CorrectedNanoUSD: f.corrected,
		EstimatedNanoUSD: f.estimated, Rows: f.rows}
}

// A booking is a row that was added to the ledger.
type booking struct {
	n, owner, createdMS int64
	group               group
	figures             figures
}

// periods keeps the sums of periods. Rows are told apart by their number, which
// only grows: a booking is added to a period unless the period was read after it.
type periods struct {
	mu   sync.Mutex
	last int64 // number of the newest row that was added
	of   map[int64]map[period]*periodSums
}

// periodSums are the sums of a period over the rows up to number upTo.
type periodSums struct {
	upTo   int64
	total  figures
	groups map[group]figures
}

// add takes in a row that was committed. They come in order of n.
func (s *periods) add(b booking) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = b.n
	for at, sums := range s.of[b.owner] {
		if b.createdMS < at.from || b.createdMS >= at.to || b.n <= sums.upTo {
			continue
		}
		sums.addGroup(b.group, b.figures)
		sums.upTo = b.n
	}
}

// get calls fn with the sums of a period; fn must not keep the groups. false: the
// period is not kept.
func (s *periods) get(owner int64, at period, fn func(*periodSums)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sums := s.of[owner][at]
	if sums == nil {
		return false
	}
	fn(sums)
	return true
}

// remember takes over sums that were read, unless a booking came in between.
func (s *periods) remember(owner int64, at period, sums *periodSums) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sums.upTo < s.last {
		return
	}
	if s.of == nil {
		s.of = map[int64]map[period]*periodSums{}
	}
	if s.of[owner] == nil || len(s.of[owner]) >= maxPeriods {
		s.of[owner] = map[period]*periodSums{}
	}
	s.of[owner][at] = sums
}

// periodTotal is the sum over all groups of a period.
func (b *Books) periodTotal(ctx context.Context, owner int64, at period) (total figures, err error) {
	err = b.eachPeriod(ctx, owner, []period{at}, func(_ int, sums *periodSums) { total = sums.total })
	return total, err
}

// periodGroups are the sums of a period, apart.
func (b *Books) periodGroups(ctx context.Context, owner int64, at period) (groups map[group]figures, err error) {
	err = b.eachPeriod(ctx, owner, []period{at}, func(_ int, sums *periodSums) { groups = maps.Clone(sums.groups) })
	return groups, err
}

// eachPeriod calls fn with the sums of each of at; fn must not keep the groups.
func (b *Books) eachPeriod(ctx context.Context, owner int64, at []period, fn func(i int, sums *periodSums)) error {
	var missing []int
	for i, a := range at {
		if !b.periods.get(owner, a, func(sums *periodSums) { fn(i, sums) }) {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return b.db.Snapshot(ctx, func(q sqlite.Reading) error {
		var upTo int64
		if err := q.Scan("SELECT coalesce(max(n), 0) FROM ledger", nil, &upTo); err != nil {
			return err
		}
		for _, i := range missing {
			sums := &periodSums{upTo: upTo, groups: map[group]figures{}}
			if err := sums.read(q, owner, at[i]); err != nil {
				return err
			}
			fn(i, sums)
			b.periods.remember(owner, at[i], sums)
		}
		return nil
	})
}

// read sums up a period: whole hours from spend_hours, what is left of it at its
// ends from the rows.
func (s *periodSums) read(q sqlite.Reading, owner int64, at period) error {
	if at.to <= at.from {
		return nil
	}
	first, end := (at.from+hourMS-1)/hourMS, at.to/hourMS
	if first >= end {
		return s.readRows(q, owner, at)
	}
	err := q.Each(`SELECT what, model, sum(charged), sum(returned), sum(corrected), sum(estimated), sum(rows), sum(input_tokens), sum(output_tokens)
		FROM spend_hours WHERE owner = ? AND hour >= ? AND hour < ? GROUP BY what, model`, []any{owner, first, end}, func(rows *sql.Rows) error {
		var g group
		var f figures
		err := rows.Scan(&g.what, &g.model, &f.charged, &f.returned, &f.corrected, &f.estimated, &f.rows, &f.in, &f.out)
		s.addGroup(g, f)
		return err
	})
	for _, end := range []period{{at.from, first * hourMS}, {end * hourMS, at.to}} {
		if err == nil && end.from < end.to {
			err = s.readRows(q, owner, end)
		}
	}
	return err
}

func (s *periodSums) readRows(q sqlite.Reading, owner int64, at period) error {
	return q.Each("SELECT what, model, kind, cost_nano_usd, estimated_nano_usd, input_tokens, output_tokens FROM ledger WHERE owner = ? AND created_ms >= ? AND created_ms < ?",
		[]any{owner, at.from, at.to}, func(rows *sql.Rows) error {
			var g group
			var kind string
			var cost, estimated, in, out int64
			if err := rows.Scan(&g.what, &g.model, &kind, &cost, &estimated, &in, &out); err != nil {
				return err
			}
			var f figures
			f.addRow(kind, cost, estimated, in, out)
			s.addGroup(g, f)
			return nil
		})
}

func (s *periodSums) addGroup(g group, f figures) {
	sum := s.groups[g]
	sum.add(f)
	s.groups[g] = sum
	s.total.add(f)
}

// dearestFirst orders sums; the name decides between equals.
func dearestFirst(a, b figures, nameA, nameB string) int {
	return cmp.Or(cmp.Compare(b.nano(), a.nano()), cmp.Compare(nameA, nameB))
}
