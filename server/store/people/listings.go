package people

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"screentest/server/store/engine"
)

// Listing is the last list of models of a gateway, as it came. fs.ErrNotExist: there
// is none.
func (r *Register) Listing(ctx context.Context, gateway string) (body []byte, at time.Time, err error) {
	var ms int64
	err = r.db.At(ctx).Scan("SELECT body, listed_ms FROM listings WHERE gateway = ?", []any{gateway}, &body, &ms)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, at, engine.NotFound("list of models")
	}
	return body, time.UnixMilli(ms), err
}

// KeepListing keeps the last list of models of a gateway.
func (r *Register) KeepListing(ctx context.Context, gateway string, body []byte, at time.Time) error {
	return r.db.Write(ctx, len(body), func(t *engine.Tx) error {
		_, err := t.Exec("INSERT INTO listings (gateway, body, listed_ms) VALUES (?, ?, ?) ON CONFLICT (gateway) DO UPDATE SET body = excluded.body, listed_ms = excluded.listed_ms",
			gateway, body, at.UnixMilli())
		return err
	})
}

// maxPrices bounds the models of a gateway that have a price entered.
const maxPrices = 5000

// Prices are those that were entered for models of a gateway, by the models' ids.
func (r *Register) Prices(ctx context.Context, gateway string) (prices map[string]string, err error) {
	prices = map[string]string{}
	err = r.db.At(ctx).Each("SELECT model, price FROM model_prices WHERE gateway = ?", []any{gateway}, func(rows *sql.Rows) error {
		var model, price string
		err := rows.Scan(&model, &price)
		prices[model] = price
		return err
	})
	return prices, err
}

// SetPrice keeps the price that was entered for a model; "" forgets it.
func (r *Register) SetPrice(ctx context.Context, gateway, model, price string) error {
	return r.db.Write(ctx, len(price), func(t *engine.Tx) error {
		if price == "" {
			_, err := t.Exec("DELETE FROM model_prices WHERE gateway = ? AND model = ?", gateway, model)
			return err
		}
		var n int
		if err := t.Scan("SELECT count(*) FROM model_prices WHERE gateway = ? AND model <> ?", []any{gateway, model}, &n); err != nil {
			return err
		}
		if n >= maxPrices {
			return engine.BadField("too_many", "model", "At most %d models have a price entered here.", maxPrices)
		}
		_, err := t.Exec("INSERT INTO model_prices (gateway, model, price, set_ms) VALUES (?, ?, ?, ?) ON CONFLICT (gateway, model) DO UPDATE SET price = excluded.price, set_ms = excluded.set_ms",
			gateway, model, price, r.now().UnixMilli())
		return err
	})
}
