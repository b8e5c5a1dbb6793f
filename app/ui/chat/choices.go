//go:build js && wasm

package chat

import (
	"strings"

	"screentest/app/chat"
	"screentest/app/fuzzy"
)

// The groups of what the palette offers of the chat.
const (
	GroupModels        = "Answer with"
	GroupConversations = "Conversations"
)

// Choices are what the palette offers of the chat for what was typed.
func (p *Page) Choices(query string) []fuzzy.Choice {
	var all []fuzzy.Choice
	if query != "" && !p.chat.Shown().Hidden() {
		for _, m := range p.session.Models {
			all = append(all, fuzzy.Choice{Group: GroupModels, Name: m.ID, Note: string(m.Endpoint), ID: m.ID})
		}
	}
	for _, g := range p.chat.List.Groups() {
		for _, s := range g.Rows {
			all = append(all, fuzzy.Choice{Group: GroupConversations, Name: TitleOf(s.Title), Note: p.chat.List.Models(s), ID: s.ID})
		}
	}
	return all
}

// Choose does what a choice stands for.
func (p *Page) Choose(c fuzzy.Choice) {
	if c.Group == GroupConversations {
		p.Context().Navigate("/c/" + c.ID)
		return
	}
	p.chat.Focused().Choose(c.ID)
	if !p.shown {
		p.Context().Navigate(p.Item().Path)
	}
	p.FocusComposer()
}

// Finder searches everything; see app/chat.
type Finder = chat.Finder

// NewFinder returns a Finder for the palette.
func (p *Page) NewFinder(changed func()) *Finder {
	return chat.NewFinder(p.Server, p.After, changed)
}

// SearchFor shows all messages that are found by query.
func (p *Page) SearchFor(query string) {
	p.search.set(searchForm{query: strings.TrimSpace(query)})
	p.search.focus()
}
