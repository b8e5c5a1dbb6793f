//go:build js && wasm

package shell

import (
	"encoding/json"
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	entry "screentest/app/door"
	"screentest/app/ui/door"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// account is what the page has to do with who is signed in. Alone there is none
// of it.
type account struct {
	p        *page
	again    *door.Asker
	security *door.Security
	leaving  bool // the page is about to be another
	asking   bool // who is signed in
	met      bool // who is signed in has been told of
}

func newAccount(p *page) *account {
	a := &account{p: p}
	a.again = door.NewAsker(p.Host, func() { p.sock.Resume() }, a.startAnew)
	a.security = door.NewSecurity(p.Host, p.session, a.signOut)
	p.SignedOut = a.signedOut
	return a
}

// listen hears what this browser's other tabs do, and what comes back out of
// its memory.
func (a *account) listen() {
	win, post := js.Global(), a.p.Post
	a.p.DOM.On(win, "storage", func(ev js.Value) {
		switch ev.Get("key").String() {
		case door.Came:
			a.again.Look()
		case door.Left:
			if ev.Get("newValue").Type() == js.TypeString {
				a.leave()
			}
		}
	}, post)
	a.p.DOM.On(win, "pageshow", func(ev js.Value) {
		if ev.Get("persisted").Bool() { // by Back: somebody else may be signed in now
			a.startAnew()
		}
	}, post)
}

// greeted takes who is signed in. What the browser kept for somebody else is
// none of theirs.
func (a *account) greeted(me *wire.Me) {
	if me == nil {
		return
	}
	store := kit.LocalStorage{}
	if was := store.Get(door.Person); was != "" && was != me.ID {
		door.Forget()
		store.Set(door.Person, me.ID)
		a.startAnew()
		return
	}
	store.Set(door.Person, me.ID)
	a.again.Of(*me)
	if !a.met {
		a.met = true
		store.Remove(door.Left)
		door.TellOthers(door.Came)
	}
}

// refused asks why the socket was refused: the browser doesn't tell.
func (a *account) refused() {
	if a.asking || a.leaving {
		return
	}
	a.asking = true
	a.p.Knock("GET", "/api/me", nil, func(_ json.RawMessage, problem *wire.Problem) {
		a.asking = false
		if problem != nil && problem.Code == wire.CodeSignedOut {
			a.p.sock.SignOut()
		}
	})
}

// signedOut asks to sign in again, over what is there; where nothing is there
// yet, at the page for it. then is called when the same person is back.
func (a *account) signedOut(then func()) {
	if a.leaving {
		return
	}
	a.p.sock.SignOut()
	if !a.p.session.Greeted {
		a.leaving = true
		at := app.Window().URL()
		js.Global().Get("location").Call("replace", entry.SignInAt(at.RequestURI()+fragment(at.Fragment)))
		return
	}
	a.again.Ask(then)
}

func fragment(of string) string {
	if of == "" {
		return ""
	}
	return "#" + of
}

// startAnew loads the page again: nothing that is on it is to be seen by who is
// signed in now.
func (a *account) startAnew() {
	a.leaving = true
	js.Global().Get("location").Call("reload")
}

// signOut ends the session and leaves the page, with all that it kept.
func (a *account) signOut() {
	a.leaving = true
	door.SignOut(a.p.Host, func() {
		door.Forget()
		door.TellOthers(door.Left)
		a.leave()
	})
}

func (a *account) leave() {
	a.leaving = true
	js.Global().Get("location").Call("replace", entry.SignInPath)
}

// settings are the account's.
func (a *account) settings() []kit.Setting {
	return []kit.Setting{{Name: "security", ID: "security", Title: "Security", Draw: a.security.Draw}}
}

// needsFactor says that an admin must add a second factor before they run the
// instance.
func (a *account) needsFactor() bool {
	me := a.p.session.Me()
	return me != nil && me.FactorNeeded
}

// shown says that the page shows the account.
func (a *account) shown() bool { return app.Window().URL().Path == door.SecurityPath }

// item leads to the account from the rail.
func (a *account) item() app.UI {
	me := a.p.session.Me()
	name := "Account"
	if me != nil && me.Name != "" {
		name, _, _ = strings.Cut(me.Name, " ")
	}
	return kit.El("a", "rail-item rail-account", kit.At{"href", door.SecurityPath, "aria-current", kit.When(a.shown(), "page"), "aria-label", name + ": your account"},
		kit.Icon(kit.IconPerson, "icon"),
		kit.Box("span", "cut", name),
	)
}

func (a *account) dialogs() []app.UI {
	return []app.UI{a.again.Draw(), a.security.DrawProof()}
}

func (a *account) commands() []kit.Command {
	signedIn := func() bool { return a.p.session.Me() != nil }
	return []kit.Command{
		{Name: "Your account", When: signedIn, Do: func() { a.p.Context().Navigate(door.SecurityPath) }},
		{Name: "Sign out", When: signedIn, Do: a.signOut},
	}
}
