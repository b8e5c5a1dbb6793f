package wire

// The calls of approvals. EventApproval goes to who asked and to all who decide.
// There are none where nobody has an account.
const (
	OpApprovals   Op    = "approvals" // Page → Approvals: one's own, and those of teams that one leads
	OpDecide      Op    = "decide"    // Decision → Approval; EventApproval
	EventApproval Event = "approval"  // Approval
)

// Bounds of approvals.
const (
	MaxReason       = 500 // characters
	MaxWaiting      = 50  // of one person at a time
	MaxApprovalPage = 100 // that were decided; the default is 30
)

// States of an approval. All but ApprovalAsked are final.
const (
	ApprovalAsked     = "asked"
	ApprovalReleased  = "released"
	ApprovalRefused   = "refused"
	ApprovalWithdrawn = "withdrawn" // by who asked
)

// CodePriceChanged refuses to release a clip whose price is another than the one
// that was seen. It waits on, with that price.
const CodePriceChanged = "price_changed"

// Approval is a clip that is dearer than its team's amount, or of which nobody
// knows the price. Until it is released nothing of it is sent, held or booked.
type Approval struct {
	ID       string `json:"id"`
	Team     string `json:"team"` // its id
	TeamName string `json:"team_name"`
	Asker    string `json:"asker"`             // their name
	Mine     bool   `json:"mine,omitempty"`    // asked by who looks
	Decides  bool   `json:"decides,omitempty"` // waits, and who looks may release it
	// Clip is the clip that it would make, by the id that it would have. Its body is
	// left out where it is longer than 16 KiB.
	Clip      VideoTask `json:"clip"`
	State     string    `json:"state"`
	By        string    `json:"by,omitempty"` // the name of who decided
	Reason    string    `json:"reason,omitempty"`
	AskedMS   int64     `json:"asked_ms"`
	DecidedMS int64     `json:"decided_ms,omitempty"`

	Owner string `json:"-"` // who asked, to the server
}

// Approvals are, on the first page, those that wait, and then those that were
// decided; each the newest first. Next is empty at the end.
type Approvals struct {
	Approvals []Approval `json:"approvals"`
	Next      string     `json:"next,omitempty"`
}

// Decision releases or refuses an approval; who asked withdraws it.
type Decision struct {
	ID     string `json:"id"`
	State  string `json:"state"`            // what it is to be
	Reason string `json:"reason,omitempty"` // to refuse: 1 to MaxReason characters
	// PriceNanoUSD is the price that was seen, to release.
	PriceNanoUSD int64 `json:"price_nano_usd,omitempty"`
}
