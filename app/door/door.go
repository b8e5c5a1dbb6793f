// Package door is how somebody comes in and stays in: signing in, setting up,
// joining by an invitation and choosing a new password ([Gate]), signing in
// again where a session ended in mid-sentence ([Again]), and one's own ways in
// and sessions ([Security]). It is plain Go with neither go-app nor the browser
// in it.
package door

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"screentest/app/session"
	"screentest/shared/wire"
)

// The addresses of the door. Those of links carry a token as their fragment,
// which reaches no server's log.
const (
	SignInPath = "/signin"
	SetUpPath  = "/setup"
	JoinPath   = "/join"
	ResetPath  = "/reset"
)

// Paths are all addresses of the door.
var Paths = []string{SignInPath, SetUpPath, JoinPath, ResetPath}

// A Knocker asks an address for who may be signed out.
type Knocker interface {
	Knock(method, path string, in any, done session.Done)
}

// Passkeys are what the browser and the device have of them.
type Passkeys interface {
	// There says that the browser can do it.
	There() bool
	// Use has the person choose a passkey, and Make make one. done is given
	// what is to be sent to the server; nil where nothing came of it, with
	// words why.
	Use(options json.RawMessage, done func(credential json.RawMessage, why string))
	Make(options json.RawMessage, done func(credential json.RawMessage, why string))
}

// OwnPath is wire.OwnPath without the door itself, which leads nowhere on.
func OwnPath(to string) string {
	to = wire.OwnPath(to)
	if slices.ContainsFunc(Paths, func(p string) bool { return strings.HasPrefix(to, p) }) {
		return "/"
	}
	return to
}

// SignInAt is the address of the sign-in page that leads back to where one is.
func SignInAt(to string) string {
	if to = OwnPath(to); to == "/" {
		return SignInPath
	}
	return SignInPath + "?to=" + url.QueryEscape(to)
}

// SingleSignOn is the address that starts single sign-on and leads back to an
// address.
func SingleSignOn(to string) string {
	if to == "/" {
		return "/api/oidc/start"
	}
	return "/api/oidc/start?to=" + url.QueryEscape(to)
}

// wrong is a problem with a field.
func wrong(field, message string) *wire.Problem {
	return &wire.Problem{Code: "invalid_request", Field: field, Message: message}
}
