// Package clip makes the sandbox's videos: real MP4 files with H.264, exactly
// as long and as large as asked, made in well under a millisecond and without
// an encoder. Describe one with a [Spec], sized by [Size], and [Spec.Encode]
// it.
//
// A look is a moving picture that was encoded beforehand at every frame size,
// in groups of pictures of one second each. A clip is some of these seconds,
// one after the other; a second that is shown ten times is in the file once,
// for ten entries of its chunk table point at it. See the generate folder for
// how looks are made.
package clip

import (
	"embed"
	"fmt"
	"math"
	"strconv"
	"strings"
)

//go:generate go run ./generate -out looks

//go:embed looks/*.mp4
var files embed.FS

const (
	// FPS is the frame rate of every clip.
	FPS = 24
	// Looks is how many looks there are; a look's number is below it.
	Looks = 11
	// loopSeconds is how long a look is before it begins again.
	loopSeconds = 2
)

// Spec says what is in a clip.
type Spec struct {
	Width    int       `json:"width"` // of one of the sizes that Size returns
	Height   int       `json:"height"`
	Segments []Segment `json:"segments"`
}

// Segment is a stretch of one look, from its beginning.
type Segment struct {
	Look   int `json:"look"`
	Frames int `json:"frames"`
}

// Frames turns seconds into frames, rounded.
func Frames(seconds float64) int { return int(math.Round(seconds * FPS)) }

// Frames is how many frames the clip has.
func (s Spec) Frames() int {
	n := 0
	for _, g := range s.Segments {
		n += g.Frames
	}
	return n
}

// Seconds is how long the clip is.
func (s Spec) Seconds() float64 { return float64(s.Frames()) / FPS }

// Then returns the clip with another stretch after it.
func (s Spec) Then(g Segment) Spec {
	s.Segments = append(append([]Segment{}, s.Segments...), g)
	return s
}

// At returns the same clip at another resolution, in the shape that is nearest.
func (s Spec) At(resolution string) Spec {
	s.Width, s.Height = nearest(Lines(resolution), float64(s.Width)/float64(s.Height))
	return s
}

// frameSize is a size that the looks were made in.
type frameSize struct{ w, h int }

// sizes are all of them: every resolution and ratio of the sample catalogue.
// The shorter side gives the resolution.
var sizes = [...]frameSize{
	{854, 480}, {480, 854}, {480, 480}, {640, 480}, {480, 640}, {1120, 480},
	{1280, 720}, {720, 1280}, {720, 720}, {960, 720}, {720, 960}, {1680, 720},
	{1920, 1080}, {1080, 1920}, {1080, 1080},
	{3840, 2160}, {2160, 3840},
}

// Size returns the frame size for a resolution such as "720p" or "4k" and an
// aspect ratio such as "16:9". Where there is no such size it is the nearest:
// 720p for a resolution and 16:9 for a ratio that cannot be read.
func Size(resolution, ratio string) (w, h int) {
	shape := 16.0 / 9
	if a, b, ok := strings.Cut(ratio, ":"); ok {
		x, err1 := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		if err1 == nil && err2 == nil && x > 0 && y > 0 && !math.IsInf(x/y, 0) && x/y > 0 {
			shape = x / y
		}
	}
	return nearest(Lines(resolution), shape)
}

// Lines is the shorter side of a resolution: 720 for "720p", 2160 for "4k", and
// 720 for what cannot be read.
func Lines(resolution string) int {
	r := strings.ToLower(resolution)
	if k, ok := strings.CutSuffix(r, "k"); ok {
		if n, err := strconv.Atoi(k); err == nil && n > 0 && n < 100 {
			return n * 540
		}
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(r, "p")); err == nil && n > 0 {
		return n
	}
	return 720
}

// nearest finds the size whose resolution, and then whose shape, is nearest.
func nearest(lines int, shape float64) (w, h int) {
	best := math.Inf(1)
	for _, s := range sizes {
		// A step of resolution outweighs every step of shape.
		d := 10*math.Abs(math.Log(float64(min(s.w, s.h))/float64(lines))) +
			math.Abs(math.Log(float64(s.w)/float64(s.h)/shape))
		if d < best {
			best, w, h = d, s.w, s.h
		}
	}
	return w, h
}

// asset is the file of a look at a size.
func asset(w, h, look int) ([]byte, error) {
	b, err := files.ReadFile(fmt.Sprintf("looks/%dx%d-%02d.mp4", w, h, look))
	if err != nil {
		return nil, fmt.Errorf("clip: no look %d at %dx%d", look, w, h)
	}
	return b, nil
}
