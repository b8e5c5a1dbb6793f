package video

import (
	"container/heap"
	"context"
	"errors"
	"os"
	"sync"

	"screentest/shared/wire"
)

// Where several replicas serve one instance, each task is held by one of them, which
// asks about it and copies its files. What people do to it elsewhere is stored there
// and then; what the holder has in memory alone, when it asks next and how far it is, it
// is asked for, or tells.

// Elsewhere are the other replicas.
type Elsewhere interface {
	// Look has the replica that holds a task [Service.Look] at it. here: that is this
	// one, perhaps from now on because nobody held it.
	Look(ctx context.Context, owner, task string) (here bool, err error)
	// Room tells the others that an owner's archive may have more room. It must not
	// wait.
	Room(owner string)
}

// look has whoever holds a task look at it.
func (s *Service) look(ctx context.Context, owner, id string) error {
	if s.Elsewhere != nil {
		if here, err := s.Elsewhere.Look(ctx, owner, id); err != nil || !here {
			return err
		}
	}
	return s.Look(ctx, owner, id)
}

// Look goes on at once with a task that this process holds: it is asked about now, or
// its files are copied that could not be.
func (s *Service) Look(ctx context.Context, owner, id string) error {
	t, err := s.Store.Task(ctx, owner, id)
	switch {
	case err != nil:
		return err
	case t.State == wire.VideoDone:
		return s.copyAgain(ctx, owner, t)
	case !t.State.Open() || s.poll.hurry(taskID{owner, id}):
		return nil
	}
	key, err := s.keyOf(ctx, owner, id)
	if err == nil && s.elsewhere(t) == nil {
		s.poll.resume(owner, key, t)
	}
	return err
}

// keyOf is the number of the key that a task holds, and has that key at hand, which
// another replica may have stored.
func (s *Service) keyOf(ctx context.Context, owner, id string) (key int64, err error) {
	if key, err = s.Store.TaskKey(ctx, owner, id); err != nil || key == 0 || s.keys.knows(key) {
		return key, err
	}
	return key, s.Store.EachKey(ctx, s.keys.learn)
}

// knows says whether a key is at hand, or another one in its place.
func (k *keys) knows(n int64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.byN[n] != nil || k.moved[n] != 0
}

// RoomChanged tries again what of an owner's waits for room in the archive: another
// replica has told of some.
func (s *Service) RoomChanged(owner string) { s.arch.wakeFull(owner) }

// maxHeard bounds the tasks of other replicas that it is remembered how far they are.
const maxHeard = 10_000

// heard is what other replicas told of their tasks that isn't stored.
type heard struct {
	mu sync.Mutex
	of map[taskID]wire.VideoTask // of each what [heard.overlay] adds
}

// Heard takes what another replica tells of a task of an owner's. It doesn't wait.
func (s *Service) Heard(owner string, t wire.VideoTask) {
	id := taskID{owner, t.ID}
	if t.State != wire.VideoCreating && t.State != wire.VideoUnknown {
		s.poll.drop(id, t.State)
		s.settled(id)
	}
	brief := wire.VideoTask{Progress: t.Progress, CheckedMS: t.CheckedMS}
	for _, o := range t.Outputs {
		if o.Archive == wire.ArchiveCopying {
			brief.Outputs = append(brief.Outputs, wire.VideoOutput{Index: o.Index, Got: o.Got})
		}
	}
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	if !t.State.Open() && len(brief.Outputs) == 0 {
		delete(s.heard.of, id)
		return
	}
	for old := range s.heard.of {
		if len(s.heard.of) < maxHeard {
			break
		}
		delete(s.heard.of, old)
	}
	s.heard.of[id] = brief
}

// settled releases, beside its caller, what is reserved for a creation that another
// replica has found out about.
func (s *Service) settled(id taskID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if release := s.reserved[id]; release != nil && !s.sending[id] && !s.closing {
		delete(s.reserved, id)
		s.work.Go(release)
	}
}

// overlay adds to a task what its holder told of it.
func (h *heard) overlay(id taskID, t *wire.VideoTask) {
	h.mu.Lock()
	defer h.mu.Unlock()
	told, known := h.of[id]
	if !known {
		return
	}
	if t.State.Open() {
		t.Progress, t.CheckedMS = told.Progress, told.CheckedMS
	}
	for _, copying := range told.Outputs {
		for i := range t.Outputs {
			if o := &t.Outputs[i]; o.Index == copying.Index && o.Archive == wire.ArchiveWaiting {
				o.Archive, o.Got = wire.ArchiveCopying, copying.Got
			}
		}
	}
}

// forget drops what was told of a task, which is this process's now.
func (h *heard) forget(id taskID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.of, id)
}

// complain says in the log that something was not stored, unless nothing is any more.
func (s *Service) complain(what string, err error, more ...any) {
	if !s.gone(err) {
		s.Logger.Error(what, append(more, "err", err)...)
	}
}

// gone says of an error of the store whether nothing of this process is stored any more:
// another replica took its place, and goes on with what it did. All ends here then.
func (s *Service) gone(err error) bool {
	if !errors.Is(err, os.ErrClosed) {
		return false
	}
	if s.stop() {
		s.Logger.Warn("what is under way goes on elsewhere: nothing of this process is stored any more", "err", err)
	}
	s.cancel()
	return true
}

// drop polls a task no more that another process has ended.
func (p *poller) drop(id taskID, state wire.VideoState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.all[id]
	if e == nil || !state.Final() {
		return
	}
	e.gone = true
	delete(p.all, id)
	if e.place >= 0 {
		heap.Remove(&p.queue, e.place)
	}
}
