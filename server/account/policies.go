package account

import "screentest/shared/wire"

// Policies are what an admin decides for the instance.
type Policies struct {
	Name         string       `json:"name"`          // of the instance; "" is none
	PersonalKeys bool         `json:"personal_keys"` // a person may use a key of their own
	TwoFactors   bool         `json:"two_factors"`   // admins must have a second factor or a passkey
	LinkShares   bool         `json:"link_shares"`   // what is shared may be for who has a link
	Groups       []wire.Group `json:"groups"`        // of single sign-on
}
