// Package account is what an account and its session are, between the store that
// keeps them and those who ask about them.
package account

import (
	"crypto/sha256"
	"time"

	"screentest/shared/wire"
)

// An Account is somebody who can sign in.
type Account struct {
	Owner  string // of all rows that are theirs
	Me     wire.Me
	Active bool
	Factor bool // has a second factor, or a passkey
	// Vouched says that single sign-on or a proxy has said whose the address of mail
	// is: before that it was only typed.
	Vouched bool
}

// How somebody signed in.
const (
	ByPassword = "password"
	ByPasskey  = "passkey"
	ByOIDC     = "oidc"
	ByProxy    = "proxy"
	ByLink     = "link" // set-up, join or reset
)

// A Session is a browser in which somebody signed in.
type Session struct {
	ID      string            // what its owner sees; it lets nobody in
	Hash    [sha256.Size]byte // of what the cookie carries
	Owner   string
	How     string
	Device  string
	Address string
	Created time.Time
	Seen    time.Time
	Expires time.Time
}

// Hash is what is kept of a secret that is random and long: of a cookie's, of a
// link's. One round is enough for those.
func Hash(secret string) [sha256.Size]byte { return sha256.Sum256([]byte(secret)) }

// A Try is an attempt at something of which so many may be made at once, and then one
// in a while.
type Try struct {
	Name  string // of the limit: what it counts, and of whom
	Burst int
	Every time.Duration
}
