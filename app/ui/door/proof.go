//go:build js && wasm

package door

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
)

// DrawProof draws the dialog that asks for a proof.
func (c *Security) DrawProof() app.UI { return &Proof{c: c, Rev: c.h.Draws()} }

// Proof is the dialog that asks for a proof.
type Proof struct {
	app.Compo
	c   *Security
	Rev int
}

// Render implements app.Composer.
func (d *Proof) Render() (ui app.UI) {
	c := d.c
	defer c.h.Drawing("the dialog", &ui)
	f := &c.Security.Proof
	if f.Open {
		c.moveFocus()
	}
	wrong := ""
	if f.Problem != nil {
		wrong = f.Problem.Words()
	}
	var fields app.UI
	switch {
	case c.Ways.Password:
		fields = c.secret("proof", "Your password", "current-password", "", f.Password, wrong, func(text string) { f.Password = text })
	case c.Ways.TOTP || c.Ways.RecoveryCodes > 0:
		fields = c.field("proof", "Code from your app, or a recovery code", "", wrong, f.Code, kit.At{"autocomplete", "one-time-code"}, func(text string) { f.Code = text })
	default:
		return c.h.Dialog("proof", "Is it still you?", nil, c.DontProve, c.DontProve,
			kit.Box("div", "dialog-body", kit.Box("p", "soft", "You signed in a while ago. Sign out and in again, then do this within ten minutes.")))
	}
	return c.h.Dialog("proof", "Is it still you?", nil, c.DontProve, c.DontProve,
		kit.If(f.Open, func() app.UI {
			return kit.El("form", "dialog-body", kit.At{"id", "proof-form", "novalidate", true,
				"onsubmit", c.h.On("proof", func(_ app.Context, e app.Event) { e.PreventDefault(); c.Prove() })},
				kit.Box("p", "soft", "You signed in a while ago. Confirm that it’s you before changing how you sign in."),
				fields,
				kit.Box("div", "line", kit.Button("primary", kit.At{"id", "proof-send", "type", "submit", "aria-disabled", f.Busy}, nil, "Go on")),
			)
		}))
}
