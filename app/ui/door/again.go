//go:build js && wasm

package door

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/door"
	"screentest/app/ui/kit"
)

// inAnotherTab is where single sign-on leads back to from the dialog: a tab that
// closes itself.
const inAnotherTab = door.SignInPath + "?done"

// Asker asks to sign in again, over whatever is there.
type Asker struct {
	*door.Again
	h    *kit.Host
	form *form
}

// NewAsker returns an Asker. same is called when the one whose page it is has
// signed in again, other when somebody else has.
func NewAsker(h *kit.Host, same, other func()) *Asker {
	a := &Asker{h: h}
	a.Again = door.NewAgain(door.AgainOptions{
		Server: h, Passkeys: passkeys{h}, Changed: a.changed,
		Same:  func() { TellOthers(Came); same() },
		Other: func() { TellOthers(Came); other() },
	})
	return a
}

// changed opens or closes the dialog and has it drawn.
func (a *Asker) changed() {
	if a.form == nil || a.form.gate != a.Gate {
		a.form = &form{h: a.h, gate: a.Gate, to: inAnotherTab, over: true}
	}
	stand(a.h, "again", a.Open)
	a.h.Redraw()
}

// stand has a dialog stand over everything for as long as it is open: a browser
// lets a second Escape through.
func stand(h *kit.Host, dialog string, open bool) {
	d := h.DOM.ByID(dialog)
	switch {
	case !d.Truthy() || d.Get("open").Bool() == open:
	case open:
		d.Call("showModal")
	default:
		d.Call("close")
	}
}

// closed has the dialog stand again, with the focus where one goes on.
func (a *Asker) closed() {
	if a.Open {
		a.Gate.Focus = a.Gate.Next()
		a.changed()
	}
}

// Draw draws the dialog.
func (a *Asker) Draw() app.UI { return &Again{a: a, Rev: a.h.Draws()} }

// Again is the dialog.
type Again struct {
	app.Compo
	a   *Asker
	Rev int
}

// Render implements app.Composer.
func (c *Again) Render() (ui app.UI) {
	a := c.a
	defer a.h.Drawing("the dialog to sign in", &ui)
	return kit.El("dialog", "dialog again", kit.At{"id", "again", "aria-labelledby", "door-title",
		"oncancel", a.h.On("again", func(_ app.Context, e app.Event) { e.PreventDefault() }),
		"onclose", a.h.Do("again", a.closed)},
		kit.Box("div", "dialog-head", kit.El("h2", "cut", kit.At{"id", "door-title"}, "Sign in to continue")),
		kit.If(a.Open && a.form != nil, func() app.UI {
			return kit.Box("div", "dialog-body",
				kit.Box("p", "soft", "Your session has ended. This page stays as it is and continues once you’ve signed in."),
				a.form.body(),
				kit.El("a", "link again-leave", kit.At{"href", door.SignInPath, "onclick", a.h.On("again-leave", func(_ app.Context, e app.Event) {
					e.PreventDefault()
					app.Window().Get("location").Call("assign", door.SignInPath)
				})}, "Leave this page"),
			)
		}),
	)
}
