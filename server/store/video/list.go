package video

import (
	"context"
	"database/sql"
	"maps"
	"strings"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Sizes of a page of tasks.
const (
	defaultVideos = 50
	maxWords      = 20
	maxListedTags = 100
)

// Tasks lists the owner's tasks that are not deleted, or with q.Deleted those
// that are, in the order of q.Sort: 50, or q.Limit up to wire.MaxVideoPage.
func (v *Videos) Tasks(ctx context.Context, owner string, q wire.VideoQuery) (wire.VideoPage, error) {
	limit := engine.PageLimit(q.Limit, defaultVideos, wire.MaxVideoPage)
	by, err := orderOf(q)
	if err != nil {
		return wire.VideoPage{}, err
	}
	before, err := by.parse(q.Before)
	if err != nil {
		return wire.VideoPage{}, err
	}
	where, args := videoWhere(engine.ParseOwner(owner), q)
	if before != nil {
		where += by.after()
		args = append(args, before...)
	}
	page := wire.VideoPage{Tasks: []wire.VideoTask{}}
	err = v.db.Snapshot(ctx, func(r engine.Reading) error {
		var last videoScan
		err := r.Each("SELECT "+videoColumns+listedBody+" FROM video_tasks t "+by.index+" WHERE "+where+by.sql()+" LIMIT ?",
			append(args, limit+1), func(rows *sql.Rows) error {
				if len(page.Tasks) == limit {
					page.Before = by.format(last)
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
		if page.Counts, err = videoCounts(r, engine.ParseOwner(owner)); err != nil {
			return err
		}
		page.Found, err = videoFound(r, engine.ParseOwner(owner), q, page.Counts)
		return err
	})
	return page, err
}

// goneVideo says that a clip t plays no more.
const goneVideo = "t.state = 'expired' AND NOT EXISTS (SELECT 1 FROM video_outputs WHERE task = t.n AND archive = 'saved')"

// videoWhere is the condition of a query. Every value is an argument.
func videoWhere(owner int64, q wire.VideoQuery) (where string, args []any) {
	parts := []string{"t.owner = ?", "t.deleted_ms = 0"}
	if q.Deleted {
		parts[1] = "t.deleted_ms > 0"
	}
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
	switch q.Gone {
	case wire.GoneOnly:
		add(goneVideo)
	case wire.GoneOut:
		add("NOT (" + goneVideo + ")")
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
func videoCounts(r engine.Reading, owner int64) (*wire.VideoCount, error) {
	c := &wire.VideoCount{States: map[string]int{}, Models: map[string]int{}, Modes: map[string]int{}, Tags: []wire.VideoTag{}}
	err := r.Each("SELECT state, model, mode, count(*) FROM video_tasks WHERE owner = ? AND deleted_ms = 0 GROUP BY state, model, mode", []any{owner}, func(rows *sql.Rows) error {
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
	err = r.Each(`SELECT j.value, count(*) AS many FROM video_tasks t, json_each(t.tags) j WHERE t.owner = ? AND t.deleted_ms = 0 AND t.tags <> '[]'
		GROUP BY j.value ORDER BY many DESC, j.value LIMIT ?`, []any{owner, maxListedTags}, func(rows *sql.Rows) error {
		var tag wire.VideoTag
		err := rows.Scan(&tag.Tag, &tag.Count)
		c.Tags = append(c.Tags, tag)
		return err
	})
	return c, err
}

// videoFound counts what a query finds by state: of all of the owner's tasks, which
// are counted already, if it asks for nothing else.
func videoFound(r engine.Reading, owner int64, q wire.VideoQuery, all *wire.VideoCount) (*wire.VideoFound, error) {
	f := &wire.VideoFound{States: map[string]int{}}
	q.States, q.Gone, q.Deleted = nil, "", false
	where, args := videoWhere(owner, q)
	var err error
	if every, _ := videoWhere(owner, wire.VideoQuery{}); where == every {
		maps.Copy(f.States, all.States)
	} else {
		err = r.Each("SELECT t.state, count(*) FROM video_tasks t WHERE "+where+" GROUP BY t.state", args, func(rows *sql.Rows) error {
			var state string
			var n int
			err := rows.Scan(&state, &n)
			f.States[state] = n
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	if f.States[string(wire.VideoExpired)] > 0 {
		q.Gone = wire.GoneOnly
		where, args = videoWhere(owner, q)
		if err := r.Scan("SELECT count(*) FROM video_tasks t WHERE "+where, args, &f.Gone); err != nil {
			return nil, err
		}
	}
	q.Gone, q.Deleted = "", true
	where, args = videoWhere(owner, q)
	return f, r.Scan("SELECT count(*) FROM video_tasks t WHERE "+where, args, &f.Deleted)
}
