package replicas

import "time"

// WatchFor sets how long Join watches those in whose place it would put this process.
func (r *Replicas) WatchFor(d time.Duration) { r.watch = d }
