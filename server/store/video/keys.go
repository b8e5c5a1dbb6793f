package video

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"screentest/server/payer"
	"screentest/server/store/engine"
	"screentest/server/store/people"
	"screentest/server/store/sealed"
)

// videoKeyPurpose binds sealed keys of tasks; the row is the key's number.
const videoKeyPurpose = "video key"

// Sealed are the columns that hold sealed values.
func Sealed() []sealed.Column {
	return []sealed.Column{{
		Name: "video_keys", First: []any{int64(0)},
		Rows:     "SELECT n, sealed FROM video_keys WHERE n > ? ORDER BY n LIMIT ?",
		SetWhere: "UPDATE video_keys SET sealed = ? WHERE n = ? AND sealed = ?",
		As: func(key, _ []any) (purpose, id string) {
			n, _ := key[0].(int64)
			return videoKeyPurpose, strconv.FormatInt(n, 10)
		},
	}}
}

// addKey stores a key, sealed, and returns its number: the owner's own, or that
// of a team, which each person whose tasks it pays for holds by themself.
func (v *Videos) addKey(w *engine.Tx, owner, team int64, gateway, secret string, replaced bool) (n int64, err error) {
	if n, err = w.Insert("INSERT INTO video_keys (owner, team, gateway, sealed, replaced) VALUES (?, nullif(?, 0), ?, x'', ?)", owner, team, gateway, replaced); err != nil {
		return 0, err
	}
	_, err = w.Exec("UPDATE video_keys SET sealed = ? WHERE n = ?", v.box.Seal(videoKeyPurpose, strconv.FormatInt(n, 10), []byte(secret)), n)
	return n, err
}

// dropKey takes the key from a task that needs it no more: one that is
// final and has no file left to copy. A key that no task holds is forgotten.
func dropKey(w *engine.Tx, task int64) error {
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

func forgetKey(w *engine.Tx, key int64) error {
	_, err := w.Exec("DELETE FROM video_keys WHERE n = ? AND NOT EXISTS (SELECT 1 FROM video_tasks WHERE key = video_keys.n)", key)
	return err
}

// EachKey calls fn for the keys that tasks hold, each with its owner, the team
// that it is of and its gateway. The secret is "" for one that does not open any more.
func (v *Videos) EachKey(ctx context.Context, fn func(of payer.Payer, key int64, paused, replaced bool)) error {
	return v.db.At(ctx).Each("SELECT n, owner, (SELECT id FROM teams WHERE n = k.team), gateway, sealed, paused, replaced FROM video_keys k ORDER BY n", nil, func(rows *sql.Rows) error {
		var n, owner int64
		var team, sealed []byte
		var gateway string
		var paused, replaced bool
		if err := rows.Scan(&n, &owner, &team, &gateway, &sealed, &paused, &replaced); err != nil {
			return err
		}
		plain, err := v.box.Open(videoKeyPurpose, strconv.FormatInt(n, 10), sealed)
		if err != nil {
			v.log.Error("the key of video tasks does not open; they wait for another one", "err", err)
			plain, paused = nil, true
		}
		fn(payer.Payer{Owner: engine.FormatOwner(owner), Team: engine.FormatID(team), Gateway: gateway, Secret: string(plain)}, n, paused, replaced)
		return nil
	})
}

// PauseKey stores that the gateway refuses a key: the open tasks that hold it
// wait for another one.
func (v *Videos) PauseKey(ctx context.Context, owner string, key int64) error {
	who := engine.ParseOwner(owner)
	return v.db.Write(ctx, 0, func(w *engine.Tx) error {
		if _, err := w.Exec("UPDATE video_keys SET paused = 1 WHERE owner = ? AND n = ?", who, key); err != nil {
			return err
		}
		_, err := w.Exec("UPDATE video_tasks SET pause = 'key', version = version + 1 WHERE owner = ? AND key = ? AND state IN ('queued', 'running') AND pause <> 'key'", who, key)
		return err
	})
}

// ReplaceKeys gives tasks at a gateway the key of the payer of: those that its
// Team pays for, whoever made them, or without one those of its Owner's own key;
// all that are not over, or those whose key is paused or missing. It returns the
// numbers of the key by the owners of such tasks.
func (v *Videos) ReplaceKeys(ctx context.Context, of payer.Payer, gateway string, all bool) (byOwner map[string]int64, err error) {
	err = v.db.Write(ctx, len(of.Secret), func(w *engine.Tx) error {
		byOwner = map[string]int64{}
		team, err := people.TeamNumber(w, of.Team)
		if err != nil {
			return err
		}
		which, args := " owner = ? AND team IS NULL", []any{engine.ParseOwner(of.Owner), gateway}
		if team > 0 {
			which, args[0] = " team = ?", team
		}
		if which += " AND gateway = ?"; all {
			which += " AND (key IS NOT NULL OR state IN ('unknown', 'queued', 'running'))"
		} else {
			which += " AND (key IN (SELECT n FROM video_keys WHERE paused = 1) OR key IS NULL AND state IN ('unknown', 'queued', 'running'))"
		}
		var owners []int64
		if err := w.Each(ctx, "SELECT DISTINCT owner FROM video_tasks WHERE"+which, args, func(rows *sql.Rows) error {
			var n int64
			err := rows.Scan(&n)
			owners = append(owners, n)
			return err
		}); err != nil {
			return err
		}
		for _, owner := range owners {
			key, err := v.addKey(w, owner, team, gateway, of.Secret, true)
			if err != nil {
				return err
			}
			byOwner[engine.FormatOwner(owner)] = key
			if _, err := w.Exec("UPDATE video_tasks SET pause = CASE pause WHEN 'key' THEN '' ELSE pause END, version = version + 1, key = ? WHERE owner = ? AND"+which,
				append([]any{key, owner}, args...)...); err != nil {
				return err
			}
			if _, err := w.Exec("DELETE FROM video_keys WHERE owner = ? AND NOT EXISTS (SELECT 1 FROM video_tasks WHERE key = video_keys.n)", owner); err != nil {
				return err
			}
		}
		return nil
	})
	return byOwner, err
}
