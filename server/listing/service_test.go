package listing

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"screentest/shared/gateway"
)

// kept is a store in memory: what the real one does is shown there.
type kept map[string][]byte

func (k kept) Listing(_ context.Context, gateway string) ([]byte, time.Time, error) {
	if body, is := k[gateway]; is {
		return body, time.UnixMilli(1), nil
	}
	return nil, time.Time{}, fs.ErrNotExist
}

func (k kept) KeepListing(_ context.Context, gateway string, body []byte, _ time.Time) error {
	k[gateway] = body
	return nil
}

// source answers with body, or fails with err.
type source struct {
	body  string
	err   error
	asked int
}

func (s *source) ListModels(context.Context, string) ([]byte, error) {
	s.asked++
	return []byte(s.body), s.err
}

func ids(models []gateway.Model) (list []string) {
	for _, m := range models {
		list = append(list, m.ID)
	}
	return list
}

func TestAListOutlivesAnOutageAndAStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, changed := kept{}, 0
		from := &source{body: `{"data":[{"id":"a"},{"id":"b"}]}`}
		s := New(Config{Store: store, Changed: func(string) { changed++ }})
		s.Watch("g", from, "k")
		synctest.Wait()
		if models, at := s.Models("g"); len(models) != 2 || at.IsZero() || changed != 1 {
			t.Fatalf("%v at %v, %d changes", ids(models), at, changed)
		}
		// It is asked again, and what is the same is no news.
		time.Sleep(askEvery + time.Second)
		synctest.Wait()
		if from.asked != 2 || changed != 1 {
			t.Errorf("asked %d times, %d changes", from.asked, changed)
		}
		from.err = errors.New("away")
		if _, err := s.Refresh(t.Context(), "g", from, "k"); err == nil {
			t.Error("an outage is none")
		}
		from.err, from.body = nil, "<html>"
		if _, err := s.Refresh(t.Context(), "g", from, "k"); err == nil {
			t.Error("a page is a list")
		}
		if models, _ := s.Models("g"); len(models) != 2 || changed != 1 {
			t.Errorf("after an outage %v, %d changes", ids(models), changed)
		}
		s.Forget()
		s.Close()

		s = New(Config{Store: store})
		defer s.Close()
		if models, at := s.Models("g"); len(models) != 2 || at.IsZero() {
			t.Errorf("after a start %v", ids(models))
		}
		if models, at := s.Models("another"); models != nil || !at.IsZero() {
			t.Errorf("another gateway has %v", ids(models))
		}
		from.body = `{"data":[]}`
		if n, err := s.Refresh(t.Context(), "g", from, ""); n != 0 || err != nil {
			t.Error(n, err)
		}
		if models, at := s.Models("g"); len(models) != 0 || at.IsZero() {
			t.Errorf("an empty list leaves %v", ids(models))
		}
	})
}

func TestAGatewayThatIsLeftIsAskedNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from, other := &source{body: `{"data":[]}`}, &source{body: `{"data":[]}`}
		s := New(Config{Store: kept{}})
		s.Watch("g", from, "")
		synctest.Wait()
		s.Watch("h", other, "")
		time.Sleep(3 * askEvery)
		synctest.Wait()
		if from.asked != 1 || other.asked < 3 {
			t.Errorf("the one that was left was asked %d times, the other %d", from.asked, other.asked)
		}
		s.Close()
	})
}

// Of the keys that were entered one after the other the last one asks.
func TestTheLastKeyAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old, last := &source{body: `{"data":[]}`}, &source{body: `{"data":[]}`}
		s := New(Config{Store: kept{}})
		defer s.Close()
		s.Watch("g", old, "old")
		synctest.Wait()
		s.Watch("g", old, "replaced")
		synctest.Wait()
		s.Forget()
		s.Watch("g", last, "new")
		synctest.Wait()
		asked := old.asked
		time.Sleep(3 * askEvery)
		synctest.Wait()
		if old.asked != asked || last.asked < 3 {
			t.Errorf("the former keys asked %d times more, the last one %d times", old.asked-asked, last.asked)
		}
	})
}
