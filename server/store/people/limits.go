package people

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Limits are what an admin lets a person spend; none for who isn't there.
func (r *Register) Limits(ctx context.Context, owner string) (l wire.Limits, err error) {
	var text string
	err = r.db.At(ctx).Scan("SELECT limits FROM users WHERE n = ?", []any{engine.ParseOwner(owner)}, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return l, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &l)
	}
	return l, err
}
