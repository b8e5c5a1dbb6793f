package video

import (
	"slices"
	"strings"

	"screentest/shared/wire"
)

// Select begins or ends the choice of several clips.
func (g *Tasks) Select(on bool) {
	g.Selecting, g.Selected = on, nil
	g.o.Changed()
}

// Toggle chooses a clip, or lets go of it. At most MaxZipTasks are chosen.
func (g *Tasks) Toggle(id string) {
	if at := slices.Index(g.Selected, id); at >= 0 {
		g.Selected = slices.Delete(g.Selected, at, at+1)
	} else if len(g.Selected) < wire.MaxZipTasks {
		g.Selected = append(g.Selected, id)
	}
	g.o.Changed()
}

// ComparePath is where the chosen clips are compared; "" with a reason where
// they can't be.
func (g *Tasks) ComparePath() (path, why string) {
	switch n := len(g.Selected); {
	case n < 2:
		return "", "Choose two to four clips."
	case n > MaxCompared:
		return "", "At most four clips are compared at once."
	}
	return ComparePath(g.Selected), ""
}

// ZipPath is where the chosen clips are downloaded as one file; "" with a
// reason where there is nothing to download.
func (g *Tasks) ZipPath() (path, why string) {
	if len(g.Selected) == 0 {
		return "", "Choose the clips first."
	}
	return wire.VideosZip + "?ids=" + strings.Join(g.Selected, ","), ""
}
