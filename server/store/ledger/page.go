package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"math"

	"screentest/server/store/sqlite"
	"screentest/shared/wire"
)

// Rows of a page of the ledger.
const (
	defaultLedger = 50
	maxLedger     = 500
)

// maxLedgerTitle bounds what of a prompt stands for a clip without a title, in
// characters.
const maxLedgerTitle = 200

// Rows of some time are read in its order: of a person or a team (?1), of a key
// (?13), or of everybody. Those about one thing, or of one conversation, are few:
// they are found by it and sorted, and the unary + keeps SQLite from going
// through all of the owner's time instead.
const (
	inTime   = ` AND l.created_ms >= ?2 AND l.created_ms < ?3 AND ?10 IS NULL`
	ofPerson = ` FROM ledger l WHERE l.owner = ?1` + inTime
	ofTeam   = ` FROM ledger l WHERE l.team = ?1` + inTime
	ofKey    = ` FROM ledger l WHERE ?1 IS NOT NULL AND l.paid_by = ?13 AND l.paid_by <> ''` + inTime
	ofAll    = ` FROM ledger l WHERE ?1 IS NOT NULL` + inTime

	fewInTime      = ` FROM ledger l WHERE l.owner = ?1 AND +l.created_ms >= ?2 AND +l.created_ms < ?3`
	ofSubject      = fewInTime + ` AND l.subject = ?10`
	ofConversation = fewInTime + ` AND l.conversation = ?10`

	newestFirst = ` AND (l.created_ms, l.n) < (?14, ?15) ORDER BY l.created_ms DESC, l.n DESC LIMIT ?16`
	sortFew     = ` AND (+l.created_ms, +l.n) < (?14, ?15) ORDER BY +l.created_ms DESC, +l.n DESC LIMIT ?16`
)

// ledgerMore is what a LedgerQuery may ask of rows besides.
const ledgerMore = `
	AND (?4 = '' OR l.kind = ?4) AND (?5 = '' OR l.what = ?5) AND (?6 = '' OR l.model = ?6) AND (?7 = '' OR l.source = ?7)
	AND l.cost_nano_usd >= ?8 AND l.cost_nano_usd <= ?9
	AND (?11 = 0 OR l.owner = ?11) AND (?12 = 0 OR l.team = ?12) AND (?13 = '' OR l.paid_by = ?13)`

// A ledgerFilter is a LedgerQuery as the queries take it.
type ledgerFilter struct {
	of    holder
	want  filter
	where string
	order string
	args  []any // ?1 to ?13
}

func (n *names) filterLedger(of holder, q wire.LedgerQuery) (f ledgerFilter, err error) {
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	if q.MinNanoUSD != nil {
		least = *q.MinNanoUSD
	}
	if q.MaxNanoUSD != nil {
		most = *q.MaxNanoUSD
	}
	if q.From < 0 || q.To < 0 {
		return f, sqlite.BadField("bad_time", "from", "The time must be after 1970.")
	}
	if f.want, f.of, err = n.filter(of, q.Of); err != nil {
		return f, err
	}
	var id int64
	f.where, f.order = ofAll, newestFirst
	switch {
	case f.of >= 0:
		f.where, id = ofPerson, int64(f.of)
	case f.of != everybody:
		f.where, id = ofTeam, int64(-f.of)
	case q.PaidBy != "":
		f.where = ofKey
	}
	f.args = []any{id, q.From, cmp.Or(q.To, math.MaxInt64), q.Kind, q.What, q.Model, q.Source, least, most, nil,
		f.want.owner, f.want.team, f.want.paidBy}
	for _, by := range []struct{ field, id, where string }{
		{"conversation", q.Conversation, ofConversation}, {"subject", q.Subject, ofSubject},
	} {
		if by.id == "" {
			continue
		}
		if of < 0 {
			return f, sqlite.BadField("bad_filter", by.field, "Only one's own rows can be asked for by their %s.", by.field)
		}
		id, err := sqlite.WantID(by.field, by.id)
		if err != nil {
			return f, err
		}
		f.where, f.order, f.args[9] = by.where, sortFew, id
	}
	f.where += ledgerMore
	if q.Subject != "" && q.Conversation != "" {
		return f, sqlite.BadField("bad_filter", "subject", "Rows can be asked for by their subject or by their conversation, not by both.")
	}
	return f, nil
}

// Ledger returns rows of the owner's ledger, newest first, whatever q says of
// other people.
func (b *Books) Ledger(ctx context.Context, owner string, q wire.LedgerQuery) (wire.LedgerPage, error) {
	n := sqlite.ParseOwner(owner)
	q.Person = ""
	return b.page(ctx, personHolder(n), n, q)
}

// LedgerOfEverybody is Ledger for the rows of all people, or of those that q asks
// for. Only of the viewer's own is told what they are about. Whether the viewer
// may see them is for the caller to know.
func (b *Books) LedgerOfEverybody(ctx context.Context, viewer string, q wire.LedgerQuery) (wire.LedgerPage, error) {
	return b.page(ctx, everybody, sqlite.ParseOwner(viewer), q)
}

func (b *Books) page(ctx context.Context, of holder, viewer int64, q wire.LedgerQuery) (wire.LedgerPage, error) {
	page := wire.LedgerPage{Rows: []wire.LedgerRow{}}
	who, err := b.names(ctx, of)
	if err != nil {
		return page, err
	}
	f, err := who.filterLedger(of, q)
	if err != nil {
		return page, err
	}
	before, err := sqlite.ParseCursor(q.Before, 2)
	if err != nil {
		return page, err
	}
	if before == nil {
		before = []int64{math.MaxInt64, math.MaxInt64}
	}
	// The index is entered at the cursor.
	if before[0] < math.MaxInt64 {
		f.args[2] = min(cmp.Or(q.To, math.MaxInt64), before[0]+1)
	}
	limit := defaultLedger
	if q.Limit > 0 {
		limit = min(q.Limit, maxLedger)
	}
	err = b.db.At(ctx).Each(`SELECT page.n, page.created_ms, page.kind, page.what, page.model, page.subject, c.id, m.id,
			page.cost_nano_usd, page.basis, page.source, page.input_tokens, page.output_tokens, page.prices,
			CASE WHEN t.deleted_ms = 0 THEN CASE t.title WHEN '' THEN substr(t.prompt, 1, ?17) ELSE t.title END ELSE coalesce(c.title, '') END, coalesce(t.seconds, 0),
			page.owner, coalesce(page.team, 0), page.paid_by
		FROM (SELECT l.*`+f.where+f.order+`) page
		LEFT JOIN runs r ON r.owner = page.owner AND r.id = page.subject AND page.what = 'text' AND page.owner = ?18
		LEFT JOIN messages m ON m.n = r.message LEFT JOIN conversations c ON c.n = m.conversation
		LEFT JOIN video_tasks t ON t.owner = page.owner AND t.id = page.subject AND page.what = 'video' AND page.owner = ?18
		ORDER BY page.created_ms DESC, page.n DESC`, append(f.args, before[0], before[1], limit+1, maxLedgerTitle, viewer), func(rows *sql.Rows) error {
		if len(page.Rows) == limit {
			last := page.Rows[limit-1]
			page.Before = sqlite.FormatCursor(last.CreatedMS, last.N)
			return nil
		}
		var r wire.LedgerRow
		var owner, team int64
		var subject, conversation, message []byte
		var prices string
		if err := rows.Scan(&r.N, &r.CreatedMS, &r.Kind, &r.What, &r.Model, &subject, &conversation, &message,
			&r.CostNanoUSD, &r.Basis, &r.Source, &r.InputTokens, &r.OutputTokens, &prices, &r.Title, &r.Seconds, &owner, &team, &r.PaidBy); err != nil {
			return err
		}
		r.Subject, r.Conversation, r.Message = sqlite.FormatID(subject), sqlite.FormatID(conversation), sqlite.FormatID(message)
		if p := who.people[owner]; p.id != "" {
			r.Person, r.PersonID = p.name, p.id
		}
		r.Team, r.TeamID = who.teams[team].name, who.teams[team].id
		if prices != "{}" {
			r.Prices = []byte(prices)
		}
		page.Rows = append(page.Rows, r)
		return nil
	})
	if err == nil && q.Before == "" {
		page.Total = new(wire.Sum)
		*page.Total, err = b.ledgerTotal(ctx, q, f)
	}
	return page, err
}

// ledgerTotal is the sum of all rows that a query finds. Where it asks for no
// more than the sums by hour tell apart, they are read in place of the rows: a
// million of those would take a second.
func (b *Books) ledgerTotal(ctx context.Context, q wire.LedgerQuery, f ledgerFilter) (wire.Sum, error) {
	var total figures
	if q.Kind == "" && q.Source == "" && q.Subject == "" && q.Conversation == "" && q.MinNanoUSD == nil && q.MaxNanoUSD == nil {
		err := b.eachPeriod(ctx, f.of, []period{{q.From, cmp.Or(q.To, math.MaxInt64)}}, func(_ int, sums *periodSums) {
			for g, sum := range sums.groups {
				if (q.What == "" || g.what == q.What) && (q.Model == "" || g.model == q.Model) && f.want.takes(g) {
					total.add(sum)
				}
			}
		})
		return total.sum(), err
	}
	err := b.db.At(ctx).Scan("SELECT "+sumByKind+f.where, f.args, total.sumDest()...)
	return total.sum(), err
}

// EachLedger calls fn for every row that a query finds, newest first, whatever
// its Before and Limit. Rows are read a page at a time, so that a slow reader
// holds no connection.
func (b *Books) EachLedger(ctx context.Context, owner string, q wire.LedgerQuery, fn func(wire.LedgerRow) error) error {
	return each(q, fn, func(q wire.LedgerQuery) (wire.LedgerPage, error) { return b.Ledger(ctx, owner, q) })
}

// EachLedgerOfEverybody is EachLedger with what LedgerOfEverybody gives.
func (b *Books) EachLedgerOfEverybody(ctx context.Context, viewer string, q wire.LedgerQuery, fn func(wire.LedgerRow) error) error {
	return each(q, fn, func(q wire.LedgerQuery) (wire.LedgerPage, error) { return b.LedgerOfEverybody(ctx, viewer, q) })
}

func each(q wire.LedgerQuery, fn func(wire.LedgerRow) error, read func(wire.LedgerQuery) (wire.LedgerPage, error)) error {
	// A cursor from the start of all: pages after the first carry no total.
	q.Before, q.Limit = sqlite.FormatCursor(math.MaxInt64, math.MaxInt64), maxLedger
	for q.Before != "" {
		page, err := read(q)
		if err != nil {
			return err
		}
		for _, r := range page.Rows {
			if err := fn(r); err != nil {
				return err
			}
		}
		q.Before = page.Before
	}
	return nil
}
