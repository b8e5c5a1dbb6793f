//go:build js && wasm

package chat

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/inspector"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Commands implements kit.Commanding.
func (p *Page) Commands() []kit.Command {
	always := func() bool { return true }
	shown := func() bool { return p.shown }
	named := func() bool { return p.shown && !p.chat.Shown().Hidden() }
	open := func() bool { return p.shown && p.chat.Current != nil && p.chat.Current.Phase == chat.Ready }
	running := func() bool { return p.shown && p.chat.Running() }
	retry := func() bool { return open() && !p.chat.Focused().Running() && p.lastAnswer() != "" }
	return []kit.Command{
		{Name: "New conversation", Keys: "n", When: always, Do: func() { p.Context().Navigate("/"); p.FocusComposer() }},
		{Name: "Search everything", Keys: "/", When: always, Do: p.search.focus},
		{Name: "Search in this conversation", Keys: "f", When: open, Do: p.search.here},
		{Name: "Write a message", Keys: "c", When: shown, Do: func() { p.DOM.Focus("#composer") }},
		{Name: "Add images", When: func() bool { words, _ := p.chat.Shown().ImagesRefused(); return p.shown && !p.Guest && words == "" }, Do: p.chooseImages},
		{Name: "Choose the model", Keys: "m", When: named, Do: func() { p.picker.show(p.chat.Shown().Focused) }},
		{Name: "Compare with another model", Keys: "l", When: func() bool { return named() && !p.chat.Shown().Full() }, Do: p.addLane},
		{Name: "Stop the answers", When: running, Do: func() { p.chat.Stop(); p.FocusComposer() }},
		{Name: "Retry the last answer", When: retry, Do: func() { p.threads.stick(); p.chat.Focused().Retry(p.lastAnswer()) }},
		{Name: "Blind comparison, on or off", When: func() bool { return named() && p.chat.Current == nil && len(p.chat.Shown().Lanes) > 1 },
			Do: func() { p.chat.SetBlind(!p.chat.Shown().Blind) }},
		{Name: "Tools: functions and web search", When: named, Do: func() { p.openTools(p.chat.Shown().Focused) }},
		{Name: "Instructions for the model (system prompt)", When: named, Do: p.writeSystem},
		{Name: "Saved prompts and settings", When: shown, Do: func() { p.openLibrary(wire.LibraryPrompt) }},
		{Name: "Show or hide the drawer", Keys: "i", When: shown, Do: p.inspector.Toggle},
		{Name: "Show the parameters", When: shown, Do: func() { p.inspector.Open(inspector.Params) }},
		{Name: "Show the request", When: shown, Do: func() { p.inspector.Open(inspector.Request) }},
		{Name: "Show the wire", When: shown, Do: func() { p.inspector.Open(inspector.Wire) }},
		{Name: "Next conversation", Keys: "j", When: always, Do: func() { p.toNeighbour(1) }},
		{Name: "Previous conversation", Keys: "k", When: always, Do: func() { p.toNeighbour(-1) }},
		{Name: "Go to the first message", Keys: "g", When: open, Do: p.toFirst},
		{Name: "Go to the latest message", Keys: "Shift G", When: open, Do: p.threads.toEnd},
		{Name: "Pin or unpin this conversation", Keys: "p", When: open, Do: func() { p.chat.List.Pin(p.chat.Current.ID, !p.chat.Current.Summary.Pinned) }},
		{Name: "Rename this conversation", Keys: "r", When: open, Do: p.beginRename},
		{Name: "Delete this conversation", When: open, Do: p.deleteShown},
		{Name: "Export this conversation as Markdown", When: open, Do: func() { p.Download(wire.ExportPath + p.chat.Current.ID + ".md") }},
		{Name: "Export this conversation as JSON", When: open, Do: func() { p.Download(wire.ExportPath + p.chat.Current.ID + ".json") }},
	}
}

func (p *Page) toNeighbour(by int) {
	if id := p.chat.List.Neighbour(by); id != "" {
		p.place.leafing = true // the keys stay outside of the composer
		p.Context().Navigate("/c/" + id)
	}
}

// lastAnswer is the id of the answer at the end of the focused lane, "" if none.
func (p *Page) lastAnswer() string {
	if path := p.chat.Focused().Path(); len(path) > 0 && path[len(path)-1].Role == "assistant" {
		return path[len(path)-1].ID
	}
	return ""
}

// writeSystem leads to the lane's system prompt.
func (p *Page) writeSystem() {
	p.inspector.Open(inspector.Params)
	p.Context().Defer(func(app.Context) { p.After(0, func() { p.DOM.Focus("#param-system") }) })
}

// toFirst goes to the beginning of each lane.
func (p *Page) toFirst() {
	for i := range p.chat.Current.Lanes {
		if path := p.chat.Current.Lane(i).Path(); len(path) > 0 {
			p.threads.at(i).toMessage(path[0].ID, false)
		}
	}
	p.DOM.Focus("#thread")
}
