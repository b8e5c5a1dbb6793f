package video

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// EachJob calls fn for every output of everybody that is to be archived,
// oldest first. fn may write.
func (v *Videos) EachJob(ctx context.Context, fn func(owner, task string, index int) error) error {
	type job struct {
		owner int64
		task  []byte
		index int
	}
	var all []job
	err := v.db.At(ctx).Each(`SELECT o.owner, t.id, o.idx FROM video_outputs o INDEXED BY video_outputs_jobs JOIN video_tasks t ON t.n = o.task
		WHERE o.archive IN ('waiting', 'copying', 'full') AND t.holder = ? ORDER BY o.n`, []any{v.db.Holder()}, func(rows *sql.Rows) error {
		var j job
		err := rows.Scan(&j.owner, &j.task, &j.index)
		all = append(all, j)
		return err
	})
	if err != nil {
		return err
	}
	for _, j := range all {
		if err := fn(engine.FormatOwner(j.owner), engine.FormatID(j.task), j.index); err != nil {
			return err
		}
	}
	return nil
}

// SetOutput stores how the copy of an output stands: Archive, SHA256, Type,
// Width, Height, Seconds, Bytes and Problem of o, at that time in Unix
// milliseconds. Archive "removed" keeps what is known of the file.
func (v *Videos) SetOutput(ctx context.Context, owner, task string, o wire.VideoOutput, at int64) (wire.VideoTask, bool, error) {
	problem, err := videoProblem(o.Problem)
	if err != nil {
		return wire.VideoTask{}, false, err
	}
	var sha any
	if o.SHA256 != "" {
		b, err := hex.DecodeString(o.SHA256)
		if err != nil {
			return wire.VideoTask{}, false, err
		}
		sha = b
	}
	return v.change(ctx, owner, task, 0, func(w *engine.Tx, s videoScan, _ wire.VideoTask) (bool, error) {
		res, err := w.Exec(`UPDATE video_outputs SET archive = ?, sha256 = ?, type = ?, width = ?, height = ?, seconds = ?, bytes = ?, problem = ?,
			saved_ms = CASE WHEN ? = 'saved' THEN ? ELSE saved_ms END WHERE task = ? AND idx = ?`,
			string(o.Archive), sha, o.Type, o.Width, o.Height, o.Seconds, o.Bytes, problem, string(o.Archive), at, s.n, o.Index)
		if err != nil {
			return false, err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return false, errors.Join(err, engine.NotFound("output"))
		}
		return true, dropKey(w, s.n)
	})
}

// SetLinks stores newer addresses of a task's files, by their index.
func (v *Videos) SetLinks(ctx context.Context, owner, task string, urls []string) (wire.VideoTask, error) {
	t, _, err := v.change(ctx, owner, task, 0, func(w *engine.Tx, s videoScan, _ wire.VideoTask) (changed bool, err error) {
		for i, url := range urls {
			res, err := w.Exec("UPDATE video_outputs SET url = ? WHERE task = ? AND idx = ? AND url <> ?", url, s.n, i, url)
			if err != nil {
				return false, err
			}
			n, err := res.RowsAffected()
			if err != nil {
				return false, err
			}
			changed = changed || n > 0
		}
		return changed, nil
	})
	return t, err
}

// TaskKey returns the key that a task holds; "" if it holds none any more.
func (v *Videos) TaskKey(ctx context.Context, owner, task string) (key int64, err error) {
	b, _ := engine.ParseID(task)
	var n sql.NullInt64
	err = v.db.At(ctx).Scan("SELECT key FROM video_tasks WHERE owner = ? AND id = ?", []any{engine.ParseOwner(owner), b}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, engine.NotFound("video task")
	}
	return n.Int64, err
}

// ArchiveUse tells how much the owner's archived files are, each counted once,
// apart from them how much the files of deleted tasks alone are, and how many
// outputs still wait to be copied.
func (v *Videos) ArchiveUse(ctx context.Context, owner string) (bytes, files, deleted, waiting int64, err error) {
	who := engine.ParseOwner(owner)
	q := v.db.At(ctx)
	err = q.Scan(`SELECT coalesce(sum(bytes) FILTER (WHERE kept = 1), 0), count(*) FILTER (WHERE kept = 1), coalesce(sum(bytes) FILTER (WHERE kept = 0), 0)
		FROM (SELECT max(o.bytes) AS bytes, max(CASE t.deleted_ms WHEN 0 THEN 1 ELSE 0 END) AS kept
			FROM video_outputs o JOIN video_tasks t ON t.n = o.task WHERE o.owner = ? AND o.archive = 'saved' GROUP BY o.sha256) AS file`,
		[]any{who}, &bytes, &files, &deleted)
	if err == nil {
		err = q.Scan(`SELECT count(*) FROM video_outputs o INDEXED BY video_outputs_jobs JOIN video_tasks t ON t.n = o.task
			WHERE o.archive IN ('waiting', 'copying', 'full') AND o.owner = ? AND t.deleted_ms = 0`, []any{who}, &waiting)
	}
	return bytes, files, deleted, waiting, err
}

// OldestSaved lists up to limit archived outputs of the owner that are neither
// deleted nor pinned, the longest saved first.
func (v *Videos) OldestSaved(ctx context.Context, owner string, limit int) (list []wire.VideoOutput, tasks []string, err error) {
	return v.saved(ctx, "t.deleted_ms = 0 AND t.pinned = 0 ORDER BY o.saved_ms, o.n LIMIT ?", engine.ParseOwner(owner), limit)
}

// OldestDeleted lists up to limit archived outputs of the owner's deleted tasks,
// the longest deleted first.
func (v *Videos) OldestDeleted(ctx context.Context, owner string, limit int) (list []wire.VideoOutput, tasks []string, err error) {
	return v.saved(ctx, "t.deleted_ms > 0 ORDER BY t.deleted_ms, o.n LIMIT ?", engine.ParseOwner(owner), limit)
}

// SavedBefore lists up to limit archived outputs of the owner that were saved
// before before and whose tasks are neither favourites nor pinned, the longest
// saved first.
func (v *Videos) SavedBefore(ctx context.Context, owner string, before time.Time, limit int) (list []wire.VideoOutput, tasks []string, err error) {
	return v.saved(ctx, "o.saved_ms < ? AND t.favourite = 0 AND t.pinned = 0 ORDER BY o.saved_ms, o.n LIMIT ?", engine.ParseOwner(owner), before.UnixMilli(), limit)
}

// saved lists archived outputs of the owner args[0], with their tasks' ids; more
// says which of them.
func (v *Videos) saved(ctx context.Context, more string, args ...any) (list []wire.VideoOutput, tasks []string, err error) {
	err = v.db.At(ctx).Each(`SELECT t.id, o.idx, o.bytes, lower(hex(o.sha256)), o.type, o.width, o.height, o.seconds
		FROM video_outputs o INDEXED BY video_outputs_saved JOIN video_tasks t ON t.n = o.task
		WHERE o.owner = ? AND o.archive = 'saved' AND `+more, args, func(rows *sql.Rows) error {
		var o wire.VideoOutput
		var id []byte
		err := rows.Scan(&id, &o.Index, &o.Bytes, &o.SHA256, &o.Type, &o.Width, &o.Height, &o.Seconds)
		list, tasks = append(list, o), append(tasks, engine.FormatID(id))
		return err
	})
	return list, tasks, err
}

// NewestKept is the SHA-256 of the last clip, by its number, whose file is kept; nil where
// none is.
func (v *Videos) NewestKept(ctx context.Context) (sha []byte, err error) {
	err = v.db.At(ctx).Scan("SELECT sha256 FROM video_outputs WHERE archive = 'saved' ORDER BY n DESC LIMIT 1", nil, &sha)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return sha, err
}

// FileUsed tells whether the file of that SHA-256 is anybody's.
func (v *Videos) FileUsed(ctx context.Context, sha []byte) (used bool, err error) {
	err = v.db.At(ctx).Scan("SELECT EXISTS (SELECT 1 FROM video_outputs WHERE sha256 = ?1 AND archive = 'saved') OR EXISTS (SELECT 1 FROM video_outputs WHERE poster = ?1)", []any{sha}, &used)
	return used, err
}

// SetPoster stores which file is the poster of an output, and returns the one
// before; nil if there was none.
func (v *Videos) SetPoster(ctx context.Context, owner, task string, index int, sha []byte, kind string) (wire.VideoTask, []byte, error) {
	var before []byte // read only where the write succeeded
	t, _, err := v.change(ctx, owner, task, 0, func(w *engine.Tx, s videoScan, _ wire.VideoTask) (bool, error) {
		before = nil
		err := w.Scan("SELECT poster FROM video_outputs WHERE task = ? AND idx = ?", []any{s.n, index}, &before)
		if errors.Is(err, sql.ErrNoRows) {
			return false, engine.NotFound("output")
		}
		if err != nil {
			return false, err
		}
		_, err = w.Exec("UPDATE video_outputs SET poster = ?, poster_type = ? WHERE task = ? AND idx = ?", sha, kind, s.n, index)
		return true, err
	})
	if err != nil {
		return t, nil, err
	}
	return t, before, nil
}

// Poster returns the file and media type of an output's poster.
// fs.ErrNotExist: it has none.
func (v *Videos) Poster(ctx context.Context, owner, task string, index int) (sha []byte, kind string, err error) {
	b, _ := engine.ParseID(task)
	err = v.db.At(ctx).Scan(`SELECT o.poster, o.poster_type FROM video_tasks t JOIN video_outputs o ON o.task = t.n
		WHERE t.owner = ? AND t.id = ? AND o.idx = ? AND o.poster IS NOT NULL`, []any{engine.ParseOwner(owner), b, index}, &sha, &kind)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, "", engine.NotFound("poster")
	}
	return sha, kind, err
}

// archiveSetting is the name of the setting that holds wire.ArchiveSettings.
const archiveSetting = "video_archive"

// ArchiveSettings returns the owner's settings, the defaults where none are
// stored.
func (v *Videos) ArchiveSettings(ctx context.Context, owner string) (a wire.ArchiveSettings, err error) {
	a = wire.ArchiveSettings{QuotaBytes: wire.DefaultQuota, MakeRoom: true}
	text, err := v.people.Setting(ctx, owner, archiveSetting)
	if errors.Is(err, fs.ErrNotExist) || err == nil && text == "" {
		return a, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &a)
	}
	return a, err
}

// SetArchiveSettings stores the owner's settings.
func (v *Videos) SetArchiveSettings(ctx context.Context, owner string, a wire.ArchiveSettings) error {
	if a.QuotaBytes == 0 {
		a.QuotaBytes = wire.DefaultQuota
	}
	if a.QuotaBytes < wire.MinQuota || a.QuotaBytes > wire.MaxQuota {
		return engine.BadField("bad_quota", "quota_bytes", "The quota must be %d MB to %d TB.", wire.MinQuota>>20, int64(wire.MaxQuota)>>40)
	}
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return v.people.SetSetting(ctx, owner, archiveSetting, string(text))
}
