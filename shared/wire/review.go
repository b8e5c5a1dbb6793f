package wire

// The calls of working together on clips. What changes something is told to all who
// look at the clip.
const (
	OpTeamClips   Op    = "team_clips"   // TeamClipQuery → TeamClips
	OpLook        Op    = "look"         // Look → Review; its news come until OpLookAway
	OpLookAway    Op    = "look_away"    // Target, a review → nothing
	OpComment     Op    = "comment"      // Comment → Comment; EventComment
	OpCommentEdit Op    = "comment_edit" // CommentEdit → Comment; EventComment
	OpReviewStep  Op    = "review_step"  // ReviewStep → ReviewStep; EventReview
	EventComment  Event = "comment"      // Comment; Deleted says that it is gone
	EventReview   Event = "review"       // ReviewStep
	EventVersions Event = "versions"     // Target, a review: it has another version, or one less; look again
)

// States of a review.
const (
	ReviewDraft    = "draft"
	ReviewOpen     = "in_review"
	ReviewApproved = "approved"
	ReviewChanges  = "changes_asked"
)

// Bounds of reviews.
const (
	MaxComment    = 4 << 10 // bytes
	MaxComments   = 2000    // in a thread
	MaxMentions   = 20      // in a comment
	FramePoints   = 10_000  // across and down
	MaxReviewNote = 1 << 10 // bytes
)

// TeamClipQuery asks for the clips that others and oneself share with a team.
type TeamClipQuery struct {
	Team   string `json:"team"`
	State  string `json:"state,omitempty"` // of the review; "" asks for all
	Before string `json:"before,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

// TeamClips is a stretch of a team's gallery, the newest first: each review once, by
// its newest share. Before is empty at its end.
type TeamClips struct {
	Clips  []TeamClip `json:"clips"`
	Before string     `json:"before,omitempty"`
}

// TeamClip is a card of it: the newest version that one may see.
type TeamClip struct {
	ReviewVersion
	Share    string `json:"share"` // that shows it
	SharedMS int64  `json:"shared_ms"`
	Comments int    `json:"comments"`
	Open     int    `json:"open"` // of them, those that aren't resolved
}

// Look names a review: by a clip of one's own, or by a share of somebody's.
type Look struct {
	Clip  string `json:"clip,omitempty"`
	Share string `json:"share,omitempty"`
}

// ReviewVersion is a clip in a review.
type ReviewVersion struct {
	Version   int     `json:"version"`
	Clip      string  `json:"clip,omitempty"` // its id, if it is one's own
	Title     string  `json:"title"`
	Owner     string  `json:"owner"` // their name
	Model     string  `json:"model"`
	State     string  `json:"state"` // of the review
	Task      string  `json:"task"`  // VideoState
	Seconds   float64 `json:"seconds"`
	CreatedMS int64   `json:"created_ms"`
	Clears    bool    `json:"clears,omitempty"` // one may delete what others say of it
	// Media and Posters are paths of what can be played, by the index of the file.
	Media   []string `json:"media,omitempty"`
	Posters []string `json:"posters,omitempty"`
}

// Comment is one on a version of a clip.
type Comment struct {
	ID      string `json:"id"` // made by the page
	Review  string `json:"review"`
	Version int    `json:"version"`
	Answers string `json:"answers,omitempty"`
	Author  string `json:"author,omitempty"` // id, set by the server, as Name and the times
	Name    string `json:"name,omitempty"`
	Text    string `json:"text"`
	AtMS    int64  `json:"at_ms"` // in the clip
	// X and Y are a point of the frame in its FramePoints, from the upper left; both
	// or neither.
	X *int `json:"x,omitempty"`
	Y *int `json:"y,omitempty"`
	// Mentions are ids of people who get a Notice, of a new comment: the answer has
	// those who see it. They aren't kept.
	Mentions   []string `json:"mentions,omitempty"`
	CreatedMS  int64    `json:"created_ms,omitempty"`
	EditedMS   int64    `json:"edited_ms,omitempty"`
	Resolver   string   `json:"resolver,omitempty"` // their name
	ResolvedMS int64    `json:"resolved_ms,omitempty"`
	Deleted    bool     `json:"deleted,omitempty"`
}

// CommentEdit changes a comment: its author its text, or that it is there at all;
// who may comment, whether it is resolved. What is nil stays.
type CommentEdit struct {
	ID       string  `json:"id"`
	Text     *string `json:"text,omitempty"`
	Resolved *bool   `json:"resolved,omitempty"`
	Deleted  bool    `json:"deleted,omitempty"`
}

// ReviewStep is a state that somebody gave a version.
type ReviewStep struct {
	Review  string `json:"review"`
	Version int    `json:"version"`
	State   string `json:"state"`
	Note    string `json:"note,omitempty"`
	By      string `json:"by,omitempty"` // their name; set by the server, as AtMS
	AtMS    int64  `json:"at_ms,omitempty"`
}

// Review is all that was said of a clip and its next versions.
type Review struct {
	ID       string          `json:"id"`
	Versions []ReviewVersion `json:"versions"` // that one may see, the oldest first
	Comments []Comment       `json:"comments"` // likewise
	Steps    []ReviewStep    `json:"steps"`
	People   []Mate          `json:"people"`   // who can be mentioned
	Presents bool            `json:"presents"` // one may put it in review, and take it back
	Decides  bool            `json:"decides"`  // one may approve it, or ask for changes
}

// Mate is somebody whom one works with.
type Mate struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}
