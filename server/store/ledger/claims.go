package ledger

import (
	"context"
	"database/sql"
	"math"

	"screentest/server/payer"
	"screentest/server/store/engine"
)

// What is set aside for sends under way, where several replicas serve one database:
// rows of the table reservations, which a folder has not. A row goes in the
// transaction that books what its send has cost, or that stores that it cost nothing,
// so that who reads spent and set aside at one moment never finds a cost in neither.

// SetAside sets aside what c says if all its limits have room, and all that other
// replicas set aside is known: whoever writes waits for whoever does. full is a limit
// that has none; nothing is set aside then.
func (b *Books) SetAside(ctx context.Context, c payer.Claim) (full *payer.Full, err error) {
	subject, err := engine.WantID("subject", c.For)
	if err != nil {
		return nil, err
	}
	who := engine.ParseOwner(c.Owner)
	team, err := b.team(ctx, c.Team)
	if err != nil {
		return nil, err
	}
	if err := b.catchUp(ctx); err != nil {
		return nil, err
	}
	limits := make([]bound, len(c.Limits))
	for i, l := range c.Limits {
		if limits[i], err = b.bound(ctx, who, team, l); err != nil {
			return nil, err
		}
	}
	var found *payer.Full
	err = b.db.Write(ctx, 0, func(w *engine.Tx) error {
		var err error
		if found, err = lacking(ctx, w, limits, who, team, subject, c.NanoUSD); err != nil || found != nil {
			return err
		}
		_, err = w.Exec(`INSERT INTO reservations (owner, subject, team, nano_usd, holder, created_ms) VALUES (?, ?, nullif(?, 0), ?, ?, ?)
			ON CONFLICT (owner, subject) DO UPDATE SET team = excluded.team, nano_usd = excluded.nano_usd, holder = excluded.holder`,
			who, subject, team, c.NanoUSD, w.Holder(), b.now().UnixMilli())
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// bound is a limit with what was spent up to a row of the ledger.
type bound struct {
	payer.Limit
	holder      holder
	spent, upTo int64
}

func (b *Books) bound(ctx context.Context, owner, team int64, l payer.Limit) (x bound, err error) {
	x = bound{Limit: l, holder: personHolder(owner)}
	switch l.Of {
	case payer.OfTeam:
		x.holder = teamHolder(team)
	case payer.OfEverybody:
		x.holder = everybody
	}
	at := period{l.FromMS, l.ToMS}
	err = b.eachKnown(ctx, x.holder, []period{at}, func(_ int, sums *periodSums) {
		x.spent, x.upTo = sums.total.nano(), sums.upTo
		if b.periods.of[x.holder][at] == sums { // it is kept: all rows up to the last are in it
			x.upTo = max(x.upTo, b.periods.last)
		}
	})
	return x, err
}

// counts says whether a row is one of those that a limit bounds.
func (x *bound) counts(n, owner, team, createdMS int64) bool {
	if n <= x.upTo || createdMS < x.FromMS || createdMS >= x.ToMS {
		return false
	}
	return x.holder == everybody || x.holder == personHolder(owner) || team > 0 && x.holder == teamHolder(team)
}

// lacking is the first limit that has no room for nanoUSD more, in the transaction
// that would set it aside.
func lacking(ctx context.Context, w *engine.Tx, limits []bound, owner, team int64, subject []byte, nanoUSD int64) (*payer.Full, error) {
	if len(limits) == 0 {
		return nil, nil
	}
	limits = append([]bound(nil), limits...) // the transaction may be run once more
	since := int64(math.MaxInt64)
	for _, l := range limits {
		since = min(since, l.upTo)
	}
	if err := w.Each(ctx, "SELECT n, owner, coalesce(team, 0), created_ms, cost_nano_usd FROM ledger WHERE n > ?", []any{since}, func(rows *sql.Rows) error {
		var n, of, by, ms, cost int64
		if err := rows.Scan(&n, &of, &by, &ms, &cost); err != nil {
			return err
		}
		for i := range limits {
			if limits[i].counts(n, of, by, ms) {
				limits[i].spent += cost
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	var reserved [3]int64 // by purse
	err := w.Scan(`SELECT coalesce(sum(nano_usd) FILTER (WHERE owner = ?1), 0), coalesce(sum(nano_usd) FILTER (WHERE team = ?2), 0), coalesce(sum(nano_usd), 0)
		FROM reservations WHERE NOT (owner = ?1 AND subject = ?3)`, []any{owner, team, subject}, &reserved[payer.OfPerson], &reserved[payer.OfTeam], &reserved[payer.OfEverybody])
	if err != nil {
		return nil, err
	}
	for i, l := range limits {
		if aside := reserved[l.Of]; nanoUSD > l.NanoUSD-l.spent-aside {
			return &payer.Full{Limit: i, SpentNanoUSD: l.spent, ReservedNanoUSD: aside}, nil
		}
	}
	return nil, nil
}

// Free ends what is set aside for a run or clip, in the transaction that books what
// it has cost, or that stores that it cost nothing.
func Free(w *engine.Tx, owner int64, subject []byte) error {
	if !w.OnPostgres() {
		return nil
	}
	_, err := w.Exec("DELETE FROM reservations WHERE owner = ? AND subject = ?", owner, subject)
	return err
}

// underWay says of a reservation that its run or clip will free it by its end.
const underWay = `(EXISTS (SELECT 1 FROM runs x WHERE x.owner = reservations.owner AND x.id = reservations.subject AND x.state = 'running')
	OR EXISTS (SELECT 1 FROM video_tasks x WHERE x.owner = reservations.owner AND x.id = reservations.subject AND x.state IN ('creating', 'unknown')))`

// PutBack ends what this replica set aside for a send that came to nothing. What
// is under way, here or elsewhere, frees it by its end.
func (b *Books) PutBack(ctx context.Context, owner, subject string) error {
	who := engine.ParseOwner(owner)
	id, _ := engine.ParseID(subject)
	var there bool // mostly not: it went with the booking
	if err := b.db.At(ctx).Scan("SELECT EXISTS (SELECT 1 FROM reservations WHERE owner = ? AND subject = ?)", []any{who, id}, &there); err != nil || !there {
		return err
	}
	return b.db.Write(ctx, 0, func(w *engine.Tx) error {
		_, err := w.Exec("DELETE FROM reservations WHERE owner = ? AND subject = ? AND holder = ? AND NOT "+underWay, who, id, w.Holder())
		return err
	})
}

// PutBackLeft ends what this replica holds, or has taken over, that was set aside for
// sends which never began: whose replica ended before. held says what is about to
// begin here.
func (b *Books) PutBackLeft(ctx context.Context, held func(owner, subject string) bool) error {
	type left struct {
		owner   int64
		subject []byte
	}
	return b.db.Write(ctx, 0, func(w *engine.Tx) error {
		var all []left
		if err := w.Each(ctx, "SELECT owner, subject FROM reservations WHERE holder = ? AND NOT "+underWay, []any{w.Holder()}, func(rows *sql.Rows) error {
			var l left
			err := rows.Scan(&l.owner, &l.subject)
			all = append(all, l)
			return err
		}); err != nil {
			return err
		}
		for _, l := range all {
			if held(engine.FormatOwner(l.owner), engine.FormatID(l.subject)) {
				continue
			}
			if err := Free(w, l.owner, l.subject); err != nil {
				return err
			}
		}
		return nil
	})
}

// AsideFor is what is set aside for an owner on all replicas, in nano-USD.
func (b *Books) AsideFor(ctx context.Context, owner string) (nanoUSD int64, err error) {
	return b.aside(ctx, " WHERE owner = ?", engine.ParseOwner(owner))
}

// AsideForTeam is what is set aside for what a team pays.
func (b *Books) AsideForTeam(ctx context.Context, team string) (nanoUSD int64, err error) {
	n, err := b.team(ctx, team)
	if err != nil || n == 0 {
		return 0, err
	}
	return b.aside(ctx, " WHERE team = ?", n)
}

// AsideForEverybody is what is set aside for all people.
func (b *Books) AsideForEverybody(ctx context.Context) (nanoUSD int64, err error) {
	return b.aside(ctx, "")
}

func (b *Books) aside(ctx context.Context, where string, args ...any) (nanoUSD int64, err error) {
	err = b.db.At(ctx).Scan("SELECT coalesce(sum(nano_usd), 0) FROM reservations"+where, args, &nanoUSD)
	return nanoUSD, err
}
