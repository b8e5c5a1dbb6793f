package search

import (
	"cmp"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// What others show somebody is found among what is theirs, and nothing else of the
// others. Who sees what is asked for with each search: a share that ends is found no
// more at once. Of a snapshot that is found which was said, and ended, before it was
// made: its texts are then those that stand in the conversation.
//
// What a share doesn't show isn't found: what was asked otherwise before, errors,
// tags, costs, titles that were given after a snapshot, and models while their names
// are hidden.

// maxShown is how many shares are looked through, the newest.
const maxShown = 500

// A sight is a share that somebody sees.
type sight struct {
	share, name string // its id, and whose it is
	title       string // of what is not live: as it was then
	live        bool
	createdMS   int64
}

// shown is what others show somebody.
type shown struct {
	meta    filter   // what else the rows must be
	words   []string // of the index, one for each conversation and clip
	columns []string // where the words must be
	talks   map[int64][]sight
	clips   map[int64][]sight
	by      map[int64]sight // what shows a row that was found
}

// selectShown has no time to compare with: SQLite would look whether an index of some
// shares does for it, and prepare the statement anew with each.
const selectShown = `SELECT s.n, s.id, coalesce(s.conversation, 0), coalesce(s.task, 0), o.name, s.title, s.live, s.created_ms, v.expires_ms
	FROM sights v CROSS JOIN shares s ON s.n = v.share CROSS JOIN users o ON o.n = s.owner
	WHERE v.person = ?`

// paid says that it is asked for what something cost.
func (l *lookup) paid() bool { return l.MinNanoUSD != nil || l.MaxNanoUSD != nil }

// readShown reads what others show, unless one's own alone is asked for. The time is
// in Unix milliseconds.
func (l *lookup) readShown(q engine.Reading, now int64) error {
	columns := l.shownColumns()
	if l.Conversation != "" || l.paid() || len(columns) == 0 {
		return nil
	}
	type row struct {
		sight
		n, talk, clip int64
	}
	var all []row
	err := q.Each(selectShown, []any{l.owner}, func(rows *sql.Rows) error {
		var r row
		var id []byte
		var ends int64
		err := rows.Scan(&r.n, &id, &r.talk, &r.clip, &r.name, &r.title, &r.live, &r.createdMS, &ends)
		if r.share = engine.FormatID(id); ends == 0 || ends > now {
			all = append(all, r)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		return err
	}
	slices.SortFunc(all, func(a, b row) int { return cmp.Compare(b.n, a.n) })
	all = slices.CompactFunc(all, func(a, b row) bool { return a.n == b.n })
	s := &l.shown
	s.columns, s.talks, s.clips, s.by = columns, map[int64][]sight{}, map[int64][]sight{}, map[int64]sight{}
	for _, r := range all[:min(len(all), maxShown)] {
		of, n, word := s.talks, r.talk, metaConversation(r.talk)
		if r.clip != 0 {
			of, n, word = s.clips, r.clip, metaClip(r.clip)
		}
		if len(of[n]) == 0 {
			s.words = append(s.words, word)
		}
		of[n] = append(of[n], r.sight)
	}
	return nil
}

// shownColumns are those in which what others show is looked for.
func (l *lookup) shownColumns() (columns []string) {
	for _, h := range hitKinds {
		if l.wants(h.kind) && h.kind != wire.HitError {
			columns = append(columns, strings.Fields(h.column)...)
		}
	}
	return columns
}

const selectOthers = `SELECT f.rowid, coalesce(s.conversation, 0), coalesce(s.message, 0), coalesce(s.video, 0), max(coalesce(m.created_ms, 0), coalesce(r.started_ms + r.duration_ms, 0))
	FROM FOUND LEFT JOIN search_rows s ON s.n = f.rowid LEFT JOIN messages m ON m.n = s.message LEFT JOIN runs r ON r.n = s.run
	ORDER BY f.rowid DESC LIMIT ?4`

// others finds what others show as own finds what is one's own.
func (l *lookup) others(q engine.Reading) (rows []int64, more int64, err error) {
	query, args := l.found(q, selectOthers, append(filter{l.shown.words}, l.shown.meta...), l.shown.columns, maxLooked)
	looked, full := 0, fmt.Errorf("the page is full")
	err = q.Each(query, args, func(r *sql.Rows) error {
		var row, talk, message, clip, ended int64
		if err := r.Scan(&row, &talk, &message, &clip, &ended); err != nil {
			return err
		}
		if len(rows) == l.most() {
			more = rows[len(rows)-1]
			return full
		}
		if looked++; looked == maxLooked {
			more = row
		}
		of := l.shown.clips[clip]
		if talk != 0 {
			of = l.shown.talks[talk]
		}
		for _, s := range of {
			until := s.createdMS
			if s.live {
				until = math.MaxInt64
			}
			if clip == 0 && ended > until {
				continue
			}
			if message != 0 {
				if on, err := l.branches.shows(q, talk, message, until); err != nil {
					return err
				} else if !on {
					continue
				}
			}
			l.shown.by[row] = s
			rows = append(rows, row)
			break
		}
		return nil
	})
	if err == full {
		err = nil
	}
	return rows, more, err
}

// merged are the newest of two lists. far is up to where one of them was not looked
// through, 0 if both were to their ends: what is older than that may lack some, and
// comes with the next page.
func merged(a, b []int64, far int64, most int) (rows []int64, more int64) {
	rows = slices.Concat(a, b)
	slices.SortFunc(rows, func(a, b int64) int { return cmp.Compare(b, a) })
	rows = slices.DeleteFunc(rows, func(row int64) bool { return row < far })
	if len(rows) > most {
		return rows[:most], rows[most-1]
	}
	return rows, far
}

// hidden says that somebody else's hit was found by what a share doesn't show: by its
// model while the names are hidden, by a clip's tags, or by a title that it got since.
func (l *lookup) hidden(s sight, h wire.Hit, isTitle bool, text, tags string) bool {
	if l.Model != "" && h.Model == "" {
		return true
	}
	title, unseen := h.Title, tags
	if !s.live {
		title, unseen = s.title, tags+"\n"+h.Title
		if isTitle && s.title != h.Title {
			return true
		}
	}
	for _, p := range l.phrases {
		p.prefix = p.prefix && l.prefix
		one := []phrase{p}
		if len(spans(unseen, one, 1)) > 0 && len(spans(title+"\n"+text, one, 1)) == 0 {
			return true
		}
	}
	return false
}
