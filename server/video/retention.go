package video

import (
	"context"
	"time"
)

// dropStep is how many outputs are looked up at a time.
const dropStep = 50

// DropClips removes the owner's archived clips that were saved before before,
// but for favourites and pinned ones, and says how many. Their tasks stay, and
// so does what they cost.
func (s *Service) DropClips(ctx context.Context, owner string, before time.Time) (clips int, err error) {
	for {
		list, tasks, err := s.Store.SavedBefore(ctx, owner, before, dropStep)
		if err != nil || len(list) == 0 {
			return clips, err
		}
		for i, o := range list {
			if _, err := s.removeCopy(ctx, owner, tasks[i], o); err != nil {
				return clips, err
			}
			clips++
		}
	}
}
