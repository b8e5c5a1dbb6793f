//go:build js && wasm

package ui

import (
	"math/rand/v2"
	"strconv"
	"syscall/js"
	"time"

	"github.com/google/uuid"
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/markdown"
	"screentest/app/model"
	"screentest/app/session"
	"screentest/app/socket"
	"screentest/app/ui/kit"
	"screentest/app/ui/spenddesk"
	"screentest/app/ui/videodesk"
	"screentest/shared/wire"
)

// BuildEnv names the page's build among what the server gives go-app's Getenv.
const BuildEnv = "SCREENTEST_BUILD"

// revisions count the changes of the page's parts, for the components' fields.
type revisions struct {
	list, thread, composer, bar, settings, notice, sections int
}

// page is what the components share.
type page struct {
	*kit.Host

	desk *model.Desk
	sock *socket.Socket
	md   markdown.Renderer

	rev   revisions
	dirty model.Part
	stale bool // a section is to be drawn
	drawn bool // a draw is planned

	sections []kit.Section
	section  kit.Section // that is shown, with viewSection

	frame     js.Func
	answers   *answers
	texts     int // drawn so far, for their names
	threads   threads
	composer  *Composer
	picker    pickerState
	tools     toolsState
	library   libraryState
	editing   viewKey // the message that is edited, by lane
	edited    string  // its text so far
	editBegun bool    // just now: its field is yet to come
	palette   paletteState
	finder    *model.Finder // of the search in the list's head
	search    searchForm
	goal      string // message that is gone to once it is known
	goneTo    string // message that the address shown has led to
	sought    string // message that was gone to last, by whatever address
	linked    bool   // the last click was on a link
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
	p := &page{view: viewChat}
	p.Host = kit.NewHost(server{p}, p.redraw)
	p.answers = newAnswers(p)
	p.threads.p = p
	p.desk = model.NewDesk(model.Options{
		Session:  session.New(app.Getenv(BuildEnv)),
		Server:   server{p},
		Storage:  kit.LocalStorage{},
		Now:      time.Now,
		Midnight: kit.Midnight,
		NewID:    uuid.NewString,
		After:    p.After,
		Changed:  p.changed,
		Resend:   p.resend,
	})
	p.finder = p.desk.NewFinder(func() { p.changed(model.PartList) })
	p.palette.finder = p.desk.NewFinder(p.drawPalette)
	p.sections = []kit.Section{videodesk.New(p.Host), spenddesk.New(p.Host, p.desk.Tell)}
	p.inspector = newDrawer(p)
	p.inspector.restore()
	return p
}

// start connects the page, once it stands.
func (p *page) start(ctx app.Context) {
	p.Bind(ctx)
	p.frame = js.FuncOf(func(js.Value, []js.Value) any {
		p.Post(p.draw)
		return nil
	})
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
	p.DOM.On(win, "pagehide", func(js.Value) { p.desk.Commit() }, p.Post)
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
	news, err := p.desk.Hear(push)
	if err != nil {
		p.onFault("news", err)
		return
	}
	p.desk.News(news)
	for _, s := range p.sections {
		s.News(news)
	}
}

func (p *page) onFault(what string, err error) {
	app.Logf("%s of the server could not be read: %v", what, err)
}

// onLog hands a stretch of a log to the answer that it fills, and to the drawer.
func (p *page) onLog(h wire.LogFrame, b []byte) {
	p.desk.Log(h, b)
	p.inspector.inspect.Frame(h, b)
}

func (p *page) onLink(s socket.State) {
	switch s {
	case socket.Open:
		p.desk.SetLink(session.LinkOpen)
		p.inspector.inspect.Reconnected()
	case socket.Offline:
		p.desk.SetLink(session.LinkNone)
	case socket.Reconnecting:
		p.desk.SetLink(session.LinkLost)
	}
}

// changed notes what is to be drawn again, and plans that for the next frame.
// A page in the background has no frames: it is drawn a few times a second, so
// that its title is right.
func (p *page) changed(parts model.Part) {
	p.dirty |= parts
	p.plan()
}

// redraw plans that a section is drawn again.
func (p *page) redraw() {
	p.stale = true
	p.plan()
}

// plan has draw called with the next frame. It says of nothing that it changed.
func (p *page) plan() {
	if p.drawn || p.frame.IsUndefined() {
		return
	}
	p.drawn = true
	if p.Hidden() {
		p.After(300*time.Millisecond, p.draw)
		return
	}
	js.Global().Call("requestAnimationFrame", p.frame)
}

// draw brings the page up to date.
func (p *page) draw() {
	p.seek()
	parts, stale := p.dirty, p.stale
	p.dirty, p.stale, p.drawn = 0, false, false
	if parts&(model.PartStream|model.PartThread) != 0 {
		p.answers.grow()
	}
	if p.answers.work() {
		p.plan()
	}
	p.inspector.draw(parts)
	if parts&^model.PartStream == 0 && !stale {
		return
	}
	for _, c := range []struct {
		part model.Part
		rev  *int
	}{
		{model.PartList, &p.rev.list}, {model.PartThread, &p.rev.thread},
		{model.PartComposer, &p.rev.composer}, {model.PartBar, &p.rev.bar},
		{model.PartSettings, &p.rev.settings}, {model.PartNotice, &p.rev.notice},
	} {
		if parts&c.part != 0 {
			*c.rev++
		}
	}
	if stale {
		p.rev.sections++
	}
	p.setTitle()
	p.speaker.follow(p)
	p.Context().Update()
}

// setTitle lets the document's title follow what is shown.
func (p *page) setTitle() {
	title := "Screentest"
	switch {
	case p.view == viewSettings:
		title = "Settings · Screentest"
	case p.view == viewSection:
		title = p.section.Title() + " · Screentest"
	case p.desk.Current != nil && p.desk.Current.Summary.Title != "":
		title = p.desk.Current.Summary.Title + " · Screentest"
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
	p.changed(model.PartBar)
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
