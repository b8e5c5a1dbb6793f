//go:build js && wasm

package shell

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/session"
	"screentest/app/ui/door"
	"screentest/app/ui/kit"
	"screentest/app/ui/settings"
	"screentest/shared/wire"
)

// Bar is the top of the main part: the title, the connection, the gateway.
type Bar struct {
	app.Compo
	p       *page
	Rev     int
	Section string // its path
	Title   string
	HeadRev int // of the section's own head
}

// bar is the Bar of the section that is shown.
func (p *page) bar() app.UI {
	b := &Bar{p: p, Rev: p.rev, Title: "Not found"}
	if p.section == nil {
		return b
	}
	b.Section, b.Title = p.section.Item().Path, p.section.Title()
	if h, ok := p.section.(kit.Headed); ok {
		b.HeadRev = h.HeadRev()
	}
	return b
}

// head is what the section puts into the bar, or its title.
func (b *Bar) head() kit.Head {
	if h, ok := b.p.section.(kit.Headed); ok {
		return h.Head()
	}
	return kit.Head{Title: []app.UI{kit.El("h1", "bar-title cut written", kit.At{"id", "title", "title", b.Title}, b.Title)}}
}

// Render implements app.Composer.
func (b *Bar) Render() (ui app.UI) {
	p := b.p
	defer p.Drawing("the bar", &ui)
	head := b.head()
	return kit.Box("header", "",
		kit.Box("div", "bar",
			kit.IconButton("menu-button", "Conversations", kit.IconMenu, kit.At{"id", "menu",
				"aria-expanded", p.listOpen}, p.Do("menu", func() { p.showList(true) })),
			head.Title,
			kit.Box("div", "push"),
			b.link(),
			head.Figures,
			b.gateway(),
			head.Tools,
		),
		b.offer(),
	)
}

// link says what is wrong with the connection, and nothing when all is well.
func (b *Bar) link() app.UI {
	words, tone := "", ""
	switch b.p.session.Link {
	case session.LinkLost:
		words, tone = "Reconnecting…", "dot live"
	case session.LinkNone:
		words, tone = "Offline", "dot bad"
	case session.LinkSignedOut:
		words, tone = "Signed out", "dot bad"
	}
	return kit.El("span", "link-state", kit.At{"id", "link", "role", "status"},
		kit.If(words != "", func() app.UI { return kit.Box("span", tone) }),
		kit.Box("span", "", words),
	)
}

func (b *Bar) gateway() app.UI {
	if !b.p.session.Greeted {
		return kit.Box("span", "")
	}
	g := b.p.session.Hello.Gateway
	name, dot, words := g.BaseURL, "", "wide-only"
	_, name, _ = strings.Cut(name, "://")
	name, _, _ = strings.Cut(name, "/")
	tone, short, state := session.GatewayState(g, kit.Wall(g.DownMS).Format("15:04"))
	switch {
	case g.Sandbox:
		name = "Sandbox gateway"
	case short != "":
		name, words = short, "key-refused"
	}
	dot = "dot " + tone
	if b.p.session.Link != session.LinkOpen {
		dot = "dot" // nothing is known of it at the moment
	}
	return kit.El("a", "pill", kit.At{"id", "gateway", "href", settings.Path + "/gateway", "title", g.BaseURL + ": " + state},
		kit.Box("span", dot),
		kit.Box("span", words, name),
		kit.Box("span", "sr-only", "Gateway: "+state),
	)
}

// offer is what concerns the whole page: a newer build, a missing key.
func (b *Bar) offer() app.UI {
	switch d := b.p.session; {
	case d.Stale():
		return kit.Notice(kit.Warn, "strip", kit.At{"id", "update", "role", "status"},
			kit.Box("span", "", "Screentest was updated. Reload to get the new version."),
			kit.Button("", nil, b.p.On("reload", func(ctx app.Context, _ app.Event) { ctx.Reload() }), "Reload"),
		)
	case b.p.account != nil && b.p.account.needsFactor():
		return kit.Notice(kit.Warn, "strip", kit.At{"id", "factor-needed", "role", "status"},
			kit.Box("span", "", "Admins here need a passkey or a second factor. Until you add one, you work as a member."),
			kit.If(!b.p.account.shown(), func() app.UI { return kit.El("a", "button", kit.At{"href", door.SecurityPath}, "Add one") }),
		)
	case d.Guest(): // who has nothing to do with keys
		return kit.Nothing()
	case d.Greeted && !d.Hello.Gateway.Sandbox && !d.Hello.Gateway.HasKey && b.p.section == b.p.chat:
		return b.wantsKey(kit.At{"id", "key-wanted"}, "This gateway wants a key before it answers.", "Enter the key")
	case d.Greeted && d.Hello.Gateway.KeyRefused && d.Hello.Gateway.Keyless && b.Section != settings.Path:
		return b.wantsKey(kit.At{"id", "key-refused", "role", "status"}, "The gateway asks for a key by now. Nothing is answered until it has one.", "Enter a key")
	case d.Greeted && d.Hello.Gateway.KeyRefused && b.Section != settings.Path:
		return b.wantsKey(kit.At{"id", "key-refused", "role", "status"}, "The gateway refused the key. Nothing is answered until it takes one.", "Enter another key")
	}
	return kit.Nothing()
}

// wantsKey says what is wrong with the key, and leads to where it is entered or
// says who can do that.
func (b *Bar) wantsKey(at kit.At, words, verb string) app.UI {
	to := b.keyPath()
	if to == "" {
		words += " Ask an admin of this instance to enter one."
	}
	return kit.Notice(kit.Warn, "strip", at,
		kit.Box("span", "", words),
		kit.If(to != "", func() app.UI { return kit.El("a", "button", kit.At{"href", to}, verb) }),
	)
}

// keyPath is where the person enters the key that sends go with; "" where that is
// for others to do.
func (b *Bar) keyPath() string {
	s := b.p.session
	me, charge := s.Me(), s.Charge()
	switch {
	case me == nil:
		return settings.Path
	case charge.ID != wire.ChargePersonal && me.Leads(charge.ID):
		return settings.Path + "/teams"
	case s.Hello.OwnKeys:
		return settings.Path + "/key"
	}
	return ""
}
