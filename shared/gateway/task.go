package gateway

import (
	"strings"
	"time"
)

// TaskStatus is how far a video task is (F97). [ParseTaskStatus] reads one as a
// gateway writes it.
type TaskStatus string

// The statuses. StatusExpired is told in the nested body; the outer status
// stays SUCCESS (F102, G33).
const (
	StatusQueued     TaskStatus = "QUEUED"
	StatusInProgress TaskStatus = "IN_PROGRESS"
	StatusSuccess    TaskStatus = "SUCCESS"
	StatusFailure    TaskStatus = "FAILURE"
	StatusExpired    TaskStatus = "EXPIRED"
)

// ParseTaskStatus reads a status in any case (F98). Anything else than the
// five is kept as it is, in capitals, and is not final.
func ParseTaskStatus(s string) TaskStatus {
	return TaskStatus(strings.ToUpper(strings.TrimSpace(s)))
}

// Final says that nothing but an expiry can follow.
func (s TaskStatus) Final() bool {
	return s == StatusSuccess || s == StatusFailure || s == StatusExpired
}

// Usual returns how long a task of the model usually takes (F114): 1 to 5
// minutes; an upscale 1 to 3, to 4K 2 to 10.
func (m Model) Usual() (least, most time.Duration) {
	switch {
	case m.Mode == Upscale && height(m.Resolution) >= height("4k"):
		return 2 * time.Minute, 10 * time.Minute
	case m.Mode == Upscale:
		return time.Minute, 3 * time.Minute
	}
	return time.Minute, 5 * time.Minute
}

// How a task is polled (G36).
const (
	pollFirst = 5 * time.Second
	pollMost  = 30 * time.Second
	pollStale = 5 * time.Minute
	// StaleAfter is the age at which a task that has not ended is marked
	// stale. It has not failed: it is polled on, slowly.
	StaleAfter = 30 * time.Minute
)

// PollDelay returns how long to wait before the next poll of a task of that
// age that has been polled n times: 5 s, rising to 30 s, minutes once it is
// stale (G36). jitter, in [0, 1), spreads tasks over a fifth of the wait; a
// longer wait that the gateway asked for (Retry-After) is kept.
func PollDelay(n int, age time.Duration, jitter float64, retryAfter time.Duration) time.Duration {
	wait := pollMost
	switch {
	case age >= StaleAfter:
		wait = pollStale
	case n < 10:
		wait = min(pollMost, pollFirst+time.Duration(max(n, 0))*pollFirst/2)
	}
	if jitter > 0 && jitter < 1 {
		wait += time.Duration(jitter * float64(wait) / 5)
	}
	return max(wait, retryAfter)
}
