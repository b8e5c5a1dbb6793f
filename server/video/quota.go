package video

import (
	"context"
	"encoding/hex"
	"math"
	"time"

	"screentest/shared/wire"
)

// Shares of the quota and of the disk.
const (
	// warnShare is the share of the quota from which on a person is warned, in
	// percent.
	warnShare = 90
	// diskReserve is what is always left free on the disk, in bytes: the
	// database needs some of it.
	diskReserve = 256 << 20
	maxNextOut  = 20
)

// ArchiveNow tells how an owner's archive stands.
func (s *Service) ArchiveNow(ctx context.Context, owner string) (wire.Archive, error) {
	a := wire.Archive{FreeBytes: s.free(), UploadsMax: s.Limits.MaxUploads}
	var err error
	if a.Settings, err = s.Store.ArchiveSettings(ctx, owner); err != nil {
		return a, err
	}
	if a.Bytes, a.Files, a.DeletedBytes, a.Waiting, err = s.Store.ArchiveUse(ctx, owner); err != nil {
		return a, err
	}
	if a.Uploads, err = s.Store.UploadUse(ctx, owner); err != nil {
		return a, err
	}
	a.Warn = a.Bytes >= a.Settings.QuotaBytes/100*warnShare || a.FreeBytes >= 0 && a.FreeBytes < 2*diskReserve
	if a.Warn && a.Settings.MakeRoom {
		_, a.NextOut, err = s.Store.OldestSaved(ctx, owner, maxNextOut)
	}
	return a, err
}

// free is how many bytes are free where the archive is, -1 where that is not known.
func (s *Service) free() int64 {
	if s.Files.Dir == "" {
		return -1
	}
	return s.Free(s.Files.Dir)
}

// SetArchive changes the settings, and tries what waits for room again.
func (s *Service) SetArchive(ctx context.Context, owner string, a wire.ArchiveSettings) (wire.Archive, error) {
	if err := s.Store.SetArchiveSettings(ctx, owner, a); err != nil {
		return wire.Archive{}, err
	}
	s.arch.wakeAll()
	if s.Elsewhere != nil {
		s.Elsewhere.Room(owner)
	}
	s.arch.tellArchive(ctx, owner)
	return s.ArchiveNow(ctx, owner)
}

// tellArchive tells the owner how the archive stands, and notes since when
// they are warned.
func (a *archiver) tellArchive(ctx context.Context, owner string) {
	now, err := a.s.ArchiveNow(ctx, owner)
	if err != nil {
		if ctx.Err() == nil {
			a.s.Logger.Error("the archive's use was not read", "err", err)
		}
		return
	}
	a.warn(owner, now.Warn)
	if a.s.Archive != nil {
		a.s.Archive(owner, now)
	}
}

// warn notes that a person is warned from now on, or is not any more.
func (a *archiver) warn(owner string, on bool) (since time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !on {
		delete(a.warned, owner)
		return time.Time{}
	}
	if a.warned[owner].IsZero() {
		a.warned[owner] = a.s.Now()
	}
	return a.warned[owner]
}

// room makes sure that a file of total bytes fits, have of which are on the disk
// already, or returns errFull. Where its size is not told (-1) it is at least as
// large as what has come of it, now or at an earlier try: room is asked for again
// while it comes, and nothing is removed for what may have no end, but for the
// files of deleted tasks: these give way first, and at once. To make more room
// the oldest files that are not pinned are removed, but not before their owner
// has been warned for a while: the gateway keeps the new file meanwhile. For a
// task that is deleted itself, nothing is removed.
func (a *archiver) room(ctx context.Context, j job, deleted bool, total, have int64) error {
	s := a.s
	told := total >= 0
	if !told {
		total = max(have, a.seen(j))
	}
	now, err := s.ArchiveNow(ctx, j.owner)
	if err != nil {
		return err
	}
	if total > now.Settings.QuotaBytes {
		return &wire.Problem{Code: "file_too_large", Message: "The file is larger than the whole quota of the archive.", Hint: "Raise the quota in the settings."}
	}
	rest, whole := a.claim(j, total, have)
	lacking := now.Bytes + now.DeletedBytes + whole + total - now.Settings.QuotaBytes
	if s.Files.Shared {
		// The file comes onto our own disk first, where nothing can give way to it.
		if own := s.Free(s.coming); own >= 0 && total-have+rest+diskReserve > own {
			return errFull
		}
		have = 0
	}
	if now.FreeBytes >= 0 {
		lacking = max(lacking, total-have+rest+diskReserve-now.FreeBytes)
	}
	if lacking <= 0 {
		return nil
	}
	if deleted {
		return errFull
	}
	if lacking, err = a.dropDeleted(ctx, j.owner, lacking); err != nil || lacking <= 0 {
		return err
	}
	since := a.warn(j.owner, true)
	if !now.Warn {
		now.Warn = true
		_, now.NextOut, _ = s.Store.OldestSaved(ctx, j.owner, maxNextOut)
	}
	if !told || s.Now().Sub(since) < s.Limits.Grace || !now.Settings.MakeRoom {
		if s.Archive != nil {
			s.Archive(j.owner, now)
		}
		return errFull
	}
	return a.makeRoom(ctx, j.owner, lacking)
}

// claim notes what a copy takes, and tells what the others under way do: of the
// disk, rest is still to come, and of its owner's quota, whole.
func (a *archiver) claim(j job, total, have int64) (rest, whole int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known[j].want, a.known[j].got = total, have
	for other, at := range a.known {
		if other == j || !at.copying {
			continue
		}
		rest += max(at.want-at.got, 0)
		if other.owner == j.owner {
			whole += at.want
		}
	}
	return rest, whole
}

// dropDeleted removes files of deleted tasks, the longest deleted first, until
// there is room or none are left, and returns what is lacking then.
func (a *archiver) dropDeleted(ctx context.Context, owner string, lacking int64) (int64, error) {
	for lacking > 0 {
		list, tasks, err := a.s.Store.OldestDeleted(ctx, owner, 1)
		if err != nil || len(list) == 0 {
			return lacking, err
		}
		freed, err := a.s.removeCopy(ctx, owner, tasks[0], list[0])
		if err != nil {
			return lacking, err
		}
		lacking -= freed
	}
	return lacking, nil
}

// makeRoom removes the oldest files that are not pinned, and none if all of them
// together are not enough.
func (a *archiver) makeRoom(ctx context.Context, owner string, lacking int64) error {
	all, _, err := a.s.Store.OldestSaved(ctx, owner, math.MaxInt32)
	if err != nil {
		return err
	}
	var most int64
	counted := map[string]bool{}
	for _, o := range all {
		if !counted[o.SHA256] { // outputs may share a file
			counted[o.SHA256] = true
			most += o.Bytes
		}
	}
	if most < lacking {
		return errFull
	}
	for lacking > 0 {
		list, tasks, err := a.s.Store.OldestSaved(ctx, owner, 1)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return errFull
		}
		freed, err := a.s.removeCopy(ctx, owner, tasks[0], list[0])
		if err != nil {
			return err
		}
		lacking -= freed
	}
	return nil
}

// removeCopy removes an output's archived file, and tells of it. freed is 0 if
// another output has the same file.
func (s *Service) removeCopy(ctx context.Context, owner, task string, o wire.VideoOutput) (freed int64, err error) {
	sha, err := hex.DecodeString(o.SHA256)
	if err != nil {
		return 0, err
	}
	o.Archive, o.SHA256 = wire.ArchiveRemoved, ""
	t, _, err := s.Store.SetOutput(ctx, owner, task, o, s.nowMS())
	if err != nil {
		return 0, err
	}
	s.discard(ctx, sha)
	s.tell(owner, t)
	if used, err := s.Store.FileUsed(ctx, sha); err != nil || used {
		return 0, err
	}
	return o.Bytes, nil
}
