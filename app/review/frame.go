package review

import (
	"fmt"
	"math"

	"screentest/shared/wire"
)

// Frame is where in a box a video's picture is: the whole of it in its own ratio,
// in the middle. Lengths are those of the box.
type Frame struct{ X, Y, W, H float64 }

// FrameOf fits a picture into a box. A picture without a size yet is taken to fill
// it.
func FrameOf(boxW, boxH, w, h float64) Frame {
	if w <= 0 || h <= 0 || boxW <= 0 || boxH <= 0 {
		return Frame{0, 0, boxW, boxH}
	}
	scale := math.Min(boxW/w, boxH/h)
	w, h = w*scale, h*scale
	return Frame{(boxW - w) / 2, (boxH - h) / 2, w, h}
}

// Point is a place of the box in FramePoints of the picture, put on its edge if it
// is outside.
func (f Frame) Point(x, y float64) (px, py int) {
	part := func(at, from, length float64) int {
		if length <= 0 {
			return 0
		}
		return int(math.Round(math.Min(math.Max((at-from)/length, 0), 1) * wire.FramePoints))
	}
	return part(x, f.X, f.W), part(y, f.Y, f.H)
}

// Place is where in the box a point of the picture is.
func (f Frame) Place(px, py int) (x, y float64) {
	return f.X + f.W*float64(px)/wire.FramePoints, f.Y + f.H*float64(py)/wire.FramePoints
}

// File is a file of a version that can be played.
type File struct {
	Index         int
	Media, Poster string // paths; Poster is "" where there is none
}

// Files are those of a version.
func Files(v wire.ReviewVersion) (list []File) {
	for i, path := range v.Media {
		if path == "" {
			continue // it isn't there any more
		}
		f := File{Index: i, Media: path}
		if i < len(v.Posters) {
			f.Poster = v.Posters[i]
		}
		list = append(list, f)
	}
	return list
}

// Length writes how long a clip is as "0:06".
func Length(seconds float64) string {
	n := int(math.Round(seconds))
	return fmt.Sprintf("%d:%02d", n/60, n%60)
}

// Time writes a time of a clip as "0:03.2".
func Time(ms int64) string {
	ms = max(ms, 0)
	return fmt.Sprintf("%d:%02d.%d", ms/60_000, ms/1000%60, ms/100%10)
}
