package video

import (
	"container/heap"
	"time"

	"screentest/shared/wire"
)

// entry is an open task as the poller knows it. The poller's lock guards all
// but the first group, and a worker that polls it owns the rest until it is
// done.
type entry struct {
	taskID
	team    string // that pays; "": none
	gateway string // that made it
	remote  string
	created time.Time

	key      int64
	polls    int
	failures int // polls in a row without an answer
	due      time.Time
	place    int // in the queue; -1 while it is not in it
	parked   bool
	gone     bool // ended; nothing is to be done with it any more
	again    bool // asked for while it is polled

	state    wire.VideoState
	uuid     string
	pause    wire.Pause
	code     string // of the poll problem that is stored
	progress int
	checked  time.Time
	told     time.Time // when its progress was last told of
	empty    int       // answers that say success and name no file
}

// queue is a heap of entries, the first due on top.
type queue []*entry

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].due.Before(q[j].due) }
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}
func (q *queue) Push(x any) {
	e := x.(*entry)
	e.place = len(*q)
	*q = append(*q, e)
}
func (q *queue) Pop() any {
	old := *q
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	e.place = -1
	return e
}

// put has an entry polled at due. The lock is held.
func (p *poller) put(e *entry, due time.Time) {
	if e.gone {
		return
	}
	e.due, e.parked = due, false
	if e.place >= 0 {
		heap.Fix(&p.queue, e.place)
	} else {
		heap.Push(&p.queue, e)
	}
	if e.place == 0 {
		select {
		case p.wake <- struct{}{}:
		default:
		}
	}
}

// loop hands due entries to the workers. When all are busy it waits for one:
// that is what keeps ten thousand tasks polite.
func (p *poller) loop() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		p.mu.Lock()
		var e *entry
		wait := time.Hour
		if len(p.queue) > 0 {
			if wait = time.Until(p.queue[0].due); wait <= 0 {
				e = heap.Pop(&p.queue).(*entry)
			}
		}
		p.mu.Unlock()
		if e != nil {
			select {
			case p.due <- e:
			case <-p.s.quit:
				return
			}
			continue
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-p.wake:
		case <-p.s.quit:
			return
		}
	}
}
