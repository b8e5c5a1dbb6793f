package video

import (
	"context"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// GiveUp ends the tasks of an owner who leaves that are open and that nobody is
// asked about: of which it is unknown whether they went through, which wait for a
// key, are another gateway's, or are old and the gateway is silent.
func (s *Service) GiveUp(ctx context.Context, owner string) error {
	return s.Store.EachOpenOf(ctx, owner, func(t wire.VideoTask) error {
		why := &wire.Problem{Code: "given_up", Message: "Its maker left, and it was not known what became of it. Nothing was returned."}
		if t.State == wire.VideoUnknown {
			if _, _, err := s.Store.Refused(ctx, owner, t.ID, why); err != nil {
				return err
			}
			s.release(taskID{owner, t.ID})
			return nil
		}
		if s.elsewhere(t) == nil && s.awaited(t) {
			return nil
		}
		t.State, t.FinishedMS, t.Problem = wire.VideoLost, s.nowMS(), why
		_, _, err := s.Store.End(ctx, owner, t, nil, s.nowMS())
		return err
	})
}

// awaited says whether an open task of this gateway may still be heard of. Its
// silence is often over in a moment, and its task was paid for; once that should
// have ended long ago it is waited for no more.
func (s *Service) awaited(t wire.VideoTask) bool {
	return t.Pause == wire.PauseNone ||
		t.Pause == wire.PauseSilent && s.Now().Sub(time.UnixMilli(t.AcceptedMS)) < gateway.StaleAfter
}

// Discard removes files that may be nobody's now, and uploads, by id and media
// type, that are gone. What is left of them is swept.
func (s *Service) Discard(ctx context.Context, files [][]byte, uploads [][2]string) {
	for _, sha := range files {
		s.discard(ctx, sha)
	}
	for _, u := range uploads {
		s.removeUpload(ctx, wire.Upload{ID: u[0], Measured: wire.Measured{Type: u[1]}})
	}
}

// HandedOver has the files copied that are still to be of what an owner was
// handed, and tells their tabs of the room that it takes.
func (s *Service) HandedOver(ctx context.Context, owner string) error {
	err := s.Store.EachJob(ctx, func(of, task string, index int) error {
		if of == owner {
			s.arch.add(job{taskID: taskID{owner, task}, index: index})
		}
		return nil
	})
	s.arch.tellArchive(ctx, owner)
	return err
}
