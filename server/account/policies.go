package account

import "screentest/shared/wire"

// Policies are what an admin decides for the instance.
type Policies struct {
	Name         string       `json:"name"`          // of the instance; "" is none
	PersonalKeys bool         `json:"personal_keys"` // a person may use a key of their own
	TwoFactors   bool         `json:"two_factors"`   // admins must have a second factor or a passkey
	Groups       []wire.Group `json:"groups"`        // of single sign-on
}
