package wire

// The calls of notices: what a person is told in the page of what concerns them.
// There are none where nobody has an account.
const (
	OpNotices     Op    = "notices"      // Page → Notices, the newest first
	OpNoticesSeen Op    = "notices_seen" // Target, the newest that was seen → nothing; EventSeen
	EventNotice   Event = "notice"       // Notice
	EventSeen     Event = "notices_seen" // Target, the newest that was seen
)

// Bounds of notices.
const (
	MaxNotice     = 300 // bytes of Text, and of Path
	MaxNotices    = 500 // of a person; the newest stay
	MaxNoticesOf  = 100 // of them, of what one other did
	MaxNoticePage = 100 // the default is 30
)

// Kinds of notices.
const (
	NoticeMention  = "mention"
	NoticeShare    = "share"
	NoticeReview   = "review"
	NoticeApproval = "approval"
)

// Notice tells a person of what concerns them. It stays with them when what it
// tells of is no longer theirs to see: Text is a few words with a short title at
// most, and never what somebody wrote.
type Notice struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	By   string `json:"by,omitempty"` // the name of who did it, as they are called now
	Path string `json:"path"`         // of the page where it is, from "/"
	// Subject is the id of what it is about, for who offers something to do there.
	Subject string `json:"subject,omitempty"`
	Text    string `json:"text"` // follows By: "shares “Harbour” with you"
	AtMS    int64  `json:"at_ms"`
	Seen    bool   `json:"seen,omitempty"`
}

// Notices are a stretch of them; Before is empty at its end.
type Notices struct {
	Notices []Notice `json:"notices"`
	Unseen  int      `json:"unseen"` // of all
	Before  string   `json:"before,omitempty"`
}
