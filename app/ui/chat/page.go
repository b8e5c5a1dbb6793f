//go:build js && wasm

// Package chat draws the page of the chat: the list of conversations, the lanes
// with their messages, the composer, and the dialogs that go with them. What it
// knows is in package app/chat.
//
// [New] makes the [Page], a kit.Section. Its components get revisions and ids as
// exported fields, so that go-app draws again only those whose part changed (see
// Page.changed). The text of an answer bypasses go-app: it is drawn by direct DOM
// (see answers.go), and of a long conversation only what is near the window is in
// the document (see scroll.go).
package chat

import (
	"syscall/js"
	"time"

	"github.com/google/uuid"
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/session"
	"screentest/app/ui/inspector"
	"screentest/app/ui/kit"
	"screentest/app/ui/prose"
	"screentest/shared/markdown"
	"screentest/shared/wire"
)

// Options are what the Page needs from the Shell.
type Options struct {
	Session *session.Session
	Storage chat.Storage
	// ShowList opens and closes the list of conversations where it does not stand
	// beside the page: on a phone.
	ShowList func(open bool)
	// Rail makes the items of the rail, which stand under the list on a phone.
	Rail func() []app.UI
	// OpenPalette opens the palette.
	OpenPalette func()
}

// Page is the chat as the Shell sees it. See the package's comment.
type Page struct {
	*kit.Host
	o       Options
	session *session.Session
	chat    *chat.Chat
	rev     revisions
	follow  func() // has followChange called with the next frame

	shown     bool // the chat is the section that is shown
	place     place
	pen       *prose.Pen
	answers   *answers
	threads   threads
	speaker   speaker
	inspector *inspector.Inspector

	shell    shell
	picker   picker
	tools    toolsState
	library  libraryState
	edit     edit
	ballot   ballot
	renaming bool   // the title is being edited
	newTitle string // so far
	search   search
	view     imageView
	// resultField is the id of the field for a call's result that is led to once
	// it is drawn.
	resultField string
}

// revisions count the changes of the page's parts, for the components' fields.
type revisions struct {
	list, thread, lanes, composer, bar, library int
}

// New makes the page, which is shown until another address is known. What was
// typed before the program had arrived is put into the composer by the first
// address.
func New(h *kit.Host, o Options) *Page {
	p := &Page{Host: h, o: o, session: o.Session, pen: prose.NewPen(h.DOM), shown: true}
	p.shell = newShell(p.DOM.ByID("composer"))
	p.answers = newAnswers(p)
	p.threads.p = p
	p.threads.sizes.ts = &p.threads
	p.follow = p.Waker(p.followChange)
	p.chat = chat.New(chat.Options{
		Session:  p.session,
		Server:   p.Server,
		Storage:  o.Storage,
		Now:      time.Now,
		Midnight: kit.Midnight,
		NewID:    uuid.NewString,
		After:    p.After,
		Changed:  p.changed,
		Grew:     p.answers.draw,
		Tell:     p.Tell,
		Resend:   p.resend,
	})
	p.inspector = inspector.New(h, inspector.Options{
		Chat:         p.chat,
		Session:      p.session,
		Storage:      o.Storage,
		Pen:          p.pen,
		Shown:        func() bool { return p.shown },
		Busy:         func() bool { return p.picker.open || p.Modal() },
		Changed:      func() { p.changed(chat.PartBar) },
		Reveal:       func(lane int) { p.Reveal(threadID("lane", lane)) },
		FollowEnd:    func(lane int) { p.threads.at(lane).stuck = true },
		OpenTools:    p.openTools,
		OpenSettings: func() { p.openLibrary(wire.LibrarySettings) },
	})
	p.picker.p, p.search.p = p, p
	p.search.finder = chat.NewFinder(p.Server, p.After, func() { p.changed(chat.PartList) })
	return p
}

// Listen watches what concerns the whole document.
func (p *Page) Listen() {
	// It comes before go-app's at the window, which follows the link.
	p.DOM.On(p.DOM.Doc, "click", func(ev js.Value) {
		e := ev.Get("target")
		p.place.linked = e.Get("closest").Truthy() && e.Call("closest", "a:not(."+markdown.NoteClass+")").Truthy()
	}, p.Post)
	p.DOM.On(js.Global(), "pagehide", func(js.Value) { p.chat.List.Commit() }, p.Post)
	p.DOM.On(p.DOM.Doc, "click", p.onCopyCode, p.Post)
	p.followNotes()
	p.listenImages()
	p.inspector.Listen()
}

// changed has parts of the chat drawn again with the next frame.
func (p *Page) changed(parts chat.Part) {
	for _, c := range []struct {
		part chat.Part
		rev  *int
	}{
		{chat.PartList, &p.rev.list}, {chat.PartThread, &p.rev.thread}, {chat.PartLanes, &p.rev.lanes},
		{chat.PartComposer, &p.rev.composer}, {chat.PartBar, &p.rev.bar}, {chat.PartLibrary, &p.rev.library},
	} {
		if parts&c.part != 0 {
			*c.rev++
		}
	}
	p.answers.draw()
	p.inspector.Touch()
	p.follow()
	p.Redraw()
}

// followChange goes where a change of the chat may lead.
func (p *Page) followChange() {
	p.seek()
	p.speaker.follow(p)
}

// Log takes a stretch of a run's log: for the answer that it fills, and for the
// inspector.
func (p *Page) Log(h wire.LogFrame, b []byte) {
	p.chat.Log(h, b)
	p.inspector.Log(h, b)
}

// Reconnected goes on where the lost connection has cut.
func (p *Page) Reconnected() {
	p.chat.Reconnected()
	p.inspector.Reconnected()
}

// SharesChanged shows a guest where to find what is shared with them.
func (p *Page) SharesChanged() {
	if p.Guest {
		p.changed(chat.PartThread)
	}
}

// Imported shows what an import brought.
func (p *Page) Imported() { p.chat.List.Fetch() }

// News implements kit.Section.
func (p *Page) News(n session.News) { p.chat.News(n) }

// Item implements kit.Section. Chat leads back to the conversation from
// elsewhere, and to a new one from a conversation.
func (p *Page) Item() kit.Item {
	i := kit.Item{Path: "/", Name: "Chat", Icon: kit.IconChat}
	if c := p.chat.Current; c != nil && !p.shown {
		i.Path = "/c/" + c.ID
	}
	return i
}

// Title implements kit.Section.
func (p *Page) Title() string {
	if c := p.chat.Current; c != nil {
		return c.Summary.Title
	}
	return ""
}

// Escape implements kit.Escaping.
func (p *Page) Escape() {
	switch {
	case p.picker.open: // closes itself
	case p.renaming:
		p.endRename(false)
	case p.inspector.IsOpen() && p.inspector.Narrow():
		p.inspector.Close()
	case p.chat.Running():
		p.chat.Stop()
	}
}

// Render implements kit.Section.
func (p *Page) Render() app.UI {
	return kit.Box("div", "work",
		kit.Box("div", "desk",
			p.copiedFrom(),
			p.lanes(p.conversationID()),
			&Composer{p: p, Rev: p.rev.composer, Conversation: p.conversationID(), Budget: p.Budget},
		),
		p.inspector.UI(p.rev.lanes),
	)
}

// copiedFrom says of what another showed the conversation is a copy.
func (p *Page) copiedFrom() app.UI {
	c := p.chat.Current
	if c == nil {
		return kit.Nothing()
	}
	return kit.CopiedFrom("copied-from", c.Summary.Copied)
}

// Side is the list of conversations. Under it stand the items of the rail, whose
// marks are given.
func (p *Page) Side(marks string) app.UI {
	return &Side{p: p, Rev: p.rev.list, Conversation: p.conversationID(), Shown: p.shown, Marks: marks}
}

// Dialogs implements kit.Dialogued.
func (p *Page) Dialogs() []app.UI {
	return []app.UI{
		&Picker{p: p, Rev: p.rev.lanes, Open: p.picker.open, Query: p.picker.query, Active: p.picker.active},
		&Tools{p: p, Rev: p.rev.lanes, Open: p.tools.open, Lane: p.tools.lane, At: p.tools.at, Form: p.tools.form},
		&ImageView{p: p, Rev: p.rev.composer, Open: p.view.open, N: p.view.n, List: p.view.list},
		&Library{p: p, Rev: p.rev.library, Open: p.library.open, Kind: p.library.kind, Filling: p.library.filling, Problem: p.library.problem},
	}
}

// Notices implements kit.Noticing: what can be undone.
func (p *Page) Notices() []app.UI {
	var list []app.UI
	if closed := p.chat.Closed(); closed != nil {
		list = append(list, kit.El("div", "toast", kit.At{"id", "closed"},
			kit.Box("span", "toast-words", closed.Words),
			kit.Button("", kit.At{"id", "undo-close"}, p.Do("undo-close", func() { p.threads.stick(); p.chat.UndoClose(); p.FocusComposer() }), "Undo"),
		))
	}
	if deleted := p.chat.List.Deleted; deleted != nil {
		title := deleted.Title
		if title == "" {
			title = "the conversation"
		}
		list = append(list, kit.Box("div", "toast",
			kit.Box("span", "toast-words cut", "Deleted “"+title+"”"),
			kit.Button("", kit.At{"id", "undo"},
				p.Do("undo", func() {
					if id := p.chat.List.Undo(); id != "" {
						p.Context().Navigate("/c/" + id)
					}
				}), "Undo"),
		))
	}
	return list
}

// conversationID is the conversation that is shown, or would be by Chat; "" is
// one that has yet to be begun.
func (p *Page) conversationID() string { return p.chat.Shown().ID }
