package clip

import (
	"io"

	"screentest/server/mp4"
)

// Info is what Measure finds.
type Info = mp4.Info

// Measure finds how long an MP4 is; see [mp4.Measure].
func Measure(r io.Reader) (Info, error) { return mp4.Measure(r) }
