package video

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"time"

	"screentest/server/blob"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

const (
	// maxTries is how often a copy is tried before it is given up, within one
	// life of the server.
	maxTries = 12
	// mostAway is how many tries count, for the waits that they make longer, while an
	// object store is away: half a minute is the longest.
	mostAway = 6
	// maxWait is the longest wait before a copy is tried again.
	maxWait = 5 * time.Minute
)

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
	sum, size, err := part.fetch(within, s, s.filesOf(t), o.Link, s.Limits.MaxFile,
		func(total, have int64) error { return a.room(ctx, j, t.Deleted, total, have) },
		func(got int64) { a.progress(j, got) })
	if err == nil {
		o.SHA256, o.Bytes = hex.EncodeToString(sum), size
		err = a.save(ctx, within, j, o, part, sum)
	}
	if err != nil && !s.gone(err) && ctx.Err() == nil {
		a.failed(ctx, j, t, o, part, err)
	}
}

// save measures a copy that is whole and makes it part of the archive, within its
// time.
func (a *archiver) save(ctx, within context.Context, j job, o wire.VideoOutput, part *partial, sum []byte) error {
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
	err = s.Files.Archive.Add(within, part.path, sum, func() (err error) {
		t, _, err = s.Store.SetOutput(ctx, j.owner, j.id, o, s.nowMS())
		return err
	})
	if err != nil {
		s.discardAfter(ctx, sum, err) // the task may have been deleted, or the disk be full
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
	away := errors.Is(err, blob.ErrAway)
	if at.tries++; away {
		at.tries = min(at.tries, mostAway) // it is waited for as long as it takes
	}
	tries := at.tries
	a.mu.Unlock()
	s.Logger.Info("a clip was not copied", "task", j.id, "output", j.index, "try", tries, "err", err)
	if errors.Is(err, errFull) {
		// What came is kept where the next try can go on from it, and the disk has
		// the room that the database needs. It goes first: what follows is stored.
		if free := s.Free(s.coming); !part.resumable() || free >= 0 && free < diskReserve {
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
	if away {
		// It has all come.
	} else if key, ok := a.key(ctx, j); ok && tries > 1 || ok && why.Status >= 400 && why.Status < 500 {
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
	n, err := a.s.keyOf(ctx, j.owner, j.id)
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
		a.s.complain("the state of a copy was not stored", err, "task", j.id)
		return
	}
	a.s.tell(j.owner, t)
}
