package chat

import (
	"screentest/app/figure"
	"screentest/shared/wire"
)

// Marks say how an answer did beside those of the other lanes.
type Marks struct {
	Fastest  bool // shortest from sending to the end, as Figures.Total shows it
	Cheapest bool
	Best     bool // the person voted for it
}

// Marks compares the lane's last answer with those of the others. Nothing is
// marked before all have ended, nor where all are alike; an answer that waits for
// a call's result has not.
func (l *Lane) Marks(m *Message) Marks {
	c := l.of
	marks := Marks{}
	for _, v := range c.Votes {
		marks.Best = marks.Best || v.Winner == m.ID
	}
	if len(c.Lanes) < 2 || c.Hidden() || l.Leaf != m.ID || !c.roundEnded() {
		return marks
	}
	type span struct{ least, most int64 }
	var time, cost span
	timed, priced := 0, 0
	widen := func(s *span, n *int, v int64) {
		if *n == 0 {
			s.least, s.most = v, v
		}
		s.least, s.most = min(s.least, v), max(s.most, v)
		*n++
	}
	for _, o := range c.Lanes {
		r := o.last().Run
		if o.Awaits(o.last()) {
			return marks
		}
		if r.State != wire.Done {
			continue
		}
		if r.DurationMS > 0 {
			widen(&time, &timed, r.DurationMS)
		}
		if r.CostSource != "" {
			widen(&cost, &priced, r.CostNanoUSD)
		}
	}
	if r := m.Run; r.State == wire.Done {
		least, most := figure.Milliseconds(time.least), figure.Milliseconds(time.most)
		marks.Fastest = timed > 1 && least != most && figure.Milliseconds(r.DurationMS) == least
		marks.Cheapest = priced > 1 && cost.least < cost.most && r.CostSource != "" && r.CostNanoUSD == cost.least
	}
	return marks
}

// roundEnded says that each lane has an answer of its own at its end, and none
// is under way.
func (c *Conversation) roundEnded() bool {
	seen := map[string]bool{}
	for _, l := range c.Lanes {
		m := l.last()
		if m == nil || m.Run == nil || m.Running() || seen[m.ID] {
			return false
		}
		seen[m.ID] = true
	}
	return true
}

// compare lets the answers be drawn again when the last of a round has ended:
// only then is it known which did best.
func (c *Conversation) compare() {
	if len(c.Lanes) < 2 || !c.roundEnded() {
		return
	}
	for _, l := range c.Lanes {
		l.last().Rev++
	}
}
