package store

import (
	"context"
	"database/sql"
	"strings"

	"screentest/shared/wire"
)

// Sizes of a page of tasks, and how far a family tree is followed.
const (
	defaultVideos = 50
	maxLineage    = 500
	maxWords      = 20
	maxListedTags = 100
)

// Tasks lists the owner's tasks that are not deleted, newest first: 50, or
// q.Limit up to wire.MaxVideoPage.
func (v *Videos) Tasks(ctx context.Context, owner string, q wire.VideoQuery) (wire.VideoPage, error) {
	limit := pageLimit(q.Limit, defaultVideos, wire.MaxVideoPage)
	before, err := parseCursor(q.Before, 2)
	if err != nil {
		return wire.VideoPage{}, err
	}
	where, args := videoWhere(parseOwner(owner), q)
	if before != nil {
		where += " AND (t.created_ms, t.n) < (?, ?)"
		args = append(args, before[0], before[1])
	}
	page := wire.VideoPage{Tasks: []wire.VideoTask{}}
	err = v.db.readers.snapshot(ctx, func(r reading) error {
		var last videoScan
		err := r.each("SELECT "+videoColumns+listedBody+" FROM video_tasks t WHERE "+where+" ORDER BY t.created_ms DESC, t.n DESC LIMIT ?",
			append(args, limit+1), func(rows *sql.Rows) error {
				if len(page.Tasks) == limit {
					page.Before = formatCursor(last.task.CreatedMS, last.n)
					return nil
				}
				last = videoScan{}
				if err := rows.Scan(last.dest()...); err != nil {
					return err
				}
				t, err := last.result()
				page.Tasks = append(page.Tasks, t)
				return err
			})
		if err != nil || before != nil {
			return err
		}
		page.Counts, err = videoCounts(r, parseOwner(owner))
		return err
	})
	return page, err
}

// videoWhere is the condition of a query. Every value is an argument.
func videoWhere(owner int64, q wire.VideoQuery) (where string, args []any) {
	parts := []string{"t.owner = ?", "t.deleted_ms = 0"}
	args = []any{owner}
	add := func(part string, values ...any) {
		parts = append(parts, part)
		args = append(args, values...)
	}
	in := func(column string, values []any) {
		if len(values) > 0 {
			add(column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")", values...)
		}
	}
	in("t.state", anys(q.States))
	in("t.mode", anys(q.Modes))
	in("t.model", anys(q.Models))
	if q.Tag != "" {
		add("EXISTS (SELECT 1 FROM json_each(t.tags) WHERE value = ?)", q.Tag)
	}
	if q.Favourite {
		add("t.favourite = 1")
	}
	if q.Pinned {
		add("t.pinned = 1")
	}
	if q.Archived {
		add("EXISTS (SELECT 1 FROM video_outputs WHERE task = t.n AND archive = 'saved')")
	}
	for i, word := range strings.Fields(strings.ToLower(q.Text)) {
		if i == maxWords {
			break
		}
		add("instr(t.words, ?) > 0", word)
	}
	if q.From > 0 {
		add("t.created_ms >= ?", q.From)
	}
	if q.To > 0 {
		add("t.created_ms < ?", q.To)
	}
	return strings.Join(parts, " AND "), args
}

// anys are at most 100 values as arguments.
func anys[T ~string](values []T) (out []any) {
	for i, v := range values {
		if i == 100 {
			break
		}
		out = append(out, string(v))
	}
	return out
}

// videoCounts counts all tasks of the owner by what they can be filtered by.
func videoCounts(r reading, owner int64) (*wire.VideoCount, error) {
	c := &wire.VideoCount{States: map[string]int{}, Models: map[string]int{}, Modes: map[string]int{}, Tags: []wire.VideoTag{}}
	err := r.each("SELECT state, model, mode, count(*) FROM video_tasks WHERE owner = ? AND deleted_ms = 0 GROUP BY state, model, mode", []any{owner}, func(rows *sql.Rows) error {
		var state, model, mode string
		var n int
		err := rows.Scan(&state, &model, &mode, &n)
		c.All += n
		c.States[state] += n
		c.Models[model] += n
		c.Modes[mode] += n
		return err
	})
	if err != nil {
		return nil, err
	}
	err = r.each(`SELECT j.value, count(*) AS many FROM video_tasks t, json_each(t.tags) j WHERE t.owner = ? AND t.deleted_ms = 0 AND t.tags <> '[]'
		GROUP BY j.value ORDER BY many DESC, j.value LIMIT ?`, []any{owner, maxListedTags}, func(rows *sql.Rows) error {
		var tag wire.VideoTag
		err := rows.Scan(&tag.Tag, &tag.Count)
		c.Tags = append(c.Tags, tag)
		return err
	})
	return c, err
}

// Opened returns a task with its ancestors, nearest first, and its
// descendants, oldest first, 500 of each at most; and what the original and
// all that was made of it have cost together.
func (v *Videos) Opened(ctx context.Context, owner, id string) (o wire.VideoOpened, err error) {
	b, _ := parseID(id)
	who := parseOwner(owner)
	err = v.db.readers.snapshot(ctx, func(r reading) error {
		var s videoScan
		if s, o.Task, err = readVideo(r, who, b); err != nil {
			return err
		}
		root := s.id
		o.Ancestors, err = related(r, `WITH RECURSIVE up (id, source, depth) AS (
				SELECT id, source, 0 FROM video_tasks WHERE owner = ?1 AND id = ?2
				UNION SELECT t.id, t.source, depth + 1 FROM up JOIN video_tasks t ON t.owner = ?1 AND t.id = up.source WHERE depth < ?3)
			SELECT `+videoColumns+listedBody+` FROM up JOIN video_tasks t ON t.owner = ?1 AND t.id = up.id WHERE depth > 0 ORDER BY depth`, who, b)
		if err != nil {
			return err
		}
		if n := len(o.Ancestors); n > 0 {
			root, _ = parseID(o.Ancestors[n-1].ID)
		}
		const down = `WITH RECURSIVE down (id) AS (SELECT ?2 UNION SELECT t.id FROM down JOIN video_tasks t ON t.owner = ?1 AND t.source = down.id LIMIT ?3) `
		o.Descendants, err = related(r, down+`SELECT `+videoColumns+listedBody+` FROM down JOIN video_tasks t ON t.owner = ?1 AND t.id = down.id
			WHERE t.id <> ?2 AND t.deleted_ms = 0 ORDER BY t.n`, who, b)
		if err != nil {
			return err
		}
		return r.scan(down+"SELECT coalesce(sum(cost_nano_usd), 0) FROM down JOIN ledger l ON l.owner = ?1 AND l.subject = down.id",
			[]any{who, root, maxLineage}, &o.LineageNanoUSD)
	})
	return o, err
}

func related(r reading, query string, owner int64, id []byte) (tasks []wire.VideoTask, err error) {
	err = r.each(query, []any{owner, id, maxLineage}, func(rows *sql.Rows) error {
		var s videoScan
		if err := rows.Scan(s.dest()...); err != nil {
			return err
		}
		t, err := s.result()
		tasks = append(tasks, t)
		return err
	})
	return tasks, err
}
