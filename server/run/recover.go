package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"screentest/server/tails"
	"screentest/shared/wire"
)

// left is a run that nobody goes on with.
type left struct {
	owner string
	run   wire.Run
}

// Recover ends the runs that an earlier process left under way: interrupted, with
// the text that had been stored; done, if the stored log has the end.
func (m *Manager) Recover(ctx context.Context) error { return m.recover(ctx, false) }

// TakeOver does that with the runs of a replica that is gone, which are this one's
// now. What other replicas keep of them is stored, too: all that anybody was shown.
// It is told how they ended.
func (m *Manager) TakeOver(ctx context.Context) error { return m.recover(ctx, true) }

func (m *Manager) recover(ctx context.Context, tell bool) error {
	var runs []left
	err := m.Store.EachRunning(ctx, func(owner string, r wire.Run) error {
		if m.find(key{owner, r.ID}) == nil { // else it is under way here
			runs = append(runs, left{owner, r})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find the runs that were under way: %w", err)
	}
	if len(runs) == 0 {
		return nil
	}
	kept := m.keptOf(ctx, runs)
	for _, x := range runs {
		f, err := m.recoverRun(ctx, x.owner, x.run, kept[key{x.owner, x.run.ID}])
		if errors.Is(err, fs.ErrExist) {
			continue // it ended while this looked
		}
		if err != nil {
			return fmt.Errorf("recover run %s: %w", x.run.ID, err)
		}
		if tell {
			m.Changed(x.owner, f.run)
			m.Ended(f.run)
			m.Stored(x.owner, x.run.Conversation)
		}
	}
	m.Logger.Info("ended the runs that nobody went on with", "runs", len(runs))
	return nil
}

// keptOf asks other replicas what they keep of runs: of each the longest tail that
// goes on from what is stored.
func (m *Manager) keptOf(ctx context.Context, runs []left) map[key]tails.Tail {
	if m.Elsewhere == nil {
		return nil
	}
	ids := make([]tails.Run, len(runs))
	stored := map[key]int64{}
	for i, x := range runs {
		ids[i] = tails.Run{Owner: x.owner, Run: x.run.ID}
		stored[key{x.owner, x.run.ID}] = x.run.Bytes
	}
	best := map[key]tails.Tail{}
	for _, t := range m.Elsewhere.Tails(ctx, ids) {
		k := key{t.Owner, t.Run}
		if have, asked := stored[k]; asked && t.From <= have && t.End() > max(have, best[k].End()) {
			best[k] = t
		}
	}
	return best
}

// recoverRun ends a run that nobody goes on with, with what is stored of it and what
// was kept elsewhere.
func (m *Manager) recoverRun(ctx context.Context, owner string, r wire.Run, kept tails.Tail) (final, error) {
	l := newLive(m, key{owner, r.ID}, r)
	defer l.cancel(errEnded)
	l.log = storedLog(r.Bytes, r.ContentType, l.log.fetch)
	log, times, err := l.whole(ctx, nil)
	if err != nil {
		return final{}, err
	}
	var last uint32
	for _, t := range parseTimes(times, int64(len(log))) {
		last = t.ms
	}
	if kept.End() > r.Bytes {
		if r.ContentType == "" {
			r.ContentType = kept.Type
		}
		log = append(log, kept.Data[r.Bytes-kept.From:]...)
		more := timesFrom(kept, r.Bytes, last)
		times = appendTimes(times, last, more)
		if len(more) > 0 {
			last = more[len(more)-1].ms
		}
	}
	r.DurationMS = int64(last)
	f := m.judge(ctx, owner, r, log, times, errShutdown)
	return f, m.Store.FinishRun(ctx, owner, f.run, f.text, log, times, f.prices)
}

// timesFrom are the times of what a tail has from an offset on, none before the last
// one that is stored.
func timesFrom(t tails.Tail, from int64, last uint32) (out []read) {
	skip := from - t.From
	for _, x := range t.Times {
		if skip >= int64(x.Len) {
			skip -= int64(x.Len)
			continue
		}
		last = max(last, x.MS)
		out = append(out, read{ms: last, len: x.Len - uint32(skip)})
		skip = 0
	}
	return out
}
