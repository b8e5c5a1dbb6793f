package video

import (
	"slices"
	"strings"

	"screentest/shared/wire"
)

// MaxCompared clips play side by side.
const MaxCompared = 4

// Selection is the choice of several clips, to compare or download them.
type Selection struct {
	On  bool
	IDs []string // in the order of their choice

	changed func()
}

// Set begins or ends the choice.
func (s *Selection) Set(on bool) {
	s.On, s.IDs = on, nil
	s.changed()
}

// Toggle chooses a clip, or lets go of it. At most MaxZipTasks are chosen.
func (s *Selection) Toggle(id string) {
	switch {
	case slices.Contains(s.IDs, id):
		s.drop(id)
	case len(s.IDs) < wire.MaxZipTasks:
		s.IDs = append(s.IDs, id)
	}
	s.changed()
}

func (s *Selection) drop(id string) {
	s.IDs = slices.DeleteFunc(s.IDs, func(have string) bool { return have == id })
}

// ComparePath is where the chosen clips are compared; "" with a reason where
// they can't be.
func (s *Selection) ComparePath() (path, why string) {
	switch n := len(s.IDs); {
	case n < 2:
		return "", "Choose two to four clips."
	case n > MaxCompared:
		return "", "At most four clips are compared at once."
	}
	return ComparePath(s.IDs), ""
}

// ZipPath is where the chosen clips are downloaded as one file; "" with a
// reason where there is nothing to download.
func (s *Selection) ZipPath() (path, why string) {
	if len(s.IDs) == 0 {
		return "", "Choose the clips first."
	}
	return wire.VideosZip + "?ids=" + strings.Join(s.IDs, ","), ""
}
