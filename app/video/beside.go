package video

import "slices"

// Beside are the clips before and after one in the gallery as it is filtered
// now, "" where there is none, and its place from 1 on; 0 says that the gallery
// does not show it. The clips after the last that is known are asked for.
func (g *Tasks) Beside(id string) (prev, next string, at int) {
	i := slices.Index(g.List, id)
	if i < 0 {
		return "", "", 0
	}
	if i > 0 {
		prev = g.List[i-1]
	}
	if i+1 < len(g.List) {
		next = g.List[i+1]
	}
	return prev, next, i + 1
}

// FoundCount is how many clips the filter finds.
func (g *Tasks) FoundCount() int { return max(g.StandingCount(g.Filter.Standing), len(g.List)) }
