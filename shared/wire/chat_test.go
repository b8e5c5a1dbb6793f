package wire

import (
	"slices"
	"testing"
)

func TestOutlineGivesEachID(t *testing.T) {
	const a, b = "0b9e2c1a-7f3d-4a57-9f0e-2f0d7f1f6f11", "1b9e2c1a-7f3d-4a57-9f0e-2f0d7f1f6f12"
	o := Outline{IDs: a + b, Parents: []int{-1, 0}}
	if o.Len() != 2 || o.ID(0) != a || o.ID(1) != b {
		t.Errorf("%d: %s, %s", o.Len(), o.ID(0), o.ID(1))
	}
}

func TestRunTimesAddUp(t *testing.T) {
	var got [][2]int64
	for end, ms := range (RunTimes{Reads: []int64{12, 100, 0, 50, 8, 7, 9}}).All {
		got = append(got, [2]int64{end, ms})
	}
	if want := [][2]int64{{100, 12}, {150, 12}, {157, 20}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v; half a pair at the end is nothing", got, want)
	}
	for end := range (RunTimes{Reads: []int64{1, 1, 1, 1}}).All {
		if end > 1 {
			t.Error("went on after a break")
		}
		break
	}
}
