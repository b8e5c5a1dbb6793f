package video

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"screentest/server/store/sqlite"
)

// videoKeyPurpose binds sealed keys of tasks; the row is the key's number.
const videoKeyPurpose = "video key"

// addKey stores a key, sealed, and returns its number.
func (v *Videos) addKey(w *sqlite.Tx, owner int64, secret string, replaced bool) (n int64, err error) {
	if n, err = w.Insert("INSERT INTO video_keys (owner, sealed, replaced) VALUES (?, x'', ?)", owner, replaced); err != nil {
		return 0, err
	}
	_, err = w.Exec("UPDATE video_keys SET sealed = ? WHERE n = ?", v.box.Seal(videoKeyPurpose, strconv.FormatInt(n, 10), []byte(secret)), n)
	return n, err
}

// dropKey takes the key from a task that needs it no more: one that is
// final and has no file left to copy. A key that no task holds is forgotten.
func dropKey(w *sqlite.Tx, task int64) error {
	var key int64
	err := w.Scan(`SELECT key FROM video_tasks t WHERE n = ? AND key IS NOT NULL AND state IN ('done', 'failed', 'expired', 'refused', 'lost')
		AND NOT EXISTS (SELECT 1 FROM video_outputs WHERE task = t.n AND archive IN ('waiting', 'copying', 'full'))`, []any{task}, &key)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := w.Exec("UPDATE video_tasks SET key = NULL WHERE n = ?", task); err != nil {
		return err
	}
	return forgetKey(w, key)
}

func forgetKey(w *sqlite.Tx, key int64) error {
	_, err := w.Exec("DELETE FROM video_keys WHERE n = ? AND NOT EXISTS (SELECT 1 FROM video_tasks WHERE key = video_keys.n)", key)
	return err
}

// EachKey calls fn for the keys that tasks hold. secret is "" for one that
// does not open any more.
func (v *Videos) EachKey(ctx context.Context, fn func(owner string, key int64, secret string, paused, replaced bool)) error {
	return v.db.At(ctx).Each("SELECT n, owner, sealed, paused, replaced FROM video_keys ORDER BY n", nil, func(rows *sql.Rows) error {
		var n, owner int64
		var sealed []byte
		var paused, replaced bool
		if err := rows.Scan(&n, &owner, &sealed, &paused, &replaced); err != nil {
			return err
		}
		plain, err := v.box.Open(videoKeyPurpose, strconv.FormatInt(n, 10), sealed)
		if err != nil {
			v.log.Error("the key of video tasks does not open; they wait for another one", "err", err)
			plain, paused = nil, true
		}
		fn(sqlite.FormatOwner(owner), n, string(plain), paused, replaced)
		return nil
	})
}

// PauseKey stores that the gateway refuses a key: the open tasks that hold it
// wait for another one.
func (v *Videos) PauseKey(ctx context.Context, owner string, key int64) error {
	who := sqlite.ParseOwner(owner)
	return v.db.Write(ctx, 0, func(w *sqlite.Tx) error {
		if _, err := w.Exec("UPDATE video_keys SET paused = 1 WHERE owner = ? AND n = ?", who, key); err != nil {
			return err
		}
		_, err := w.Exec("UPDATE video_tasks SET pause = 'key', version = version + 1 WHERE owner = ? AND key = ? AND state IN ('queued', 'running') AND pause <> 'key'", who, key)
		return err
	})
}

// ReplaceKeys gives the tasks that an owner has at a gateway and whose key is
// paused, or missing, another one, and returns its number; 0 if there is no
// such task.
func (v *Videos) ReplaceKeys(ctx context.Context, owner, gateway, secret string) (int64, error) {
	who := sqlite.ParseOwner(owner)
	var key int64
	const waiting = ` owner = ? AND gateway = ? AND (key IN (SELECT n FROM video_keys WHERE owner = ? AND paused = 1)
		OR key IS NULL AND state IN ('unknown', 'queued', 'running'))`
	err := v.db.Write(ctx, len(secret), func(w *sqlite.Tx) (err error) {
		var tasks int
		key = 0
		if err := w.Scan("SELECT count(*) FROM video_tasks WHERE"+waiting, []any{who, gateway, who}, &tasks); err != nil || tasks == 0 {
			return err
		}
		if key, err = v.addKey(w, who, secret, true); err != nil {
			return err
		}
		if _, err := w.Exec("UPDATE video_tasks SET pause = CASE pause WHEN 'key' THEN '' ELSE pause END, version = version + 1, key = ? WHERE"+waiting, key, who, gateway, who); err != nil {
			return err
		}
		_, err = w.Exec("DELETE FROM video_keys WHERE owner = ? AND NOT EXISTS (SELECT 1 FROM video_tasks WHERE key = video_keys.n)", who)
		return err
	})
	if err != nil {
		return 0, err
	}
	return key, nil
}
