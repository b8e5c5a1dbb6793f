package run

import (
	"context"
	"fmt"
)

// StopOwner ends the runs of an owner, who may send no more, and waits until
// their ends are stored, or are found to wait for the disk.
func (m *Manager) StopOwner(ctx context.Context, owner string) error {
	var of []*live
	for _, l := range m.all(nil) {
		if l.key.owner == owner {
			l.cancel(errStopped)
			of = append(of, l)
		}
	}
	for _, l := range of {
		select {
		case <-l.done:
		case <-ctx.Done():
			return fmt.Errorf("stop run %s: %w", l.key.run, ctx.Err())
		}
	}
	return nil
}
