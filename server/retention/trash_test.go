package retention_test

import (
	"context"
	"testing"
	"time"

	"screentest/server/retention"
	"screentest/shared/wire"
)

// What was deleted goes for good when it can be had back no longer, whatever
// anybody has set.
func TestDeletedClipsGoForGood(t *testing.T) {
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	db, _, _ := newStore(t, now)
	asked := make(chan time.Time)
	k := retention.New(retention.Config{Store: db, Now: func() time.Time { return now }, PurgeClips: func(ctx context.Context, before time.Time) (int, error) {
		select {
		case asked <- before:
		case <-ctx.Done():
		}
		return 1, nil
	}})
	k.Start()
	defer k.Close()
	if before := <-asked; !before.Equal(now.AddDate(0, 0, -wire.TrashDays)) || wire.TrashDays != 30 {
		t.Errorf("those that were deleted before %v", before)
	}
}
