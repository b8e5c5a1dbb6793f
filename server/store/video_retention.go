package store

import (
	"context"
	"database/sql"
	"time"

	"screentest/shared/wire"
)

// SavedBefore lists up to limit archived outputs of the owner that were saved
// before before and whose tasks are neither favourites nor pinned, the longest
// saved first.
func (v *Videos) SavedBefore(ctx context.Context, owner string, before time.Time, limit int) (list []wire.VideoOutput, tasks []string, err error) {
	err = v.db.readers.at(ctx).each(`SELECT t.id, o.idx, o.bytes, lower(hex(o.sha256)), o.type, o.width, o.height, o.seconds
		FROM video_outputs o INDEXED BY video_outputs_saved JOIN video_tasks t ON t.n = o.task
		WHERE o.owner = ? AND o.archive = 'saved' AND o.saved_ms < ? AND t.favourite = 0 AND t.pinned = 0 ORDER BY o.saved_ms LIMIT ?`,
		[]any{parseOwner(owner), before.UnixMilli(), limit}, func(rows *sql.Rows) error {
			var o wire.VideoOutput
			var id []byte
			err := rows.Scan(&id, &o.Index, &o.Bytes, &o.SHA256, &o.Type, &o.Width, &o.Height, &o.Seconds)
			list, tasks = append(list, o), append(tasks, formatID(id))
			return err
		})
	return list, tasks, err
}
