package account

// A SignOn is whom single sign-on, or a proxy, vouches for. A proxy has no Issuer.
type SignOn struct {
	Issuer, Subject string
	Email           string // in lower case
	Verified        bool   // the address
	Name            string
	Groups          []string
	Claims          []byte // as JSON
	// As is the owner who was signed in when they went to the provider, or has just
	// made their account by way of the proxy; "" nobody.
	As string
	// Domains are those of addresses whose people get an account.
	Domains []string
}

// Signed is what became of a SignOn.
type Signed struct {
	Owner string
	Made  bool // the account
	// Linked says that an account of before is vouched for from now on, and has this
	// subject. Dropped: its password, passkeys and codes are gone, and its sessions
	// are to end.
	Linked, Dropped bool
	// What the map of groups changed.
	RoleWas, Role     string // "" and "": it stays
	LastAdmin         bool   // the role would have been another, but nobody else is an admin
	TeamsIn, TeamsOut []string
	LeadIn, LeadOut   []string
}

// Mapped says whether the map of groups changed anything, or would have.
func (s Signed) Mapped() bool {
	return s.Role != s.RoleWas || s.LastAdmin || len(s.TeamsIn)+len(s.TeamsOut)+len(s.LeadIn)+len(s.LeadOut) > 0
}
