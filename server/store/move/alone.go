package move

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"screentest/server/store/engine"
	"screentest/server/store/replicas"
	"screentest/shared/wire"
)

// BeatsWithin is how long a replica that runs may leave its place uncounted: one
// that doesn't in this time has been ended without a word.
const BeatsWithin = 12 * time.Second

// place is a replica's, as the table of them has it.
type place struct {
	address string
	beats   int64
}

func hasReplicas(q engine.Reading) (has bool, err error) {
	query := "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'replicas')"
	if q.OnPostgres() {
		query = "SELECT to_regclass('replicas') IS NOT NULL"
	}
	return has, q.Scan(query, nil, &has)
}

// places are those of replicas that nobody knows to be gone.
func places(q engine.Reading) (map[int64]place, error) {
	all := map[int64]place{}
	has, err := hasReplicas(q)
	if err != nil || !has {
		return all, err
	}
	return all, q.Each("SELECT n, address, beats FROM replicas WHERE gone_ms = 0", nil, func(rows *sql.Rows) error {
		var n int64
		var p place
		err := rows.Scan(&n, &p.address, &p.beats)
		all[n] = p
		return err
	})
}

// WantAlone refuses a database that replicas run on. Where some have a place there
// it watches for within whether one of them counts on. look gives a reading of what
// is committed by then.
func WantAlone(ctx context.Context, name string, within time.Duration, look func(fn func(engine.Reading) error) error) error {
	var first map[int64]place
	err := look(func(q engine.Reading) (err error) {
		first, err = places(q)
		return err
	})
	if err != nil || len(first) == 0 {
		return err
	}
	every := time.NewTicker(max(within/12, time.Millisecond))
	defer every.Stop()
	for end := time.Now().Add(within); ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-every.C:
		}
		var now map[int64]place
		err := look(func(q engine.Reading) (err error) {
			now, err = places(q)
			return err
		})
		if err != nil || len(now) == 0 {
			return err
		}
		for n, p := range now {
			if was, is := first[n]; is && was.beats == p.beats {
				continue
			}
			return &engine.Error{Problem: wire.Problem{Code: "move_served", Message: fmt.Sprintf("A replica runs on %s (number %d, %q).", name, n, p.address),
				Hint: "Stop all of them first. Nothing was changed."}}
		}
		if time.Now().After(end) {
			return nil
		}
	}
}

// letGo says of the replicas that were ended without a word that they are gone.
func (m *Move) letGo(ctx context.Context) error {
	has, err := hasReplicas(m.From.DB.At(ctx))
	if err != nil || !has || m.From.DB.ReadOnly() != nil {
		return err
	}
	return m.From.DB.Write(ctx, 0, replicas.LetAllGo)
}
