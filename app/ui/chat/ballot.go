//go:build js && wasm

package chat

import (
	"net/url"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// ballot is what the vote bar remembers.
type ballot struct {
	tagging bool   // the tags are being typed
	typed   string // so far
	wrong   string // with what was typed
}

// Ballot is where a blind comparison is decided; afterwards it says how.
type Ballot struct {
	app.Compo
	p      *Page
	Rev    int
	Thread int
}

// Render implements app.Composer.
func (b *Ballot) Render() (ui app.UI) {
	p := b.p
	defer p.Drawing("the vote", &ui)
	c := p.chat.Shown()
	hidden, verdict := c.Hidden(), c.Verdict()
	var kids []app.UI
	switch {
	case hidden:
		ready := c.CanVote()
		words := "Which answer is best? Names appear after your vote."
		if !ready {
			words = "Names are hidden. You can vote once every answer is done."
		}
		vote := func(lane int, id, name string) app.UI {
			return kit.Button("", kit.At{"id", "vote-" + id, "disabled", !ready}, p.Do("vote "+id, func() {
				p.ballot = ballot{}
				p.chat.Shown().Vote(lane)
				p.FocusComposer()
			}), name)
		}
		kids = append(kids, kit.Box("span", "soft", words))
		for i := range c.Lanes {
			kids = append(kids, vote(i, chat.Letter(i), chat.Letter(i)))
		}
		kids = append(kids, vote(chat.Tie, "Tie", "Tie"))
		if p.chat.Tagging() {
			bad := "All bad"
			if len(c.Lanes) == 2 {
				bad = "Both bad"
			}
			kids = append(kids, vote(chat.AllBad, "bad", bad), b.tags())
		}
	case verdict != "":
		kids = append(kids, kit.El("span", "soft", kit.At{"role", "status"}, verdict))
		if team := c.Ranked(); team != "" {
			kids = append(kids, kit.El("a", "link", kit.At{"id", "ballot-ranking", "href", kit.RankingPath + "?team=" + url.QueryEscape(team)}, "The team’s ranking"))
		}
	}
	return kit.El("div", "line ballot", kit.At{"id", "ballot", "role", "group", "aria-label", "Vote", "hidden", !hidden && verdict == ""}, kids)
}

// tags are those of the next vote: they stand small at the end, and are typed where
// that is asked for.
func (b *Ballot) tags() app.UI {
	p := b.p
	if !p.ballot.tagging {
		name := "Tag it"
		if tags := p.chat.VoteTags(); len(tags) > 0 {
			name = "#" + strings.Join(tags, " #")
		}
		return kit.Button("plain small", kit.At{"id", "vote-tags", "title", "Tags say what a vote is about. The team’s ranking can be filtered by them.",
			"aria-expanded", false, "aria-label", "Tags of the vote: " + name},
			p.Do("vote tags", func() {
				p.ballot = ballot{tagging: true, typed: p.chat.TypedTags()}
				p.changed(chat.PartLanes)
				p.focusNext("#vote-tags-typed")
			}), kit.Box("span", "cut", name))
	}
	return kit.El("form", "line ballot-tags", kit.At{"onsubmit", p.On("vote tags typed", func(_ app.Context, e app.Event) {
		e.PreventDefault()
		if p.ballot.wrong = p.chat.TypeTags(p.ballot.typed); p.ballot.wrong == "" {
			p.ballot = ballot{}
			p.focusNext("#vote-tags")
		}
		p.changed(chat.PartLanes)
	})},
		kit.El("label", "soft", kit.At{"for", "vote-tags-typed"}, "Tags, separated by commas"),
		p.Field("vote-tags-typed", "field", kit.At{"placeholder", "code, summaries", "maxlength", (wire.MaxVoteTag + 2) * wire.MaxVoteTags,
			"aria-invalid", p.ballot.wrong != "", "aria-describedby", "vote-tags-wrong"}, p.ballot.typed, func(text string) { p.ballot.typed = text }),
		kit.Button("", kit.At{"type", "submit"}, nil, "Use"),
		kit.El("span", "bad", kit.At{"id", "vote-tags-wrong", "role", "alert"}, p.ballot.wrong),
	)
}

// focusNext leads to what the next draw makes.
func (p *Page) focusNext(at string) {
	p.Context().Defer(func(app.Context) {
		defer p.Guard("the vote bar")
		p.After(0, func() { p.DOM.Focus(at) })
	})
}
