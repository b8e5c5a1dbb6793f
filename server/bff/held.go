package bff

import "sync/atomic"

// maxHeld bounds the bytes of answers that wait for all tabs together, or are
// on their way to them. A tab that reads has one message there for a moment; of
// those that don't, the one with the most is closed.
const maxHeld = 256 << 20

// gauge is a count, and the most that it was.
type gauge struct{ now, peak atomic.Int64 }

func (g *gauge) add(n int64) {
	now := g.now.Add(n)
	for {
		peak := g.peak.Load()
		if now <= peak || g.peak.CompareAndSwap(peak, now) {
			return
		}
	}
}
