package sandbox

import (
	"context"
	"time"
)

// pace says when tokens are due.
type pace struct {
	first    time.Duration // before the first token
	interval time.Duration // between tokens; 0 is flat out
	seed     uint64        // of the jitter
}

// pace returns the pace of an answer that the script steers.
func (s *Server) pace(sc script, seed uint64) pace {
	p := pace{first: s.cfg.FirstToken, seed: seed}
	perSecond := s.cfg.TokensPerSecond
	if sc.pace > 0 {
		perSecond = sc.pace
	}
	if perSecond < 0 {
		return pace{}
	}
	p.interval = time.Duration(float64(time.Second) / perSecond)
	// Give or take a fifth, the same for the same request.
	p.first += time.Duration(float64(p.first) * (share(seed) - 0.5) * 0.4)
	if sc.slow {
		p.first *= 10
		p.interval *= 10
	}
	return p
}

// due returns when token n is due after the start. The jitter is a quarter of
// the interval to either side and does not add up, so that the average is
// exact over any stretch.
func (p pace) due(n int) time.Duration {
	if p.interval == 0 {
		return p.first
	}
	jitter := (share(p.seed+uint64(n)*0x9e3779b97f4a7c15) - 0.5) / 2
	if n == 0 {
		jitter = 0
	}
	return p.first + time.Duration((float64(n)+jitter)*float64(p.interval))
}

// share maps a number to 0 ≤ x < 1, evenly (splitmix64's finish).
func share(x uint64) float64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return float64(x>>11) / (1 << 53)
}

// sleeper waits for moments, with one timer for all of a stream.
type sleeper struct {
	ctx   context.Context // ends when the client leaves
	quit  <-chan struct{} // closed when the server closes
	timer *time.Timer
}

// closed says whether the server closes.
func (sl *sleeper) closed() bool {
	select {
	case <-sl.quit:
		return true
	default:
		return false
	}
}

// until waits for the moment and says whether it came: not if the client left
// or the server closed first.
func (sl *sleeper) until(at time.Time) bool {
	d := time.Until(at)
	if d <= 0 {
		select {
		case <-sl.ctx.Done():
			return false
		case <-sl.quit:
			return false
		default:
			return true
		}
	}
	if sl.timer == nil {
		sl.timer = time.NewTimer(d)
	} else {
		sl.timer.Reset(d)
	}
	select {
	case <-sl.timer.C:
		return true
	case <-sl.ctx.Done():
	case <-sl.quit:
	}
	sl.timer.Stop()
	return false
}
