package wire

// What a person may do on the instance.
const (
	RoleAdmin  = "admin"  // people, teams, keys, limits, audit; reads nobody's conversations
	RoleMember = "member" // works
	RoleGuest  = "guest"  // sees what is shared with them, sends nothing
)

// Codes of problems with people.
const (
	CodeLastAdmin     = "last_admin"      // 409: somebody must run the instance
	CodeClipsUnderWay = "clips_under_way" // 409: of somebody who is to be erased
)

// Bounds of accounts and invitations.
const (
	MaxPersonName = 100 // characters
	MaxEmail      = 254 // bytes
	MaxInviteUses = 1000
	MaxInviteHrs  = 24 * 90
)

// Me is the person who is signed in: GET /api/me.
type Me struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Email string   `json:"email"`
	Role  string   `json:"role"`
	Teams []MyTeam `json:"teams"`
	// FactorNeeded says that an admin must add a second factor or a passkey before
	// they run the instance: they do as a member until then.
	FactorNeeded bool `json:"factor_needed,omitempty"`
}

// MyTeam is a team that a person is in.
type MyTeam struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Lead bool   `json:"lead"`
}

// Leads says whether the person leads a team: an admin leads all.
func (m *Me) Leads(team string) bool {
	if m.Role == RoleAdmin && !m.FactorNeeded {
		return true
	}
	for _, t := range m.Teams {
		if t.ID == team && t.Lead {
			return true
		}
	}
	return false
}

// Person is a row of GET /api/people.
type Person struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Email     string   `json:"email"`
	Role      string   `json:"role"`
	Active    bool     `json:"active"`
	Teams     []MyTeam `json:"teams"`
	SeenMS    int64    `json:"seen_ms,omitempty"`
	CreatedMS int64    `json:"created_ms"`
	Password  bool     `json:"password"` // has one
	Passkeys  int      `json:"passkeys"`
	TOTP      bool     `json:"totp"`
	OIDC      bool     `json:"oidc"` // comes by single sign-on
	Limits    Limits   `json:"limits"`
}

// PersonChange is PATCH /api/people/{id}; what is nil stays.
type PersonChange struct {
	Role   *string `json:"role"`
	Active *bool   `json:"active"`
	Name   *string `json:"name"`
	Limits *Limits `json:"limits"`
}

// Invite is a row of GET /api/invites; POST takes Role, Teams, Hours and Uses,
// and answers with ID and Link, which is never shown again.
type Invite struct {
	ID        string   `json:"id"`
	Link      string   `json:"link,omitempty"`
	Role      string   `json:"role"`
	Teams     []string `json:"teams"` // ids
	Hours     int      `json:"hours,omitempty"`
	Uses      int      `json:"uses"`
	Used      int      `json:"used"`
	By        string   `json:"by,omitempty"` // the maker's name
	CreatedMS int64    `json:"created_ms,omitempty"`
	ExpiresMS int64    `json:"expires_ms,omitempty"`
	Revoked   bool     `json:"revoked,omitempty"`
}

// Erasing is what POST /api/people/{id}/erase would do, or did.
type Erasing struct {
	DryRun        bool  `json:"dry_run"`
	Conversations int64 `json:"conversations"`
	Messages      int64 `json:"messages"`
	Clips         int64 `json:"clips"`
	Uploads       int64 `json:"uploads"`
	Library       int64 `json:"library"`
	Shares        int64 `json:"shares"`      // of what it is
	Bytes         int64 `json:"bytes"`       // of files
	Comments      int64 `json:"comments"`    // these three go with who is erased, whoever gets the rest
	Notices       int64 `json:"notices"`     // that they were told, and others of them
	Approvals     int64 `json:"approvals"`   // that they asked for
	LedgerRows    int64 `json:"ledger_rows"` // stay, under a pseudonym
	HandedOver    bool  `json:"handed_over"` // to hand_over_to, instead of deleted
}
