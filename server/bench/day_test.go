package main

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"
)

func TestSlopeLeavesOutTheFirstThird(t *testing.T) {
	var all []resident
	for i := range 30 {
		mb := 80 + float64(i)/10 // six MB an hour, a sample a minute
		if i < 10 {
			mb = 10 * float64(i) // caches fill
		}
		all = append(all, resident{time.Duration(i) * time.Minute, mb})
	}
	if got := slope(all); math.Abs(got-6) > 1e-6 {
		t.Errorf("%v MB an hour, want 6", got)
	}
	if got := slope(all[:1]); got != 0 {
		t.Errorf("of one sample: %v", got)
	}
}

func TestDurationsCountWhatGoesWrong(t *testing.T) {
	d := newDurations()
	wrong := errors.New("wrong")
	for _, err := range []error{nil, wrong, context.Canceled, context.DeadlineExceeded} {
		if got := d.time("a thing", func() error { return err }); !errors.Is(got, err) {
			t.Errorf("%v, want %v", got, err)
		}
	}
	if d.count() != 1 || d.failures() != 1 {
		t.Errorf("%d things done and %d wrong, want 1 and 1: what the day's end cuts off is neither", d.count(), d.failures())
	}
}
