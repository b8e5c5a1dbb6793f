package door

import (
	"strings"

	"screentest/shared/wire"
)

// dead says why a link leads nowhere, and what to do.
func (g *Gate) dead(code string) *wire.Problem {
	p := &wire.Problem{Code: code}
	used := code == wire.CodeLinkUsed
	switch g.Path {
	case SetUpPath:
		p.Message = "This set-up link is no longer valid."
		p.Hint = "It works once, for an hour, until the server restarts. Use the last one the server printed, or run screentest account link on the server."
		if used {
			p.Message, p.Hint = "This instance is already set up.", "Sign in, or ask who set it up for an invitation."
		}
	case JoinPath:
		p.Message = "This invitation is no longer valid."
		p.Hint = "It expired or was revoked. Ask the sender for another."
		if used {
			p.Message, p.Hint = "This invitation has been used up.", "If that was you, sign in. Otherwise ask the sender for another."
		}
	default:
		p.Message = "This link is no longer valid."
		p.Hint = "Ask an admin of this instance for another; screentest account link -email prints one on the server's machine."
		if used {
			p.Message = "This link has already been used."
		}
	}
	return p
}

// refusedElsewhere says why single sign-on did not let somebody in, by the code
// in the address.
func refusedElsewhere(code string) *wire.Problem {
	words, known := map[string][2]string{
		wire.CodeOIDCRefused:      {"The single sign-on provider refused.", "Try again, or sign in another way."},
		wire.CodeOIDCExpired:      {"That took too long or was already done.", "Sign in once more."},
		wire.CodeTooMany:          {"Too many sign-in attempts from your network.", "Try again in a minute."},
		wire.CodeOIDCUnreachable:  {"The single sign-on provider doesn’t answer.", "Try again in a minute."},
		wire.CodeEmailUnverified:  {"The provider hasn’t verified your e-mail address.", "Verify it there, then sign in again."},
		wire.CodeDomainNotAllowed: {"Single sign-on isn’t open to your e-mail domain.", "Ask an admin of this instance for an invitation."},
		wire.CodeAccountTaken:     {"The account with your e-mail address is linked to somebody else at the provider.", "Ask an admin of this instance."},
		wire.CodeNotSetUp:         {"Nobody has set this instance up yet.", "Open the set-up link that the server printed when it started."},
		wire.CodeDeactivated:      {"Your account is deactivated.", "Ask an admin of this instance."},
	}[code]
	if !known {
		words = [2]string{"Single sign-on didn’t let you in.", "Try again, or ask an admin of this instance."}
	}
	return &wire.Problem{Code: code, Message: words[0], Hint: words[1]}
}

// Title is what the page is called.
func (g *Gate) Title() string {
	switch g.Path {
	case SetUpPath:
		return "Set up"
	case JoinPath:
		return "Join"
	case ResetPath:
		return "New password"
	}
	return "Sign in"
}

// Heading says what is done here.
func (g *Gate) Heading() string {
	if g.Stage == Shut && g.Problem.Code == codeNoToken {
		return "Open the link again"
	}
	if g.Stage == Shut && g.Path != SignInPath && !g.Retry() {
		return "This link leads nowhere"
	}
	of := g.Ways.Instance
	if of == "" {
		of = "Screentest"
	}
	switch {
	case len(g.Codes) > 0:
		return "Recovery codes"
	case g.Path == SetUpPath:
		return "Set up " + of
	case g.Path == JoinPath:
		return "Join " + of
	case g.Path == ResetPath:
		return "Choose a new password"
	case g.NeedsCode:
		return "One more step"
	}
	return "Sign in to " + of
}

// Lead says more of it, "" where there is no more to say.
func (g *Gate) Lead() string {
	switch {
	case g.Stage != Open:
		return ""
	case g.Note != "":
		return g.Note
	case g.Path == SetUpPath:
		return "Nobody has an account here yet. Yours is the first and will be an admin: you can invite others, and everything done on this server so far becomes yours."
	case g.Path == JoinPath:
		return "You are invited" + teams(g.Link.Teams) + role(g.Link.Role) + "."
	case g.Path == ResetPath && g.Link.Email != "":
		return "For " + g.Link.Email + ". Everyone signed in with the old password is signed out."
	case g.NeedsCode:
		return "Enter the code from your authenticator app, or a recovery code."
	case !g.Ways.Password && !g.WithPasskey() && !g.WithSingleSignOn():
		return "This browser supports none of this instance’s sign-in methods."
	}
	return ""
}

func role(r string) string {
	switch r {
	case wire.RoleAdmin:
		return " as an admin"
	case wire.RoleGuest:
		return " as a guest: you can see what’s shared with you but not send requests"
	}
	return ""
}

func teams(names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return " to the team " + names[0]
	default:
		return " to the teams " + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// Verb is what the button says.
func (g *Gate) Verb() string {
	switch {
	case g.Busy:
		return "One moment…"
	case g.makes() && !g.Ways.Password:
		return g.Title() + " with a passkey"
	case g.makes():
		return g.Title()
	case g.Path == ResetPath:
		return "Save and sign in"
	}
	return "Sign in"
}
