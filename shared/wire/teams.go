package wire

// CodeModelNotAllowed refuses a send with a model that the payer may not use
// (403); nothing was sent or stored.
const CodeModelNotAllowed = "model_not_allowed"

// MaxTeamName is in characters.
const MaxTeamName = 60

// Team is a row of GET /api/teams: of all to an admin, of their own to others.
type Team struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	Everyone bool       `json:"everyone"` // the one that is always there
	Models   []string   `json:"models"`   // patterns, such as "openai/*"; none allow all
	People   []TeamMate `json:"people"`
	HasKey   bool       `json:"has_key"`
	// KeyOrigin is the origin of the gateway that the key is for.
	KeyOrigin string `json:"-"`
	KeyLast4  string `json:"key_last4,omitempty"`
	KeySetMS  int64  `json:"key_set_ms,omitempty"`
	Limits    Limits `json:"limits"`
	// ApproveNanoUSD: a clip that is dearer waits until a lead releases it; 0: none
	// does.
	ApproveNanoUSD int64 `json:"approve_nano_usd,omitempty"`
	Lead           bool  `json:"lead"` // who asks may change people and key
}

// TeamMate is a person in a team.
type TeamMate struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Lead   bool   `json:"lead"`
	Mapped bool   `json:"mapped,omitempty"` // by a group of single sign-on
}

// TeamChange is POST /api/teams and PATCH /api/teams/{id}; what is nil stays.
type TeamChange struct {
	Name   *string   `json:"name"`
	Models *[]string `json:"models"`
	Limits *Limits   `json:"limits"`
	// ApproveNanoUSD is 0, which is none, to MaxBudgetNanoUSD.
	ApproveNanoUSD *int64 `json:"approve_nano_usd"`
}

// Limits are what a person or a team may spend, by who runs the instance, in
// nano-USD; 0 is no limit. They are apart from the budget that somebody sets
// for themself.
type Limits struct {
	DayNanoUSD   int64  `json:"day_nano_usd,omitempty"`
	MonthNanoUSD int64  `json:"month_nano_usd,omitempty"`
	WarnPercent  int    `json:"warn_percent,omitempty"` // 0 is DefaultWarnPercent
	Zone         string `json:"zone,omitempty"`         // IANA; "" is UTC
}

// ChargePersonal in Start.Charge and VideoCreate.Charge is the person's own key;
// anything else there is the id of a team, "" what the person charged last.
const ChargePersonal = "personal"

// Charge is something that a send can be charged to, in Hello.
type Charge struct {
	ID         string   `json:"id"` // a team's, or ChargePersonal
	Name       string   `json:"name"`
	HasKey     bool     `json:"has_key"`
	KeyLast4   string   `json:"key_last4,omitempty"`
	KeyRefused bool     `json:"key_refused,omitempty"`
	Models     []string `json:"models,omitempty"` // patterns that are allowed; none allow all
	Chosen     bool     `json:"chosen,omitempty"` // it was charged last
	// ApproveNanoUSD: a clip of this person's that is dearer, or of which nobody knows
	// the price, waits until a lead of the team releases it; 0: none does. Who leads
	// the team asks nobody.
	ApproveNanoUSD int64 `json:"approve_nano_usd,omitempty"`
}
