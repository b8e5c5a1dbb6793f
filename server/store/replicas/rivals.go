package replicas

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// watchFor is how long one that may have ended without a word is watched for a beat, and
// lookEvery how often it is looked for one.
const watchFor, lookEvery = 3 * time.Second, 250 * time.Millisecond

// A rival is a replica beside which one with a certain address can't be: it has the same,
// or one of both has none.
type rival struct {
	n, beats int64
	address  string
}

func rivalsOf(each func(query string, args []any, fn func(*sql.Rows) error) error, address string) (all []rival, err error) {
	err = each("SELECT n, beats, address FROM replicas WHERE gone_ms = 0 AND (address IN (?1, '') OR ?1 = '')", []any{address}, func(rows *sql.Rows) error {
		var x rival
		err := rows.Scan(&x.n, &x.beats, &x.address)
		all = append(all, x)
		return err
	})
	return all, err
}

// wantSilent gives the rivals of an address, none of which beats: each has ended without
// a word. One that does is an error.
func (r *Replicas) wantSilent(ctx context.Context, address string) (before []rival, err error) {
	if before, err = rivalsOf(r.db.At(ctx).Each, address); err != nil || len(before) == 0 {
		return nil, err
	}
	look := time.NewTicker(min(r.watch, lookEvery))
	defer look.Stop()
	watch := r.watch
	if address == "" && slices.ContainsFunc(before, func(x rival) bool { return x.address != "" }) {
		watch *= 4 // one that is held up for some seconds isn't gone, and its address is not this one's
	}
	for end := time.Now().Add(watch); time.Now().Before(end); {
		select {
		case <-look.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		now, err := rivalsOf(r.db.At(ctx).Each, address)
		if err != nil || len(now) == 0 {
			return nil, err
		}
		if err := wantOnly(before, now, address); err != nil {
			return nil, err
		}
	}
	return before, nil
}

// wantOnly refuses rivals that came, or have beaten, since others were known.
func wantOnly(before, now []rival, address string) error {
	i := slices.IndexFunc(now, func(x rival) bool { return !slices.Contains(before, x) })
	switch {
	case i < 0:
		return nil
	case address != "" && now[i].address == address:
		return &engine.Error{Problem: wire.Problem{Code: "replica_address", Message: "Another replica that serves this database has the address " + address + ", too.",
			Hint: "Give each one of its own with -replica, at which the others reach it."}}
	}
	return &engine.Error{Problem: wire.Problem{Code: "replica_alone", Message: "Another Screentest serves this database, and it or this one has no address at which others reach it.",
		Hint: "Stop it, or give each of them one with -replica, such as http://10.0.0.4:8081."}}
}
