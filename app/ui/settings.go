//go:build js && wasm

package ui

import (
	"encoding/json"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/model"
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

// Settings shows the gateway that is used, takes its key, and sets the theme.
type Settings struct {
	app.Compo
	p        *page
	Rev      int
	Sections int // the revision of the other parts of the program
}

// Render implements app.Composer.
func (s *Settings) Render() (ui app.UI) {
	p := s.p
	defer p.Drawing("the settings", &ui)
	g := p.desk.Hello.Gateway
	var others []app.UI
	for _, sec := range p.sections {
		if c, ok := sec.(kit.Configurable); ok {
			others = append(others, c.Settings()...)
		}
	}
	return app.Div().Class("settings").Body(
		app.Div().Class("settings-inner").Body(append([]app.UI{
			app.Section().ID("settings-gateway").Body(
				app.H2().Text("Gateway"),
				app.P().Class("about").Body(
					app.Text("Every request goes there, from the server and not from this browser. It is set when the server starts, with "),
					app.Code().Text("-gateway"), app.Text("."),
				),
				s.facts(g),
				app.If(g.Sandbox, func() app.UI {
					return app.P().Class("note").Body(
						app.Text("This is the sandbox, a whole gateway inside this server. Its answers are made up, its prices are samples, and nothing is charged or sent anywhere. Start the server with "),
						app.Code().Text("-gateway URL"), app.Text(" to use a real one."),
					)
				}),
			),
			app.Section().ID("settings-key").Body(
				app.H2().Text("Key"),
				app.P().Class("about").Text(aboutKey(g)),
				app.If(g.KeyRefused, func() app.UI {
					return app.P().ID("refused-key").Class("outcome bad").Text("The gateway refused the key that is held. Enter another, or have that one allowed there.")
				}),
				s.form(g),
			),
			p.dataSettings(),
			app.Section().ID("settings-theme").Body(
				app.H2().Text("Appearance"),
				app.P().Class("about").Text("Kept in this browser."),
				s.theme(),
			),
		}, others...)...),
	)
}

func (s *Settings) facts(g wire.Gateway) app.UI {
	if !s.p.desk.Greeted {
		return app.P().Class("about").Text("Waiting for the server…")
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
	return app.Dl().Class("facts").Body(
		app.Dt().Text("Address"), app.Dd().Body(app.Code().Text(g.BaseURL), app.If(g.Sandbox, func() app.UI { return app.Text(" (the sandbox)") })),
		app.Dt().Text("Key"), app.Dd().ID("key-state").Text(key),
		app.Dt().Body(app.Code().Text("stream_options")), app.Dd().Text(usage),
		app.Dt().Text("Build"), app.Dd().Class("mono").Text(s.p.desk.Hello.Build),
	)
}

func aboutKey(g wire.Gateway) string {
	if g.Sandbox {
		return "The sandbox has its key already; there is nothing to enter."
	}
	return "It is sent once to this server, kept there sealed for this browser's session, and used for the gateway above and nothing else. It is never shown again but for its last four characters."
}

func (s *Settings) form(g wire.Gateway) app.UI {
	if g.Sandbox || !s.p.desk.Greeted {
		return app.Div().Hidden(true)
	}
	p := s.p
	label, verb := "Gateway key", "Save key"
	if g.HasKey {
		label, verb = "New key, to replace the one ending in "+g.KeyLast4, "Replace key"
	}
	outcome := "outcome good"
	if p.keyForm.bad {
		outcome = "outcome bad"
	}
	return app.Form().ID("key-form").Class("key-form").
		OnSubmit(p.On("key", func(_ app.Context, e app.Event) { e.PreventDefault(); p.saveKey() })).
		Body(
			app.Label().For("key").Text(label),
			app.Input().ID("key").Class("field").Type("password").Attr("autocomplete", "off").Attr("spellcheck", "false").
				Placeholder("sk-…").Disabled(p.keyForm.busy),
			app.Button().ID("save-key").Class("button primary").Type("submit").Disabled(p.keyForm.busy).Text(verb),
			app.Button().ID("forget-key").Class("button").Type("button").Hidden(!g.HasKey).Disabled(p.keyForm.busy).Text("Forget key").
				OnClick(p.On("forget", func(app.Context, app.Event) {
					p.sendKey("DELETE", nil, "The key is forgotten.")
				})),
			app.P().ID("key-outcome").Class(outcome).Role("status").Text(p.keyForm.outcome),
		)
}

func (s *Settings) theme() app.UI {
	p := s.p
	choice := func(value, name string) app.UI {
		return app.Label().Body(
			p.Radio("theme-"+name, "theme", value, p.desk.Theme() == value, func() { p.desk.SetTheme(value); p.applyTheme() }),
			app.Span().Text(name),
		)
	}
	return app.FieldSet().Class("segments").Body(
		app.Legend().Class("sr-only").Text("Theme"),
		choice("", "System"), choice("dark", "Dark"), choice("light", "Light"),
	)
}

// saveKey posts what is in the field and empties it.
func (p *page) saveKey() {
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
	p.sendKey("POST", body, "The key is saved.")
}

func (p *page) keyOutcome(text string, bad bool) {
	p.keyForm = keyForm{outcome: text, bad: bad}
	p.changed(model.PartSettings)
}

// sendKey calls the server over HTTP, for a key never goes over the socket.
func (p *page) sendKey(method string, body []byte, done string) {
	p.keyForm = keyForm{busy: true}
	p.changed(model.PartSettings)
	p.fetch(method, keyPath, body, func(status int, answer string) {
		switch {
		case status >= 200 && status < 300:
			p.keyOutcome(done, false)
			if e := p.DOM.ByID("key"); e.Truthy() {
				e.Set("value", "")
			}
		case status == 0:
			p.keyOutcome("The server could not be reached. Is it still running?", true)
		default:
			var problem wire.Problem
			if json.Unmarshal([]byte(answer), &problem) != nil || problem.Message == "" {
				problem.Message = "The server refused the key."
			}
			p.keyOutcome(problem.Message+" "+problem.Hint, true)
		}
	})
}

// fetch makes an HTTP request to this page's own server with the browser's
// fetch. done gets status 0 when there was no reply.
func (p *page) fetch(method, path string, body []byte, done func(status int, answer string)) {
	options := map[string]any{"method": method, "credentials": "same-origin", "cache": "no-store"}
	if body != nil {
		options["body"] = string(body)
		options["headers"] = map[string]any{"Content-Type": "application/json"}
	}
	status := 0
	var funcs []js.Func
	then := func(f func(v js.Value) any) js.Func {
		fn := js.FuncOf(func(_ js.Value, args []js.Value) any { return f(args[0]) })
		funcs = append(funcs, fn)
		return fn
	}
	end := func(answer string) {
		p.Post(func() {
			for _, f := range funcs {
				f.Release()
			}
			done(status, answer)
		})
	}
	js.Global().Call("fetch", path, options).
		Call("then", then(func(r js.Value) any {
			status = r.Get("status").Int()
			return r.Call("text")
		})).
		Call("then",
			then(func(text js.Value) any { end(text.String()); return nil }),
			then(func(js.Value) any { status = 0; end(""); return nil }))
}
