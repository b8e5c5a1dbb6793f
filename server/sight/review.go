package sight

import "screentest/shared/wire"

// A Seen is what somebody sees of a review: of their own all of it, of another's
// what a share shows.
type Seen struct {
	Review wire.Review
	Own    bool
	// From is the version that is shared, and Live says that the next ones are seen,
	// as far as they are no drafts.
	From int
	Live bool
	// Tasks are all its clips, also those that aren't seen, each with its owner.
	Tasks [][2]string
}

// Sees says whether a version in that state is seen.
func (s Seen) Sees(version int, state string) bool {
	return s.Own || version == s.From || s.Live && version > s.From && state != wire.ReviewDraft
}

// A Said is a comment as it is stored now, and who is to know of it.
type Said struct {
	Comment wire.Comment
	Changed bool // else it was so before
	About
	Told []string // owners who are mentioned
}

// A Stepped is a state that was given.
type Stepped struct {
	Step    wire.ReviewStep
	Changed bool // else it was so before
	Was     string
	About
	Told []string // owners who may decide, of one that was put in review
}

// About says what something was said of.
type About struct {
	Owner string // whose clip it is
	Clip  string // its id
	Title string
	// Shares are the shares by which those who are told see it, by owner; the clip's
	// owner needs none.
	Shares map[string]string
}
