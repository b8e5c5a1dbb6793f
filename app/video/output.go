package video

import (
	"strconv"
	"strings"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// PlayableOutput is the first output that can be played, -1 where there is
// none: while the gateway has its files, and from the archive afterwards.
func PlayableOutput(t *wire.VideoTask) int {
	for _, o := range t.Outputs {
		if OutputPlays(t, o) {
			return o.Index
		}
	}
	return -1
}

// Playable says whether there is something to play.
func Playable(t *wire.VideoTask) bool { return PlayableOutput(t) >= 0 }

// OutputPlays says whether one output can be played.
func OutputPlays(t *wire.VideoTask, o wire.VideoOutput) bool {
	return o.Archive == wire.ArchiveSaved || t.State == wire.VideoDone
}

// OutputOf returns an output by its index, with false where there is none.
func OutputOf(t *wire.VideoTask, index int) (wire.VideoOutput, bool) {
	for _, o := range t.Outputs {
		if o.Index == index {
			return o, true
		}
	}
	return wire.VideoOutput{}, false
}

// Clock writes a length as a player does: "0:08", "1:05".
func Clock(seconds float64) string {
	s := int(seconds + 0.5)
	rest := strconv.Itoa(s % 60)
	if len(rest) == 1 {
		rest = "0" + rest
	}
	return strconv.Itoa(s/60) + ":" + rest
}

// LengthOf is how long a clip is, 0 where that is not known: measured, else as
// it was asked for where the two are the same.
func LengthOf(t *wire.VideoTask) float64 {
	for _, o := range t.Outputs {
		if o.Seconds > 0 {
			return o.Seconds
		}
	}
	switch gateway.Mode(t.Mode) {
	case gateway.TextToVideo, gateway.ImageToVideo, gateway.FirstLastFrame, gateway.MultiShot, gateway.Motion:
		return float64(t.Seconds)
	}
	return 0
}

// RatioOf is a clip's ratio as a width and a height: measured, else as it was
// asked for, else 16:9.
func RatioOf(t *wire.VideoTask) (w, h int) {
	for _, o := range t.Outputs {
		if o.Width > 0 && o.Height > 0 {
			return o.Width, o.Height
		}
	}
	a, b, ok := strings.Cut(BodyField(t.Body, "aspect_ratio"), ":")
	w, err := strconv.Atoi(a)
	if h, err2 := strconv.Atoi(b); ok && err == nil && err2 == nil && w > 0 && h > 0 && w <= 10_000 && h <= 10_000 {
		return w, h
	}
	return 16, 9
}

// NoReference says why a clip can't be used as a reference; "" if it can.
func (g *Tasks) NoReference(t *wire.VideoTask) string {
	switch n := PlayableOutput(t); {
	case n < 0:
		return NotPlayable(t)
	default:
		o, _ := OutputOf(t, n)
		if o.Seconds > 0 && (o.Seconds < 2 || o.Seconds > 15) {
			return "A reference lasts 2 to 15 seconds; this clip lasts " + Clock(o.Seconds) + "."
		}
	}
	return ""
}

// NotPlayable says why there is nothing to play, download or take a frame of;
// "" if there is.
func NotPlayable(t *wire.VideoTask) string {
	if Playable(t) {
		return ""
	}
	switch {
	case t.State == wire.VideoExpired:
		return "The gateway deleted the clip after 14 days, and the archive has no copy."
	case t.State == wire.VideoDone:
		return "The gateway sent no file for this clip."
	case t.State == wire.VideoUnknown:
		return "It isn’t known whether there is a clip; say what happened first."
	case t.State.Final():
		return "There is no clip."
	}
	return "The clip isn’t finished yet."
}

// NotKept says why there is nothing to keep in the archive for good; "" if
// there is, or will be.
func NotKept(t *wire.VideoTask) string {
	if !t.State.Final() {
		return ""
	}
	return NotPlayable(t)
}
