package search

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Bounds of one search.
const (
	defaultHits = 20
	// maxLooked bounds how many rows of the index a page looks at, where a
	// filter is not in the index: what an answer cost.
	maxLooked = 2000
	// maxRanked is how many of the newest hits are ranked.
	maxRanked = 500
	// maxShownText is how much of a text is read to show where the hit is, in
	// characters.
	maxShownText = 256 << 10
	// catchUpFor bounds how long a search waits for what is not in yet.
	catchUpFor = 200 * time.Millisecond
)

// A Finder looks things up in the search index.
type Finder struct {
	db    *engine.DB
	Index *Index
	now   func() time.Time

	branches branches
}

// NewFinder looks in the index of db.
func NewFinder(db *engine.DB, index *Index, now func() time.Time) *Finder {
	return &Finder{db: db, Index: index, now: now}
}

// Columns of the index by kinds of hits.
var hitKinds = []struct{ kind, meta, column string }{
	{wire.HitTitle, metaTitle, "title"},
	{wire.HitVideo, metaVideo, "title question"},
	{wire.HitQuestion, metaQuestion, "question"},
	{wire.HitAnswer, metaAnswer, "answer"},
	{wire.HitTool, metaTool, "tool"},
	{wire.HitError, metaError, "error"},
}

// A lookup is a wire.Search that was read.
type lookup struct {
	wire.Search
	owner    int64
	phrases  []phrase
	prefix   bool     // the last word is looked for as a beginning
	filter   filter   // what the rows must be
	columns  []string // where the words must be
	below    int64    // rows of the index under this
	above    int64    // and from this on
	shown    shown    // what others show the owner
	branches *branches
}

// Search looks through the owner's conversations and clips, and through those that
// others show them; see wire.Search. The newest are found in some 0.5 ms whatever the
// word.
//
// A last word that is found often as it stands is taken for whole; only one
// that is not, for a beginning: to find the newest of all words that begin
// alike, all places of all of them must be put in order first, which takes
// 10 ms and more for the beginning of a common word.
func (f *Finder) Search(ctx context.Context, owner string, s wire.Search) (page wire.SearchPage, err error) {
	behind, err := f.catchUp(ctx)
	if err != nil {
		return page, err
	}
	err = f.db.Snapshot(ctx, func(q engine.Reading) error {
		l, err := readSearch(q, owner, s)
		if err == nil {
			l.branches = &f.branches
			err = l.readShown(q, f.now().UnixMilli())
		}
		if err != nil {
			return err
		}
		rows, more, err := l.rows(q)
		if err != nil {
			return err
		}
		if page.Hits, err = l.hits(q, rows); err != nil {
			return err
		}
		if more != 0 && !s.Rank {
			mode := int64(0)
			if l.prefix {
				mode = 1
			}
			page.Before = engine.FormatCursor(more, mode)
		}
		return nil
	})
	if err != nil {
		return wire.SearchPage{}, err
	}
	page.Behind = behind
	return page, nil
}

func readSearch(q engine.Reading, owner string, s wire.Search) (l *lookup, err error) {
	if len(s.Query) > wire.MaxQuery {
		return nil, engine.BadField("bad_query", "query", "At most %d bytes can be searched for.", wire.MaxQuery)
	}
	l = &lookup{Search: s, owner: engine.ParseOwner(owner), phrases: parseQuery(s.Query), below: math.MaxInt64}
	l.Limit = engine.PageLimit(s.Limit, defaultHits, wire.MaxHits)
	before, err := engine.ParseCursor(s.Before, 2)
	if err != nil {
		return nil, err
	}
	if before != nil {
		l.below, l.prefix = before[0], before[1] == 1
	}
	// Times are cut to seconds here and looked at whole later.
	const far = math.MaxInt64 / perSecond
	if s.FromMS > 0 {
		l.above = rowOf(min(s.FromMS, far))
	}
	if s.ToMS > 0 && s.ToMS < far {
		// A second that had no room left goes on in the next ones.
		l.below = min(l.below, rowOf(s.ToMS)+60*perSecond)
	}

	var meta [][]string
	if s.Conversation != "" {
		id, _ := engine.ParseID(s.Conversation)
		var n int64
		if err := q.Scan("SELECT n FROM conversations WHERE owner = ? AND id = ?", []any{l.owner, id}, &n); err == sql.ErrNoRows {
			return nil, engine.NotFound("conversation")
		} else if err != nil {
			return nil, err
		}
		meta = append(meta, []string{metaConversation(n)})
	}
	if s.Model != "" {
		meta = append(meta, []string{metaModel(s.Model)})
	}
	if s.State != "" {
		meta = append(meta, []string{metaState(s.State)})
	}
	if s.MinNanoUSD != nil || s.MaxNanoUSD != nil {
		meta = append(meta, []string{metaAnswer, metaVideo})
	}
	var kinds, columns []string
	for _, k := range s.Kinds {
		if !slices.ContainsFunc(hitKinds, func(h struct{ kind, meta, column string }) bool { return h.kind == k }) {
			return nil, engine.BadField("bad_kind", "kinds", "There is no kind %q of what can be found.", k)
		}
	}
	for _, h := range hitKinds {
		if l.wants(h.kind) {
			kinds, columns = append(kinds, h.meta), append(columns, strings.Fields(h.column)...)
		}
	}
	if l.wants(wire.HitAnswer) || l.wants(wire.HitVideo) {
		columns = append(columns, "model")
	}
	if len(s.Kinds) > 0 {
		meta = append(meta, kinds)
	}
	l.filter = append(filter{{metaOwner(l.owner)}}, meta...)
	l.shown.meta = meta
	l.columns = columns
	return l, nil
}

func (l *lookup) wants(kind string) bool { return len(l.Kinds) == 0 || slices.Contains(l.Kinds, kind) }

// rows finds the places of a page in the index, the newest first; more is where
// the next page goes on, 0 at the end.
func (l *lookup) rows(q engine.Reading) (rows []int64, more int64, err error) {
	rows, more, err = l.page(q)
	n := len(l.phrases)
	if err == nil && more == 0 && l.Before == "" && n > 0 && l.phrases[n-1].prefix {
		l.prefix = true
		return l.page(q)
	}
	return rows, more, err
}

const (
	selectRows = "SELECT f.rowid FROM FOUND ORDER BY f.rowid DESC LIMIT ?4"
	selectPaid = `SELECT f.rowid, coalesce((SELECT sum(cost_nano_usd) FROM ledger WHERE owner = s.owner AND subject = coalesce(r.id, v.id)), r.told_nano_usd, v.told_nano_usd, 0)
		FROM FOUND LEFT JOIN search_rows s ON s.n = f.rowid LEFT JOIN runs r ON r.n = s.run LEFT JOIN video_tasks v ON v.n = s.video
		ORDER BY f.rowid DESC LIMIT ?4`
)

// page finds those of a page, of one's own and what others show.
func (l *lookup) page(q engine.Reading) (rows []int64, more int64, err error) {
	rows, more, err = l.own(q)
	if err != nil || len(l.shown.words) == 0 {
		return rows, more, err
	}
	others, far, err := l.others(q)
	if err != nil {
		return nil, 0, err
	}
	rows, more = merged(rows, others, max(more, far), l.most())
	return rows, more, nil
}

// most is how many rows a page has.
func (l *lookup) most() int {
	if l.Rank {
		return maxRanked
	}
	return l.Limit
}

func (l *lookup) own(q engine.Reading) (rows []int64, more int64, err error) {
	limit, look := l.most(), l.most()+1
	query := selectRows
	paid := l.paid()
	if l.Rank {
		look = maxRanked
	}
	if paid {
		query, look = selectPaid, maxLooked
	}
	looked := 0
	full := fmt.Errorf("the page is full")
	query, args := l.found(q, query, l.filter, l.columns, look)
	err = q.Each(query, args, func(r *sql.Rows) error {
		var row, cost int64
		dest := []any{&row}
		if paid {
			dest = append(dest, &cost)
		}
		if err := r.Scan(dest...); err != nil {
			return err
		}
		if len(rows) == limit {
			more = rows[limit-1]
			return full
		}
		if looked++; looked == maxLooked {
			more = row
		}
		if (l.MinNanoUSD == nil || cost >= *l.MinNanoUSD) && (l.MaxNanoUSD == nil || cost <= *l.MaxNanoUSD) {
			rows = append(rows, row)
		}
		return nil
	})
	if err == full {
		err = nil
	}
	return rows, more, err
}

const selectHit = `SELECT c.id, coalesce(c.title, v.title), m.id, coalesce(m.role, ''), coalesce(m.lane, 0), substr(coalesce(m.text, v.prompt, ''), 1, ?2), coalesce(m.tool, ''),
	coalesce(m.created_ms, c.created_ms, v.created_ms), r.id,
	CASE WHEN EXISTS (SELECT 1 FROM lanes WHERE conversation = c.n AND blind = 1) THEN '' ELSE coalesce(r.model, v.model, '') END, coalesce(r.state, v.state, ''), coalesce(r.problem, v.problem), r.calls,
	coalesce((SELECT sum(cost_nano_usd) FROM ledger WHERE owner = s.owner AND subject = coalesce(r.id, v.id)), r.told_nano_usd, v.told_nano_usd, 0),
	EXISTS (SELECT 1 FROM ledger WHERE owner = s.owner AND subject = coalesce(r.id, v.id) AND source = 'estimated'),
	v.id, coalesce(v.tags, ''), coalesce(v.deleted_ms, 0) > 0
	FROM search_rows s LEFT JOIN conversations c ON c.n = s.conversation LEFT JOIN messages m ON m.n = s.message LEFT JOIN runs r ON r.n = s.run
	LEFT JOIN video_tasks v ON v.n = s.video
	WHERE s.n = ?1`

// hits reads what is shown of rows.
func (l *lookup) hits(q engine.Reading, rows []int64) ([]wire.Hit, error) {
	type ranked struct {
		wire.Hit
		score float64
	}
	all := make([]ranked, 0, len(rows))
	for _, row := range rows {
		var h wire.Hit
		var conversation, message, run, problem, calls, video []byte
		var text, tool, tags string
		var deleted bool
		err := q.Scan(selectHit, []any{row, maxShownText}, &conversation, &h.Title, &message, &h.Role, &h.Lane, &text, &tool,
			&h.CreatedMS, &run, &h.Model, &h.State, &problem, &calls, &h.CostNanoUSD, &h.Estimated, &video, &tags, &deleted)
		if errors.Is(err, sql.ErrNoRows) {
			// Words without a row are a fault of the index. It must not keep
			// people from what else is found.
			continue
		}
		if err != nil {
			return nil, err
		}
		if deleted || h.CreatedMS < l.FromMS || (l.ToMS > 0 && h.CreatedMS >= l.ToMS) {
			continue
		}
		by, theirs := l.shown.by[row]
		if theirs {
			problem = nil
			if l.hidden(by, h, video == nil && message == nil, text, tags) {
				continue
			}
			tags = ""
			if !by.live {
				h.Title = by.title
			}
		}
		h.Conversation, h.Message, h.Run, h.Video = engine.FormatID(conversation), engine.FormatID(message), engine.FormatID(run), engine.FormatID(video)
		score := l.show(&h, text, tool, tags, problem, calls)
		if theirs {
			h.Share, h.By = by.share, by.name
			h.Conversation, h.Run, h.Video, h.CostNanoUSD, h.Estimated = "", "", "", 0, false
		}
		all = append(all, ranked{h, score})
	}
	if l.Rank {
		slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
		all = all[:min(len(all), l.Limit)]
	}
	hits := make([]wire.Hit, len(all))
	for i := range all {
		hits[i] = all[i].Hit
	}
	return hits, nil
}

// show finds what of a row matched and makes its snippet. It returns how good
// the hit is: more marks in a shorter text are better, and titles best.
func (l *lookup) show(h *wire.Hit, text, tool, tags string, problem, calls []byte) (score float64) {
	type part struct{ kind, text string }
	var parts []part
	var p *wire.Problem
	if problem != nil && json.Unmarshal(problem, &p) != nil {
		p = nil
	}
	switch {
	case h.Video != "":
		var list []string
		if json.Unmarshal([]byte(tags), &list) != nil {
			list = nil
		}
		parts = []part{{wire.HitVideo, text}, {wire.HitVideo, h.Title}, {wire.HitVideo, strings.Join(list, ", ")}, {wire.HitError, problemText(p)}}
	case h.Role == "":
		parts = []part{{wire.HitTitle, h.Title}}
	case h.Role == "assistant":
		var list []wire.ToolCall
		if calls != nil && json.Unmarshal(calls, &list) != nil {
			list = nil
		}
		parts = []part{{wire.HitAnswer, text}, {wire.HitTool, callsText(list)}, {wire.HitError, problemText(p)}}
	case h.Role == "tool":
		parts = []part{{wire.HitTool, tool + "\n" + text}}
	default:
		parts = []part{{wire.HitQuestion, text}}
	}
	most := maxMarks
	if l.Rank {
		most = 1000
	}
	phrases := slices.Clone(l.phrases)
	if n := len(phrases); n > 0 {
		phrases[n-1].prefix = l.prefix && phrases[n-1].prefix
	}
	// The part with a mark; else the first that is wanted and not empty.
	best, found := -1, []span(nil)
	for i, p := range parts {
		if !l.wants(p.kind) || p.text == "" {
			continue
		}
		if found = spans(p.text, phrases, most); best < 0 || len(found) > 0 {
			best = i
		}
		if len(found) > 0 {
			break
		}
	}
	if best < 0 {
		best = 0
	}
	h.Kind = parts[best].kind
	h.Snippet, h.Marks = snippet(parts[best].text, found)
	const usual, steep = 1000, 1.2 // of BM25: a usual length, and how fast more of the same counts less
	tf := float64(len(found))
	score = tf / (tf + steep*(0.25+0.75*float64(len(parts[best].text))/usual))
	if h.Kind == wire.HitTitle {
		score++
	}
	return score
}

// catchUp has what was written before put into the search index, for a while.
// behind: not all of it is there, for want of time or because the disk takes
// nothing; it can be searched without.
func (f *Finder) catchUp(ctx context.Context) (behind bool, err error) {
	for end := f.now().Add(catchUpFor); f.Index.Behind() && f.now().Before(end); {
		answer := make(chan error, 1)
		f.db.Post(0, func(w *engine.Tx) error {
			_, err := f.Index.CatchUp(w)
			return err
		}, func(err error) { answer <- err })
		select {
		case err := <-answer:
			if errors.Is(err, os.ErrClosed) {
				return true, err
			}
			if err != nil {
				return true, nil // the writer's own tries say why
			}
		case <-ctx.Done():
			return true, ctx.Err()
		}
	}
	return f.Index.Behind(), nil
}
