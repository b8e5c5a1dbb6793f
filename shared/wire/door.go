package wire

import (
	"net/url"
	"path"
	"strings"
)

// Codes of problems with who is asking and how they come in.
const (
	CodeSignedOut   = "signed_out"        // 401: sign in
	CodeWrong       = "wrong_credentials" // 401: whichever of both is
	CodeCodeNeeded  = "code_needed"       // 401: the password is right, the second factor is missing
	CodeTooMany     = "too_many_attempts" // 429, with Retry-After
	CodeDeactivated = "deactivated"       // 403, only after a right password
	CodeNotAllowed  = "not_allowed"       // 403: of what one can see, but not do
	CodeNotFound    = "not_found"         // 404: also what one may not see
	CodeLinkUsed    = "link_used"         // 410
	CodeLinkUnknown = "link_unknown"      // 404
)

// StatusSignedOut closes the sockets of a session that ended.
const StatusSignedOut = 4401

// Bounds of a password, in characters.
const (
	MinPassword = 10
	MaxPassword = 200
)

// Ways are the ways in, as the sign-in page offers them: GET /api/ways, for
// anyone.
type Ways struct {
	Team     bool   `json:"team"`               // false: alone, there is nothing to sign in to
	SetUp    bool   `json:"set_up"`             // somebody has set the instance up
	Password bool   `json:"password"`           // by e-mail and password
	Passkey  bool   `json:"passkey"`            // by a passkey
	OIDC     string `json:"oidc,omitempty"`     // what the button of single sign-on says; "" without it
	Instance string `json:"instance,omitempty"` // the name of the instance
	// Refused says why whom a proxy in front names isn't let in.
	Refused *Problem `json:"refused,omitempty"`
}

// SignIn is POST /api/signin. Code is a time-based code or a recovery code.
type SignIn struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	Code     string `json:"code,omitempty"`
}

// Join is POST /api/setup and POST /api/join: an account by a link. With
// POST /api/reset only Token and Password count.
type Join struct {
	Token    string `json:"token"`
	Name     string `json:"name"`
	Email    string `json:"email"`
	Password string `json:"password"`
	// Passkey says that they will come in by a passkey, which they add next:
	// Password may be empty.
	Passkey bool `json:"passkey,omitempty"`
}

// Link is what a token leads to, before it is used: POST /api/link {"token"}.
type Link struct {
	Kind  string   `json:"kind"` // "setup", "join", "reset"
	Email string   `json:"email,omitempty"`
	Name  string   `json:"name,omitempty"`
	Role  string   `json:"role,omitempty"`
	Teams []string `json:"teams,omitempty"` // their names
}

// Session is a row of GET /api/sessions. ID is not the cookie's.
type Session struct {
	ID        string `json:"id"`
	Device    string `json:"device"`
	Address   string `json:"address"`
	How       string `json:"how"` // "password", "passkey", "oidc", "proxy", "link"
	SeenMS    int64  `json:"seen_ms"`
	CreatedMS int64  `json:"created_ms"`
	ExpiresMS int64  `json:"expires_ms"`
	Current   bool   `json:"current"`
}

// maxPath bounds where somebody is led to, in bytes.
const maxPath = 1000

// OwnPath is where to if it is one of our own pages, written as plainly as we write
// them, else "/": nobody is led to another site by a link to us, nor to an address
// that does something.
func OwnPath(to string) string {
	u, err := url.Parse(to)
	if err != nil || len(to) > maxPath || !strings.HasPrefix(to, "/") || strings.ContainsAny(to, "\\\t\r\n") ||
		u.Scheme != "" || u.Host != "" || u.User != nil || strings.Contains(u.Path, "\\") || path.Clean(u.Path) != u.Path || strings.HasPrefix(u.Path, "/api/") {
		return "/"
	}
	return to
}
