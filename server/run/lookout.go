package run

import "time"

// lookAfter is how long after a look that failed the next one is, the first time.
const lookAfter = time.Second

// lookout ends runs that are this process' in the store and not under way here, now
// and then: those whose turn was stored after all when its start had been given up,
// and those that could not be ended when they were taken over.
type lookout struct {
	wake  chan struct{}
	ended chan struct{} // closed when nothing is looked for any more; nil: nothing ever is
}

func (o *lookout) start(m *Manager) {
	if m.DurableStart {
		o.wake, o.ended = make(chan struct{}, 1), make(chan struct{})
		go o.loop(m)
	}
}

// look has it looked soon.
func (o *lookout) look() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *lookout) loop(m *Manager) {
	defer close(o.ended)
	next := time.NewTimer(m.LookEvery)
	defer next.Stop()
	for pause := lookAfter; ; {
		select {
		case <-o.wake:
		case <-next.C:
		case <-m.closing.Done():
			return
		}
		err := m.TakeOver(m.closing)
		if err == nil {
			pause = lookAfter
			next.Reset(m.LookEvery)
			continue
		}
		if m.closing.Err() == nil {
			m.Logger.Error("runs that nobody goes on with are not ended yet; it is tried again", "err", err)
		}
		next.Reset(min(pause, m.LookEvery))
		pause = min(2*pause, m.LookEvery)
	}
}

// Look has runs ended soon that are this process' and not under way here.
func (m *Manager) Look() { m.lookout.look() }
