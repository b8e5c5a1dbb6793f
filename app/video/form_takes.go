package video

import (
	"math"
	"strconv"

	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// MostTakes is how many clips one click makes at most of the same draft.
const MostTakes = 4

// click is what one press of the button asked for: each take is a task of its
// own, so that one that is refused leaves the others.
type click struct {
	open, made, failed int
	problem            *wire.Problem // of the take that failed last
}

// Takes is how many clips the button makes; one of an upscale, which comes out
// the same each time.
func (f *Form) Takes() int {
	if f.Mode == gateway.Upscale {
		return 1
	}
	return max(f.several, 1)
}

// SetTakes chooses how many.
func (f *Form) SetTakes(n int) {
	f.several = min(max(n, 1), MostTakes)
	f.changed()
}

// TakesNote says what several takes would have in common beyond what is meant;
// "" where nothing.
func (f *Form) TakesNote() string {
	if _, drawn := f.Field("seeds"); drawn && f.Takes() > 1 && f.draft.Seeds != "" {
		return "With one seed for all, the takes may come out the same."
	}
	return ""
}

// Total is the price of all takes together.
func (f *Form) Total() gateway.Quote {
	q, n := f.Check.Price, f.Takes()
	switch {
	case n == 1 || !q.Known:
	case q.Cost > math.MaxInt64/money.NanoUSD(n):
		q.Known = false
	default:
		q.Cost *= money.NanoUSD(n)
		q.Basis = strconv.Itoa(n) + " takes × " + q.Basis
	}
	return q
}

// MadeCount is how many tasks the last click has made.
func (f *Form) MadeCount() int { return len(f.made) }

// shows says that the form still stands as it did when a creation was sent.
func (f *Form) shows(key attemptKey) bool {
	return key.mode == f.Mode && key.body == string(f.Check.Body)
}

// landed counts the answers to one click. Once all are there and only some were
// made, the next click makes the rest: those that had no answer under their id.
func (f *Form) landed(key attemptKey, c *click, p *wire.Problem) {
	c.open--
	if p == nil {
		c.made++
	} else {
		c.failed++
		c.problem = p
	}
	if c.open > 0 || c.made == 0 || c.failed == 0 {
		return
	}
	var lost []*attempt
	for take := range MostTakes {
		key.take = take
		try := f.tries[key]
		if try == nil || try.click != c {
			continue
		}
		delete(f.tries, key)
		if try.stage == attemptLost {
			lost = append(lost, try)
		}
	}
	for take, try := range lost {
		key.take = take
		f.tries[key] = try
	}
	if !f.shows(key) {
		return
	}
	f.several = c.failed
	told := *c.problem
	told.Message = "Made " + strconv.Itoa(c.made) + " of " + strconv.Itoa(c.made+c.failed) + " clips. " + told.Message
	f.refused(&told)
}
