//go:build js && wasm

package door

import (
	"net/url"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/door"
	"screentest/app/ui/kit"
)

// Entry is the page at the addresses of the door. It stands for itself: nothing
// of the program is there before somebody is in, and then the page is another.
type Entry struct {
	app.Compo
	h    *kit.Host
	gate *door.Gate
	form *form
	path string // of the address
	to   string // where one wanted to go
	ends bool   // it is a tab for single sign-on alone, and closes when somebody is in
}

// OnInit implements app.Initializer.
func (e *Entry) OnInit() {
	e.h = kit.NewHost(nil, func() { e.h.Context().Update() })
	kit.ApplyTheme(kit.LocalStorage{})
}

// OnNav implements app.Navigator. The token leaves the address bar at once: it
// is not to be in the history, nor over somebody's shoulder.
func (e *Entry) OnNav(ctx app.Context) {
	defer e.h.Guard("the navigation")
	e.h.Bind(ctx)
	at := *ctx.Page().URL()
	if e.gate != nil && at.Fragment == "" && at.Path == e.path {
		return
	}
	e.path = at.Path
	e.to, e.ends = door.OwnPath(at.Query().Get("to")), at.Query().Has("done")
	if at.Fragment != "" {
		clean := url.URL{Path: at.Path, RawQuery: at.RawQuery}
		js.Global().Get("history").Call("replaceState", nil, "", clean.String())
	}
	if (kit.LocalStorage{}).Get(Left) != "" {
		Forget()
	}
	e.gate = door.NewGate(&at, door.Options{
		Server: e.h, Passkeys: passkeys{e.h}, Changed: e.changed, In: e.in,
	})
	e.form = &form{h: e.h, gate: e.gate, to: e.to}
	e.gate.Start()
	if at.Path == door.SignInPath && (e.ends || (kit.LocalStorage{}).Get(Person) != "") {
		e.lookWhetherIn()
	}
}

// lookWhetherIn goes on at once where somebody is signed in already.
func (e *Entry) lookWhetherIn() {
	e.h.Fetch("GET", "/api/me", nil, func(status int, _ string) {
		if status == 200 {
			e.in()
		}
	})
}

// in goes where one wanted to go, with a page of its own.
func (e *Entry) in() {
	(kit.LocalStorage{}).Remove(Left)
	TellOthers(Came)
	if e.ends {
		e.gate.Stage = door.Entered
		e.h.Redraw()
		js.Global().Call("close")
		return
	}
	if e.gate.Unsafe {
		e.to = SecurityPath
	}
	js.Global().Get("location").Call("replace", e.to)
}

func (e *Entry) changed() {
	e.h.DOM.Doc.Set("title", e.gate.Title()+" · Screentest")
	e.h.Redraw()
}

// Render implements app.Composer.
func (e *Entry) Render() (ui app.UI) {
	defer e.h.Drawing("the page", &ui)
	if e.gate == nil {
		return kit.Box("main", "door")
	}
	g := e.gate
	return kit.El("main", "door", kit.At{"id", "door"},
		kit.El("div", "door-card", kit.At{"aria-busy", g.Busy || g.Stage == door.Asking},
			kit.El("img", "door-mark", kit.At{"src", "/web/icon.svg", "alt", "Screentest"}),
			kit.El("h1", "", kit.At{"id", "door-title"}, g.Heading()),
			e.form.body(),
		),
		kit.El("div", "sr-only", kit.At{"id", "say", "role", "status", "aria-live", "polite"}),
	)
}
