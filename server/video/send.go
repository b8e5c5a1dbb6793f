package video

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"screentest/server/upstream"
	"screentest/shared/gateway"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// storeRetry is the wait before the answer to a creation is stored again. The
// task exists then, and only this process knows its id.
const storeRetry = 500 * time.Millisecond

// send sends a creation whose intent is durable, and stores what came of it
// before anybody hears of it.
func (s *Service) send(to Gateway, owner, key string, number int64, t wire.VideoTask, body []byte) {
	id := taskID{owner, t.ID}
	created, err := to.CreateVideo(s.life, key, body)
	switch {
	case err == nil:
		s.accepted(id, number, created)
	case upstream.Uncertain(err):
		why := *problemIn(err)
		why.Hint = "The task may exist and be billed. " + sayHowItEnded
		s.storeOutcome(id, "it is unknown whether it went through", func(ctx context.Context) (wire.VideoTask, bool, error) {
			return s.Store.Unknown(ctx, owner, t.ID, &why)
		})
	default:
		why := problemIn(err)
		s.storeOutcome(id, "it was refused", func(ctx context.Context) (wire.VideoTask, bool, error) {
			return s.Store.Refused(ctx, owner, t.ID, why)
		})
		s.release(id)
		if why.Code == gateway.CodeResultExpired && t.Source != "" {
			s.expired(owner, t.Source)
		}
	}
}

// accepted stores that the gateway took a task, and has it polled.
func (s *Service) accepted(id taskID, key int64, created reply.Created) {
	at := s.nowMS()
	t, ok := s.storeOutcome(id, "the gateway calls it "+created.ID, func(ctx context.Context) (wire.VideoTask, bool, error) {
		return s.Store.Accepted(ctx, id.owner, id.id, created.ID, at)
	})
	if !ok {
		return // it stays reserved: a start takes it for unknown
	}
	if t.Remote != created.ID {
		why := &wire.Problem{Code: "id_taken", Message: "The gateway gave this task the id of another one: " + created.ID + ".",
			Hint: "The task may exist and be billed. " + sayHowItEnded}
		s.storeOutcome(id, "its id is another task's", func(ctx context.Context) (wire.VideoTask, bool, error) {
			return s.Store.Unknown(ctx, id.owner, id.id, why)
		})
		return
	}
	s.release(id)
	s.poll.add(id.owner, key, t)
}

// storeOutcome stores what came of a creation, and goes on trying while the
// process lives: nobody else knows it.
func (s *Service) storeOutcome(id taskID, what string, store func(context.Context) (wire.VideoTask, bool, error)) (wire.VideoTask, bool) {
	for try := 0; ; try++ {
		// Close waits for this, and the store is closed after it.
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		t, changed, err := store(ctx)
		cancel()
		if errors.Is(err, fs.ErrExist) {
			return t, true // the id is another task's; trying again would not help
		}
		if err == nil {
			if changed {
				s.tell(id.owner, t)
			}
			return t, true
		}
		if s.gone(err) { // who took over says that it is unknown
			return t, false
		}
		s.Logger.Error("what came of a video's creation was not stored", "task", id.id, "what", what, "try", try, "err", err)
		select {
		case <-time.After(storeRetry):
		case <-s.life.Done():
			return t, false
		}
	}
}
