package people

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"screentest/server/store/engine"
)

// FirstWarning notes that somebody is warned by an alarm for the period that begins at
// fromMS, in a setting of theirs, or of the server's where owner is "". first is
// false where that was noted before, by any process.
func (r *Register) FirstWarning(ctx context.Context, owner, name, alarm string, fromMS int64) (first bool, err error) {
	who := engine.ParseOwner(owner)
	read, args := "SELECT value FROM settings WHERE owner = ? AND name = ?", []any{who, name}
	write := "INSERT INTO settings (owner, name, value) VALUES (?, ?, ?) ON CONFLICT (owner, name) DO UPDATE SET value = excluded.value"
	if owner == "" {
		read, args = "SELECT value FROM meta WHERE name = ?", []any{serverPrefix + name}
		write = "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
	}
	warned := func(q engine.Scanner) (was map[string]int64, err error) {
		was = map[string]int64{}
		var text []byte
		switch err := q.Scan(read, args, &text); {
		case errors.Is(err, sql.ErrNoRows):
			return was, nil
		case err != nil:
			return nil, err
		}
		return was, json.Unmarshal(text, &was)
	}
	was, err := warned(r.db.At(ctx))
	if err != nil || was[alarm] == fromMS {
		return false, err // mostly: it is asked with each booking
	}
	var unknown bool
	err = r.db.Write(ctx, 0, func(w *engine.Tx) error {
		was, err := warned(w)
		if err != nil {
			return err
		}
		if unknown = was[alarm] != fromMS; !unknown {
			return nil
		}
		was[alarm] = fromMS
		text, err := json.Marshal(was)
		if err != nil {
			return err
		}
		var value any = string(text)
		if owner == "" {
			value = text
		}
		_, err = w.Exec(write, append(append([]any(nil), args...), value)...)
		return err
	})
	return unknown && err == nil, err
}
