package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

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
	m.recovering.Lock()
	defer m.recovering.Unlock()
	runs, err := m.leftRuns(ctx)
	if err != nil {
		return fmt.Errorf("find the runs that were under way: %w", err)
	}
	if len(runs) == 0 {
		return nil
	}
	kept, err := m.keptOf(ctx, runs)
	if err != nil {
		return fmt.Errorf("ask what is kept of %d runs that nobody goes on with: %w", len(runs), err)
	}
	var failed []error // one that can't be ended keeps no other from it
	for _, x := range runs {
		f, err := m.recoverRun(ctx, x.owner, x.run, kept[key{x.owner, x.run.ID}])
		if errors.Is(err, fs.ErrExist) {
			continue // it ended while this looked
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("recover run %s: %w", x.run.ID, err))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		if tell {
			m.Changed(x.owner, f.run)
			m.Ended(f.run)
			m.Stored(x.owner, x.run.Conversation)
		}
	}
	m.Logger.Info("ended the runs that nobody went on with", "runs", len(runs)-len(failed))
	return errors.Join(failed...)
}

// leftRuns are this process' runs that are not under way here.
func (m *Manager) leftRuns(ctx context.Context) (runs []left, err error) {
	note := func(dropped map[key]bool) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.dropped = dropped
	}
	note(map[key]bool{})
	defer note(nil)
	return runs, m.Store.EachRunning(ctx, func(owner string, r wire.Run) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		// Whatever was under way when the store was read is so still, or has ended
		// since: its end was not in what was read.
		if k := (key{owner, r.ID}); m.live[k] == nil && !m.dropped[k] {
			runs = append(runs, left{owner, r})
		}
		return nil
	})
}

// keptOf asks other replicas what they keep of runs: of each the longest tail that
// goes on from what is stored. Where one that is there doesn't answer, that is an
// error for as long as it may keep something.
func (m *Manager) keptOf(ctx context.Context, runs []left) (map[key]tails.Tail, error) {
	if m.Elsewhere == nil {
		return nil, nil
	}
	ids := make([]tails.Run, len(runs))
	stored := map[key]int64{}
	for i, x := range runs {
		ids[i] = tails.Run{Owner: x.owner, Run: x.run.ID}
		stored[key{x.owner, x.run.ID}] = x.run.Bytes
	}
	best := map[key]tails.Tail{}
	all, err := m.Elsewhere.Tails(ctx, ids)
	if err == nil {
		m.unasked = nil
	} else if m.mayBeKept(ids) {
		return nil, err
	} else {
		m.Logger.Error("what another replica kept of runs that nobody goes on with is lost", "runs", len(runs), "err", err)
	}
	for _, t := range all {
		k := key{t.Owner, t.Run}
		if have, asked := stored[k]; asked && t.From <= have && t.End() > max(have, best[k].End()) {
			best[k] = t
		}
	}
	return best, nil
}

// mayBeKept says whether one that could not be asked what it keeps of runs, now and
// before, may have something still.
func (m *Manager) mayBeKept(ids []tails.Run) (may bool) {
	now, before := m.Now(), m.unasked
	m.unasked = map[tails.Run]time.Time{}
	for _, id := range ids {
		since, known := before[id]
		if !known {
			since = now
		}
		m.unasked[id] = since
		may = may || now.Sub(since) < tails.KeptFor
	}
	return may
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
