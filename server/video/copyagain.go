package video

import (
	"context"

	"screentest/shared/wire"
)

// copyAgain takes up at once the copies of a done task that were given up, or
// wait for room or for their next try.
func (s *Service) copyAgain(ctx context.Context, owner string, t wire.VideoTask) error {
	for _, o := range t.Outputs {
		j := job{taskID: taskID{owner, t.ID}, index: o.Index}
		switch o.Archive {
		case wire.ArchiveWaiting, wire.ArchiveFailed, wire.ArchiveFull:
		default:
			continue
		}
		if t.State != wire.VideoDone || o.Link == "" || !s.arch.claimIdle(j) {
			continue
		}
		err := s.awaitCopy(ctx, owner, t.ID, o)
		s.arch.resume(j)
		if err != nil {
			return err
		}
	}
	return nil
}

// awaitCopy says that an output is to be copied.
func (s *Service) awaitCopy(ctx context.Context, owner, task string, o wire.VideoOutput) error {
	if o.Archive == wire.ArchiveWaiting {
		return nil
	}
	o.Archive, o.Problem = wire.ArchiveWaiting, nil
	now, changed, err := s.Store.SetOutput(ctx, owner, task, o, s.nowMS())
	if err == nil && changed {
		s.tell(owner, now)
	}
	return err
}

// claimIdle takes a job out of its wait, for who wants it done now and calls
// resume then. It returns false where it is done without that: it is queued, or
// being copied, and tried once more at once if that fails.
func (a *archiver) claimIdle(j job) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.known[j]
	if at == nil {
		return true
	}
	if at.timer == nil || !at.timer.Stop() {
		at.again = at.copying
		return false
	}
	at.timer, at.tries = nil, 0
	return true
}

// resume queues a job that claimIdle gave.
func (a *archiver) resume(j job) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known[j] == nil {
		a.known[j] = &attempt{}
	}
	a.push(j)
}
