package video

import (
	"context"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// answered takes what the gateway tells of a task. It says whether that ended
// it.
func (p *poller) answered(ctx context.Context, e *entry, r reply.Task, now time.Time) (ended bool) {
	p.mu.Lock()
	e.failures, e.checked = 0, now
	t := wire.VideoTask{ID: e.id, State: e.state, UUID: e.uuid}
	p.mu.Unlock()
	if r.UUID != "" {
		t.UUID = r.UUID
	}
	if !r.Started.IsZero() {
		t.StartedMS = e.within(r.Started, now)
	}
	switch r.State {
	case reply.TaskSuccess, reply.TaskFailure, reply.TaskExpired:
		if r.State == reply.TaskSuccess && len(r.URLs) == 0 && e.empty < maxEmpty {
			// It is said to be done, and its files are not told yet.
			e.empty++
			break
		}
		return p.s.end(ctx, e.owner, e.ended(t, r, now), r.URLs)
	case reply.TaskInProgress:
		t.State = wire.VideoRunning
		if t.StartedMS == 0 && e.state != wire.VideoRunning {
			t.StartedMS = now.UnixMilli()
		}
	case reply.TaskQueued:
		t.State = wire.VideoQueued
	}
	p.mu.Lock()
	changed := t.State != e.state || t.UUID != e.uuid || e.pause != "" || e.code != ""
	moved := r.Progress != e.progress && len(p.all) <= tellMost && now.Sub(e.told) >= tellProgress
	e.state, e.uuid, e.pause, e.code, e.progress = t.State, t.UUID, "", "", r.Progress
	if changed || moved {
		e.told = now
	}
	p.mu.Unlock()
	switch {
	case changed:
		p.store(ctx, e, t)
	case moved:
		if t, err := p.s.Store.Task(ctx, e.owner, e.id); err == nil {
			p.s.tell(e.owner, t)
		}
	}
	return false
}

// unanswered takes an error of a poll. None of them is a failure of the task
// (G36); that the gateway does not know it ends it without a return (G2).
func (p *poller) unanswered(ctx context.Context, e *entry, key int64, replaced bool, err error, now time.Time) (ended bool, after time.Duration) {
	why := problemIn(err)
	after = time.Duration(why.RetryAfterMS) * time.Millisecond
	switch {
	case badKey(why):
		refused := p.s.keys.pause(key)
		if len(refused) > 0 {
			p.s.Logger.Warn("the gateway refuses a key; its video tasks wait for another one")
		}
		for n, owner := range refused {
			if err := p.s.Store.PauseKey(ctx, owner, n); err != nil {
				p.s.complain("a refused key was not marked", err)
			}
		}
		p.park(e, key)
		return false, 0
	case notKnown(why) && !replaced && (why.Code == gateway.CodeTaskNotExist || e.failures >= silentAfter-1):
		return p.s.end(ctx, e.owner, e.lost(why, now), nil), 0
	case notKnown(why) && replaced:
		why = &wire.Problem{Code: "other_key", Message: "The key that was entered does not know this task.",
			Hint: "Enter the key that the task was made with.", Status: why.Status, Request: why.Request}
		after = max(after, time.Minute)
	}
	p.mu.Lock()
	e.failures++
	silent := e.failures >= silentAfter || why.Code == "other_key"
	t := wire.VideoTask{ID: e.id, State: e.state, UUID: e.uuid, Pause: e.pause, PollProblem: why}
	if silent {
		t.Pause = wire.PauseSilent
	}
	changed := silent && (e.pause != t.Pause || e.code != why.Code)
	if changed {
		e.pause, e.code = t.Pause, why.Code
	}
	p.mu.Unlock()
	if changed {
		p.store(ctx, e, t)
	}
	return false, after
}

// store stores what a poll told of an open task, and tells of it.
func (p *poller) store(ctx context.Context, e *entry, t wire.VideoTask) {
	stored, changed, err := p.s.Store.Progress(ctx, e.owner, t)
	if err != nil {
		p.s.complain("the state of a video task was not stored", err, "task", e.id)
		return
	}
	if changed {
		p.s.tell(e.owner, stored)
	}
}

// badKey says whether the gateway refuses the key (G1).
func badKey(p *wire.Problem) bool {
	return p.Code == reply.CodeBadKey || p.Code == reply.CodeInvalidKey || p.Status == 401
}

// notKnown says whether the gateway does not know a task's id (G2). A plain 404
// may also come from a proxy that has lost its gateway for a moment.
func notKnown(p *wire.Problem) bool {
	return p.Code == gateway.CodeTaskNotExist || p.Code == reply.CodeNotFound && p.Status == 404
}

// within is a time that the gateway gives, in Unix milliseconds. It counts in
// seconds and has a clock of its own, so that what it says may lie before the
// task was made, or after we heard of it: the days that are left would be
// counted from there.
func (e *entry) within(t, now time.Time) int64 {
	return min(max(t.UnixMilli(), e.created.UnixMilli()), now.UnixMilli())
}
