//go:build js && wasm

package door

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/door"
	"screentest/app/session"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Security is one's own account in the settings: who one is, the ways in, and
// the sessions.
type Security struct {
	*door.Security
	h       *kit.Host
	session *session.Session
	leave   func()
	wants   string // the control that the focus is to go to
}

// NewSecurity returns the part; leave signs out.
func NewSecurity(h *kit.Host, s *session.Session, leave func()) *Security {
	c := &Security{h: h, session: s, leave: leave}
	c.Security = door.NewSecurity(door.SecurityOptions{
		Server: h, Passkeys: passkeys{h}, Changed: c.changed, Focus: c.focus,
	})
	return c
}

// SecurityPath is where it is drawn.
const SecurityPath = "/settings/security"

func (c *Security) changed() {
	c.h.Redraw()
	stand(c.h, "proof", c.Proof.Open)
}

// focus has the focus go to a control once it is drawn.
func (c *Security) focus(control string) { c.wants = control }

// moveFocus does it, after the draw that is under way.
func (c *Security) moveFocus() {
	if c.wants != "" {
		focusAfter(c.h, "security-"+c.wants)
		c.wants = ""
	}
}

// Draw draws it.
func (c *Security) Draw() app.UI { return &Account{c: c, Rev: c.h.Draws()} }

// Account is what Security draws.
type Account struct {
	app.Compo
	c   *Security
	Rev int
}

// OnDismount implements app.Dismounter: codes and passwords are not to be found
// by who opens the page next.
func (a *Account) OnDismount() { a.c.Leave() }

// Render implements app.Composer.
func (a *Account) Render() (ui app.UI) {
	c := a.c
	defer c.h.Drawing("your account", &ui)
	c.Want()
	if !c.Proof.Open {
		c.moveFocus()
	}
	me := c.session.Me()
	if me == nil {
		return kit.Nothing()
	}
	return kit.El("section", "security", kit.At{"id", "security"},
		kit.Box("h2", "", "Security"),
		kit.Box("div", "line security-me",
			kit.Box("div", "security-who",
				kit.Box("p", "written", kit.El("strong", "", kit.At{"id", "security-name"}, me.Name), kit.When(me.Name != "", " · "), roleWord(me.Role)),
				kit.Box("p", "soft", me.Email),
			),
			kit.Button("", kit.At{"id", "signout"}, c.h.Do("signout", c.leave), "Sign out"),
		),
		kit.Either(c.Known, func() app.UI { return c.parts() }, c.waiting),
	)
}

func roleWord(role string) string {
	switch role {
	case wire.RoleAdmin:
		return "Admin"
	case wire.RoleGuest:
		return "Guest"
	}
	return "Member"
}

func (c *Security) waiting() app.UI {
	if p := c.Problem; p != nil {
		return kit.Notice(kit.Bad, "strip", kit.At{"role", "alert"},
			kit.Box("span", "", p.Message+" "+p.Hint),
			kit.Button("", kit.At{"id", "security-retry"}, c.h.Do("security-retry", c.Read), "Try again"))
	}
	return kit.El("p", "soft", kit.At{"role", "status"}, "Loading…")
}

func (c *Security) parts() app.UI {
	return kit.Box("div", "security-parts",
		kit.If(c.Offered.Password || c.Ways.Password, c.passwordPart),
		kit.If(c.Offered.Passkey || len(c.Ways.Passkeys) > 0, c.passkeyPart),
		kit.If(c.Offered.Password || c.Ways.TOTP, c.appPart),
		c.codesPart(),
		kit.If(c.Offered.OIDC != "", c.singleSignOnPart),
		c.sessionsPart(),
	)
}

// part is one of them: its heading, what is said of it, and how it went.
func (c *Security) part(name, title, about string, body ...any) app.UI {
	out := c.Said(name)
	return kit.El("section", "security-part", kit.At{"id", "security-" + name, "aria-labelledby", "security-" + name + "-title"},
		kit.El("h3", "", kit.At{"id", "security-" + name + "-title"}, title),
		kit.SayIf("p", "soft", about),
		body,
		kit.Outcome("security-"+name+"-outcome", !out.Bad, out.Words),
	)
}

func (c *Security) passwordPart() app.UI {
	f := &c.Password
	verb, about := "Change the password", "Changing it signs you out everywhere else."
	if !c.Ways.Password {
		verb, about = "Set a password", "You have no password; you sign in another way."
	}
	return c.part("password", "Password", about,
		kit.El("form", "security-form", kit.At{"id", "password-form", "novalidate", true,
			"onsubmit", c.h.On("password", func(_ app.Context, e app.Event) { e.PreventDefault(); c.ChangePassword() })},
			kit.Fixed("sr-only", kit.At{"type", "email", "autocomplete", "username", "tabindex", -1, "aria-hidden", true}, c.session.Me().Email),
			kit.If(c.Ways.Password, func() app.UI {
				return c.secret("old", "Current password", "current-password", "", f.Old, f.Wrong(door.FieldOld), func(text string) { f.Old = text })
			}),
			c.secret("new", "New password", "new-password", door.PasswordRule(), f.New, f.Wrong(door.FieldNew), func(text string) { f.New = text }),
			kit.El("p", "outcome bad", kit.At{"role", "alert"}, f.Wrong("")),
			kit.Button("", kit.At{"id", "password-save", "type", "submit", "aria-disabled", f.Busy}, nil, verb),
		))
}

// secret is a field for a password.
func (c *Security) secret(name, label, known, rule, value, wrong string, typed func(string)) app.UI {
	return c.field(name, label, rule, wrong, value, kit.At{"type", "password", "autocomplete", known, "autocapitalize", "none"}, typed)
}

func (c *Security) field(name, label, rule, wrong, value string, at kit.At, typed func(string)) app.UI {
	id := "security-" + name
	switch {
	case wrong != "":
		at = append(at, "aria-invalid", true, "aria-describedby", id+"-wrong")
	case rule != "":
		at = append(at, "aria-describedby", id+"-rule")
	}
	return kit.Labelled(id, label, nil,
		c.h.Field(id, "field", at, value, typed),
		kit.El("p", "outcome bad", kit.At{"id", id + "-wrong", "hidden", wrong == ""}, wrong),
		kit.El("p", "faint door-rule", kit.At{"id", id + "-rule", "hidden", rule == "" || wrong != ""}, rule),
	)
}

func (c *Security) sessionsPart() app.UI {
	return c.part("sessions", "Sessions", "Where you’re signed in. If you don’t recognise one, end it and change your password.",
		kit.Box("ul", "security-list", kit.Times(len(c.Sessions), func(i int) app.UI {
			s := c.Sessions[i]
			return kit.El("li", "security-row", kit.At{"data-session", s.ID},
				kit.Box("div", "security-what",
					kit.Box("p", "written", s.Device, kit.If(s.Current, func() app.UI { return kit.Pill(kit.At{"data-tone", kit.Good}, "this one") })),
					kit.Box("p", "faint figure", s.Address+" · "+how(s.How)+" · ", seen(s)),
				),
				kit.If(!s.Current, func() app.UI {
					return kit.Button("small", kit.At{"aria-label", "End the session on " + s.Device + ", " + s.Address}, c.h.Do("end "+s.ID, func() { c.EndSession(s.ID) }), "End")
				}),
			)
		})),
		kit.If(len(c.Sessions) > 1, func() app.UI {
			return kit.Button("", kit.At{"id", "end-others"}, c.h.Do("end-others", c.EndOthers), "End all others")
		}),
	)
}

// how says by what somebody signed in.
func how(way string) string {
	switch way {
	case "password":
		return "by password"
	case "passkey":
		return "by passkey"
	case "oidc":
		return "by single sign-on"
	case "proxy":
		return "by a proxy"
	case "link":
		return "by a link"
	}
	return way
}

func seen(s wire.Session) string {
	if s.Current {
		return "now"
	}
	return "seen " + moment(s.SeenMS)
}

// moment is a time as the person's own clock has it.
func moment(ms int64) string {
	t := time.UnixMilli(ms)
	if now := time.Now(); now.Sub(t) < 24*time.Hour && now.Day() == t.Day() {
		return "today, " + t.Format("15:04")
	}
	return t.Format("2 Jan 2006, 15:04")
}

// SignOut asks the server to end this session. It needs no answer: the page is
// left whatever that is.
func SignOut(h *kit.Host, then func()) {
	h.Fetch("POST", "/api/signout", []byte("{}"), func(int, string) { then() })
}
