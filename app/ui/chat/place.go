//go:build js && wasm

package chat

import (
	"net/url"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/shared/wire"
)

// place is where in the conversation the address leads.
type place struct {
	goal    string // message that is gone to once it is known
	reached string // message that the address shown has led to
	sought  string // message that was gone to last, by whatever address
	linked  bool   // the last click was on a link
	leafing bool   // through the conversations, by keys
}

// Go implements kit.Section.
func (p *Page) Go(at *url.URL) bool {
	linked := p.place.linked
	p.place.linked = false
	path := strings.TrimSuffix(at.Path, "/")
	id, isConversation := strings.CutPrefix(path, "/c/")
	if path != "" && (!isConversation || id == "" || strings.Contains(id, "/")) {
		return false
	}
	came := !p.shown
	p.shown, p.renaming = true, false
	p.place.goal, p.place.reached = at.Query().Get("m"), ""
	if path == "" {
		p.chat.Show("")
	} else if id, err := url.PathUnescape(id); err == nil && p.conversationID() != id {
		p.chat.Show(id)
	}
	p.takeOver() // only now is it known which conversation it is for
	switch id := p.conversationID(); {
	case id != p.threads.of:
		p.threads.begin(id)
		p.search.moved()
	case !linked && came && p.place.goal == p.place.sought:
		p.place.goal, p.place.reached = "", p.place.goal // back at the place that was kept
	}
	p.changed(chat.PartAll)
	leafing, seeking := p.place.leafing, p.place.goal != ""
	p.place.leafing = false
	p.Context().Defer(func(app.Context) {
		switch {
		case leafing:
			p.DOM.Focus("#thread")
		case !seeking: // who looks for something reads on there
			p.FocusComposer()
		}
	})
	return true
}

// Leave implements kit.Leaver.
func (p *Page) Leave() {
	p.shown, p.renaming = false, false
	p.place.goal, p.place.reached = "", ""
	p.threads.markPlaces()
	p.changed(chat.PartAll)
}

// OpenHit shows what was found where it is.
func (p *Page) OpenHit(h wire.Hit) {
	p.o.ShowList(false)
	p.Context().Navigate(hitPath(h))
	if c := p.chat.Current; h.Share == "" && c != nil && c.ID == h.Conversation {
		p.place.goal = h.Message // the address may be the one that is shown already
		p.seek()
	}
}

func hitPath(h wire.Hit) string {
	if h.Share != "" {
		if h.Message == "" {
			return wire.SharePath + h.Share
		}
		return wire.SharePath + h.Share + "#" + h.Message
	}
	if h.Video != "" {
		return "/video/" + h.Video
	}
	if h.Message == "" {
		return "/c/" + h.Conversation
	}
	return "/c/" + h.Conversation + "?m=" + h.Message
}

// seek goes to the message that the address names, once it is known.
func (p *Page) seek() {
	c := p.chat.Current
	if p.place.goal == "" || c == nil || c.Phase != chat.Ready || c.Fetching {
		return
	}
	id := p.place.goal
	p.place.goal, p.place.reached, p.place.sought = "", id, id
	p.changed(chat.PartList)
	if lane, _, ok := p.chat.Shown().Find(id); ok {
		p.threads.at(lane).toMessage(id, true)
		return
	}
	p.Tell("That message is no longer in this conversation.")
}
