package wire

import "encoding/json"

// MaxInstanceName is in characters.
const MaxInstanceName = 60

// Instance is GET /api/instance. The first group are the policies of the instance,
// which PUT changes: see InstanceChange.
type Instance struct {
	Name         string  `json:"name"`
	PersonalKeys bool    `json:"personal_keys"` // a person may use a key of their own
	TwoFactors   bool    `json:"two_factors"`   // admins must have a second factor or a passkey
	LinkShares   bool    `json:"link_shares"`   // what is shared may be for who has a link
	Everybody    Limits  `json:"everybody"`     // what all together may spend
	Groups       []Group `json:"groups"`

	// Told, not changed here: these come with flags.
	Password    bool     `json:"password"`
	OIDCIssuer  string   `json:"oidc_issuer,omitempty"`
	OIDCDomains []string `json:"oidc_domains,omitempty"`
	GroupsClaim string   `json:"groups_claim,omitempty"`
	TrustHeader string   `json:"trust_header,omitempty"`
	// Claims are those that came with the last single sign-ons, the newest first.
	Claims []Claims `json:"claims,omitempty"`
}

// InstanceChange is PUT /api/instance. What isn't there stays as it is, so that two
// who change different parts at once both get what they want.
type InstanceChange struct {
	Name         *string  `json:"name,omitempty"`
	PersonalKeys *bool    `json:"personal_keys,omitempty"`
	TwoFactors   *bool    `json:"two_factors,omitempty"`
	LinkShares   *bool    `json:"link_shares,omitempty"` // off takes back all links there are
	Everybody    *Limits  `json:"everybody,omitempty"`
	Groups       *[]Group `json:"groups,omitempty"` // all of them
}

// Group maps a group of single sign-on to a role and teams; "" and none map
// nothing.
type Group struct {
	Group string   `json:"group"`
	Role  string   `json:"role,omitempty"`
	Teams []string `json:"teams,omitempty"` // ids
	Lead  bool     `json:"lead,omitempty"`
}

// Claims are what single sign-on told of a person.
type Claims struct {
	Person string          `json:"person"` // their name
	AtMS   int64           `json:"at_ms"`
	Claims json.RawMessage `json:"claims"`
}

// AuditRow is a line of GET /api/audit, newest first.
type AuditRow struct {
	N       int64           `json:"n"`
	AtMS    int64           `json:"at_ms"`
	Person  string          `json:"person,omitempty"` // id of who did it
	Name    string          `json:"name,omitempty"`   // theirs, as it is now
	Action  string          `json:"action"`           // "signin", "invite.made", …
	Object  string          `json:"object,omitempty"` // an id
	Detail  json.RawMessage `json:"detail,omitempty"`
	Address string          `json:"address,omitempty"`
}

// AuditQuery is what GET /api/audit is asked for, by the parameters of its
// address.
type AuditQuery struct {
	From, To int64  // Unix milliseconds, To exclusive; 0: without end
	Action   string // "invite.made", or "invite" for all that begin with "invite."
	Person   string // id of who did it
	Before   int64  // only rows before this number; 0: from the newest
	Limit    int    // rows; 0: all
}
