package run

import (
	"context"
	"fmt"

	"screentest/shared/wire"
)

// Recover ends the runs that an earlier process left under way, or a replica that
// is gone: interrupted, with the text that had been stored; done, if the stored log
// has the end.
func (m *Manager) Recover(ctx context.Context) error {
	type left struct {
		owner string
		run   wire.Run
	}
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
	for _, x := range runs {
		if err := m.recoverRun(ctx, x.owner, x.run); err != nil {
			return fmt.Errorf("recover run %s: %w", x.run.ID, err)
		}
	}
	if len(runs) > 0 {
		m.Logger.Info("ended the runs that the last process left under way", "runs", len(runs))
	}
	return nil
}

func (m *Manager) recoverRun(ctx context.Context, owner string, r wire.Run) error {
	l := newLive(m, key{owner, r.ID}, r)
	defer l.cancel(errEnded)
	l.log = storedLog(r.Bytes, r.ContentType, l.log.fetch)
	log, times, err := l.whole(ctx, nil)
	if err != nil {
		return err
	}
	for _, t := range parseTimes(times, int64(len(log))) {
		r.DurationMS = int64(t.ms)
	}
	f := m.judge(ctx, owner, r, log, times, errShutdown)
	return m.Store.FinishRun(ctx, owner, f.run, f.text, log, times, f.prices)
}
