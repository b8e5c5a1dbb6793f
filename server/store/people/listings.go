package people

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"screentest/server/store/sqlite"
)

// Listing is the last list of models of a gateway, as it came. fs.ErrNotExist: there
// is none.
func (r *Register) Listing(ctx context.Context, gateway string) (body []byte, at time.Time, err error) {
	var ms int64
	err = r.db.At(ctx).Scan("SELECT body, listed_ms FROM listings WHERE gateway = ?", []any{gateway}, &body, &ms)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, at, sqlite.NotFound("list of models")
	}
	return body, time.UnixMilli(ms), err
}

// KeepListing keeps the last list of models of a gateway.
func (r *Register) KeepListing(ctx context.Context, gateway string, body []byte, at time.Time) error {
	return r.db.Write(ctx, len(body), func(t *sqlite.Tx) error {
		_, err := t.Exec("INSERT INTO listings (gateway, body, listed_ms) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body, listed_ms = excluded.listed_ms",
			gateway, body, at.UnixMilli())
		return err
	})
}
