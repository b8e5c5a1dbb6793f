package video

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

const (
	// silentAfter is how many polls in a row must fail before a task is shown
	// as one that the gateway does not answer for.
	silentAfter = 3
	// maxEmpty is how many answers without a file are taken for one that is not
	// complete yet.
	maxEmpty = 5
	// tellProgress is the least time between two news of a task's progress, and
	// tellMost the number of open tasks up to which it is told at all: a state
	// that changes is always told.
	tellProgress = time.Second
	tellMost     = 200
	// spread is the time over which many tasks are taken up after a start.
	spread = 3 * time.Millisecond
)

// poller asks the gateway for the state of every open task.
type poller struct {
	s    *Service
	wake chan struct{} // holds one
	due  chan *entry

	mu    sync.Mutex
	queue queue
	all   map[taskID]*entry
}

func newPoller(s *Service) *poller {
	return &poller{s: s, wake: make(chan struct{}, 1), due: make(chan *entry), all: map[taskID]*entry{}}
}

func (p *poller) start() {
	p.s.work.Go(p.loop)
	for range p.s.Limits.Pollers {
		p.s.work.Go(func() {
			for {
				select {
				case e := <-p.due:
					p.ask(e)
				case <-p.s.quit:
					return
				}
			}
		})
	}
}

// newEntry is a task that is polled from now on. The lock is held.
func (p *poller) newEntry(owner string, key int64, t wire.VideoTask) *entry {
	e := &entry{taskID: taskID{owner, t.ID}, remote: t.Remote, created: time.UnixMilli(t.AcceptedMS), key: key, place: -1,
		state: t.State, uuid: t.UUID, pause: t.Pause, progress: -1}
	if t.PollProblem != nil {
		e.code = t.PollProblem.Code
	}
	p.all[e.taskID] = e
	return e
}

// add polls a task that was just accepted.
func (p *poller) add(owner string, key int64, t wire.VideoTask) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all[taskID{owner, t.ID}] == nil {
		e := p.newEntry(owner, key, t)
		p.put(e, time.Now().Add(p.delay(e, 0)))
	}
}

// resume polls a task of the last process, soon: its state may have changed
// while nobody asked. Many are spread out.
func (p *poller) resume(owner string, key int64, t wire.VideoTask) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.newEntry(owner, key, t)
	if age := p.s.Now().Sub(e.created); age > 3*time.Minute {
		e.polls = 10 // as often as it was asked about, as far as the wait goes
	}
	p.put(e, time.Now().Add(time.Duration(len(p.all))*spread))
}

// delay is how long to wait before the next poll (G36). The lock is held.
func (p *poller) delay(e *entry, retryAfter time.Duration) time.Duration {
	d := gateway.PollDelay(e.polls, p.s.Now().Sub(e.created), rand.Float64(), 0)
	return max(time.Duration(float64(d)/p.s.Limits.Pace), retryAfter)
}

// hurry polls a task now. ok is false if it is not an open one.
func (p *poller) hurry(id taskID) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.all[id]
	switch {
	case e == nil:
		return false
	case e.place >= 0:
		p.put(e, time.Now())
	default:
		e.again = true
	}
	return true
}

// unpause has the owner's tasks that wait for a key polled with the key n, and
// returns their ids.
func (p *poller) unpause(owner string, n int64) (ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, e := range p.all {
		if id.owner != owner {
			continue
		}
		if _, _, ok := p.s.keys.get(e.key); ok {
			continue
		}
		e.key = n
		if e.pause == wire.PauseKey {
			e.pause = wire.PauseNone
		}
		ids = append(ids, id.id)
		if e.parked {
			p.put(e, time.Now().Add(time.Duration(len(ids))*spread))
		}
	}
	return ids
}

// overlay adds to a task what is known of it only here.
func (p *poller) overlay(id taskID, t *wire.VideoTask) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.all[id]
	if e == nil || !t.State.Open() {
		return
	}
	t.Progress = e.progress
	if !e.checked.IsZero() {
		t.CheckedMS = e.checked.UnixMilli()
	}
	if t.Pause == wire.PauseNone && p.s.Now().Sub(e.created) >= gateway.StaleAfter {
		t.Pause = wire.PauseStale
	}
}

// ask polls one task and puts it back into the queue, unless it has ended.
func (p *poller) ask(e *entry) {
	p.mu.Lock()
	key, planned := e.key, e.due
	p.mu.Unlock()
	if p.s.Late != nil {
		p.s.Late(time.Since(planned))
	}
	secret, replaced, ok := p.s.keys.get(key)
	if !ok {
		p.park(e, key)
		return
	}
	ctx := p.s.life
	task, err := p.s.Gateway.Task(ctx, secret, e.remote)
	if ctx.Err() != nil {
		return
	}
	now := p.s.Now()
	p.mu.Lock()
	e.polls++
	p.mu.Unlock()
	var after time.Duration
	var ended bool
	if err != nil {
		ended, after = p.unanswered(ctx, e, key, replaced, err, now)
	} else {
		ended = p.answered(ctx, e, task, now)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if ended {
		e.gone = true
		delete(p.all, e.taskID)
		return
	}
	if e.parked {
		return
	}
	due := time.Now().Add(p.delay(e, after))
	if e.again {
		e.again, due = false, time.Now()
	}
	p.put(e, due)
}

// park sets a task aside until there is a key for it, and says so.
func (p *poller) park(e *entry, key int64) {
	p.mu.Lock()
	if e.key != key { // another one came meanwhile
		p.put(e, time.Now())
		p.mu.Unlock()
		return
	}
	e.parked = true
	told := e.pause == wire.PauseKey
	e.pause = wire.PauseKey
	p.mu.Unlock()
	if told {
		return
	}
	t, err := p.s.Store.Task(p.s.life, e.owner, e.id)
	if err != nil || t.Pause == wire.PauseKey {
		if err == nil {
			p.s.tell(e.owner, t)
		}
		return
	}
	t.Pause = wire.PauseKey
	p.store(p.s.life, e, t)
}

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
		return p.end(ctx, e, t, r, now)
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

// end stores the end of a task. It says whether that is durable.
func (p *poller) end(ctx context.Context, e *entry, t wire.VideoTask, r reply.Task, now time.Time) (ended bool) {
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
	return p.final(ctx, e, t, r.URLs)
}

// within is a time that the gateway gives, in Unix milliseconds. It counts in
// seconds and has a clock of its own, so that what it says may lie before the
// task was made, or after we heard of it: the days that are left would be
// counted from there.
func (e *entry) within(t, now time.Time) int64 {
	return min(max(t.UnixMilli(), e.created.UnixMilli()), now.UnixMilli())
}

// failure words why a task failed (F99).
func failure(reason string) *wire.Problem {
	if reason == "" {
		return &wire.Problem{Code: "task_failed", Message: "The task failed, and the gateway gives no reason. The charge was returned."}
	}
	return &wire.Problem{Code: "task_failed", Message: reason, Hint: "The charge was returned. Change the request and try again."}
}

// final stores a final state with all that belongs to it, and tells of it. If
// that fails, the task stays open and is asked for again.
func (p *poller) final(ctx context.Context, e *entry, t wire.VideoTask, urls []string) (ended bool) {
	stored, changed, err := p.s.Store.End(ctx, e.owner, t, urls, p.s.nowMS())
	if err != nil {
		p.s.Logger.Error("the end of a video task was not stored", "task", e.id, "err", err)
		return isNotExist(err)
	}
	p.mu.Lock()
	e.state = stored.State
	p.mu.Unlock()
	if !changed {
		return stored.State.Final()
	}
	p.s.ended(e.owner, stored)
	return true
}

// ended tells of a task that has just ended and starts what follows.
func (s *Service) ended(owner string, t wire.VideoTask) {
	s.tell(owner, t)
	if s.Budget != nil && t.Returned {
		s.Budget.Booked(owner)
	}
	for _, o := range t.Outputs {
		if o.Archive == wire.ArchiveWaiting {
			s.arch.add(job{taskID: taskID{owner, t.ID}, index: o.Index})
		}
	}
}

// unanswered takes an error of a poll. None of them is a failure of the task
// (G36); that the gateway does not know it ends it without a return (G2).
func (p *poller) unanswered(ctx context.Context, e *entry, key int64, replaced bool, err error, now time.Time) (ended bool, after time.Duration) {
	why := problemIn(err)
	after = time.Duration(why.RetryAfterMS) * time.Millisecond
	switch {
	case badKey(why):
		if p.s.keys.pause(key) {
			p.s.Logger.Warn("the gateway refuses a key; its video tasks wait for another one")
			if err := p.s.Store.PauseKey(ctx, e.owner, key); err != nil {
				p.s.Logger.Error("a refused key was not marked", "err", err)
			}
		}
		p.park(e, key)
		return false, 0
	case notKnown(why) && !replaced && (why.Code == gateway.CodeTaskNotExist || e.failures >= silentAfter-1):
		t := wire.VideoTask{ID: e.id, State: wire.VideoLost, UUID: e.uuid, FinishedMS: now.UnixMilli(), Problem: &wire.Problem{
			Code: "task_lost", Message: "The gateway does not know this task any more. Nothing was returned.",
			Hint: "Ask the gateway's support, with the task's id.", Status: why.Status, Request: why.Request, Raw: why.Raw}}
		return p.final(ctx, e, t, nil), 0
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
		p.s.Logger.Error("the state of a video task was not stored", "task", e.id, "err", err)
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
