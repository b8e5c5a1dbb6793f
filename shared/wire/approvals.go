package wire

import "encoding/json"

// The calls of approvals. EventApproval goes to who asked and to all who decide.
const (
	OpApprovals   Op    = "approvals" // Page → Approvals: one's own, and those of teams that one leads
	OpDecide      Op    = "decide"    // Decision → Approval; EventApproval
	EventApproval Event = "approval"  // Approval
)

// Approval is a clip that is dearer than its team's amount.
type Approval struct {
	ID           string          `json:"id"` // that of the clip which it becomes
	Team         string          `json:"team"`
	Asker        string          `json:"asker"` // their name
	Mine         bool            `json:"mine"`
	Decides      bool            `json:"decides"`
	Request      json.RawMessage `json:"request"` // VideoCreate
	PriceNanoUSD int64           `json:"price_nano_usd"`
	State        string          `json:"state"` // "asked", "released", "refused", "withdrawn"
	By           string          `json:"by,omitempty"`
	Reason       string          `json:"reason,omitempty"`
	AskedMS      int64           `json:"asked_ms"`
	DecidedMS    int64           `json:"decided_ms,omitempty"`
}

// Approvals are those that wait and the newest that were decided.
type Approvals struct {
	Approvals []Approval `json:"approvals"`
	Next      string     `json:"next,omitempty"`
}

// Decision releases or refuses; who asked withdraws.
type Decision struct {
	ID     string `json:"id"`
	State  string `json:"state"` // "released", "refused", "withdrawn"
	Reason string `json:"reason,omitempty"`
}
