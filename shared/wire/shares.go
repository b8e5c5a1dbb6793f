package wire

import "encoding/json"

// Who a share is for.
const (
	ShareWithPeople = "people"
	ShareWithTeam   = "team"
	ShareWithAll    = "everyone" // who is signed in
	ShareByLink     = "link"     // who has the link; only where an admin allows it
)

// What a share shows.
const (
	ShareConversation = "conversation"
	ShareClip         = "clip"
)

// Bounds of shares.
const (
	MaxShares      = 1000 // that a person has at a time
	MaxSharePeople = 200
	MaxShareHours  = 24 * 365
	MaxSnapshot    = 32 << 20 // bytes of text, of a conversation that is shown as it is now, or copied
)

// SharePath is where a share's page is, by its token.
const SharePath = "/s/"

// NewShare is POST /api/shares.
type NewShare struct {
	Kind     string `json:"kind"`
	ID       string `json:"id"` // of the conversation or the clip
	Audience string `json:"audience"`
	To       IDs    `json:"to,omitempty"` // of people, or of one team
	// Live shows it as it becomes, answers while they stream among it; else it is
	// shown as it is now.
	Live bool `json:"live"`
	// Wire shows the exact requests and events, without key and addresses.
	Wire  bool `json:"wire"`
	Hours int  `json:"hours,omitempty"` // it ends by itself; 0: it doesn't
}

// IDs are several, or one that is sent without a list around it.
type IDs []string

// UnmarshalJSON reads a list of strings, or one string.
func (l *IDs) UnmarshalJSON(p []byte) error {
	if len(p) > 0 && p[0] == '"' {
		*l = IDs{""}
		return json.Unmarshal(p, &(*l)[0])
	}
	return json.Unmarshal(p, (*[]string)(l))
}

// Share is a line of GET /api/shares, and of who can see something. Link is that of
// its page; of one for who has the link it is there only in the answer to POST,
// and can't be had again.
type Share struct {
	ID        string   `json:"id"`
	Link      string   `json:"link,omitempty"`
	Kind      string   `json:"kind"`
	Subject   string   `json:"subject,omitempty"` // id of the conversation or the clip; only its owner is told
	Title     string   `json:"title"`             // as it is now; as it was, if it isn't live
	Owner     string   `json:"owner"`             // their name
	Mine      bool     `json:"mine"`
	Audience  string   `json:"audience"`
	To        []string `json:"to,omitempty"` // names: of people only its owner is told
	Live      bool     `json:"live"`
	Wire      bool     `json:"wire"`
	CreatedMS int64    `json:"created_ms"`
	ExpiresMS int64    `json:"expires_ms,omitempty"`
}

// Shares is GET /api/shares, the newest first.
type Shares struct {
	Mine   []Share `json:"mine"`
	WithMe []Share `json:"with_me"`
}

// CopyShare is POST /api/shares/{id}/copy: a conversation of one's own that goes
// on from a message, with all lanes or one.
type CopyShare struct {
	Message string `json:"message,omitempty"` // the last that is copied; "" copies all
	Lane    *int   `json:"lane,omitempty"`    // only this one
}

// Copied says where a conversation or a clip of one's own comes from.
type Copied struct {
	Share string `json:"share,omitempty"` // while one can still see it; none of a link
	Title string `json:"title"`           // as it was then
	Owner string `json:"owner"`           // their name
	From  string `json:"-"`               // who they are, where it is to be noted
}

// Reuse is POST /api/shares/{id}/reuse: what a clip was made with. Body and Mode of
// Create are set, and CopiedFrom; Missing names the fields of the body that were
// left out, since they had addresses or a clip that are not one's own.
type Reuse struct {
	Create  VideoCreate `json:"create"`
	Missing []string    `json:"missing,omitempty"`
	Copied  Copied      `json:"copied"`
}

// EventShares says that what is shared by one or with one has changed: with
// nothing, load the list again.
const EventShares Event = "shares"
