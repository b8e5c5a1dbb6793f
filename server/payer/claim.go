package payer

// A Claim is what a send sets aside, where several replicas keep to the same
// budgets.
type Claim struct {
	Owner, Team string
	For         string // the id of the run or clip: the same twice is one claim
	NanoUSD     int64
	Limits      []Limit // all of which must have room
}

// A Limit bounds what is spent and set aside in a period: by a person, by what a team
// pays, or by everybody. The person is the claim's owner, the team that which pays.
type Limit struct {
	Of           Purse
	FromMS, ToMS int64 // of the period, Unix milliseconds
	NanoUSD      int64
}

// A Purse is whose spending a Limit bounds.
type Purse int

// The purses.
const (
	OfPerson Purse = iota
	OfTeam
	OfEverybody
)

// Full is the first limit that has no room for a claim, and how it stands.
type Full struct {
	Limit                         int // its place among the claim's
	SpentNanoUSD, ReservedNanoUSD int64
}
