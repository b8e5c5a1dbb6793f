package video

import (
	"context"

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
