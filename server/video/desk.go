package video

import (
	"context"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Tasks lists an owner's tasks.
func (s *Service) Tasks(ctx context.Context, owner string, q wire.VideoQuery) (wire.VideoPage, error) {
	page, err := s.Store.Tasks(ctx, owner, q)
	s.liveAll(owner, page.Tasks)
	return page, err
}

// Open returns one task with its lineage.
func (s *Service) Open(ctx context.Context, owner, id string) (wire.VideoOpened, error) {
	o, err := s.Store.Opened(ctx, owner, id)
	if err != nil {
		return o, err
	}
	o.Task = s.live(owner, o.Task)
	s.liveAll(owner, o.Ancestors)
	s.liveAll(owner, o.Descendants)
	return o, nil
}

func (s *Service) liveAll(owner string, tasks []wire.VideoTask) {
	for i := range tasks {
		tasks[i] = s.live(owner, tasks[i])
	}
}

// Edit changes what a person adds to a task.
func (s *Service) Edit(ctx context.Context, owner string, e wire.VideoEdit) (wire.VideoTask, error) {
	t, err := s.Store.Edit(ctx, owner, e)
	if err == nil {
		s.tell(owner, t)
	}
	return s.live(owner, t), err
}

// Delete takes a task out of every list. It can be had back for an hour; then
// it is deleted for good with its files, once it has ended. Its rows in the
// ledger stay.
func (s *Service) Delete(ctx context.Context, owner, id string) error {
	_, err := s.Store.SetDeleted(ctx, owner, id, s.nowMS())
	if err == nil && s.Deleted != nil {
		s.Deleted(owner, id)
	}
	return err
}

// Undelete takes a deletion back.
func (s *Service) Undelete(ctx context.Context, owner, id string) (wire.VideoTask, error) {
	t, err := s.Store.SetDeleted(ctx, owner, id, 0)
	if err == nil {
		s.tell(owner, t)
	}
	return s.live(owner, t), err
}

// upkeepEvery is how often upkeep looks for what time has brought about.
const upkeepEvery = time.Minute

// upkeep marks what has expired and deletes for good what was deleted.
func (s *Service) upkeep() {
	tick := time.NewTicker(upkeepEvery)
	defer tick.Stop()
	for {
		s.Tidy(s.life)
		select {
		case <-tick.C:
		case <-s.quit:
			return
		}
	}
}

// Tidy does what upkeep does, once.
func (s *Service) Tidy(ctx context.Context) {
	due, err := s.Store.Expiring(ctx, s.Now().Add(-gateway.Retention).UnixMilli(), 1000)
	if err == nil {
		for _, p := range due {
			s.expired(p[0], p[1])
		}
	}
	gone, _, purgeErr := s.Store.PurgeDeleted(ctx, s.Now().Add(-s.Limits.Undelete).UnixMilli())
	for _, sha := range gone {
		s.discard(ctx, sha)
	}
	for _, err := range []error{err, purgeErr} {
		if err != nil && ctx.Err() == nil {
			s.Logger.Error("video upkeep failed", "err", err)
		}
	}
}
