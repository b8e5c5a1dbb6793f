package chat

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"screentest/shared/wire"
)

func pathOfLength(n int) []*Message {
	var path []*Message
	for i := range n {
		m := &Message{Message: wire.Message{ID: fmt.Sprint("m", i), Role: "user", Text: strings.Repeat("word ", 1+i%40)}}
		if i%2 == 1 {
			m.Role = "assistant"
		}
		path = append(path, m)
	}
	return path
}

// count returns how many elements the layout has, and checks that its parts
// follow each other without a hole.
func count(t *testing.T, all []Stretch, from, to int) (elements int) {
	t.Helper()
	for _, s := range all {
		if s.From != from {
			t.Fatalf("a stretch begins at %d, the one before ended at %d", s.From, from)
		}
		from = s.To
		elements++
		switch {
		case s.Kids != nil:
			elements += count(t, s.Kids, s.From, s.To)
		case s.Gap == 0:
			if s.To-s.From > Block {
				t.Fatalf("%+v is drawn as one block", s)
			}
			elements += s.To - s.From
		}
	}
	if from != to {
		t.Fatalf("the stretches end at %d, want %d", from, to)
	}
	return elements
}

func TestElementsStayFewHoweverLongTheColumn(t *testing.T) {
	for _, n := range []int{1, 3, 4, 5, 63, 64, 65, 1000, 10_000, 100_000} {
		var c Column
		c.Set(pathOfLength(n), 736)
		whole := c.Height(0, n)
		for _, y := range []float64{0, whole / 3, whole - 800} {
			w := c.Around(y-800, y+1600)
			got := count(t, c.Stretches(func(from, to int) bool { return from < w.To && w.From < to }), 0, n)
			if limit := w.To - w.From + 120; got > limit {
				t.Errorf("%d messages at %.0f px: %d elements for the %d messages of %+v", n, y, got, w.To-w.From, w)
			}
		}
	}
}

func TestGapsAreAsHighAsWhatTheyStandFor(t *testing.T) {
	var c Column
	c.Set(pathOfLength(5000), 736)
	sum := 0.0
	var add func([]Stretch)
	add = func(all []Stretch) {
		for _, s := range all {
			switch {
			case s.Kids != nil:
				add(s.Kids)
			case s.Gap > 0:
				sum += s.Gap
			default:
				sum += c.Height(s.From, s.To)
			}
		}
	}
	add(c.Stretches(func(from, to int) bool { return from < 2044 && 2000 < to }))
	if whole := c.Height(0, 5000); math.Abs(sum-whole) > 60 {
		t.Errorf("%.0f px, the messages have %.0f", sum, whole)
	}
}

func TestMeasuredHeightsStayUntilTheWidthChanges(t *testing.T) {
	var c Column
	path := pathOfLength(10)
	c.Set(path, 700)
	c.Measure(3, 1234)
	c.Measure(99, 5) // not there any more
	if got := c.At(c.Height(0, 3) + 1233); got != 3 {
		t.Errorf("at %d, want 3", got)
	}
	longer := append(append([]*Message(nil), path...), &Message{Message: wire.Message{ID: "new", Role: "user"}})
	c.Set(longer, 700)
	if got := c.Height(3, 4); got != 1234 {
		t.Errorf("%.0f px after a message came, want 1234", got)
	}
	c.Set(longer, 350)
	if got := c.Height(3, 4); got == 1234 {
		t.Error("the height is that of another width")
	}
}

func TestPlacesOutsideTheColumn(t *testing.T) {
	var c Column
	c.Set(nil, 700)
	if c.At(5) != -1 || c.Around(0, 100) != (Window{}) || len(c.Stretches(func(int, int) bool { return true })) != 0 {
		t.Error("an empty column has something in it")
	}
	c.Set(pathOfLength(6), 700)
	if w := c.Around(-500, 1e9); w != (Window{0, 6}) {
		t.Errorf("%+v, want all six", w)
	}
}

// A window that moves never draws more at a time than what comes into view at once,
// or a block.
func TestAWindowGrowsABlockAtATime(t *testing.T) {
	seen, near, keep := Window{100, 108}, Window{94, 120}, Window{90, 130}
	for _, w := range []Window{{}, {0, 50}, {90, 102}, {106, 140}, {102, 104}, {60, 200}, {107, 115}} {
		steps := 0
		for ; !w.Holds(near); steps++ {
			next := w.Toward(seen, near, keep)
			if drawn := (next.To - next.From) - max(0, min(next.To, w.To)-max(next.From, w.From)); drawn > Block && next != seen {
				t.Fatalf("%v to %v draws %d", w, next, drawn)
			}
			if next.From < keep.From || next.To > keep.To {
				t.Fatalf("%v to %v keeps more than %v", w, next, keep)
			}
			if w = next; steps > 20 {
				t.Fatalf("%v never holds %v", w, near)
			}
		}
	}
	for w := (Window{102, 104}); !w.Holds(seen); {
		next := w.Toward(seen, near, keep)
		if next.From < seen.From || next.To > seen.To {
			t.Fatalf("%v to %v, before what is in view is drawn", w, next)
		}
		w = next
	}
}
