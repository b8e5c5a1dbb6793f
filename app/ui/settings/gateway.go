//go:build js && wasm

package settings

import (
	"encoding/json"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/session"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// connecting is the state of the form that connects a gateway. The key that is typed
// is only ever in its field.
type connecting struct {
	busy    string // what is done at the moment; "" is nothing
	address string // as it was typed; "" is that of the gateway
	typed   bool
	found   *wire.GatewayFound
	problem string
}

func (p *Page) gateway() app.UI {
	g := p.session.Hello.Gateway
	return kit.El("section", "", kit.At{"id", "settings-gateway"},
		kit.Box("h2", "", "Gateway"),
		kit.Box("p", "soft", "Every request goes there, from the server and not from this browser."),
		p.facts(g),
		kit.If(p.session.Greeted && p.runs(), func() app.UI { return p.connectForm(g) }),
		kit.If(p.session.Greeted && !p.runs(), func() app.UI {
			return kit.Box("p", "soft", "Another one is connected by an admin of this instance.")
		}),
	)
}

// runs says whether the person may connect a gateway.
func (p *Page) runs() bool { return p.session.Me() == nil || p.session.Admin() }

// team is what a key that is typed becomes the key of; "" where there are no
// accounts, or the person is in no team.
func (p *Page) team() (id, name string) {
	c := p.session.Charge()
	if c.ID == wire.ChargePersonal {
		for _, c := range p.session.Charges() {
			if c.ID != wire.ChargePersonal {
				return c.ID, c.Name
			}
		}
	}
	return c.ID, c.Name
}

func (p *Page) connectForm(g wire.Gateway) app.UI {
	c := &p.connect
	address, keyNote := c.address, "Leave it empty where none is asked for."
	if !c.typed && !g.Sandbox {
		address = g.BaseURL
	}
	team, name := p.team()
	alone := p.session.Me() == nil
	switch {
	case !alone && team != "" && len(p.session.Me().Teams) > 1:
		keyNote = "It becomes the key of the team " + name + "."
	case g.HasKey && !g.Sandbox && g.KeyLast4 != "" && !c.typed:
		keyNote = "Empty: the one that is held, ending in " + g.KeyLast4 + "."
	}
	busy := c.busy != ""
	keyless := c.found != nil && c.found.OK && c.found.Key == wire.KeyNotAsked
	return kit.El("form", "connect", kit.At{"id", "gateway-form",
		"onsubmit", p.On("connect", func(_ app.Context, e app.Event) {
			e.PreventDefault()
			if g.Fixed {
				p.askGateway("POST", "Testing…")
			} else {
				p.askGateway("PUT", "Connecting…")
			}
		})},
		kit.If(!g.Fixed, func() app.UI {
			return kit.Labelled("gateway-address", "Address", "",
				p.Field("gateway-address", "field", kit.At{"inputmode", "url", "placeholder", "https://gateway.example.com"},
					address, func(text string) { c.address, c.typed = text, true }))
		}),
		kit.If(!g.Fixed && (alone || team != ""), func() app.UI {
			return kit.Labelled("gateway-key", "Key", keyNote,
				kit.El("input", "field", kit.At{"id", "gateway-key", "type", "password", "autocomplete", "off", "spellcheck", "false",
					"placeholder", "sk-…"}))
		}),
		kit.If(g.Fixed, func() app.UI {
			return kit.Box("p", "soft", "It was set by ", kit.Box("code", "", "-gateway"), " when the server was started. Start the server without it to choose one here.")
		}),
		kit.Box("div", "line",
			kit.If(!g.Fixed, func() app.UI {
				return kit.Button("primary", kit.At{"id", "gateway-connect", "type", "submit", "aria-disabled", busy}, nil, "Connect")
			}),
			kit.If(g.Fixed && keyless && !g.Keyless, func() app.UI {
				return kit.Button("primary", kit.At{"id", "gateway-keyless", "aria-disabled", busy},
					p.Do("keyless", func() { p.askGateway("PUT", "Connecting…") }), "Use it without a key")
			}),
			kit.Button("", kit.At{"id", "gateway-test", "aria-disabled", busy},
				p.Do("test-gateway", func() { p.askGateway("POST", "Testing…") }), "Test"),
			kit.If(!g.Fixed && !g.Sandbox, func() app.UI {
				return kit.Button("", kit.At{"id", "gateway-sandbox", "aria-disabled", busy},
					p.Do("use-sandbox", func() { p.askGateway("DELETE", "Going back…") }), "Use the sandbox again")
			}),
		),
		kit.El("div", "found", kit.At{"id", "gateway-found", "role", "status"}, p.foundLines()),
	)
}

// foundLines say what a test found, each with its sign.
func (p *Page) foundLines() []app.UI {
	c := p.connect
	switch {
	case c.busy != "":
		return []app.UI{kit.Box("p", "soft", c.busy)}
	case c.problem != "":
		return []app.UI{kit.Box("p", "outcome bad", c.problem)}
	case c.found == nil:
		return nil
	}
	head, tone := "It can be connected.", kit.Good
	switch {
	case c.found.Connected && len(c.found.Lines) == 0:
		return []app.UI{kit.Box("p", "outcome good", "The sandbox is used again.")}
	case c.found.Connected:
		head = "Connected to " + c.found.Address + "."
	case !c.found.OK:
		head, tone = "It can’t be used like this.", kit.Bad
	case p.session.Hello.Gateway.BaseURL == c.found.Address:
		head = "It works."
	}
	return []app.UI{
		kit.Box("p", "outcome "+tone, head),
		kit.Box("ul", "found-lines", kit.Times(len(c.found.Lines), func(i int) app.UI {
			l := c.found.Lines[i]
			icon := kit.IconAlert
			switch l.Mark {
			case wire.MarkGood:
				icon = kit.IconCheck
			case wire.MarkBad:
				icon = kit.IconClose
			case wire.MarkUnsure:
				icon = kit.IconMore
			}
			return kit.El("li", "found-line", kit.At{"data-mark", l.Mark}, kit.Icon(icon, "icon small"),
				kit.Box("span", "", l.Text, kit.When(l.Hint != "", " "+l.Hint)))
		})),
		kit.If(c.found.Connected, func() app.UI {
			return kit.Box("div", "line", kit.El("a", "button", kit.At{"id", "gateway-begin", "href", "/"}, "Start a conversation"))
		}),
	}
}

// askGateway asks the server to test, to connect or to leave a gateway: over HTTP,
// for a key never goes over the socket.
func (p *Page) askGateway(method, busy string) {
	c := &p.connect
	if c.busy != "" {
		return // buttons keep the focus meanwhile
	}
	at := wire.GatewayAt{Address: p.session.Hello.Gateway.BaseURL}
	if e := p.DOM.ByID("gateway-address"); e.Truthy() {
		at.Address = e.Get("value").String()
	}
	if e := p.DOM.ByID("gateway-key"); e.Truthy() {
		at.Key = e.Get("value").String()
	}
	if p.session.Me() != nil {
		at.Team, _ = p.team()
	}
	path, in := wire.GatewayPath, any(at)
	switch method {
	case "POST":
		path = wire.GatewayTestPath
	case "DELETE":
		in = nil
	}
	c.busy, c.found, c.problem = busy, nil, ""
	p.Redraw()
	var found wire.GatewayFound
	p.Ask(method, path, in, func(data json.RawMessage, problem *wire.Problem) {
		c.busy = ""
		if problem = session.Read(data, problem, &found); problem != nil {
			c.problem = problem.Words()
		} else {
			c.found = &found
			if found.Connected {
				c.address, c.typed = "", false
				if e := p.DOM.ByID("gateway-key"); e.Truthy() {
					e.Set("value", "")
				}
			}
		}
		p.Redraw()
	})
}
