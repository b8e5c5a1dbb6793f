//go:build js && wasm

package settings

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// teamKeys are the keys that a person of a team's instance sends with: those of
// the teams, which they use and don't see, and where the instance allows it one
// of their own.
func (p *Page) teamKeys(g wire.Gateway) app.UI {
	charges := p.session.Charges()
	own := wire.Gateway{BaseURL: g.BaseURL, Sandbox: g.Sandbox, Keyless: g.Keyless}
	var facts []app.UI
	for _, c := range charges {
		if c.ID == wire.ChargePersonal {
			own.HasKey, own.KeyLast4, own.KeyRefused = c.HasKey, c.KeyLast4, c.KeyRefused
			continue
		}
		name := c.Name
		if len(p.session.Me().Teams) == 1 { // then the page speaks of no teams
			name = "Shared key"
		}
		facts = append(facts, kit.Box("dt", "", name), kit.Box("dd", "", heldWords(c, g.Keyless)))
	}
	return kit.El("section", "", kit.At{"id", "settings-key"},
		kit.Box("h2", "", "Key"),
		kit.Box("p", "soft", aboutTeamKeys(g, p.session.Hello.OwnKeys)),
		kit.Box("dl", "facts", facts),
		kit.If(p.leads(), func() app.UI {
			return kit.El("a", "button", kit.At{"id", "shared-keys", "href", Path + "/teams"}, "Set shared keys")
		}),
		kit.If(p.session.Hello.OwnKeys, func() app.UI {
			return kit.Box("div", "labelled",
				kit.If(own.KeyRefused, refusedKey),
				p.form(own))
		}),
	)
}

// leads says whether the person may set a key that others send with too.
func (p *Page) leads() bool {
	me := p.session.Me()
	for _, t := range me.Teams {
		if me.Leads(t.ID) {
			return true
		}
	}
	return p.session.Admin()
}

func heldWords(c wire.Charge, keyless bool) string {
	switch {
	case keyless:
		return "none is asked for"
	case !c.HasKey:
		return "none yet; enter one to send requests"
	case c.KeyRefused:
		return "ends in " + c.KeyLast4 + ", refused by the gateway"
	}
	return "held, ends in " + c.KeyLast4
}

func aboutTeamKeys(g wire.Gateway, own bool) string {
	switch {
	case g.Sandbox:
		return "The sandbox has its key already; there is nothing to enter."
	case g.Keyless:
		return "This gateway asks for no key; there is nothing to enter."
	case own:
		return "What you send goes with a key of your team’s, which nobody sees, or with one of your own. Your own is sent once to this server, kept there sealed, and used for the gateway and nothing else."
	}
	return "What you send goes with a key of your team’s. It is kept on the server, sealed, and nobody sees it."
}

func refusedKey() app.UI {
	return kit.El("p", "outcome bad", kit.At{"id", "refused-key"}, "The gateway refused the key that is held. Enter another, or have that one allowed there.")
}
