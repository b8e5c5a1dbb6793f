package video

import (
	"net/url"
	"slices"
	"strings"
)

const comparePath = "/video/compare"

// FrameSeconds is the step of one frame: that of film, which most models use.
// A browser does not tell a clip's own.
const FrameSeconds = 1.0 / 24

// ComparePath is the address that compares clips, in their order.
func ComparePath(ids []string) string { return comparePath + "?ids=" + strings.Join(ids, ",") }

// ComparedIDs reads the clips of an address: each once, at most MaxCompared.
func ComparedIDs(query url.Values) []string {
	var ids []string
	for _, id := range strings.Split(query.Get("ids"), ",") {
		if id != "" && len(id) <= 64 && !slices.Contains(ids, id) && len(ids) < MaxCompared {
			ids = append(ids, id)
		}
	}
	return ids
}

// Bounds of how far a clip may be from the common time.
const (
	driftOK   = 0.04 // seconds: a frame, which nobody sees
	driftSeek = 0.35 // beyond, it is set; below, it is drawn level by its speed
)

// Level says how to bring a clip that is at the time at, of the length given,
// to the common time: by setting it (seek), or by the rate at which it plays.
// One that is shorter waits at its end.
func Level(at, common, length float64) (seek bool, to, rate float64) {
	to = min(common, length)
	if common >= length {
		return at < length-driftOK, to, 1
	}
	switch drift := at - common; {
	case drift > driftSeek || drift < -driftSeek:
		return true, to, 1
	case drift > driftOK:
		return false, to, 0.94
	case drift < -driftOK:
		return false, to, 1.06
	}
	return false, to, 1
}

// StepFrame is the time some frames on (or back, where n is negative) within a
// length. It lands in the middle of a frame, so that rounding shows no other.
func StepFrame(at, length float64, n int) float64 {
	frame := float64(int(at/FrameSeconds+1e-6)) + float64(n)
	last := float64(int(length/FrameSeconds+1e-6)) - 1
	frame = max(min(frame, last), 0)
	return min((frame+0.5)*FrameSeconds, length)
}
