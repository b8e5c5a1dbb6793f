package door

import (
	"encoding/json"
	"net/url"
	"strings"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Stage is how far a Gate has come.
type Stage int

// The stages.
const (
	Asking  Stage = iota // what ways there are, and what the link leads to
	Open                 // there is a form to fill in
	Shut                 // nothing can be done here; Problem says why
	Entered              // somebody is signed in
)

// Gate is a page that one comes in by. Its texts are the form's fields.
type Gate struct {
	Path  string // one of Paths
	Stage Stage
	Ways  wire.Ways
	Link  wire.Link // that the token leads to
	Note  string    // said above the form; "" for nothing

	Name, Email, Password, Code string

	NeedsCode bool // the password is right; a second factor is asked for
	Busy      bool
	Problem   *wire.Problem // its Field says where; "" is of the whole form
	Codes     []string      // recovery codes of a new account, shown before one goes in
	Unsafe    bool          // one is in, and has neither a password nor a passkey
	Focus     string        // the field that the focus is to go to; the page empties it

	o     Options
	token string
}

// Options are what a Gate works with. All must be given.
type Options struct {
	Server   Knocker
	Passkeys Passkeys
	// Changed has it drawn.
	Changed func()
	// In is called when somebody has come in.
	In func()
}

// NewGate returns the gate at an address. Call Start next.
func NewGate(at *url.URL, o Options) *Gate {
	g := &Gate{Path: strings.TrimSuffix(at.Path, "/"), o: o, token: at.Fragment}
	if g.Path == SignInPath {
		g.token = ""
		if code, is := strings.CutPrefix(at.Fragment, "error="); is {
			g.Problem = refusedElsewhere(code)
		}
	}
	return g
}

// Start asks what can be done here.
func (g *Gate) Start() {
	if g.Stage == Shut || g.Stage == Entered { // not the first time
		g.Problem = nil
	}
	g.Stage = Asking
	g.o.Changed()
	g.o.Server.Knock("GET", "/api/ways", nil, func(data json.RawMessage, p *wire.Problem) {
		if p = session.Read(data, p, &g.Ways); p != nil {
			g.shut(p)
			return
		}
		if g.Path == SignInPath && g.Problem == nil {
			g.Problem = g.Ways.Refused
		}
		switch {
		case g.Path != SignInPath:
			g.follow()
		case !g.Ways.SetUp:
			g.shut(&wire.Problem{Code: wire.CodeNotSetUp, Message: "Nobody has set this instance up yet.",
				Hint: "Open the set-up link that the server printed when it started. It’s valid for an hour; run screentest account link on the server for another."})
		default:
			g.open()
		}
	})
}

// codeNoToken is the code where an address of a link has no token.
const codeNoToken = "no_token"

// follow asks what the link leads to.
func (g *Gate) follow() {
	if g.token == "" { // it left the address bar, and a reload finds it there no more
		g.shut(&wire.Problem{Code: codeNoToken, Message: "Part of the link is missing.", Hint: "Open the whole link again from where you got it. It’s valid until it’s used."})
		return
	}
	g.o.Server.Knock("POST", "/api/link", map[string]string{"token": g.token}, func(data json.RawMessage, p *wire.Problem) {
		if p = session.Read(data, p, &g.Link); p != nil {
			g.shut(p)
			return
		}
		if "/"+g.Link.Kind != g.Path {
			g.shut(g.dead(wire.CodeLinkUnknown))
			return
		}
		g.Name, g.Email = g.Link.Name, g.Link.Email
		g.open()
	})
}

func (g *Gate) open() {
	g.Stage = Open
	g.Focus = g.Next()
	g.o.Changed()
}

// Next is the field that one goes on with, "" where there is none.
func (g *Gate) Next() string {
	switch {
	case g.NeedsCode:
		return FieldCode
	case g.Has(FieldName):
		return FieldName
	case !g.Ways.Password:
		return ""
	case g.Path == ResetPath || g.Path == SignInPath && g.Email != "":
		return FieldPassword
	}
	return FieldEmail
}

// shut says why nothing can be done here. What a link is worth is said in words
// of its kind.
func (g *Gate) shut(p *wire.Problem) {
	g.Busy = false
	if p.Code == wire.CodeLinkUnknown || p.Code == wire.CodeLinkUsed {
		p = g.dead(p.Code)
	}
	g.Stage, g.Problem = Shut, p
	g.o.Changed()
}

// Retry says that it may help to ask again.
func (g *Gate) Retry() bool {
	return g.Stage == Shut && g.Problem.Code != codeNoToken && g.Problem.Code != wire.CodeLinkUnknown && g.Problem.Code != wire.CodeLinkUsed && g.Problem.Code != wire.CodeNotSetUp
}

// makes says that an account is made here.
func (g *Gate) makes() bool { return g.Path == SetUpPath || g.Path == JoinPath }

// WithNewPasskey says whether an account may be made here that has a passkey in
// place of a password.
func (g *Gate) WithNewPasskey() bool {
	return g.makes() && g.Ways.Passkey && g.o.Passkeys.There()
}

// NewPassword says that the password is one to be chosen, not one to be known.
func (g *Gate) NewPassword() bool { return g.Path != SignInPath }

// WithPasskey says whether one may come in by a passkey here.
func (g *Gate) WithPasskey() bool {
	return g.Path == SignInPath && g.Ways.Passkey && g.o.Passkeys.There()
}

// WithSingleSignOn says whether one may come in by single sign-on here.
func (g *Gate) WithSingleSignOn() bool {
	return g.Ways.OIDC != "" && !g.NeedsCode && (g.Path == SignInPath || g.Path == JoinPath)
}

// Submit sends the form.
func (g *Gate) Submit() {
	if g.makes() && !g.Ways.Password {
		g.SubmitWithPasskey()
		return
	}
	if g.Busy || g.Stage != Open {
		return
	}
	if p := g.missing(g.Has(FieldPassword)); p != nil {
		g.refuse(p)
		return
	}
	g.Busy, g.Problem = true, nil
	g.o.Changed()
	code := strings.ReplaceAll(strings.TrimSpace(g.Code), " ", "")
	join := wire.Join{Token: g.token, Name: strings.TrimSpace(g.Name), Email: strings.TrimSpace(g.Email), Password: g.Password}
	switch g.Path {
	case SignInPath:
		g.o.Server.Knock("POST", "/api/signin", wire.SignIn{Email: join.Email, Password: g.Password, Code: code}, g.answered)
	case SetUpPath:
		g.o.Server.Knock("POST", "/api/setup", join, g.answered)
	case JoinPath:
		g.o.Server.Knock("POST", "/api/join", join, g.answered)
	case ResetPath:
		g.o.Server.Knock("POST", "/api/reset", wire.Join{Token: g.token, Password: g.Password}, g.answered)
	}
}

// SubmitWithPasskey makes an account without a password, and then a passkey for
// it. Where that comes to nothing one is in all the same, and is led to where
// there is another try.
func (g *Gate) SubmitWithPasskey() {
	if g.Busy || g.Stage != Open {
		return
	}
	if p := g.missing(false); p != nil {
		g.refuse(p)
		return
	}
	g.Busy, g.Problem = true, nil
	g.o.Changed()
	join := wire.Join{Token: g.token, Name: strings.TrimSpace(g.Name), Email: strings.TrimSpace(g.Email), Passkey: true}
	g.o.Server.Knock("POST", "/api"+g.Path, join, func(data json.RawMessage, p *wire.Problem) {
		if p != nil {
			g.answered(data, p)
			return
		}
		g.o.Server.Knock("POST", "/api/passkeys/begin", wire.Proof{}, func(data json.RawMessage, p *wire.Problem) {
			if p != nil {
				g.withoutPasskey()
				return
			}
			keepPasskey(g.o.Server.Knock, g.o.Passkeys, data, "My first passkey", func(added wire.PasskeyAdded, p *wire.Problem) {
				if p != nil {
					g.withoutPasskey()
					return
				}
				g.Codes = added.Codes
				g.entered()
			})
		})
	})
}

// withoutPasskey goes in to where a way in can still be made.
func (g *Gate) withoutPasskey() {
	g.Unsafe = true
	g.entered()
}

// answered takes the answer to the form.
func (g *Gate) answered(_ json.RawMessage, p *wire.Problem) {
	switch {
	case p == nil && g.Path == ResetPath:
		g.changedPassword()
	case p == nil:
		g.entered()
	case p.Code == wire.CodeCodeNeeded && !g.NeedsCode:
		g.Busy, g.NeedsCode, g.Focus = false, true, FieldCode
		g.o.Changed()
	case p.Code == wire.CodeLinkUnknown || p.Code == wire.CodeLinkUsed:
		g.shut(p)
	default:
		g.refuse(p)
	}
}

// changedPassword goes in if the new password let one in, and asks for it where
// it did not: a second factor may be missing.
func (g *Gate) changedPassword() {
	g.o.Server.Knock("GET", "/api/me", nil, func(_ json.RawMessage, p *wire.Problem) {
		if p == nil {
			g.entered()
			return
		}
		g.Path, g.Password, g.Busy = SignInPath, "", false
		g.Note = "Your password has been changed. Sign in with it."
		g.open()
	})
}

// refuse shows a problem where it belongs.
func (g *Gate) refuse(p *wire.Problem) {
	g.Busy, g.Problem, g.Focus = false, p, p.Field
	switch {
	case p.Field != "" && g.Has(p.Field):
	case g.NeedsCode:
		g.Code, g.Focus = "", FieldCode
	case g.Has(FieldPassword) && p.Code == wire.CodeWrong:
		g.Focus = FieldPassword
	default:
		g.Focus = ""
	}
	g.o.Changed()
}

// Back leaves the second factor: another e-mail, another password.
func (g *Gate) Back() {
	g.NeedsCode, g.Code, g.Password, g.Problem = false, "", "", nil
	g.open()
}

// Passkey signs in by a passkey.
func (g *Gate) Passkey() {
	if g.Busy {
		return
	}
	g.Busy, g.Problem = true, nil
	g.o.Changed()
	const path = "/api/signin/passkey/"
	g.o.Server.Knock("POST", path+"begin", struct{}{}, func(data json.RawMessage, p *wire.Problem) {
		var begun wire.PasskeyBegun
		if p = session.Read(data, p, &begun); p != nil {
			g.refuse(p)
			return
		}
		g.o.Passkeys.Use(begun.Options, func(credential json.RawMessage, why string) {
			if credential == nil {
				g.refuse(&wire.Problem{Code: "no_passkey", Message: why})
				return
			}
			g.o.Server.Knock("POST", path+"finish", wire.PasskeyFinish{Credential: credential}, func(_ json.RawMessage, p *wire.Problem) {
				if p != nil {
					g.refuse(p)
					return
				}
				g.entered()
			})
		})
	})
}

// entered forgets what was typed, and goes in; recovery codes are shown before.
func (g *Gate) entered() {
	g.Password, g.Code, g.token = "", "", ""
	g.Stage, g.Busy, g.Problem = Entered, false, nil
	g.o.Changed()
	if len(g.Codes) == 0 {
		g.o.In()
	}
}

// GoIn is for who has put the recovery codes by.
func (g *Gate) GoIn() {
	g.Codes = nil
	g.o.Changed()
	g.o.In()
}
