//go:build js && wasm

package door

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/door"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

func (c *Security) passkeyPart() app.UI {
	f := &c.Passkey
	about := "Sign in with your device’s lock instead of a password. A fake page can’t steal it."
	if !c.Passkeys() {
		about += " This browser doesn’t support them."
	}
	return c.part("passkeys", "Passkeys", about,
		kit.Box("ul", "security-list", kit.Times(len(c.Ways.Passkeys), func(i int) app.UI {
			k := c.Ways.Passkeys[i]
			used := "never used"
			if k.UsedMS > 0 {
				used = "used " + moment(k.UsedMS)
			}
			return kit.El("li", "security-row", kit.At{"data-passkey", k.ID},
				kit.Box("div", "security-what", kit.Box("p", "written", k.Name), kit.Box("p", "faint figure", "added "+moment(k.CreatedMS)+" · "+used)),
				kit.Button("small", kit.At{"aria-label", "Remove the passkey " + k.Name}, c.h.Do("passkey "+k.ID, func() { c.RemovePasskey(k.ID) }), "Remove"),
			)
		})),
		kit.If(c.Passkeys(), func() app.UI {
			wrong := ""
			if f.Problem != nil {
				wrong = f.Problem.Message
			}
			return kit.El("form", "security-form", kit.At{"id", "passkey-form", "novalidate", true,
				"onsubmit", c.h.On("passkey", func(_ app.Context, e app.Event) { e.PreventDefault(); c.AddPasskey() })},
				c.field("passkey-name", "Name of the new passkey", "", wrong, f.Name, kit.At{"placeholder", "My laptop", "maxlength", wire.MaxPasskeyName}, func(text string) { f.Name = text }),
				kit.Button("", kit.At{"id", "passkey-add", "type", "submit", "aria-disabled", f.Busy}, nil, kit.When(f.Busy, "Waiting for the device…"), kit.When(!f.Busy, "Add a passkey")),
			)
		}),
	)
}

func (c *Security) appPart() app.UI {
	about := "A code from your phone in addition to the password."
	if c.Ways.TOTP {
		about = "Signing in with your password also asks for a code from your app."
	}
	var body app.UI
	switch {
	case c.App.Begun != nil:
		body = c.appForm()
	case c.Ways.TOTP:
		body = kit.Button("", kit.At{"id", "app-remove"}, c.h.Do("app-remove", c.RemoveApp), "Remove the app")
	default:
		body = kit.Button("", kit.At{"id", "app-begin"}, c.h.Do("app-begin", c.BeginApp), "Set up an app")
	}
	return c.part("app", "Authenticator app", about, body)
}

// appForm shows the secret, and asks for the code that the app makes of it.
func (c *Security) appForm() app.UI {
	f := &c.App
	wrong := ""
	if f.Problem != nil {
		wrong = f.Problem.Words()
	}
	size := strconv.Itoa(f.Begun.QR.Size)
	return kit.El("form", "security-form", kit.At{"id", "app-form", "novalidate", true,
		"onsubmit", c.h.On("app-form", func(_ app.Context, e app.Event) { e.PreventDefault(); c.FinishApp() })},
		kit.Box("p", "soft", "Scan this with the app or type in the secret below. Then enter the code it shows."),
		kit.SVG("svg", kit.At{"class", "security-qr", "viewBox", "0 0 " + size + " " + size, "role", "img", "aria-label", "QR code of the secret"},
			kit.SVG("path", kit.At{"d", f.Begun.QR.Path})),
		kit.El("code", "security-secret", kit.At{"id", "app-secret"}, inFours(f.Begun.Secret)),
		c.field("app-code", "Code", "", wrong, f.Code, kit.At{"inputmode", "numeric", "autocomplete", "one-time-code", "maxlength", 12}, func(text string) { f.Code = text }),
		kit.Box("div", "line",
			kit.Button("primary", kit.At{"id", "app-finish", "type", "submit", "aria-disabled", f.Busy}, nil, "Confirm"),
			kit.Button("plain", kit.At{"id", "app-cancel"}, c.h.Do("app-cancel", c.CancelApp), "Cancel"),
		),
	)
}

// inFours is a secret as it is typed off.
func inFours(secret string) string {
	var b strings.Builder
	for i, r := range secret {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (c *Security) codesPart() app.UI {
	if len(c.Codes) > 0 {
		return c.part("codes", "Recovery codes", "", recoveryCodes(c.h, c.Codes, c.HideCodes))
	}
	if !c.Ways.TOTP && c.Ways.RecoveryCodes == 0 {
		return kit.Nothing()
	}
	left := strconv.Itoa(c.Ways.RecoveryCodes) + " recovery codes left. Each works once if you lose your app or passkey."
	if c.Ways.RecoveryCodes == 1 {
		left = "One recovery code left. It works once if you lose your app or passkey."
	}
	return c.part("codes", "Recovery codes", left,
		kit.Button("", kit.At{"id", "codes-new"}, c.h.Do("codes-new", c.NewCodes), "Make new ones"))
}

func (c *Security) singleSignOnPart() app.UI {
	if c.Ways.OIDC {
		return c.part("oidc", "Single sign-on", "You sign in through the provider.")
	}
	return c.part("oidc", "Single sign-on", "Your account isn’t linked to the provider yet.",
		kit.Button("", kit.At{"id", "oidc-connect"}, c.h.Do("oidc-connect", func() {
			app.Window().Get("location").Call("assign", door.SingleSignOn(SecurityPath))
		}), "Connect it"))
}
