package account

import "time"

// A Passkey is a key that an authenticator of its owner's keeps.
type Passkey struct {
	ID         string // what its owner sees
	Owner      string
	Name       string
	Credential []byte // what the authenticator calls it
	Data       []byte // public key, counter and flags, as JSON
	Created    time.Time
	Used       time.Time // zero: never
}

// Ways says by which ways an instance lets people in, besides passkeys.
type Ways struct{ Password, OIDC bool }
