package signin

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"screentest/server/account"
)

// maxBuckets bounds what is remembered of each kind of limit. Who would have one
// forgotten has to try that often, which the limits let them as seldom.
const maxBuckets = 50_000

// memory counts the attempts of this process.
type memory struct {
	mu    sync.Mutex
	kinds map[string]buckets // by the first word of the limits' names
}

// buckets are attempts by what they are counted for.
type buckets map[string]*bucket

type bucket struct {
	*rate.Limiter
	used time.Time
}

func (m *memory) TakeTries(_ context.Context, tries []account.Try, now time.Time) (wait time.Duration, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, try := range tries {
		if wait = m.kind(try.Name).take(try, now); wait > 0 {
			break
		}
	}
	return wait, nil
}

// GiveBackTries takes attempts back. (Of a Limiter, to take fewer than none is to give; it
// has no more than its burst at the next attempt.)
func (m *memory) GiveBackTries(_ context.Context, back []account.Try, forget []string, now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, try := range back {
		if of := m.kind(try.Name)[try.Name]; of != nil {
			of.AllowN(now, -1)
		}
	}
	for _, name := range forget {
		delete(m.kind(name), name)
	}
	return nil
}

func (m *memory) kind(name string) buckets {
	kind, _, _ := strings.Cut(name, " ")
	if m.kinds == nil {
		m.kinds = map[string]buckets{}
	}
	if m.kinds[kind] == nil {
		m.kinds[kind] = buckets{}
	}
	return m.kinds[kind]
}

// take counts an attempt, or says how long to wait for it.
func (b buckets) take(try account.Try, now time.Time) (wait time.Duration) {
	of := b[try.Name]
	if of == nil {
		b.makeRoom(now)
		of = &bucket{Limiter: rate.NewLimiter(rate.Every(try.Every), try.Burst)}
		b[try.Name] = of
	}
	of.used = now
	r := of.ReserveN(now, 1)
	if wait = r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// makeRoom forgets what is full again, or else what was used least recently.
func (b buckets) makeRoom(now time.Time) {
	if len(b) < maxBuckets {
		return
	}
	var names []string
	for name, of := range b {
		if of.TokensAt(now) >= float64(of.Burst()) {
			delete(b, name)
		} else {
			names = append(names, name)
		}
	}
	if len(b) < maxBuckets*7/8 {
		return
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Compare(b[x].used.UnixNano(), b[y].used.UnixNano()) })
	for _, name := range names[:maxBuckets/8] {
		delete(b, name)
	}
}
