package video

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

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

// sweepUploads removes files that no upload is known of: what was taken when
// the last process was killed.
func (s *Service) sweepUploads(ctx context.Context) error {
	list, err := os.ReadDir(s.uploads)
	if err != nil {
		return err
	}
	for _, f := range list {
		id, _, _ := strings.Cut(f.Name(), ".")
		if _, err := s.Store.Upload(ctx, id); isNotExist(err) {
			_ = os.Remove(filepath.Join(s.uploads, f.Name()))
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
