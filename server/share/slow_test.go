package share_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"screentest/server/share"
)

// slow is a store that takes its time for each who looks.
type slow struct{ share.Store }

func (slow) Still(ctx context.Context, _, _ string) error {
	select {
	case <-time.After(6 * time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (slow) NextEnd(context.Context) (int64, error) { return 0, nil }

// Nobody is sent away because many others look, whom it takes long to ask for.
func TestWhoLooksHasTheirOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := share.New(share.Config{Store: slow{}, Tell: func([]string) {}, Everybody: func() []string { return nil }})
		defer s.Close()
		for _, who := range []string{"1", "2", "3"} {
			defer s.Hold("share", who, func() { t.Errorf("%s is sent away", who) })()
		}
		s.Recheck(nil, true)
		time.Sleep(time.Minute)
	})
}
