package oidc

import "time"

// flowTime is how long somebody may take at the provider.
const flowTime = 10 * time.Minute

// A flow is one visit to the provider.
type flow struct {
	State, Nonce, Verifier string
	Back                   string // own path
	Owner                  string // who was signed in when it began
}
