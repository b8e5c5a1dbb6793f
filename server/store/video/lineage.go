package video

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// maxLineage is how far a family tree is followed, up and down.
const maxLineage = 500

// Opened returns a task with its ancestors, nearest first, and its
// descendants, oldest first, 500 of each at most; what these have cost
// together, and what the original and all that was made of it have.
func (v *Videos) Opened(ctx context.Context, owner, id string) (o wire.VideoOpened, err error) {
	b, _ := engine.ParseID(id)
	who := engine.ParseOwner(owner)
	err = v.db.Snapshot(ctx, func(r engine.Reading) error {
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
			root, _ = engine.ParseID(o.Ancestors[n-1].ID)
		}
		const down = `WITH RECURSIVE down (id) AS (SELECT CAST(?2 AS BLOB) UNION SELECT t.id FROM down JOIN video_tasks t ON t.owner = ?1 AND t.source = down.id), part (id) AS (SELECT id FROM down LIMIT ?3) `
		o.Descendants, err = related(r, down+`SELECT `+videoColumns+listedBody+` FROM part JOIN video_tasks t ON t.owner = ?1 AND t.id = part.id
			WHERE t.id <> ?2 ORDER BY t.n`, who, b)
		if err != nil {
			return err
		}
		o.Descendants = withoutDeadEnds(o.Descendants)
		if o.ShownNanoUSD, err = costOf(r, who, slices.Concat(o.Ancestors, []wire.VideoTask{o.Task}, o.Descendants)); err != nil {
			return err
		}
		return r.Scan(down+"SELECT coalesce(sum("+taskCost+"), 0) FROM part JOIN video_tasks t ON t.owner = ?1 AND t.id = part.id",
			[]any{who, root, maxLineage}, &o.LineageNanoUSD)
	})
	return o, err
}

// withoutDeadEnds leaves out the deleted tasks of which nothing was made that is
// still there. tasks are in the order in which they were made.
func withoutDeadEnds(tasks []wire.VideoTask) []wire.VideoTask {
	needed := map[string]bool{}
	for _, t := range slices.Backward(tasks) {
		if !t.Deleted || needed[t.ID] {
			needed[t.ID], needed[t.Source] = true, true
		}
	}
	return slices.DeleteFunc(tasks, func(t wire.VideoTask) bool { return !needed[t.ID] })
}

// taskCost is what a task t has cost: by its owner's ledger, and what was told of
// it when it was handed over.
const taskCost = "coalesce((SELECT sum(cost_nano_usd) FROM ledger WHERE owner = t.owner AND subject = t.id), 0) + coalesce(t.told_nano_usd, 0)"

// costOf is what tasks have cost together, charges less returns.
func costOf(r engine.Reading, owner int64, tasks []wire.VideoTask) (nano int64, err error) {
	ids := make([]string, len(tasks))
	for i, t := range tasks {
		ids[i] = strings.ReplaceAll(t.ID, "-", "")
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return 0, err
	}
	err = r.Scan("SELECT coalesce(sum("+taskCost+"), 0) FROM json_each(?2) j JOIN video_tasks t ON t.owner = ?1 AND t.id = unhex(j.value)",
		[]any{owner, string(list)}, &nano)
	return nano, err
}

func related(r engine.Reading, query string, owner int64, id []byte) (tasks []wire.VideoTask, err error) {
	err = r.Each(query, []any{owner, id, maxLineage}, func(rows *sql.Rows) error {
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
