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
		p.Message = "This set-up link doesn't hold any more."
		p.Hint = "It holds for an hour, once, and until the server starts again. Use the one that the server printed last, or have screentest account link print another on its machine."
		if used {
			p.Message, p.Hint = "This instance has been set up already.", "Sign in, or ask who set it up for an invitation."
		}
	case JoinPath:
		p.Message = "This invitation doesn't hold any more."
		p.Hint = "It has expired or was taken back. Ask who sent it for another."
		if used {
			p.Message, p.Hint = "This invitation was used as often as it may be.", "If that was you, sign in. Otherwise ask who sent it for another."
		}
	default:
		p.Message = "This link doesn't hold any more."
		p.Hint = "Ask an admin of this instance for another; screentest account link -email prints one on the server's machine."
		if used {
			p.Message = "This link was used already."
		}
	}
	return p
}

// refusedElsewhere says why single sign-on did not let somebody in, by the code
// in the address.
func refusedElsewhere(code string) *wire.Problem {
	words, known := map[string][2]string{
		wire.CodeOIDCRefused:      {"The provider of single sign-on let nobody in.", "Try again, or sign in another way."},
		wire.CodeOIDCExpired:      {"That took too long, or was done already.", "Sign in once more."},
		wire.CodeTooMany:          {"There were too many attempts to sign in from where you are.", "Try again in a minute."},
		wire.CodeOIDCUnreachable:  {"The provider of single sign-on doesn't answer.", "Try again in a minute."},
		wire.CodeEmailUnverified:  {"The provider doesn't vouch for your e-mail address.", "Have it confirmed there, and sign in again."},
		wire.CodeDomainNotAllowed: {"People of your e-mail's domain are not let in by single sign-on.", "Ask an admin of this instance for an invitation."},
		wire.CodeAccountTaken:     {"The account with your e-mail address belongs to another person at the provider.", "Ask an admin of this instance."},
		wire.CodeNotSetUp:         {"Nobody has set this instance up yet.", "Open the set-up link that the server printed when it started."},
		wire.CodeDeactivated:      {"Your account is deactivated.", "Ask an admin of this instance."},
	}[code]
	if !known {
		words = [2]string{"Single sign-on did not let you in.", "Try again, or ask an admin of this instance."}
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
		return "Nobody has an account here yet. Yours is the first, and it is an admin's: it invites the others, and what was done on this server so far belongs to it."
	case g.Path == JoinPath:
		return "You are invited" + teams(g.Link.Teams) + role(g.Link.Role) + "."
	case g.Path == ResetPath && g.Link.Email != "":
		return "For " + g.Link.Email + ". Whoever is signed in with the old one is signed out."
	case g.NeedsCode:
		return "Enter the code that your authenticator app shows, or one of your recovery codes."
	case !g.Ways.Password && !g.WithPasskey() && !g.WithSingleSignOn():
		return "This browser knows none of the ways in that this instance takes."
	}
	return ""
}

func role(r string) string {
	switch r {
	case wire.RoleAdmin:
		return " as an admin"
	case wire.RoleGuest:
		return " as a guest: you see what is shared with you, and send nothing"
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
