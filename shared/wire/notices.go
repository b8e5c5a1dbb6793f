package wire

// The calls of notices: what a person is told in the page of what concerns them.
const (
	OpNotices     Op    = "notices"      // Page → Notices, the newest first
	OpNoticesSeen Op    = "notices_seen" // Target, the newest that was seen → nothing; EventSeen
	EventNotice   Event = "notice"       // Notice
	EventSeen     Event = "notices_seen" // Target, the newest that was seen
)

// Kinds of notices.
const (
	NoticeMention  = "mention"
	NoticeShare    = "share"
	NoticeReview   = "review"
	NoticeApproval = "approval"
)

// Notice tells a person of what concerns them.
type Notice struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	By   string `json:"by,omitempty"` // their name
	Path string `json:"path"`         // of the page where it is
	Text string `json:"text"`
	AtMS int64  `json:"at_ms"`
	Seen bool   `json:"seen,omitempty"`
}

// Notices are a stretch of them; Before is empty at its end.
type Notices struct {
	Notices []Notice `json:"notices"`
	Unseen  int      `json:"unseen"`
	Before  string   `json:"before,omitempty"`
}
