package video

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"screentest/server/blob"
)

const (
	// unusedFor is how long a file is left alone, where others may be adding to the
	// files too, that nobody uses: who put it there may be about to note it.
	unusedFor = 24 * time.Hour
	// How often is swept there, and when again after it failed, or another did.
	sweepEvery, sweepAgain = 24 * time.Hour, 10 * time.Minute
)

// sweep removes what a killed process has left on its own disk, and among the files
// if nobody else has them.
func (s *Service) sweep(ctx context.Context) error {
	if !s.Files.Shared {
		if err := s.sweepFiles(ctx); err != nil {
			return err
		}
	} else if err := s.sweepArriving(); err != nil {
		return err
	}
	wanted := map[string]bool{}
	if err := s.Store.EachJob(ctx, func(owner, task string, index int) error {
		wanted[owner+"-"+task+"-"+strconv.Itoa(index)] = true
		return nil
	}); err != nil {
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

// sweepFiles removes files that nobody uses: what was taken when the last process was
// killed. Where others add to them too, it is only what has been there for long.
func (s *Service) sweepFiles(ctx context.Context) error {
	old := func(since time.Time) bool { return !s.Files.Shared || s.Now().Sub(since) >= unusedFor }
	if err := s.Files.Archive.Each(ctx, func(sha []byte, since time.Time) error {
		if !old(since) {
			return nil
		}
		if used, err := s.Store.FileUsed(ctx, sha); err != nil || used {
			return err // most are, so the lock is not asked for
		}
		s.discard(ctx, sha)
		return nil
	}); err != nil {
		return err
	}
	if err := s.Files.Uploads.Each(ctx, func(name string, since time.Time) error {
		id, _, _ := strings.Cut(name, ".")
		if !old(since) {
			return nil
		}
		_, err := s.Store.Upload(ctx, id)
		if isNotExist(err) {
			return s.Files.Uploads.Remove(ctx, name)
		}
		return err
	}); err != nil {
		return err
	}
	begun := s.Now().Add(-unusedFor)
	return errors.Join(s.Files.Archive.Place().Tidy(ctx, begun), s.Files.Uploads.Tidy(ctx, begun))
}

// sweepNowAndThen sweeps the files that others have too until the Service is closed: one
// of all does, for each file is asked about.
func (s *Service) sweepNowAndThen() {
	for {
		next := time.NewTimer(s.sweepShared())
		select {
		case <-next.C:
		case <-s.quit:
			next.Stop()
			return
		}
	}
}

// sweepShared sweeps, unless another process does, and says when it is to be called again.
func (s *Service) sweepShared() time.Duration {
	if !s.First() {
		s.Logger.Debug("files that nobody uses are another replica's to look for")
		return sweepAgain
	}
	if err := s.sweepFiles(s.life); err != nil {
		if s.life.Err() == nil {
			s.Logger.Warn("files that nobody uses were not looked for", "err", err)
		}
		return sweepAgain
	}
	s.Logger.Debug("files that nobody uses were looked for")
	return sweepEvery
}

// sweepArriving removes uploads that were arriving when the last process was killed.
func (s *Service) sweepArriving() error {
	left, err := filepath.Glob(filepath.Join(s.arriving, arrivingName))
	for _, path := range left {
		_ = os.Remove(path) // at the next start, then
	}
	return err
}

// discard removes a file from the archive if nobody uses it.
func (s *Service) discard(ctx context.Context, sha []byte) {
	err := s.Files.Archive.RemoveUnused(ctx, sha, func() (bool, error) { return s.Store.FileUsed(ctx, sha) })
	if err != nil && ctx.Err() == nil {
		s.Logger.Error("an archived file was not removed", "err", err)
	}
}

// discardAfter removes a file that may have been put into the archive and has no
// user, because of err.
func (s *Service) discardAfter(ctx context.Context, sha []byte, err error) {
	if !s.leftToSweep(err) {
		s.discard(ctx, sha)
	}
}

// leftToSweep says of an error whether a file that was added is to be left where it may
// be. Of a store that is away there is nothing to be had: what it may have got is swept,
// or is there when it is added again. And its user may have been noted, or yet be, where
// nobody knows what became of that.
func (s *Service) leftToSweep(err error) bool { return errors.Is(err, blob.ErrAway) || s.Unsure(err) }
