//go:build js && wasm

package ui

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/google/uuid"
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/markdown"
	"screentest/app/session"
	"screentest/app/socket"
	"screentest/app/ui/kit"
	"screentest/app/ui/spend"
	"screentest/app/ui/video"
	"screentest/shared/wire"
)

// BuildEnv names the page's build among what the server gives go-app's Getenv.
const BuildEnv = "SCREENTEST_BUILD"

// revisions count the changes of the page's parts, for the components' fields.
type revisions struct {
	list, thread, lanes, composer, bar, library, notice, settings, sections int
}

// noticeFor is how long a sentence is shown.
const noticeFor = 7 * time.Second

// page is what the components share.
type page struct {
	*kit.Host

	session *session.Session
	chat    *chat.Chat
	sock    *socket.Socket
	md      markdown.Renderer
	storage chat.Storage
	rev     revisions

	sections []kit.Section
	section  kit.Section // that is shown, with viewSection

	answers      *answers
	texts        int // drawn so far, for their names
	threads      threads
	composer     *Composer
	picker       pickerState
	tools        toolsState
	library      libraryState
	editing      viewKey // the message that is edited, by lane
	edited       string  // its text so far
	editBegun    bool    // just now: its field is yet to come
	palette      paletteState
	finder       *chat.Finder // of the search in the list's head
	search       searchForm
	goal         string // message that is gone to once it is known
	goneTo       string // message that the address shown has led to
	sought       string // message that was gone to last, by whatever address
	linked       bool   // the last click was on a link
	notice       string // a sentence that is shown for a while; "" if none
	forgetNotice func() // ends the time for that
	followChange func() // with the next frame; see onChanged
	// resultField is the id of the field for a call's result that is led to once
	// it is drawn.
	resultField string
	leafing     bool // through the conversations, by keys
	data        importing
	speaker     speaker
	inspector   *drawer

	view     view
	narrow   js.Value // MediaQueryList: of a phone
	drawer   bool     // on a phone: the list is open
	renaming bool     // the title is being edited
	carried  string   // what was typed before the program had arrived
	keyForm  keyForm
}

// view is what the main part shows.
type view string

const (
	viewChat     view = "chat"
	viewSettings view = "settings"
	viewSection  view = "section" // see page.section
	viewNowhere  view = "nowhere"
)

func newPage() *page {
	p := &page{view: viewChat, session: session.New(app.Getenv(BuildEnv)), storage: kit.LocalStorage{}}
	p.Host = kit.NewHost(server{p}, p.draw)
	p.answers = newAnswers(p)
	p.threads.p = p
	p.followChange = p.Waker(p.onChanged)
	p.inspector = newDrawer(p)
	p.inspector.restore()
	p.chat = chat.New(chat.Options{
		Session:  p.session,
		Server:   p.Server,
		Storage:  p.storage,
		Now:      time.Now,
		Midnight: kit.Midnight,
		NewID:    uuid.NewString,
		After:    p.After,
		Changed:  p.changed,
		Grew:     p.answers.draw,
		Tell:     p.Tell,
		Resend:   p.resend,
	})
	p.finder = chat.NewFinder(p.Server, p.After, func() { p.changed(chat.PartList) })
	p.palette.finder = chat.NewFinder(p.Server, p.After, p.drawPalette)
	p.sections = []kit.Section{video.New(p.Host), spend.New(p.Host, p.Tell)}
	return p
}

// start connects the page, once it stands.
func (p *page) start(ctx app.Context) {
	p.Bind(ctx)
	p.sock = socket.New(socket.Options{
		Dial:    socket.Browser(p.Post),
		Post:    p.Post,
		Rand:    rand.Float64,
		OnState: p.onLink,
		OnNews:  p.onNews,
		OnLog:   p.onLog,
		OnFault: p.onFault,
	})
	p.listen()
	p.sock.Start()
}

// listen watches what concerns the whole page.
func (p *page) listen() {
	win := js.Global()
	// It comes before go-app's at the window, which follows the link.
	p.DOM.On(p.DOM.Doc, "click", func(ev js.Value) {
		e := ev.Get("target")
		p.linked = e.Get("closest").Truthy() && e.Call("closest", "a:not(."+markdown.NoteClass+")").Truthy()
	}, p.Post)
	p.DOM.On(win, "online", func(js.Value) { p.sock.Nudge() }, p.Post)
	p.DOM.On(win, "offline", func(js.Value) { p.sock.NetworkLost() }, p.Post)
	p.DOM.On(p.DOM.Doc, "visibilitychange", func(js.Value) {
		if !p.Hidden() {
			p.sock.Nudge()
		}
	}, p.Post)
	p.DOM.On(win, "pagehide", func(js.Value) { p.chat.List.Commit() }, p.Post)
	p.DOM.On(p.DOM.Doc, "keydown", p.onKey, p.Post)
	p.DOM.On(p.DOM.Doc, "click", p.onCopyCode, p.Post)
	p.narrow = js.Global().Call("matchMedia", "(max-width: 50rem)")
	p.DOM.On(p.narrow, "change", func(js.Value) {
		if !p.narrow.Get("matches").Bool() {
			p.setDrawer(false) // the list stands beside the rest now
		}
	}, p.Post)
	p.followNotes()
	p.inspector.listen()
}

// onNews hands the server's news to all whom they may concern.
func (p *page) onNews(push wire.Push) {
	news, err := p.session.Hear(push)
	if err != nil {
		p.onFault("news", err)
		return
	}
	if _, greeted := news.(session.Greeting); greeted {
		p.rev.settings++
	}
	p.chat.News(news)
	for _, s := range p.sections {
		s.News(news)
	}
}

func (p *page) onFault(what string, err error) {
	app.Logf("%s of the server could not be read: %v", what, err)
}

// onLog hands a stretch of a log to the answer that it fills, and to the drawer.
func (p *page) onLog(h wire.LogFrame, b []byte) {
	p.chat.Log(h, b)
	p.inspector.inspect.Frame(h, b)
}

func (p *page) onLink(s socket.State) {
	switch s {
	case socket.Open:
		p.session.Link = session.LinkOpen
		p.chat.Reconnected()
		p.inspector.inspect.Reconnected()
	case socket.Offline:
		p.session.Link = session.LinkNone
	case socket.Reconnecting:
		p.session.Link = session.LinkLost
	}
	p.changed(chat.PartBar)
}

// changed has parts of the chat drawn again with the next frame.
func (p *page) changed(parts chat.Part) {
	for _, c := range []struct {
		part chat.Part
		rev  *int
	}{
		{chat.PartList, &p.rev.list}, {chat.PartThread, &p.rev.thread}, {chat.PartLanes, &p.rev.lanes},
		{chat.PartComposer, &p.rev.composer}, {chat.PartBar, &p.rev.bar}, {chat.PartLibrary, &p.rev.library},
		{chat.PartUndo, &p.rev.notice},
	} {
		if parts&c.part != 0 {
			*c.rev++
		}
	}
	p.answers.draw()
	p.inspector.touch()
	p.followChange()
	p.Redraw()
}

// onChanged goes where a change of the chat may lead.
func (p *page) onChanged() {
	p.seek()
	p.speaker.follow(p)
}

// draw brings the page up to date.
func (p *page) draw() {
	p.rev.sections++
	p.setTitle()
	p.Context().Update()
}

// Tell shows a sentence for a while.
func (p *page) Tell(words string) {
	if p.forgetNotice != nil {
		p.forgetNotice()
	}
	p.notice = strings.TrimSpace(words)
	p.forgetNotice = p.After(noticeFor, func() {
		p.notice, p.forgetNotice = "", nil
		p.changed(chat.PartUndo)
	})
	p.changed(chat.PartUndo)
}

// setTitle lets the document's title follow what is shown.
func (p *page) setTitle() {
	title := "Screentest"
	switch {
	case p.view == viewSettings:
		title = "Settings · Screentest"
	case p.view == viewSection:
		title = p.section.Title() + " · Screentest"
	case p.chat.Current != nil && p.chat.Current.Summary.Title != "":
		title = p.chat.Current.Summary.Title + " · Screentest"
	}
	unseen := 0
	for _, s := range p.sections {
		unseen += s.Item().Count
	}
	if unseen > 0 {
		title = "(" + strconv.Itoa(unseen) + ") " + title
	}
	if p.DOM.Doc.Get("title").String() != title {
		p.DOM.Doc.Set("title", title)
	}
}

func (p *page) setDrawer(open bool) {
	if p.drawer == open {
		return
	}
	p.drawer = open
	p.changed(chat.PartBar)
	p.Context().Defer(func(app.Context) {
		p.DOM.Find("#main").Set("inert", open)
		if open {
			p.DOM.Focus("#new-conversation")
		} else if p.DOM.Doc.Get("activeElement").Equal(p.DOM.Doc.Get("body")) {
			p.DOM.Focus("#menu")
		}
	})
}

// server is the socket as the model sees it; the model is made first.
type server struct{ p *page }

func (s server) Call(op wire.Op, args any, done socket.Done) { s.p.sock.Call(op, args, done) }
func (s server) Once(op wire.Op, args any, done socket.Done) { s.p.sock.Once(op, args, done) }
