package video

import (
	"context"
	"time"

	"screentest/shared/wire"
)

// Delete takes a task out of every list but that of the deleted ones. It can be
// had back for wire.TrashDays. One that is under way goes on, and stays charged
// unless it fails: the gateway knows no way to end it.
func (s *Service) Delete(ctx context.Context, owner, id string) error {
	t, err := s.Store.SetDeleted(ctx, owner, id, s.nowMS())
	if err != nil {
		return err
	}
	if s.Deleted != nil {
		s.Deleted(owner, wire.TaskGone{ID: id, Version: t.Version})
	}
	s.roomChanged(ctx, owner)
	return nil
}

// Undelete takes a deletion back.
func (s *Service) Undelete(ctx context.Context, owner, id string) (wire.VideoTask, error) {
	t, err := s.Store.SetDeleted(ctx, owner, id, 0)
	if err == nil {
		s.tell(owner, t)
		if s.Restored != nil {
			s.Restored(owner, id)
		}
		s.roomChanged(ctx, owner)
	}
	return s.live(owner, t), err
}

// Purge deletes a deleted task for good, with its files, if it has ended. Its
// rows in the ledger stay.
func (s *Service) Purge(ctx context.Context, owner, id string) error {
	files, version, err := s.Store.Purge(ctx, owner, id)
	if err != nil {
		return err
	}
	for _, sha := range files {
		s.discard(ctx, sha)
	}
	if s.Purged != nil {
		s.Purged(owner, wire.TaskGone{ID: id, Version: version})
	}
	s.roomChanged(ctx, owner)
	return nil
}

// PurgeDeleted does so with all of everybody's that were deleted before before,
// and says how many.
func (s *Service) PurgeDeleted(ctx context.Context, before time.Time) (clips int, err error) {
	for {
		files, n, err := s.Store.PurgeDeleted(ctx, before.UnixMilli())
		for _, sha := range files {
			s.discard(ctx, sha)
		}
		clips += n
		if err != nil || n == 0 {
			return clips, err
		}
	}
}

// roomChanged tries the copies again that wait for room: what is deleted gives
// way to them.
func (s *Service) roomChanged(ctx context.Context, owner string) {
	s.arch.wakeFull(owner)
	if s.Elsewhere != nil {
		s.Elsewhere.Room(owner)
	}
	s.arch.tellArchive(ctx, owner)
}
