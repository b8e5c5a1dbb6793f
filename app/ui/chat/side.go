//go:build js && wasm

package chat

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Side is the list of conversations; on a phone it comes over the page.
type Side struct {
	app.Compo
	p            *Page
	Rev          int
	Conversation string // that is shown
	Shown        bool   // the chat is
	Marks        string // of the rail's items, which stand here on a phone
}

// Render implements app.Composer.
func (s *Side) Render() (ui app.UI) {
	p := s.p
	defer p.Drawing("the list", &ui)
	groups := p.chat.List.Groups()
	return kit.El("aside", "side", kit.At{"aria-label", "Conversations"},
		kit.Box("div", "side-head",
			s.searchBox(),
			kit.El("a", "button wide", kit.At{"id", "new-conversation", "href", "/", "hidden", p.Guest,
				"onclick", p.Do("new", func() { p.o.ShowList(false); p.FocusComposer() })},
				kit.Icon(kit.IconPlus, "icon small"), "New conversation"),
		),
		kit.Either(p.search.finder.On(), func() app.UI {
			return kit.Box("div", "side-list found", s.hits())
		}, func() app.UI { return kit.Box("div", "side-list", s.conversations(groups)...) }),
		kit.Box("div", "side-foot",
			p.o.Rail(),
		),
	)
}

func (s *Side) conversations(groups []chat.Group) []any {
	p := s.p
	return []any{
		kit.If(p.chat.List.Ready && len(groups) == 0 && !p.Guest, func() app.UI {
			return kit.Empty("", "Your conversations appear here.")
		}),
		kit.Times(len(groups), func(i int) app.UI {
			return kit.Box("section", "group",
				kit.Box("h2", "", groups[i].Name),
				kit.Times(len(groups[i].Rows), func(j int) app.UI { return s.row(groups[i].Rows[j]) }),
			)
		}),
		kit.If(p.chat.List.More, func() app.UI {
			return kit.Button("wide", nil, p.Do("older", func() { p.chat.List.FetchMore() }), "Show older")
		}),
	}
}

func (s *Side) row(c wire.Summary) app.UI {
	p := s.p
	title := TitleOf(c.Title)
	current := c.ID == s.Conversation && s.Shown
	return kit.El("div", "row", kit.At{"data-current", current},
		kit.El("a", "conversation", kit.At{"href", "/c/" + c.ID, "title", title, "aria-current", kit.When(current, "page")},
			kit.Box("span", "row-title cut written", title),
			kit.Box("span", "row-sub",
				kit.Box("span", "row-models cut", s.p.chat.List.Models(c)),
				kit.If(c.Running > 0, func() app.UI {
					return kit.Box("span", "row-live live", kit.Box("span", "dot live"), "live")
				}),
				kit.If(c.Running == 0 && c.CostNanoUSD > 0, func() app.UI {
					return kit.Box("span", "figure", s.p.cost(c))
				}),
			),
		),
		kit.El("span", "row-actions", kit.At{"data-pinned", c.Pinned},
			kit.IconButton("small", pinWord(c.Pinned)+" “"+title+"”", kit.IconPin, kit.At{"title", pinWord(c.Pinned)}, p.Do(pinWord(c.Pinned)+c.ID, func() { p.chat.List.Pin(c.ID, !c.Pinned) })),
		),
	)
}

func pinWord(pinned bool) string {
	if pinned {
		return "Unpin"
	}
	return "Pin"
}

// cost is what a conversation cost so far, marked when part of it is estimated, and
// where prices are samples.
func (p *Page) cost(c wire.Summary) string {
	return kit.When(c.Estimated, "≈ ") + figure.Dollars(c.CostNanoUSD) + kit.When(p.session.Hello.Gateway.Sandbox, " sample")
}
