package video

import (
	"context"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// end ends a task: its final state, its return and the jobs to copy its files
// are stored as one, which happens once. Then its owner is told, and what
// follows begins. over is false if that could not be stored: the task is open
// as before, and is asked about again.
func (s *Service) end(ctx context.Context, owner string, t wire.VideoTask, urls []string) (over bool) {
	stored, changed, err := s.Store.End(ctx, owner, t, urls, s.nowMS())
	if err != nil {
		if ctx.Err() == nil {
			s.complain("the end of a video task was not stored", err, "task", t.ID)
		}
		return isNotExist(err)
	}
	if !changed {
		return stored.State.Final()
	}
	s.tell(owner, stored)
	if s.Ended != nil {
		s.Ended(stored)
	}
	if s.Budget != nil && stored.Returned {
		s.Budget.Booked(owner, stored.Team)
	}
	for _, o := range stored.Outputs {
		if o.Archive == wire.ArchiveWaiting {
			s.arch.add(job{taskID: taskID{owner, t.ID}, index: o.Index})
		}
	}
	return true
}

// ended is a task as the gateway says that it ended.
func (e *entry) ended(t wire.VideoTask, r reply.Task, now time.Time) wire.VideoTask {
	t.FinishedMS = now.UnixMilli()
	if !r.Finished.IsZero() {
		t.FinishedMS = e.within(r.Finished, now)
	}
	switch r.State {
	case reply.TaskSuccess:
		t.State, t.FinishState = wire.VideoDone, string(gateway.StatusSuccess)
		if len(r.URLs) == 0 {
			t.Problem = &wire.Problem{Code: "no_files", Message: "The gateway says that the clip is done, and names no file.",
				Hint: "Ask the gateway's support, with the task's id."}
		}
	case reply.TaskFailure:
		t.State, t.FinishState = wire.VideoFailed, string(gateway.StatusFailure)
		t.Problem = failure(r.FailReason)
	case reply.TaskExpired:
		t.State, t.FinishState = wire.VideoExpired, string(gateway.StatusSuccess)
	}
	return t
}

// failure words why a task failed (F99).
func failure(reason string) *wire.Problem {
	if reason == "" {
		return &wire.Problem{Code: "task_failed", Message: "The task failed, and the gateway gives no reason. The charge was returned."}
	}
	return &wire.Problem{Code: "task_failed", Message: reason, Hint: "The charge was returned. Change the request and try again."}
}

// lost is a task that the gateway does not know any more: it ends without a
// return (G2).
func (e *entry) lost(why *wire.Problem, now time.Time) wire.VideoTask {
	return wire.VideoTask{ID: e.id, State: wire.VideoLost, UUID: e.uuid, FinishedMS: now.UnixMilli(), Problem: &wire.Problem{
		Code: "task_lost", Message: "The gateway does not know this task any more. Nothing was returned.",
		Hint: "Ask the gateway's support, with the task's id.", Status: why.Status, Request: why.Request, Raw: why.Raw}}
}

// expired ends a done task whose files the gateway has deleted.
func (s *Service) expired(owner, id string) {
	t, err := s.Store.Task(s.life, owner, id)
	if err != nil || t.State != wire.VideoDone {
		return
	}
	t.State = wire.VideoExpired
	s.end(s.life, owner, t, nil)
}

// tidyEvery is how often it is looked for tasks that have expired.
const tidyEvery = time.Minute

// upkeep tidies up until the Service is closed.
func (s *Service) upkeep() {
	tick := time.NewTicker(tidyEvery)
	defer tick.Stop()
	for {
		if s.First() { // one of several does it; a second one would change nothing
			s.Tidy(s.life)
		}
		select {
		case <-tick.C:
		case <-s.quit:
			return
		}
	}
}

// Tidy ends the tasks whose files have been at the gateway for as long as it
// keeps them.
func (s *Service) Tidy(ctx context.Context) {
	due, err := s.Store.Expiring(ctx, s.Now().Add(-gateway.Retention).UnixMilli(), 1000)
	for _, p := range due {
		s.expired(p[0], p[1])
	}
	if err != nil && ctx.Err() == nil {
		s.Logger.Error("no look for expired tasks", "err", err)
	}
}
