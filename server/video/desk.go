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

// upkeepEvery is how often upkeep looks for what time has brought about.
const upkeepEvery = time.Minute

// upkeep marks what has expired.
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
	if err != nil && ctx.Err() == nil {
		s.Logger.Error("video upkeep failed", "err", err)
	}
}
