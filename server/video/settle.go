package video

import (
	"context"

	"screentest/shared/reply"
	"screentest/shared/wire"
)

// sayHowItEnded is what a person can do about a creation that is unknown.
const sayHowItEnded = "Look in the gateway's dashboard, and say here whether it went through. It was not sent again."

// Settle ends the doubt about a creation whose answer was lost, as a person
// has found it out. That it went through is believed with the gateway's id
// only, and the gateway is asked whether it knows it: with the key that it was
// made with, or with what key finds for the team that paid ("": none did).
func (s *Service) Settle(ctx context.Context, owner string, key func(gateway, team string) (string, error), c wire.VideoSettle) (wire.VideoTask, error) {
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
		return s.wentThrough(ctx, id, s.Gateways(t.Gateway), func() (string, error) { return key(t.Gateway, t.Team) }, c.Remote)
	}
	return t, &wire.Problem{Code: "invalid_call", Field: "outcome", Message: "The outcome is went_through or did_not.", Allowed: []string{wire.WentThrough, wire.DidNot}}
}

func (s *Service) wentThrough(ctx context.Context, id taskID, at Gateway, find func() (string, error), remote string) (t wire.VideoTask, err error) {
	if !reply.IsTaskID(remote) {
		return t, &wire.Problem{Code: "bad_id", Field: "remote", Message: "The gateway's id of a task begins with task_.",
			Hint: "Copy it from the gateway's dashboard."}
	}
	number, err := s.keyOf(ctx, id.owner, id.id)
	if err != nil {
		return t, err
	}
	key, _, ok := s.keys.get(number) // it was made with this one
	if !ok {
		if key, err = find(); err != nil {
			return t, err
		}
	}
	if _, err := at.Task(ctx, key, remote); err != nil {
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

// lostByRestart is why a creation is unknown that the last process sent.
func lostByRestart() *wire.Problem {
	return &wire.Problem{Code: "server_ended",
		Message: "The server ended before the gateway answered. The task may exist there and be billed.",
		Hint:    sayHowItEnded}
}
