package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Sums over periods of time. A period's sums are read from spend_hours once and
// then kept, with each booking added as it is committed: a day of a year ago
// and the month that a budget asks for with every send cost nothing.

const hourMS = int64(time.Hour / time.Millisecond)

// maxPeriods bounds the periods that are kept of one holder.
const maxPeriods = 512

// A holder is whose sums they are: a person by number, a team, or everybody.
// Nobody, who has no number, is a person of no rows.
type holder int64

const everybody holder = math.MinInt64

func personHolder(n int64) holder { return holder(n) }
func teamHolder(n int64) holder   { return holder(-n) }

// A period is a stretch of time, in Unix milliseconds, to exclusive.
type period struct{ from, to int64 }

// A group is what sums are kept apart by.
type group struct {
	what, model string
	owner       int64
	team        int64 // its row; 0: none
	paidBy      string
}

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
	n, createdMS int64
	group        group
	figures      figures
}

// periods keeps the sums of periods. Rows are told apart by their number, which
// only grows: a booking is added to a period unless the period was read after it.
type periods struct {
	mu   sync.Mutex
	last int64 // number of the newest row that was added
	of   map[holder]map[period]*periodSums

	catching sync.Mutex // held by who adds rows that others booked
}

// periodSums are the sums of a period over the rows up to number upTo.
type periodSums struct {
	upTo   int64
	total  figures
	groups map[group]figures
	parts  map[string]map[part]figures // by what they are split by, once somebody asked; see by
}

// add takes in a row that was committed. They come in order of n.
func (s *periods) add(b booking) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = b.n
	holders := []holder{everybody, personHolder(b.group.owner)}
	if b.group.team > 0 {
		holders = append(holders, teamHolder(b.group.team))
	}
	for _, of := range holders {
		for at, sums := range s.of[of] {
			if b.createdMS < at.from || b.createdMS >= at.to || b.n <= sums.upTo {
				continue
			}
			sums.addGroup(b.group, b.figures)
			sums.upTo = b.n
		}
	}
}

// each calls fn with the sums of each of at, those of own where they are not kept;
// fn must keep none of it. If some are missing it calls fn for none, and says
// which.
func (s *periods) each(of holder, at []period, own map[int]*periodSums, fn func(i int, sums *periodSums)) (missing []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*periodSums, len(at))
	for i, a := range at {
		if all[i] = s.of[of][a]; all[i] == nil {
			all[i] = own[i]
		}
		if all[i] == nil {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		for i, sums := range all {
			fn(i, sums)
		}
	}
	return missing
}

// remember takes over sums that were read, unless a booking came in between.
func (s *periods) remember(of holder, at period, sums *periodSums) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sums.upTo < s.last {
		return
	}
	if s.of == nil {
		s.of, s.last = map[holder]map[period]*periodSums{}, sums.upTo
	}
	if s.of[of] == nil || len(s.of[of]) >= maxPeriods {
		s.of[of] = map[period]*periodSums{}
	}
	s.of[of][at] = sums
}

// periodTotal is the sum over all groups of a period.
func (b *Books) periodTotal(ctx context.Context, of holder, at period) (total figures, err error) {
	err = b.eachPeriod(ctx, of, []period{at}, func(_ int, sums *periodSums) { total = sums.total })
	return total, err
}

// eachPeriod calls fn with the sums of each of at, all as of one moment; fn must
// keep none of it.
func (b *Books) eachPeriod(ctx context.Context, of holder, at []period, fn func(i int, sums *periodSums)) error {
	if err := b.catchUp(ctx); err != nil {
		return err
	}
	return b.eachKnown(ctx, of, at, fn)
}

// eachKnown is eachPeriod without what other processes have booked meanwhile, as far
// as sums are kept.
func (b *Books) eachKnown(ctx context.Context, of holder, at []period, fn func(i int, sums *periodSums)) error {
	own := map[int]*periodSums{} // read here: they may not be kept
	for {
		missing := b.periods.each(of, at, own, fn)
		if len(missing) == 0 {
			return nil
		}
		if err := b.db.Snapshot(ctx, func(q engine.Reading) error {
			var upTo int64
			if err := q.Scan("SELECT coalesce(max(n), 0) FROM ledger", nil, &upTo); err != nil {
				return err
			}
			for _, i := range missing {
				sums := &periodSums{upTo: upTo, groups: map[group]figures{}}
				if err := sums.read(q, of, at[i]); err != nil {
					return err
				}
				own[i] = sums
				b.periods.remember(of, at[i], sums)
			}
			return nil
		}); err != nil {
			return err
		}
	}
}

// catchUp adds to the sums that are kept what was booked since, on a database that
// several processes book in: rows are numbered in the order of their commits there
// too, since whoever writes waits for whoever does.
func (b *Books) catchUp(ctx context.Context) error {
	if b.db.Postgres == nil {
		return nil
	}
	s := &b.periods
	s.catching.Lock()
	defer s.catching.Unlock()
	s.mu.Lock()
	last, none := s.last, s.of == nil
	s.mu.Unlock()
	if none {
		return nil
	}
	return b.db.At(ctx).Each(`SELECT n, created_ms, what, model, owner, coalesce(team, 0), paid_by, kind, cost_nano_usd, estimated_nano_usd, input_tokens, output_tokens
		FROM ledger WHERE n > ? ORDER BY n`, []any{last}, func(rows *sql.Rows) error {
		var row booking
		var kind string
		var cost, estimated, in, out int64
		g := &row.group
		if err := rows.Scan(&row.n, &row.createdMS, &g.what, &g.model, &g.owner, &g.team, &g.paidBy, &kind, &cost, &estimated, &in, &out); err != nil {
			return err
		}
		row.figures.addRow(kind, cost, estimated, in, out)
		s.add(row)
		return nil
	})
}

// hoursOf and rowsOf are the hours and the rows of a holder, h, from ?2 up to but
// not including ?3. Those of everybody are found person by person, so that no
// index is needed for them. Of a team, that it is above 0 is said for the sake of
// the index, which holds no others.
func hoursOf(of holder) (from string, id int64) {
	const hours = " AND h.hour >= ?2 AND h.hour < ?3"
	switch {
	case of >= 0:
		return " FROM spend_hours h WHERE h.owner = ?1" + hours, int64(of)
	case of != everybody:
		return " FROM spend_hours h WHERE h.team = ?1 AND h.team > 0" + hours, int64(-of)
	}
	return " FROM users u CROSS JOIN spend_hours h ON h.owner = u.n WHERE ?1 = 0" + hours, 0
}

func rowsOf(of holder) (from string, id int64) {
	const time = " AND h.created_ms >= ?2 AND h.created_ms < ?3"
	switch {
	case of >= 0:
		return " FROM ledger h WHERE h.owner = ?1" + time, int64(of)
	case of != everybody:
		return " FROM ledger h WHERE h.team = ?1" + time, int64(-of)
	}
	return " FROM users u CROSS JOIN ledger h ON h.owner = u.n WHERE ?1 = 0" + time, 0
}

// read sums up a period: whole hours from spend_hours, what is left of it at its
// ends from the rows.
func (s *periodSums) read(q engine.Reading, of holder, at period) error {
	if at.to <= at.from {
		return nil
	}
	first, end := (at.from+hourMS-1)/hourMS, at.to/hourMS
	if first >= end {
		return s.readRows(q, of, at)
	}
	from, id := hoursOf(of)
	err := q.Each(`SELECT h.what, h.model, h.owner, h.team, h.paid_by, sum(h.charged), sum(h.returned), sum(h.corrected), sum(h.estimated),
		sum(h.rows), sum(h.input_tokens), sum(h.output_tokens)`+from+" GROUP BY h.what, h.model, h.owner, h.team, h.paid_by", []any{id, first, end}, func(rows *sql.Rows) error {
		var g group
		var f figures
		err := rows.Scan(&g.what, &g.model, &g.owner, &g.team, &g.paidBy, &f.charged, &f.returned, &f.corrected, &f.estimated, &f.rows, &f.in, &f.out)
		s.addGroup(g, f)
		return err
	})
	for _, end := range []period{{at.from, first * hourMS}, {end * hourMS, at.to}} {
		if err == nil && end.from < end.to {
			err = s.readRows(q, of, end)
		}
	}
	return err
}

func (s *periodSums) readRows(q engine.Reading, of holder, at period) error {
	from, id := rowsOf(of)
	return q.Each("SELECT h.what, h.model, h.owner, coalesce(h.team, 0), h.paid_by, h.kind, h.cost_nano_usd, h.estimated_nano_usd, h.input_tokens, h.output_tokens"+from,
		[]any{id, at.from, at.to}, func(rows *sql.Rows) error {
			var g group
			var kind string
			var cost, estimated, in, out int64
			if err := rows.Scan(&g.what, &g.model, &g.owner, &g.team, &g.paidBy, &kind, &cost, &estimated, &in, &out); err != nil {
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
	s.parts = nil
}
