package video

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"screentest/server/store/engine"
	"screentest/server/store/search"
	"screentest/server/store/text"
	"screentest/shared/wire"
)

// CleanTitle is a title as it is stored: one line of at most wire.MaxTaskTitle
// characters; "" is none.
func (v *Videos) CleanTitle(title string) (string, error) {
	title = text.OneLine(title)
	if utf8.RuneCountInString(title) > wire.MaxTaskTitle || !utf8.ValidString(title) {
		return "", engine.BadField("bad_title", "title", "A title has at most %d characters.", wire.MaxTaskTitle)
	}
	return title, nil
}

// CleanTags are tags as they are stored: in order, each once.
func (v *Videos) CleanTags(tags []string) ([]string, error) {
	out := []string{}
	for _, tag := range tags {
		tag = text.OneLine(tag)
		if tag == "" {
			continue
		}
		if utf8.RuneCountInString(tag) > wire.MaxTag || !utf8.ValidString(tag) {
			return nil, engine.BadField("bad_tag", "tags", "A tag has at most %d characters.", wire.MaxTag)
		}
		if !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	if len(out) > wire.MaxTaskTags {
		return nil, engine.BadField("bad_tag", "tags", "A task has at most %d tags.", wire.MaxTaskTags)
	}
	slices.Sort(out)
	return out, nil
}

// Edit changes what a person adds to a task. What is nil stays.
func (v *Videos) Edit(ctx context.Context, owner string, e wire.VideoEdit) (wire.VideoTask, error) {
	var title string
	var tags []string
	var err error
	if e.Title != nil {
		if title, err = v.CleanTitle(*e.Title); err != nil {
			return wire.VideoTask{}, err
		}
	}
	if e.Tags != nil {
		if tags, err = v.CleanTags(*e.Tags); err != nil {
			return wire.VideoTask{}, err
		}
	}
	t, _, err := v.change(ctx, owner, e.ID, 0, func(w *engine.Tx, s videoScan, t wire.VideoTask) (bool, error) {
		if e.Title != nil {
			t.Title = title
		}
		if e.Tags != nil {
			t.Tags = tags
		}
		if e.Favourite != nil {
			t.Favourite = *e.Favourite
		}
		if e.Pinned != nil {
			t.Pinned = *e.Pinned
		}
		list, err := json.Marshal(append([]string{}, t.Tags...))
		if err != nil {
			return false, err
		}
		_, err = w.Exec("UPDATE video_tasks SET title = ?, tags = ?, words = ?, favourite = ?, pinned = ? WHERE n = ?",
			t.Title, string(list), search.Words(t), t.Favourite, t.Pinned, s.n)
		return true, err
	})
	return t, err
}

// SetDeleted marks a task as deleted at that time in Unix milliseconds, or
// takes that back with 0. PurgeDeleted does the rest.
func (v *Videos) SetDeleted(ctx context.Context, owner, id string, at int64) (wire.VideoTask, error) {
	t, _, err := v.change(ctx, owner, id, 0, func(w *engine.Tx, s videoScan, _ wire.VideoTask) (bool, error) {
		_, err := w.Exec("UPDATE video_tasks SET deleted_ms = ? WHERE n = ?", at, s.n)
		return true, err
	})
	return t, err
}

// PurgeDeleted deletes for good the tasks of everybody that were deleted
// before that time in Unix milliseconds and are final. An open one stays until
// it has ended, so that its return is booked. The ledger stays. It returns the
// SHA-256 of the files that these tasks had; see FileUsed.
func (v *Videos) PurgeDeleted(ctx context.Context, before int64) ([][]byte, int, error) {
	var files [][]byte
	var tasks int
	err := v.db.Write(ctx, 0, func(w *engine.Tx) error {
		files, tasks = nil, 0
		rows, err := engine.Column[int64](w, `SELECT n FROM video_tasks WHERE deleted_ms > 0 AND deleted_ms < ?
			AND state IN ('done', 'failed', 'expired', 'refused', 'lost') LIMIT 1000`, before)
		if err != nil {
			return err
		}
		for _, n := range rows {
			if err := purgeVideo(w, n, &files); err != nil {
				return err
			}
			tasks++
		}
		if tasks == 0 {
			return nil
		}
		return w.Scrub()
	})
	if err != nil {
		return nil, 0, err
	}
	return files, tasks, nil
}

// Purge deletes one deleted task for good, as PurgeDeleted does. version is after all
// that the task had.
func (v *Videos) Purge(ctx context.Context, owner, id string) (files [][]byte, version int64, err error) {
	b, _ := engine.ParseID(id)
	who := engine.ParseOwner(owner)
	var gone [][]byte
	err = v.db.Write(ctx, 0, func(w *engine.Tx) error {
		gone = nil
		s, t, err := readVideo(w, who, b)
		if err != nil {
			return err
		}
		if !t.Deleted {
			return engine.Conflict("This clip is not among the deleted ones.")
		}
		if !t.State.Final() {
			return engine.Conflict("This clip has not ended yet. It goes for good by itself once it has, %d days after its deletion.", wire.TrashDays)
		}
		if err := purgeVideo(w, s.n, &gone); err != nil {
			return err
		}
		version = t.Version + 1
		return w.Scrub()
	})
	if err != nil {
		return nil, 0, err
	}
	return gone, version, nil
}

func purgeVideo(w *engine.Tx, n int64, files *[][]byte) error {
	for _, name := range []string{"sha256", "poster"} {
		list, err := engine.Column[[]byte](w, "SELECT "+name+" FROM video_outputs WHERE task = ? AND "+name+" IS NOT NULL", n)
		if err != nil {
			return err
		}
		*files = append(*files, list...)
	}
	var key sql.NullInt64
	if err := w.Scan("SELECT key FROM video_tasks WHERE n = ?", []any{n}, &key); err != nil {
		return err
	}
	if _, err := w.Exec("DELETE FROM video_tasks WHERE n = ?", n); err != nil {
		return err
	}
	if key.Valid {
		return forgetKey(w, key.Int64)
	}
	return nil
}
