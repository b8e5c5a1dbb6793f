//go:build js && wasm

// Package settings draws the settings and the way to each of them: the gateway
// and its key, the conversations as files, the theme, and those of the other
// sections.
package settings

import (
	"encoding/json"
	"net/url"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/models"
	"screentest/app/session"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// keyPath is where a key is posted to, and deleted.
const keyPath = "/api/key"

// keyForm is the state of the form for the key. The key itself is only ever in
// its field, until it has been posted.
type keyForm struct {
	busy    bool
	outcome string
	bad     bool
}

// Path is the address of all settings; each has its own below it.
const Path = "/settings"

// Options are what the Page needs from the Shell.
type Options struct {
	Session *session.Session
	Storage Storage
	// Others makes the settings of the other sections.
	Others func() []kit.Setting
	// Imported is called when an import has brought something, Dismissed when the
	// notice of it was dismissed.
	Imported, Dismissed func()
}

// Storage is the browser's own store.
type Storage interface {
	Get(name string) string // "" where there is none
	Set(name, value string)
	Remove(name string)
}

// Page is the settings as the Shell sees them: a kit.Section.
type Page struct {
	*kit.Host
	o       Options
	session *session.Session
	key     keyForm
	connect connecting
	models  models.Desk
	data    importing
	at      string // the name of the setting that is shown alone; "" shows all
	here    bool   // the settings are what is shown
	query   url.Values
	turned  bool // from the one that was left to another, which isn't drawn yet
	left    string
}

// New makes the page, and shows the theme that the person chose.
func New(h *kit.Host, o Options) *Page {
	p := &Page{Host: h, o: o, session: o.Session}
	p.models.Options = models.Options{Server: h.Server, Session: o.Session, Changed: h.Redraw}
	kit.ApplyTheme(p.o.Storage)
	return p
}

// Item implements kit.Section.
func (p *Page) Item() kit.Item {
	return kit.Item{Path: Path, Name: "Settings", Icon: kit.IconSettings}
}

// News implements kit.Section.
func (p *Page) News(n session.News) {
	if _, is := n.(session.Greeting); is {
		if p.here {
			p.lead()
		}
		p.models.Renew()
		p.Redraw()
	}
}

// Render implements kit.Section.
func (p *Page) Render() app.UI { return &Settings{p: p, Rev: p.Draws()} }

// Dialogs implements kit.Dialogued: the field for the file to be imported.
func (p *Page) Dialogs() []app.UI { return []app.UI{p.importField()} }

// Commands implements kit.Commanding.
func (p *Page) Commands() []kit.Command {
	always := func() bool { return true }
	theme := func(value string) func() { return func() { p.setTheme(value) } }
	return []kit.Command{
		{Name: "Export everything", When: always, Do: func() { p.Download(wire.ExportAllPath) }},
		{Name: "Import conversations", When: always, Do: p.chooseImport},
		{Name: "Use the dark theme", When: always, Do: theme("dark")},
		{Name: "Use the light theme", When: always, Do: theme("light")},
		{Name: "Use the system's theme", When: always, Do: theme("")},
	}
}

// Settings is what the page shows.
type Settings struct {
	app.Compo
	p   *Page
	Rev int
}

// Render implements app.Composer.
func (s *Settings) Render() (ui app.UI) {
	p := s.p
	defer p.Drawing("the settings", &ui)
	list := p.settings()
	at, _ := find(list, p.at)
	return kit.El("div", "settings", kit.At{"data-one", p.at != ""},
		kit.El("div", "settings-frame", kit.At{"data-wide", at.Apart},
			p.navigation(list),
			kit.Box("div", "settings-inner", p.shown(list)),
		),
	)
}

func (p *Page) facts(g wire.Gateway) app.UI {
	if !p.session.Greeted {
		return kit.Box("p", "soft", "Loading…")
	}
	usage := "not sent: unless the gateway reports tokens by itself, costs of streamed chat answers are estimates"
	if g.StreamOptions {
		usage = "sent with streamed chat requests, so that the gateway reports the tokens"
	}
	key := "none"
	if g.HasKey {
		key = "held, ends in " + g.KeyLast4
		if g.KeyLast4 == "" {
			key = "held"
		}
	}
	if g.Keyless {
		key = "none is asked for"
	}
	tone, _, words := session.GatewayState(g, kit.Wall(g.DownMS).Format("15:04"))
	return kit.Box("dl", "facts",
		kit.Box("dt", "", "Address"), kit.Box("dd", "", kit.Box("code", "", g.BaseURL), kit.When(g.Sandbox, " (the sandbox)")),
		kit.Box("dt", "", "State"), kit.El("dd", "", kit.At{"id", "gateway-state"}, kit.Box("span", "dot "+tone), words),
		kit.Box("dt", "", "Key"), kit.El("dd", "", kit.At{"id", "key-state"}, key),
		kit.Box("dt", "", kit.Box("code", "", "stream_options")), kit.Box("dd", "", usage),
		kit.Box("dt", "", "Build"), kit.Box("dd", "mono", p.session.Hello.Build),
	)
}

func aboutKey(g wire.Gateway) string {
	switch {
	case g.Sandbox:
		return "The sandbox has its key already; there is nothing to enter."
	case g.Keyless:
		return "This gateway asks for no key; there is nothing to enter."
	}
	return "It is sent once to this server, kept there sealed for this browser's session, and used for the gateway above and nothing else. It is never shown again but for its last four characters."
}

func (p *Page) keySettings() app.UI {
	g := p.session.Hello.Gateway
	if p.session.Me() != nil {
		return p.teamKeys(g)
	}
	return kit.El("section", "", kit.At{"id", "settings-key"},
		kit.Box("h2", "", "Key"),
		kit.Box("p", "soft", aboutKey(g)),
		kit.If(g.KeyRefused && !g.Keyless, refusedKey),
		p.form(g),
	)
}

func (p *Page) form(g wire.Gateway) app.UI {
	if g.Sandbox || g.Keyless || !p.session.Greeted {
		return kit.Nothing()
	}
	label, verb := "Gateway key", "Save key"
	if p.session.Me() != nil {
		label = "A key of your own"
	}
	if g.HasKey {
		label, verb = "New key, to replace the one ending in "+g.KeyLast4, "Replace key"
	}
	outcome := "outcome good"
	if p.key.bad {
		outcome = "outcome bad"
	}
	return kit.El("form", "line key-form", kit.At{"id", "key-form",
		"onsubmit", p.On("key", func(_ app.Context, e app.Event) { e.PreventDefault(); p.saveKey() })},
		kit.El("label", "", kit.At{"for", "key"}, label),
		kit.El("input", "field", kit.At{"id", "key", "type", "password", "autocomplete", "off", "spellcheck", "false",
			"placeholder", "sk-…", "disabled", p.key.busy}),
		kit.Button("primary", kit.At{"id", "save-key", "type", "submit", "disabled", p.key.busy}, nil, verb),
		kit.Button("", kit.At{"id", "forget-key", "hidden", !g.HasKey, "disabled", p.key.busy},
			p.Do("forget", func() {
				p.sendKey("DELETE", nil, "The key is forgotten.")
			}), "Forget key"),
		kit.El("p", outcome, kit.At{"id", "key-outcome", "role", "status"}, p.key.outcome),
	)
}

// saveKey posts what is in the field and empties it.
func (p *Page) saveKey() {
	field := p.DOM.ByID("key")
	key := field.Get("value").String()
	if key == "" {
		p.keyOutcome("Enter the key first.", true)
		field.Call("focus")
		return
	}
	body, err := json.Marshal(map[string]string{"key": key})
	if err != nil {
		p.keyOutcome(err.Error(), true)
		return
	}
	p.sendKey("POST", body, "Key saved.")
}

func (p *Page) keyOutcome(text string, bad bool) {
	p.key = keyForm{outcome: text, bad: bad}
	p.Redraw()
}

// sendKey calls the server over HTTP, for a key never goes over the socket.
func (p *Page) sendKey(method string, body []byte, done string) {
	p.key = keyForm{busy: true}
	p.Redraw()
	p.Fetch(method, keyPath, body, func(status int, answer string) {
		switch {
		case status >= 200 && status < 300:
			p.keyOutcome(done, false)
			if e := p.DOM.ByID("key"); e.Truthy() {
				e.Set("value", "")
			}
		case status == 0:
			p.keyOutcome("The server can’t be reached. Is it still running?", true)
		default:
			var problem wire.Problem
			if json.Unmarshal([]byte(answer), &problem) != nil || problem.Message == "" {
				problem.Message = "The server refused the key."
			}
			p.keyOutcome(problem.Message+" "+problem.Hint, true)
		}
	})
}
