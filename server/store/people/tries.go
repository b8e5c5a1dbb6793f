package people

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"time"

	"screentest/server/account"
	"screentest/server/store/engine"
)

// TakeTries counts tries at all of those limits, one after the other: what one of them
// holds up is not counted by the next. It says how long to wait for it.
//
// A row says when everything that was tried is forgotten. Each try puts that off by
// the limit's Every, up to Burst of them ahead of now: a bucket that is filled again
// drop by drop.
func (r *Register) TakeTries(ctx context.Context, tries []account.Try, now time.Time) (wait time.Duration, err error) {
	// Who tries on and on writes nothing.
	if len(tries) > 0 {
		until, err := untilOf(r.db.At(ctx), tries[0].Name, now)
		if wait = waitFor(tries[0], until, now); err != nil || wait > 0 {
			return wait, err
		}
	}
	err = r.db.Write(ctx, 0, func(t *engine.Tx) error {
		wait = 0
		if _, err := t.Exec("DELETE FROM tries WHERE until_ms <= ?", now.UnixMilli()); err != nil {
			return err
		}
		for _, try := range tries {
			until, err := untilOf(t, try.Name, now)
			if err != nil {
				return err
			}
			if wait = waitFor(try, until, now); wait > 0 {
				return nil
			}
			if err := setUntil(t, try.Name, until+try.Every.Milliseconds()); err != nil {
				return err
			}
		}
		return nil
	})
	return wait, err
}

// GiveBackTries takes back one try at each of the limits of back, and forgets all at
// those with the names of forget.
func (r *Register) GiveBackTries(ctx context.Context, back []account.Try, forget []string, now time.Time) error {
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		for _, try := range back {
			until, err := untilOf(t, try.Name, now)
			if err != nil {
				return err
			}
			if err := setUntil(t, try.Name, max(until-try.Every.Milliseconds(), now.UnixMilli())); err != nil {
				return err
			}
		}
		for _, name := range forget {
			if _, err := t.Exec("DELETE FROM tries WHERE name = ?", tryName(name)); err != nil {
				return err
			}
		}
		return nil
	})
}

// waitFor is how long to wait for one more try; 0: not at all.
func waitFor(try account.Try, until int64, now time.Time) time.Duration {
	return max(0, time.Duration(until-now.UnixMilli())*time.Millisecond-time.Duration(try.Burst-1)*try.Every)
}

// tryName is what is kept of a limit's name, in which addresses stand.
func tryName(name string) []byte {
	sum := sha256.Sum256([]byte("tries " + name))
	return sum[:]
}

func untilOf(t engine.Scanner, name string, now time.Time) (until int64, err error) {
	err = t.Scan("SELECT until_ms FROM tries WHERE name = ?", []any{tryName(name)}, &until)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return max(until, now.UnixMilli()), err
}

func setUntil(t *engine.Tx, name string, until int64) error {
	_, err := t.Exec("INSERT INTO tries (name, until_ms) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET until_ms = excluded.until_ms", tryName(name), until)
	return err
}
