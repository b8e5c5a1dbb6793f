package video

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"screentest/shared/reply"
	"screentest/shared/wire"
)

const (
	// maxTries is how often a copy is tried before it is given up, within one
	// life of the server.
	maxTries = 12
	// maxWait is the longest wait before a copy is tried again.
	maxWait = 5 * time.Minute
	// tellCopy is the least time between two news of a copy's progress.
	tellCopy = 500 * time.Millisecond
)

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
	known  map[job]*attempt // waiting, copying, or tried again later
	warned map[string]time.Time
	full   map[string]bool // owners who were told that nothing fits any more
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
		warned: map[string]time.Time{}, full: map[string]bool{}}
}

func (a *archiver) start() {
	for range a.s.Limits.Copiers {
		a.s.work.Go(func() {
			for {
				if j, ok := a.take(); ok {
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

func (a *archiver) take() (j job, ok bool) {
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

// do copies one file, or decides what becomes of the job.
func (a *archiver) do(j job) {
	s, ctx := a.s, a.s.life
	part := s.partialOf(j)
	t, err := s.Store.Task(ctx, j.owner, j.id)
	if ctx.Err() != nil {
		return
	}
	if isNotExist(err) { // deleted for good
		part.remove()
		a.forget(j)
		return
	}
	if err != nil {
		s.Logger.Error("a file's task was not read", "task", j.id, "err", err)
		a.later(j, maxWait)
		return
	}
	at := -1
	for i, o := range t.Outputs {
		if o.Index == j.index && (o.Archive == wire.ArchiveWaiting || o.Archive == wire.ArchiveCopying || o.Archive == wire.ArchiveFull) {
			at = i
		}
	}
	if at < 0 || t.State != wire.VideoDone {
		part.remove()
		a.forget(j)
		return
	}
	o := t.Outputs[at]
	within, done := context.WithTimeout(ctx, s.Limits.CopyWithin)
	defer done()
	sum, size, err := part.fetch(within, s, o.Link, s.Limits.MaxFile,
		func(total, have int64) error { return a.room(ctx, j, t.Deleted, total, have) },
		func(got int64) { a.progress(j, got) })
	if err == nil {
		o.SHA256, o.Bytes = hex.EncodeToString(sum), size
		err = a.save(ctx, j, o, part, sum)
	}
	if err == nil || ctx.Err() != nil {
		if err == nil {
			a.forget(j)
		}
		return
	}
	a.failed(ctx, j, t, o, part, err)
}

// save measures a copy that is whole and makes it part of the archive.
func (a *archiver) save(ctx context.Context, j job, o wire.VideoOutput, part *partial, sum []byte) error {
	s := a.s
	in, err := os.Open(part.path)
	if err != nil {
		return err
	}
	m, err := measure(in)
	in.Close()
	if m.Type == "" {
		return notMedia()
	}
	if err != nil { // it may play all the same
		s.Logger.Warn("a clip was not measured", "task", j.id, "err", err)
	}
	o.Type, o.Seconds, o.Width, o.Height = m.Type, m.Seconds, m.Width, m.Height
	o.Archive, o.Problem = wire.ArchiveSaved, nil
	var t wire.VideoTask
	err = s.files.Add(part.path, sum, func() (err error) {
		t, _, err = s.Store.SetOutput(ctx, j.owner, j.id, o, s.nowMS())
		return err
	})
	if err != nil {
		s.discard(ctx, sum) // the task may have been deleted, or the disk be full
		return diskError(err)
	}
	part.remove()
	a.forget(j)
	s.tell(j.owner, t)
	a.tellArchive(ctx, j.owner)
	return nil
}

// failed decides what follows an error of a copy: another try, another
// address, waiting for room, or giving up.
func (a *archiver) failed(ctx context.Context, j job, t wire.VideoTask, o wire.VideoOutput, part *partial, err error) {
	s := a.s
	a.mu.Lock()
	at := a.known[j]
	at.tries++
	tries := at.tries
	a.mu.Unlock()
	s.Logger.Info("a clip was not copied", "task", j.id, "output", j.index, "try", tries, "err", err)
	if errors.Is(err, errFull) {
		// What came is kept where the next try can go on from it, and the disk has
		// the room that the database needs. It goes first: what follows is stored.
		if free := s.Free(s.files.Dir); !part.resumable() || free >= 0 && free < diskReserve {
			part.remove()
		}
		a.mark(ctx, j, o, wire.ArchiveFull, &wire.Problem{Code: "archive_full", Message: "There is no room in the archive for this file.",
			Hint: "Raise the quota, free some space on the disk, or delete clips. The gateway keeps the file for 14 days."})
		a.mu.Lock()
		at.tries--
		at.noRoom = true
		a.mu.Unlock()
		a.later(j, s.Limits.Grace)
		return
	}
	if errors.Is(err, errChanged) {
		part.remove()
		a.later(j, s.Limits.RetryCopy)
		return
	}
	var why *wire.Problem
	if !errors.As(err, &why) {
		why = &wire.Problem{Code: reply.CodeDropped, Message: "The connection to the file host broke off."}
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			why = &wire.Problem{Code: "copy_failed", Message: "The file could not be copied.", Hint: "The server's log has the details."}
		}
	}
	if final := why.Code == "file_too_large" || why.Code == "not_media" || why.Code == "private_address" || tries >= maxTries; final {
		part.remove()
		a.mark(ctx, j, o, wire.ArchiveFailed, why)
		a.forget(j)
		return
	}
	// An address may have had its day, or be that of a host that has moved.
	if key, ok := a.key(ctx, j); ok && tries > 1 || ok && why.Status >= 400 && why.Status < 500 {
		if _, err := s.refresh(ctx, j.owner, key, t); err != nil {
			s.Logger.Info("a clip's address was not asked for again", "task", j.id, "err", err)
		}
	}
	wait := min(s.Limits.RetryCopy<<min(tries-1, 20), maxWait)
	a.later(j, max(wait, time.Duration(why.RetryAfterMS)*time.Millisecond))
	if t, err := s.Store.Task(ctx, j.owner, j.id); err == nil {
		s.tell(j.owner, t) // it is not being copied for now
	}
}

// key is the key that the job's task still holds.
func (a *archiver) key(ctx context.Context, j job) (secret string, ok bool) {
	n, err := a.s.Store.TaskKey(ctx, j.owner, j.id)
	if err != nil {
		return "", false
	}
	secret, _, ok = a.s.keys.get(n)
	return secret, ok
}

// mark stores that a file was not copied, and why.
func (a *archiver) mark(ctx context.Context, j job, o wire.VideoOutput, state wire.ArchiveState, why *wire.Problem) {
	if o.Archive == state {
		return
	}
	o.Archive, o.Problem, o.SHA256 = state, why, ""
	t, _, err := a.s.Store.SetOutput(ctx, j.owner, j.id, o, a.s.nowMS())
	if err != nil {
		a.s.Logger.Error("the state of a copy was not stored", "task", j.id, "err", err)
		return
	}
	a.s.tell(j.owner, t)
}

// sweep removes what a killed process has left: files that nobody uses, and
// copies of jobs that are no more.
func (s *Service) sweep(ctx context.Context) error {
	if err := s.files.Each(func(sha []byte) error {
		s.discard(ctx, sha)
		return nil
	}); err != nil {
		return err
	}
	wanted := map[string]bool{}
	if err := s.Store.EachJob(ctx, func(owner, task string, index int) error {
		wanted[owner+"-"+task+"-"+strconv.Itoa(index)] = true
		return nil
	}); err != nil {
		return err
	}
	if err := s.sweepUploads(ctx); err != nil {
		return err
	}
	left, err := os.ReadDir(s.partial)
	if err != nil {
		return err
	}
	for _, f := range left {
		if !wanted[strings.TrimSuffix(f.Name(), ".json")] {
			_ = os.Remove(filepath.Join(s.partial, f.Name())) // at the next start, then
		}
	}
	return nil
}

// discard removes a file from the archive if nobody uses it.
func (s *Service) discard(ctx context.Context, sha []byte) {
	err := s.files.RemoveUnused(sha, func() (bool, error) { return s.Store.FileUsed(ctx, sha) })
	if err != nil && ctx.Err() == nil {
		s.Logger.Error("an archived file was not removed", "err", err)
	}
}
