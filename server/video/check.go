package video

import (
	"context"
	"fmt"

	"screentest/shared/reply"
	"screentest/shared/wire"
)

// Check has the gateway asked about a task now, whatever the time. Of a done
// one it is asked whether the files are still there, and those that could not
// be copied are tried again. key finds the key to ask with by the gateway and the
// team that paid ("": none did); without one the gateway isn't asked.
func (s *Service) Check(ctx context.Context, owner string, key func(gateway, team string) (string, error), id string) error {
	t, err := s.Store.Task(ctx, owner, id)
	if err != nil {
		return err
	}
	if p := s.elsewhere(t); p != nil {
		return p
	}
	if t.State != wire.VideoDone {
		if t.State.Open() && !s.poll.hurry(taskID{owner, id}) {
			return s.look(ctx, owner, id)
		}
		return nil
	}
	if secret, err := key(t.Gateway, t.Team); err == nil && secret != "" {
		if t, err = s.refresh(ctx, owner, secret, t); err != nil {
			return err
		}
	}
	if t.State != wire.VideoDone {
		return nil
	}
	return s.look(ctx, owner, id)
}

// refresh asks about a done task again: it may have expired, and its files may
// have other addresses now.
func (s *Service) refresh(ctx context.Context, owner, key string, t wire.VideoTask) (wire.VideoTask, error) {
	r, err := s.Gateways(t.Gateway).Task(ctx, key, t.Remote)
	if err != nil {
		return t, fmt.Errorf("ask for a finished task again: %w", err)
	}
	if r.State == reply.TaskExpired {
		s.expired(owner, t.ID)
		return s.Store.Task(ctx, owner, t.ID)
	}
	if len(r.URLs) == 0 {
		return t, nil
	}
	now, err := s.Store.SetLinks(ctx, owner, t.ID, r.URLs)
	if err == nil && now.Version != t.Version {
		s.tell(owner, now)
	}
	return now, err
}

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
		if t.State != wire.VideoDone || o.Link == "" || !s.arch.withdraw(j) {
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
