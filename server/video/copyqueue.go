package video

import (
	"sync"
	"time"

	"screentest/shared/wire"
)

// tellCopy is the least time between two news of a copy's progress.
const tellCopy = 500 * time.Millisecond

// job is one output that is to be copied.
type job struct {
	taskID
	index int
}

// archiver copies the files of finished tasks, a few at a time, the oldest
// first.
type archiver struct {
	s    *Service
	wake chan struct{} // holds one for each worker

	mu     sync.Mutex
	queue  []job
	known  map[job]*attempt     // waiting, copying, or tried again later
	warned map[string]time.Time // by owner: since when they are
}

// attempt is how far a job is.
type attempt struct {
	tries   int
	copying bool
	again   bool // somebody wants it tried at once if this try fails
	got     int64
	want    int64 // of the whole, as far as it is known
	seen    int64 // the most that came in any try
	told    time.Time
	timer   *time.Timer // of the next try
	noRoom  bool        // is what it waits for
}

func newArchiver(s *Service) *archiver {
	return &archiver{s: s, wake: make(chan struct{}, s.Limits.Copiers), known: map[job]*attempt{},
		warned: map[string]time.Time{}}
}

func (a *archiver) start() {
	for range a.s.Limits.Copiers {
		a.s.work.Go(func() {
			for {
				if j, ok := a.next(); ok {
					a.do(j)
					continue
				}
				select {
				case <-a.wake:
				case <-a.s.quit:
					return
				}
			}
		})
	}
	a.s.work.Go(func() {
		<-a.s.quit
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, at := range a.known {
			if at.timer != nil {
				at.timer.Stop()
			}
		}
	})
}

// add has a job done, unless it is known already.
func (a *archiver) add(j job) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known[j] == nil {
		a.known[j] = &attempt{}
		a.push(j)
	}
}

// push queues a job. The lock is held.
func (a *archiver) push(j job) {
	a.queue = append(a.queue, j)
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// next is the job to be done now, if there is one.
func (a *archiver) next() (j job, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.s.quit:
		return j, false
	default:
	}
	if len(a.queue) == 0 {
		return j, false
	}
	j, a.queue = a.queue[0], a.queue[1:]
	at := a.known[j]
	at.copying, at.timer, at.got, at.want, at.noRoom = true, nil, 0, 0, false
	return j, true
}

// wakeAll tries everything that waits at once: room, or a key, may be there.
func (a *archiver) wakeAll() {
	a.wakeThose(func(job, *attempt) bool { return true })
}

// wakeFull tries what of an owner's waits for room.
func (a *archiver) wakeFull(owner string) {
	a.wakeThose(func(j job, at *attempt) bool { return at.noRoom && j.owner == owner })
}

func (a *archiver) wakeThose(want func(job, *attempt) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for j, at := range a.known {
		if at.timer != nil && want(j, at) && at.timer.Stop() {
			at.timer = nil
			a.push(j)
		}
	}
}

// later tries a job again after a wait.
func (a *archiver) later(j job, wait time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.known[j]
	at.copying = false
	if at.again {
		at.again, wait = false, 0
	}
	at.timer = time.AfterFunc(wait, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if at.timer != nil {
			at.timer = nil
			a.push(j)
		}
	})
	select {
	case <-a.s.quit:
		at.timer.Stop()
	default:
	}
}

func (a *archiver) forget(j job) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.known, j)
}

// overlay adds to a task how far its files are copied.
func (a *archiver) overlay(id taskID, t *wire.VideoTask) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range t.Outputs {
		o := &t.Outputs[i]
		if at := a.known[job{id, o.Index}]; at != nil && at.copying && o.Archive == wire.ArchiveWaiting {
			o.Archive, o.Got = wire.ArchiveCopying, at.got
		}
	}
}

// progress notes how far a copy is, and tells of it now and then.
func (a *archiver) progress(j job, got int64) {
	a.mu.Lock()
	at := a.known[j]
	at.got, at.seen = got, max(at.seen, got)
	tell := time.Since(at.told) >= tellCopy
	if tell {
		at.told = time.Now()
	}
	a.mu.Unlock()
	if tell {
		if t, err := a.s.Store.Task(a.s.life, j.owner, j.id); err == nil {
			a.s.tell(j.owner, t)
		}
	}
}

// seen is how much of a job's file has come at most.
func (a *archiver) seen(j job) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.known[j].seen
}

// withdraw takes a job out of its wait, for a caller who wants it done now and
// calls resume then. It returns false where it is done without that: it is
// queued, or being copied, and tried once more at once if that fails.
func (a *archiver) withdraw(j job) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.known[j]
	if at == nil {
		return true
	}
	if at.timer == nil || !at.timer.Stop() {
		at.again = at.copying
		return false
	}
	at.timer, at.tries = nil, 0
	return true
}

// resume queues a job that was withdrawn.
func (a *archiver) resume(j job) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known[j] == nil {
		a.known[j] = &attempt{}
	}
	a.push(j)
}
