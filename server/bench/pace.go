package main

import (
	"container/heap"
	"math/rand/v2"
	"net"
	"runtime"
	"time"
)

// pacer sends the chunks of all paced streams, each at its time. It has a
// thread of its own that sleeps by the system's clock: the runtime's timers,
// and as many goroutines as streams, are late by a millisecond and more.
type pacer struct {
	frame frame
	begin chan *paced
	due   timetable
}

// paced is a stream that is under way.
type paced struct {
	to   net.Conn
	left int
	step time.Duration
	at   time.Time // of the next chunk
	done chan error
}

func newPacer() *pacer { return &pacer{frame: newFrame(), begin: make(chan *paced, 1024)} }

// send sends all but the first of a plan's chunks. Streams that begin together
// are out of step, as people's are.
func (p *pacer) send(to net.Conn, plan plan) error {
	step := time.Second / time.Duration(plan.rate)
	s := &paced{to: to, left: plan.chunks - 1, step: step, done: make(chan error, 1),
		at: time.Now().Add(rand.N(step))}
	p.begin <- s
	return <-s.done
}

func (p *pacer) run() {
	runtime.LockOSThread()
	sleepExactly()
	for {
		if len(p.due) == 0 {
			heap.Push(&p.due, <-p.begin)
		}
		for more := true; more; {
			select {
			case s := <-p.begin:
				heap.Push(&p.due, s)
			default:
				more = false
			}
		}
		s := p.due[0]
		if wait := time.Until(s.at); wait > 0 {
			// No longer than this, for another may begin meanwhile.
			sleep(min(wait, time.Millisecond))
			continue
		}
		_, err := s.to.Write(p.frame.stamped(time.Now()))
		if s.left--; err != nil || s.left == 0 {
			heap.Pop(&p.due)
			s.done <- err
			continue
		}
		s.at = s.at.Add(s.step)
		heap.Fix(&p.due, 0)
	}
}

// timetable is a heap: what is due first comes first.
type timetable []*paced

func (t timetable) Len() int           { return len(t) }
func (t timetable) Less(i, j int) bool { return t[i].at.Before(t[j].at) }
func (t timetable) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *timetable) Push(x any)        { *t = append(*t, x.(*paced)) }
func (t *timetable) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}
