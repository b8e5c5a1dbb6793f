package gateway

import (
	"math"
	"strconv"
	"strings"
)

// Seconds is the values that the field seconds may take: a set, or a range.
// The zero Seconds allows any.
type Seconds struct {
	Values   []int // a set, rising
	Min, Max int   // a range, where Values is empty
}

// Any says that there is no list: every value will do.
func (s Seconds) Any() bool { return len(s.Values) == 0 && s.Max == 0 }

// Has says whether n is among the values.
func (s Seconds) Has(n int) bool {
	if len(s.Values) == 0 {
		return s.Any() || s.Min <= n && n <= s.Max
	}
	for _, v := range s.Values {
		if v == n {
			return true
		}
	}
	return false
}

// List returns every value as the field is written; nil for Any.
func (s Seconds) List() []string {
	if s.Any() {
		return nil
	}
	if len(s.Values) == 0 {
		list := make([]string, 0, s.Max-s.Min+1)
		for n := s.Min; n <= s.Max; n++ {
			list = append(list, strconv.Itoa(n))
		}
		return list
	}
	list := make([]string, len(s.Values))
	for i, n := range s.Values {
		list[i] = strconv.Itoa(n)
	}
	return list
}

// String gives the values for people: "4, 6 or 8", "4 to 15".
func (s Seconds) String() string {
	switch {
	case s.Any():
		return "any"
	case len(s.Values) == 0 && s.Min == s.Max:
		return strconv.Itoa(s.Min)
	case len(s.Values) == 0:
		return strconv.Itoa(s.Min) + " to " + strconv.Itoa(s.Max)
	}
	return either(s.List())
}

// either joins values for people: "4, 6 or 8".
func either(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// Bounds of a reference-video clip and of what it is made from, in seconds.
const (
	minClip           = 4  // F146
	maxClip           = 15 // F146
	minReference      = 2  // each, F142
	maxReference      = 15 // each, F142
	maxReferenceTotal = 15 // together, F143
	minMotion         = 3  // F155
	maxMotion         = 30 // F155
)

// micro is how finely measured lengths are taken, parts of a second: sums of
// lengths as a file gives them are then exact.
const micro = 1_000_000

// length turns a measured length into micros; ok is false for what can't be a
// length.
func length(seconds float64) (micros int64, ok bool) {
	if !(seconds > 0 && seconds <= 1e6) {
		return 0, false
	}
	return int64(math.Round(seconds * micro)), true
}

// total adds measured lengths up, in micros.
func total(lengths []float64) (micros int64, ok bool) {
	for _, s := range lengths {
		n, ok := length(s)
		if !ok {
			return 0, false
		}
		micros += n
	}
	return micros, len(lengths) > 0
}

// round rounds micros to seconds, half up.
func round(micros int64) int { return int((micros + micro/2) / micro) }

// ReferenceSeconds returns what the references add to the field seconds: their
// total, rounded half up once (G21). Lengths that can't be count as none.
func ReferenceSeconds(lengths []float64) int {
	micros, _ := total(lengths)
	return round(micros)
}

// ReferenceRange returns the values of the field seconds for n reference
// videos: R+4 to R+15 where their lengths are known, R being their rounded
// total, else what n references of 2 s to 15 s leave open (F147, G20).
func ReferenceRange(n int, lengths []float64) Seconds {
	if _, ok := total(lengths); ok && len(lengths) == n {
		r := ReferenceSeconds(lengths)
		return Seconds{Min: r + minClip, Max: r + maxClip}
	}
	return Seconds{Min: n*minReference + minClip, Max: maxReferenceTotal + maxClip}
}

// MotionSeconds returns the field seconds for a motion clip of that length:
// half up (F158, G22); 0 for what can't be a length.
func MotionSeconds(seconds float64) int {
	micros, _ := length(seconds)
	return round(micros)
}
