package sandbox

import (
	"crypto/sha256"
	"sync"
	"time"
)

// The bounds of what [[status: N]] remembers.
const (
	onceFor = 10 * time.Minute
	maxOnce = 1024
)

// once remembers which requests were given the status that they asked for, so
// that the same request is answered normally when it comes again.
type once struct {
	mu   sync.Mutex
	seen map[[sha256.Size]byte]time.Time
}

// first says whether the key is new, and remembers it.
func (o *once) first(now time.Time, path, key string, body []byte) bool {
	h := sha256.New()
	for _, p := range []string{path, key} {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	h.Write(body)
	id := [sha256.Size]byte(h.Sum(nil))
	o.mu.Lock()
	defer o.mu.Unlock()
	if at, ok := o.seen[id]; ok && now.Sub(at) < onceFor {
		return false
	}
	if len(o.seen) >= maxOnce {
		var oldest [sha256.Size]byte
		for k, at := range o.seen {
			if now.Sub(at) >= onceFor {
				delete(o.seen, k)
			} else if first, ok := o.seen[oldest]; !ok || at.Before(first) {
				oldest = k
			}
		}
		if len(o.seen) >= maxOnce {
			delete(o.seen, oldest)
		}
	}
	if o.seen == nil {
		o.seen = map[[sha256.Size]byte]time.Time{}
	}
	o.seen[id] = now
	return true
}
