package video

import (
	"slices"
	"strconv"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// MostTakes is how many clips one click makes at most of the same draft.
const MostTakes = 4

// click is what one press of the button asked for: each take is a task of its
// own, so that one that is refused leaves the others.
type click struct {
	open, made, failed int
	problem            *wire.Problem  // of the take that failed last
	lanes              []attemptKey   // one for each model, without its takes
	lost               map[string]int // by model, those that were not made
	edits              int            // Form.edits when it was sent
}

// maker is what made a task: a request of a click.
type maker struct {
	key   attemptKey
	click *click
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

// MadeCount is how many tasks the last click has made.
func (f *Form) MadeCount() int { return len(f.made) }

// shows says that the form still stands as it did when a creation was sent.
func (f *Form) shows(key attemptKey) bool {
	is := func(body []byte) bool { return key.body == string(body) }
	return key.mode == f.Mode && (is(f.Check.Body) || slices.ContainsFunc(f.Lanes, func(l Lane) bool { return is(l.Check.Body) }))
}

// landed counts the answers to one click. Once all are there and only some were
// made, the next click makes the rest: those that had no answer under their id.
func (f *Form) landed(key attemptKey, c *click, p *wire.Problem) {
	c.open--
	if p == nil {
		c.made++
	} else {
		c.failed++
		c.lost[key.model]++
		c.problem = f.named(key.model, p)
	}
	if c.open == 0 && c.failed == 0 && f.rest != nil {
		f.rest = nil
		f.recheck()
	}
	f.settle(key, c)
}

// settle says what of a click was not made, and has the next one make that, once
// all answers are there and where some was made. It returns whether it did.
func (f *Form) settle(key attemptKey, c *click) bool {
	if c.open > 0 || c.failed == 0 || c.made <= 0 {
		return false
	}
	for _, lane := range c.lanes {
		f.renumber(lane, c)
	}
	if !f.shows(key) {
		return false
	}
	switch {
	case len(c.lanes) == 1 && len(f.Lanes) == 0:
		f.several = c.failed
	case c.edits == f.edits: // of other models nothing was asked for yet
		f.rest = c.lost
	}
	told := *c.problem
	told.Message = "Made " + strconv.Itoa(c.made) + " of " + strconv.Itoa(c.made+c.failed) + " clips. " + told.Message
	f.refused(&told)
	return true
}

// renumber makes those takes of a model that had no answer the first ones of the
// next click.
func (f *Form) renumber(key attemptKey, c *click) {
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
}
