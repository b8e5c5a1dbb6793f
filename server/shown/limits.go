package shown

import (
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxBuckets bounds what is remembered of those who ask.
const maxBuckets = 20_000

// limits are how often each has asked.
type limits struct {
	pages, files rate.Limit
	bounds       Limits

	mu sync.Mutex
	of map[string]*bucket
}

type bucket struct {
	pages, files *rate.Limiter
	used         time.Time
}

func newLimits(l Limits) *limits {
	return &limits{pages: rate.Every(l.PageEvery), files: rate.Every(l.FileEvery), bounds: l, of: map[string]*bucket{}}
}

// take counts a page or a file for who asks, or says how long to wait for it.
func (l *limits) take(who string, file bool, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.of[who]
	if b == nil {
		l.makeRoom(now)
		b = &bucket{pages: rate.NewLimiter(l.pages, l.bounds.Pages), files: rate.NewLimiter(l.files, l.bounds.Files)}
		l.of[strings.Clone(who)] = b
	}
	b.used = now
	of := b.pages
	if file {
		of = b.files
	}
	r := of.ReserveN(now, 1)
	if wait = r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// makeRoom forgets what has rested for as long as the limits look back; where all
// are at work, everything: who has to ask that often has been let through as often.
func (l *limits) makeRoom(now time.Time) {
	if len(l.of) < maxBuckets {
		return
	}
	rested := max(time.Duration(l.bounds.Pages)*l.bounds.PageEvery, time.Duration(l.bounds.Files)*l.bounds.FileEvery)
	for who, b := range l.of {
		if now.Sub(b.used) > rested {
			delete(l.of, who)
		}
	}
	if len(l.of) >= maxBuckets*7/8 {
		clear(l.of)
	}
}

// who is whom a request is counted for: the person who is signed in, else the
// address; of IPv6 everybody has as many as they like.
func (v Viewer) who() string {
	if v.Owner != "" {
		return "person " + v.Owner
	}
	a, err := netip.ParseAddr(v.Address)
	if err != nil || a.Is4() || a.Is4In6() {
		return v.Address
	}
	p, err := a.WithZone("").Prefix(64)
	if err != nil {
		return v.Address
	}
	return p.String()
}
