package video

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestLevel(t *testing.T) {
	for _, c := range []struct {
		name               string
		at, common, length float64
		seek               bool
		rate               float64
	}{
		{"in step", 3, 3.01, 8, false, 1},
		{"a little behind: faster", 3, 3.1, 8, false, 1.06},
		{"a little ahead: slower", 3.1, 3, 8, false, 0.94},
		{"far behind: set", 1, 3, 8, true, 1},
		{"far ahead: set", 5, 3, 8, true, 1},
		{"a shorter one waits at its end", 6, 7, 6, false, 1},
		{"a shorter one that is not at its end yet", 3, 7, 6, true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			seek, to, rate := Level(c.at, c.common, c.length)
			if seek != c.seek || rate != c.rate || to > c.length {
				t.Errorf("seek %v to %v at %v", seek, to, rate)
			}
		})
	}
}

func TestStepFrame(t *testing.T) {
	at := 0.0
	for range 24 {
		at = StepFrame(at, 8, 1)
	}
	if at < 1 || at > 1+FrameSeconds {
		t.Errorf("24 frames are %v s", at)
	}
	for range 24 {
		at = StepFrame(at, 8, -1)
	}
	if at > FrameSeconds {
		t.Errorf("24 frames back is %v s", at)
	}
	if at = StepFrame(0, 8, -1); at < 0 {
		t.Error("before the start")
	}
	if at = StepFrame(7.99, 8, 5); at > 8 {
		t.Error("after the end")
	}
}

func TestComparedIDs(t *testing.T) {
	got := ComparedIDs(url.Values{"ids": {"a,b,,a,c,d,e," + strings.Repeat("x", 100)}})
	if !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("%v", got)
	}
}
