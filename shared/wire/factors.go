package wire

import "encoding/json"

// Codes of problems with second factors and single sign-on. Those of single
// sign-on come in the address of the sign-in page, /signin#error=CODE.
const (
	CodeProofNeeded  = "proof_needed"  // 403: give the password or a code again, or sign in anew
	CodeFactorNeeded = "factor_needed" // 403: an admin must add a second factor or a passkey first
	CodeLastWayIn    = "last_way_in"   // 409: without it nobody could sign in to the account

	CodeOIDCRefused      = "oidc_refused"       // the provider let nobody in
	CodeOIDCExpired      = "oidc_expired"       // it took too long, or was used before
	CodeOIDCFailed       = "oidc_failed"        // what the provider sent doesn't hold
	CodeOIDCUnreachable  = "oidc_unreachable"   // 503: the provider doesn't answer
	CodeEmailUnverified  = "email_unverified"   // the provider doesn't vouch for the address
	CodeDomainNotAllowed = "domain_not_allowed" // nobody let this domain or a group of the person's in
	CodeAccountTaken     = "account_taken"      // another person of the provider's has the account
	CodeNotSetUp         = "not_set_up"         // 409: the first account is made by the set-up link
)

// Bounds of second factors.
const (
	MaxPasskeys    = 20
	MaxPasskeyName = 60 // characters
	RecoveryCodes  = 10
)

// Security is GET /api/security: how one gets in.
type Security struct {
	Password      bool      `json:"password"`
	Passkeys      []Passkey `json:"passkeys"`
	TOTP          bool      `json:"totp"`
	RecoveryCodes int       `json:"recovery_codes"` // left
	OIDC          bool      `json:"oidc"`
}

// Passkey is a row of GET /api/passkeys.
type Passkey struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	CreatedMS int64  `json:"created_ms"`
	UsedMS    int64  `json:"used_ms,omitempty"`
}

// PasskeyBegun is what POST /api/passkeys/begin and POST
// /api/signin/passkey/begin answer. Options are for
// PublicKeyCredential.parseCreationOptionsFromJSON and
// parseRequestOptionsFromJSON. They hold for five minutes, once, in this browser.
type PasskeyBegun struct {
	Options json.RawMessage `json:"options"`
}

// PasskeyFinish is POST /api/passkeys/finish and POST
// /api/signin/passkey/finish, which takes no name: what the authenticator made,
// as its toJSON gives it.
type PasskeyFinish struct {
	Name       string          `json:"name,omitempty"`
	Credential json.RawMessage `json:"credential"`
}

// PasskeyAdded is what POST /api/passkeys/finish answers. Codes are recovery
// codes, shown this once, where the passkey is the first second factor.
type PasskeyAdded struct {
	Passkey Passkey  `json:"passkey"`
	Codes   []string `json:"codes,omitempty"`
}

// TOTPBegun is what POST /api/totp/begin answers: the secret for an
// authenticator app, shown this once, as text, as an address and as a QR code.
// It counts from a right code on.
type TOTPBegun struct {
	Secret string `json:"secret"`
	URL    string `json:"url"` // otpauth://totp/…
	QR     QR     `json:"qr"`
}

// QR is a QR code of Size × Size squares, with its quiet zone: Path is the d of
// an SVG path that fills the dark ones.
type QR struct {
	Size int    `json:"size"`
	Path string `json:"path"`
}

// TOTPFinish is POST /api/totp/finish.
type TOTPFinish struct {
	Code string `json:"code"`
}

// Codes are recovery codes, shown this once: the answer to POST /api/totp/finish,
// where there were none before, and to POST /api/recovery.
type Codes struct {
	Codes []string `json:"codes,omitempty"`
}

// Proof is the body of what takes a way in away or adds one: POST
// /api/passkeys/begin, DELETE /api/passkeys/{id}, POST /api/totp/begin, DELETE
// /api/totp and POST /api/recovery. Either will do; who signed in within the last
// ten minutes needs none.
type Proof struct {
	Password string `json:"password,omitempty"`
	Code     string `json:"code,omitempty"` // of the authenticator app, or a recovery code
}
