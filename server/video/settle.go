package video

import (
	"context"
	"fmt"

	"screentest/shared/reply"
	"screentest/shared/wire"
)

// Settle ends the doubt about a creation whose answer was lost, as a person
// has found it out. That it went through is believed with the gateway's id
// only, and the gateway is asked whether it knows it.
func (s *Service) Settle(ctx context.Context, owner, key string, c wire.VideoSettle) (wire.VideoTask, error) {
	t, err := s.Store.Task(ctx, owner, c.ID)
	if err != nil {
		return t, err
	}
	if t.State != wire.VideoUnknown {
		return t, &wire.Problem{Code: "settled", Message: "It is known already what became of this task."}
	}
	id := taskID{owner, c.ID}
	if p := s.elsewhere(t); p != nil && c.Outcome == wire.WentThrough {
		return t, p
	}
	switch c.Outcome {
	case wire.DidNot:
		why := &wire.Problem{Code: "did_not", Message: "It did not go through, as you found. Nothing was booked."}
		t, changed, err := s.Store.Refused(ctx, owner, c.ID, why)
		if err != nil {
			return t, err
		}
		s.release(id)
		if changed {
			s.tell(owner, t)
		}
		return t, nil
	case wire.WentThrough:
		return s.wentThrough(ctx, id, key, c.Remote)
	}
	return t, &wire.Problem{Code: "invalid_call", Field: "outcome", Message: "The outcome is went_through or did_not.", Allowed: []string{wire.WentThrough, wire.DidNot}}
}

func (s *Service) wentThrough(ctx context.Context, id taskID, key, remote string) (t wire.VideoTask, err error) {
	if !reply.IsTaskID(remote) {
		return t, &wire.Problem{Code: "bad_id", Field: "remote", Message: "The gateway's id of a task begins with task_.",
			Hint: "Copy it from the gateway's dashboard."}
	}
	number, err := s.Store.TaskKey(ctx, id.owner, id.id)
	if err != nil {
		return t, err
	}
	if own, _, ok := s.keys.get(number); ok {
		key = own // it was made with this one
	}
	if _, err := s.Gateway.Task(ctx, key, remote); err != nil {
		why := *problemIn(err)
		if notKnown(&why) {
			return t, &wire.Problem{Code: "task_not_exist", Field: "remote", Message: "The gateway does not know this id.",
				Hint: "Check that it is whole and that it belongs to the key in use.", Status: why.Status, Request: why.Request}
		}
		why.Field = "remote"
		why.Hint = "The id could not be checked, so nothing was changed. Try again."
		return t, &why
	}
	t, changed, err := s.Store.Accepted(ctx, id.owner, id.id, remote, s.nowMS())
	if err != nil {
		return t, err
	}
	s.release(id)
	if changed {
		s.tell(id.owner, t)
		s.poll.add(id.owner, number, t)
	}
	return s.live(id.owner, t), nil
}

// Check has the gateway asked about a task now, whatever the time. Of a done
// one it is asked whether the files are still there, and those that could not
// be copied are tried again.
func (s *Service) Check(ctx context.Context, owner, key, id string) error {
	t, err := s.Store.Task(ctx, owner, id)
	if err != nil {
		return err
	}
	if p := s.elsewhere(t); p != nil {
		return p
	}
	if s.poll.hurry(taskID{owner, id}) || t.State != wire.VideoDone {
		return nil
	}
	if key != "" {
		if t, err = s.refresh(ctx, owner, key, t); err != nil {
			return err
		}
	}
	return s.copyAgain(ctx, owner, t)
}

// refresh asks about a done task again: it may have expired, and its files may
// have other addresses now.
func (s *Service) refresh(ctx context.Context, owner, key string, t wire.VideoTask) (wire.VideoTask, error) {
	r, err := s.Gateway.Task(ctx, key, t.Remote)
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
