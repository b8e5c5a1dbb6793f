package factors

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"screentest/server/account"
	"screentest/server/ticket"
	"screentest/shared/wire"
)

// handleSize is how long a user handle is: random bytes by which an authenticator
// knows whose passkey it keeps, in bytes.
const handleSize = 32

// stored is what is kept of a passkey as JSON.
type stored struct {
	Handle     []byte              `json:"handle"` // the same of all of an owner's
	Credential webauthn.Credential `json:"credential"`
}

// party is what authenticators are told of us, for a page that was asked for as r
// was.
func (f *Factors) party(r *http.Request) (*webauthn.WebAuthn, error) {
	origin := f.Origin
	if origin == "" {
		origin = map[bool]string{true: "https://", false: "http://"}[f.Secure] + r.Host
	}
	u, err := url.Parse(origin)
	if err != nil || u.Hostname() == "" {
		return nil, errNoPasskeys
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return nil, errNoPasskeys
	}
	limit := webauthn.TimeoutConfig{Timeout: beginFor, TimeoutUVD: beginFor}
	return webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: f.Name(), RPOrigins: []string{origin},
		// Who made the authenticator is none of our business.
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			// It can be found without a name being typed, and whoever holds it
			// proves to it who they are.
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{Login: limit, Registration: limit},
		// Extensions that weren't asked for are some password managers' habit.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
}

var errNoPasskeys = &wire.Problem{Code: "no_passkeys", Status: http.StatusConflict, Message: "Passkeys need this server to be reached by a host name.",
	Hint: "Open it as localhost, or have it started with -public-url."}

// user is an account as the library sees it.
type user struct {
	handle      []byte
	email, name string
	credentials []webauthn.Credential
}

func (u *user) WebAuthnID() []byte                         { return u.handle }
func (u *user) WebAuthnName() string                       { return u.email }
func (u *user) WebAuthnDisplayName() string                { return u.name }
func (u *user) WebAuthnCredentials() []webauthn.Credential { return u.credentials }

// user reads an account's passkeys.
func (f *Factors) user(ctx context.Context, a account.Account) (*user, error) {
	u := &user{email: a.Me.Email, name: a.Me.Name}
	all, err := f.Store.Passkeys(ctx, a.Owner)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		s, err := read(p)
		if err != nil {
			return nil, err
		}
		u.handle, u.credentials = s.Handle, append(u.credentials, s.Credential)
	}
	return u, nil
}

func read(p account.Passkey) (s stored, err error) {
	if err = json.Unmarshal(p.Data, &s); err != nil {
		return s, fmt.Errorf("read passkey %s: %w", p.ID, err)
	}
	return s, nil
}

// BeginPasskey is the options to make a passkey with, for an account in a session.
func (f *Factors) BeginPasskey(r *http.Request, a account.Account, session string) (json.RawMessage, error) {
	party, err := f.party(r)
	if err != nil {
		return nil, err
	}
	u, err := f.user(r.Context(), a)
	if err != nil {
		return nil, err
	}
	if u.handle == nil {
		u.handle = make([]byte, handleSize)
		rand.Read(u.handle)
	}
	options, data, err := party.BeginRegistration(u, webauthn.WithExclusions(webauthn.Credentials(u.credentials).CredentialDescriptors()))
	if err != nil {
		return nil, fmt.Errorf("begin a passkey: %w", err)
	}
	if err := f.added.put(r.Context(), session, a.Owner, *data); err != nil {
		return nil, err
	}
	return json.Marshal(options.Response)
}

// FinishPasskey adds the passkey that an authenticator has made. It returns
// recovery codes if the owner had none.
func (f *Factors) FinishPasskey(r *http.Request, a account.Account, session, name string, credential []byte) (added wire.PasskeyAdded, err error) {
	party, err := f.party(r)
	if err != nil {
		return added, err
	}
	if name = strings.TrimSpace(name); name == "" || utf8.RuneCountInString(name) > wire.MaxPasskeyName || !utf8.ValidString(name) {
		return added, &wire.Problem{Code: "bad_name", Field: "name", Message: fmt.Sprintf("A passkey's name has 1 to %d characters.", wire.MaxPasskeyName)}
	}
	data, err := f.added.take(r.Context(), session, a.Owner)
	if err != nil {
		return added, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(credential)
	if err != nil {
		return added, notMade(err)
	}
	u := &user{handle: data.UserID, email: a.Me.Email, name: a.Me.Name}
	made, err := party.CreateCredential(u, data, parsed)
	if err != nil {
		return added, notMade(err)
	}
	made.Attestation = webauthn.CredentialAttestation{} // it isn't judged: why keep what identifies a device
	raw, err := json.Marshal(stored{Handle: u.handle, Credential: *made})
	if err != nil {
		return added, err
	}
	codes, hashes := newCodes(a.Owner)
	now := f.Now()
	id, fresh, err := f.Store.AddPasskey(r.Context(), account.Passkey{Owner: a.Owner, Name: name, Credential: made.ID, Data: raw, Created: now}, hashes)
	if err != nil {
		return added, err
	}
	added.Passkey = wire.Passkey{ID: id, Name: name, CreatedMS: now.UnixMilli()}
	if fresh {
		added.Codes = codes
	}
	return added, nil
}

// BeginSignIn is the options to sign in by a passkey with, whoever's it is.
func (f *Factors) BeginSignIn(w http.ResponseWriter, r *http.Request) (json.RawMessage, error) {
	party, err := f.party(r)
	if err != nil {
		return nil, err
	}
	options, data, err := party.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return nil, fmt.Errorf("begin to sign in: %w", err)
	}
	if err := f.signIns.Give(w, *data); err != nil {
		return nil, err
	}
	return json.Marshal(options.Response)
}

// FinishSignIn says whose passkey, and which, has signed what BeginSignIn gave this
// browser. cloned says that its counter went back: another authenticator may have
// a copy of it. A passkey that nobody has is a wire.CodeWrong.
func (f *Factors) FinishSignIn(w http.ResponseWriter, r *http.Request, credential []byte) (owner, passkey string, cloned bool, err error) {
	party, err := f.party(r)
	if err != nil {
		return "", "", false, err
	}
	t, err := f.signIns.Take(w, r)
	if errors.Is(err, ticket.ErrNone) || errors.Is(err, ticket.ErrExpired) {
		return "", "", false, errNotBegun
	}
	if err != nil {
		return "", "", false, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(credential)
	if err != nil {
		return "", "", false, badPasskey(err)
	}
	var found account.Passkey
	var failed error // of the store, which the library would hide
	find := func(rawID, handle []byte) (webauthn.User, error) {
		found, failed = f.Store.PasskeyOf(r.Context(), rawID)
		if failed != nil {
			return nil, failed
		}
		var s stored
		if s, failed = read(found); failed != nil {
			return nil, failed
		}
		if !bytes.Equal(s.Handle, handle) {
			return nil, errors.New("the passkey is of another user handle")
		}
		return &user{handle: s.Handle, credentials: []webauthn.Credential{s.Credential}}, nil
	}
	shown, used, err := party.ValidatePasskeyLogin(find, t.Of, parsed)
	if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
		return "", "", false, failed
	}
	if err != nil {
		return "", "", false, badPasskey(err)
	}
	if err := f.signIns.Use(r.Context(), t); errors.Is(err, ticket.ErrUsed) {
		return "", "", false, errNotBegun
	} else if err != nil {
		return "", "", false, err
	}
	cloned = used.Authenticator.CloneWarning
	used.Authenticator.CloneWarning = false // it is said once, each time
	raw, err := json.Marshal(stored{Handle: shown.WebAuthnID(), Credential: *used})
	if err == nil {
		err = f.Store.PasskeyUsed(r.Context(), found.Owner, found.ID, raw)
	}
	return found.Owner, found.ID, cloned, err
}

// A refusal is a problem for the person, and its cause for the log.
type refusal struct {
	problem *wire.Problem
	cause   error
}

func (e *refusal) Error() string   { return e.problem.Code + ": " + e.cause.Error() }
func (e *refusal) Unwrap() []error { return []error{e.problem, e.cause} }

// badPasskey is what is said of a passkey that doesn't hold, whatever is wrong.
func badPasskey(cause error) error {
	return &refusal{&wire.Problem{Code: wire.CodeWrong, Message: "This passkey doesn't open an account here.", Hint: "Use another one, or sign in another way."}, told(cause)}
}

// notMade is what is said of one that can't be taken.
func notMade(cause error) error {
	return &refusal{&wire.Problem{Code: "bad_passkey", Field: "credential", Message: "What the authenticator made can't be used.", Hint: "Try again, or use another authenticator: it must verify who holds it."}, told(cause)}
}

// told is an error of the library's with what it says only when asked.
func told(cause error) error {
	var p *protocol.Error
	if errors.As(cause, &p) && p.DevInfo != "" {
		return fmt.Errorf("%w: %s", cause, wire.Cut(p.DevInfo, 4*wire.MaxEchoed))
	}
	return cause
}
