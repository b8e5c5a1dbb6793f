package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"screentest/server/store/engine"
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
	inTime   = ` AND l.created_ms >= ?2 AND l.created_ms < ?3 AND CAST(?10 AS TEXT) IS NULL`
	ofPerson = ` FROM ledger l WHERE l.owner = ?1` + inTime
	ofTeam   = ` FROM ledger l WHERE l.team = ?1` + inTime
	ofKey    = ` FROM ledger l WHERE ?1 IS NOT NULL AND l.paid_by = ?13 AND l.paid_by <> ''` + inTime
	ofAll    = ` FROM ledger l WHERE ?1 IS NOT NULL` + inTime

	fewInTime      = ` FROM ledger l WHERE l.owner = ?1 AND +l.created_ms >= ?2 AND +l.created_ms < ?3`
	ofSubject      = fewInTime + ` AND l.subject = ?10`
	ofConversation = fewInTime + ` AND l.conversation = ?10`

	// searched are rows by their model, and the viewer's own by the title of the
	// conversation or clip. What has it is found once, not for each row.
	searched = ` AND (l.model LIKE ?14 ESCAPE '\' OR l.owner = ?15 AND (
		l.conversation IN (SELECT id FROM conversations WHERE owner = ?15 AND title LIKE ?14 ESCAPE '\')
		OR l.subject IN (SELECT id FROM video_tasks WHERE owner = ?15 AND deleted_ms = 0 AND (title LIKE ?14 ESCAPE '\' OR title = '' AND prompt LIKE ?14 ESCAPE '\'))))`
)

// An order is how rows are sorted: by the column and then their number.
type order struct {
	column string
	down   bool // the largest first
}

var orders = map[string]order{
	wire.SortNewest:   {"created_ms", true},
	wire.SortOldest:   {"created_ms", false},
	wire.SortDearest:  {"cost_nano_usd", true},
	wire.SortCheapest: {"cost_nano_usd", false},
}

// sql sorts the rows behind a cursor. No index has their costs, or the few rows
// about one thing, in order: those are sorted, and the unary + says so.
func (o order) sql(few bool) string {
	column, n := "l."+o.column, "l.n"
	if few || o.column != "created_ms" {
		column, n = "+"+column, "+"+n
	}
	behind, way := ">", ""
	if o.down {
		behind, way = "<", " DESC"
	}
	return " AND (" + column + ", " + n + ") " + behind + " (?16, ?17) ORDER BY " + column + way + ", " + n + way + " LIMIT ?18"
}

// first is the cursor before all rows.
func (o order) first() []int64 {
	if o.down {
		return []int64{math.MaxInt64, math.MaxInt64}
	}
	return []int64{math.MinInt64, math.MinInt64}
}

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
	few   bool // rows, which are sorted
	order order
	args  []any // ?1 to ?15
}

// like is a pattern of what has a text in it.
func like(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%"
}

func (n *names) filterLedger(of holder, viewer int64, q wire.LedgerQuery) (f ledgerFilter, err error) {
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	if q.MinNanoUSD != nil {
		least = *q.MinNanoUSD
	}
	if q.MaxNanoUSD != nil {
		most = *q.MaxNanoUSD
	}
	if q.From < 0 || q.To < 0 {
		return f, engine.BadField("bad_time", "from", "The time must be after 1970.")
	}
	if utf8.RuneCountInString(q.Search) > wire.MaxLedgerSearch {
		return f, engine.BadField("bad_filter", "search", "At most %d characters can be looked for.", wire.MaxLedgerSearch)
	}
	known := false
	if f.order, known = orders[cmp.Or(q.Sort, wire.SortNewest)]; !known {
		return f, engine.BadField("bad_filter", "sort", "Rows can be sorted by %q, %q, %q or %q.",
			wire.SortNewest, wire.SortOldest, wire.SortDearest, wire.SortCheapest)
	}
	if f.want, f.of, err = n.filter(of, q.Of); err != nil {
		return f, err
	}
	var id int64
	f.where = ofAll
	switch {
	case f.of >= 0:
		f.where, id = ofPerson, int64(f.of)
	case f.of != everybody:
		f.where, id = ofTeam, int64(-f.of)
	case q.PaidBy != "":
		f.where = ofKey
	}
	f.args = []any{id, q.From, cmp.Or(q.To, math.MaxInt64), q.Kind, q.What, q.Model, q.Source, least, most, nil,
		f.want.owner, f.want.team, f.want.paidBy, like(q.Search), viewer}
	for _, by := range []struct{ field, id, where string }{
		{"conversation", q.Conversation, ofConversation}, {"subject", q.Subject, ofSubject},
	} {
		if by.id == "" {
			continue
		}
		if of < 0 {
			return f, engine.BadField("bad_filter", by.field, "Only one's own rows can be asked for by their %s.", by.field)
		}
		id, err := engine.WantID(by.field, by.id)
		if err != nil {
			return f, err
		}
		f.where, f.few, f.args[9] = by.where, true, id
	}
	f.where += ledgerMore
	if q.Search != "" {
		f.where += searched
	}
	if q.Subject != "" && q.Conversation != "" {
		return f, engine.BadField("bad_filter", "subject", "Rows can be asked for by their subject or by their conversation, not by both.")
	}
	return f, nil
}

// Ledger returns rows of the owner's ledger, whatever q says of
// other people.
func (b *Books) Ledger(ctx context.Context, owner string, q wire.LedgerQuery) (wire.LedgerPage, error) {
	n := engine.ParseOwner(owner)
	q.Person = ""
	return b.page(ctx, personHolder(n), n, q)
}

// LedgerOfEverybody is Ledger for the rows of all people, or of those that q asks
// for. Only of the viewer's own is told what they are about. Whether the viewer
// may see them is for the caller to know.
func (b *Books) LedgerOfEverybody(ctx context.Context, viewer string, q wire.LedgerQuery) (wire.LedgerPage, error) {
	return b.page(ctx, everybody, engine.ParseOwner(viewer), q)
}

func (b *Books) page(ctx context.Context, of holder, viewer int64, q wire.LedgerQuery) (wire.LedgerPage, error) {
	page := wire.LedgerPage{Rows: []wire.LedgerRow{}}
	who, err := b.names(ctx, of)
	if err != nil {
		return page, err
	}
	f, err := who.filterLedger(of, viewer, q)
	if err != nil {
		return page, err
	}
	before, err := engine.ParseCursor(q.Before, 2)
	if err != nil {
		return page, err
	}
	if before == nil {
		before = f.order.first()
	}
	// The index is entered at the cursor.
	switch {
	case f.order.column != "created_ms":
	case f.order.down && before[0] < math.MaxInt64:
		f.args[2] = min(cmp.Or(q.To, math.MaxInt64), before[0]+1)
	case !f.order.down:
		f.args[1] = max(q.From, before[0])
	}
	way := ""
	if f.order.down {
		way = " DESC"
	}
	limit := defaultLedger
	if q.Limit > 0 {
		limit = min(q.Limit, maxLedger)
	}
	err = b.db.At(ctx).Each(`SELECT page.n, page.created_ms, page.kind, page.what, page.model, page.subject, c.id, m.id,
			page.cost_nano_usd, page.basis, page.source, page.input_tokens, page.output_tokens, page.prices,
			CASE WHEN t.deleted_ms = 0 THEN CASE t.title WHEN '' THEN substr(t.prompt, 1, ?19) ELSE t.title END ELSE coalesce(c.title, '') END, coalesce(t.seconds, 0),
			page.owner, coalesce(page.team, 0), page.paid_by
		FROM (SELECT l.*`+f.where+f.order.sql(f.few)+`) page
		LEFT JOIN runs r ON r.owner = page.owner AND r.id = page.subject AND page.what = 'text' AND page.owner = ?15
		LEFT JOIN messages m ON m.n = r.message LEFT JOIN conversations c ON c.n = m.conversation
		LEFT JOIN video_tasks t ON t.owner = page.owner AND t.id = page.subject AND page.what = 'video' AND page.owner = ?15
		ORDER BY page.`+f.order.column+way+", page.n"+way, append(slices.Clone(f.args), before[0], before[1], limit+1, maxLedgerTitle), func(rows *sql.Rows) error {
		if len(page.Rows) == limit {
			last := page.Rows[limit-1]
			at := last.CreatedMS
			if f.order.column == "cost_nano_usd" {
				at = last.CostNanoUSD
			}
			page.Before = engine.FormatCursor(at, last.N)
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
		r.Subject, r.Conversation, r.Message = engine.FormatID(subject), engine.FormatID(conversation), engine.FormatID(message)
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
	if q.Kind == "" && q.Source == "" && q.Subject == "" && q.Conversation == "" && q.Search == "" && q.MinNanoUSD == nil && q.MaxNanoUSD == nil {
		err := b.eachPeriod(ctx, f.of, []period{{q.From, cmp.Or(q.To, math.MaxInt64)}}, func(_ int, sums *periodSums) {
			for g, sum := range sums.groups {
				if (q.What == "" || g.what == q.What) && (q.Model == "" || g.model == q.Model) && f.want.takes(g) {
					total.add(sum)
				}
			}
		})
		return total.sum(), err
	}
	args := f.args
	if q.Search == "" {
		args = args[:13] // as many as there are in it
	}
	err := b.db.At(ctx).Scan("SELECT "+sumByKind+f.where, args, total.sumDest()...)
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
	q.Before, q.Limit, q.Sort = engine.FormatCursor(math.MaxInt64, math.MaxInt64), maxLedger, wire.SortNewest
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
