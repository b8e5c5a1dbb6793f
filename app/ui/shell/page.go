//go:build js && wasm

package shell

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/session"
	"screentest/app/socket"
	"screentest/app/ui/admin"
	"screentest/app/ui/approval"
	"screentest/app/ui/chat"
	"screentest/app/ui/kit"
	"screentest/app/ui/notices"
	"screentest/app/ui/ranking"
	"screentest/app/ui/settings"
	"screentest/app/ui/spend"
	"screentest/shared/wire"
)

// BuildEnv names the page's build among what the server gives go-app's Getenv.
const BuildEnv = "SCREENTEST_BUILD"

// noticeFor is how long a sentence is shown.
const noticeFor = 7 * time.Second

// page is the page: its sections, and what stands around them.
type page struct {
	*kit.Host

	session *session.Session
	sock    *socket.Socket

	chat      *chat.Page // that is also the first of the sections
	admin     *admin.Section
	settings  *settings.Page
	account   *account       // nil alone
	approvals *approval.View // likewise
	sections  []kit.Section
	section   kit.Section // that is shown; nil at an address of nothing

	rev      int      // counts the changes of the bar
	narrow   js.Value // MediaQueryList: of a phone
	listOpen bool     // on a phone: the list of conversations is
	palette  palette

	notice    string // a sentence that is shown for a while; "" if none
	endNotice func() // calls its timer off
}

func newPage() *page {
	p := &page{session: session.New(app.Getenv(BuildEnv))}
	p.Host = kit.NewHost(server{p}, p.draw)
	p.Tell, p.Charge = p.tell, p.charge
	storage := kit.LocalStorage{}
	p.chat = chat.New(p.Host, chat.Options{
		Session: p.session, Storage: storage, Rail: p.railItems, ShowList: p.showList, OpenPalette: p.togglePalette,
	})
	p.admin = admin.New(p.Host, p.session)
	p.settings = settings.New(p.Host, settings.Options{
		Session: p.session, Storage: storage, Others: p.settingsOfSections, Imported: p.chat.Imported, Dismissed: p.chat.FocusComposer,
	})
	if kit.HasAccounts() {
		p.approvals = approval.New(p.Host)
	}
	clips := p.videos()
	p.sections = []kit.Section{p.chat, clips, spend.New(p.Host, p.Tell)}
	if kit.HasAccounts() {
		p.sections = slices.Insert(p.sections, 2, p.shares(clips))
		p.sections = append(p.sections, ranking.New(p.Host), notices.New(p.Host, p.approvals))
	}
	p.sections = append(p.sections, p.settings)
	p.section = p.chat // until the address is known
	p.palette.finder = p.chat.NewFinder(p.drawPalette)
	if kit.HasAccounts() {
		p.account = newAccount(p)
	}
	return p
}

// start connects the page, once it stands.
func (p *page) start(ctx app.Context) {
	p.Bind(ctx)
	o := socket.Options{
		Dial:    socket.Browser(p.Post),
		Post:    p.Post,
		Rand:    rand.Float64,
		OnState: p.onLink,
		OnNews:  p.onNews,
		OnLog:   p.chat.Log,
		OnFault: p.onFault,
	}
	if p.account != nil {
		o.OnRefused = p.account.refused
		p.account.listen()
	}
	p.sock = socket.New(o)
	p.listen()
	p.sock.Start()
}

// listen watches what concerns the whole page.
func (p *page) listen() {
	win := js.Global()
	p.chat.Listen()
	p.DOM.On(win, "online", func(js.Value) { p.sock.Nudge() }, p.Post)
	p.DOM.On(win, "offline", func(js.Value) { p.sock.NetworkLost() }, p.Post)
	p.DOM.On(p.DOM.Doc, "visibilitychange", func(js.Value) {
		if !p.Hidden() {
			p.sock.Nudge()
		}
	}, p.Post)
	p.DOM.On(p.DOM.Doc, "keydown", p.onKey, p.Post)
	p.narrow = win.Call("matchMedia", "(max-width: 50rem)")
	p.DOM.On(p.narrow, "change", func(js.Value) {
		if !p.narrow.Get("matches").Bool() {
			p.showList(false) // it stands beside the rest now
		}
	}, p.Post)
}

// onNews hands the server's news to all whom they may concern.
func (p *page) onNews(push wire.Push) {
	news, err := p.session.Hear(push)
	if err != nil {
		p.onFault("news", err)
		return
	}
	switch news.(type) {
	case session.Greeting:
		if p.account != nil {
			p.account.greeted(p.session.Me())
		}
	case session.Missed: // as if the line had been cut; what else there is asks with each greeting
		p.chat.Reconnected()
	}
	p.hand(news)
}

// charge has sends charged to something else from now on.
func (p *page) charge(id string) { p.hand(p.session.SetCharge(id)) }

// hand gives news to all whom they may concern.
func (p *page) hand(news session.News) {
	if _, greeted := news.(session.Greeting); greeted {
		p.Guest = p.session.Guest()
		p.Charges, p.Charged = p.session.Charges(), p.session.Charge().ID
		p.changed()
	}
	if p.approvals != nil {
		p.approvals.News(news)
	}
	for _, s := range p.sections {
		s.News(news)
	}
}

func (p *page) onFault(what string, err error) {
	app.Logf("%s of the server could not be read: %v", what, err)
}

func (p *page) onLink(s socket.State) {
	switch s {
	case socket.Open:
		p.session.Link = session.LinkOpen
		p.chat.Reconnected()
	case socket.Offline:
		p.session.Link = session.LinkNone
	case socket.Reconnecting:
		p.session.Link = session.LinkLost
	case socket.SignedOut:
		p.session.Link = session.LinkSignedOut
		p.account.signedOut(nil)
	}
	p.Lost = p.session.Link != session.LinkOpen
	p.changed()
}

// changed has the bar drawn again with the next frame.
func (p *page) changed() {
	p.rev++
	p.Redraw()
}

// draw brings the page up to date.
func (p *page) draw() {
	p.setTitle()
	p.Context().Update()
}

// setTitle lets the document's title follow what is shown.
func (p *page) setTitle() {
	title := "Screentest"
	if p.section != nil && p.section.Title() != "" {
		title = p.section.Title() + " · Screentest"
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

// tell shows a sentence for a while.
func (p *page) tell(words string) {
	if p.endNotice != nil {
		p.endNotice()
	}
	p.notice = strings.TrimSpace(words)
	p.endNotice = p.After(noticeFor, func() {
		p.notice, p.endNotice = "", nil
		p.Redraw()
	})
	p.Redraw()
}

// settingsOfSections makes the settings of the sections that have some.
func (p *page) settingsOfSections() []kit.Setting {
	var list []kit.Setting
	if p.account != nil {
		list = append(list, p.account.settings()...)
	}
	for _, s := range p.sections {
		if c, ok := s.(kit.Configurable); ok {
			list = append(list, c.Settings()...)
		}
	}
	return append(list, p.admin.Settings()...)
}

// showList opens and closes the list of conversations on a phone.
func (p *page) showList(open bool) {
	if p.listOpen == open {
		return
	}
	p.listOpen = open
	p.changed()
	p.Context().Defer(func(app.Context) {
		p.DOM.Find("#main").Set("inert", open)
		if open {
			p.DOM.Focus("#new-conversation")
		} else if p.DOM.Doc.Get("activeElement").Equal(p.DOM.Doc.Get("body")) {
			p.DOM.Focus("#menu")
		}
	})
}

// server is the socket as the sections see it; they are made first.
type server struct{ p *page }

func (s server) Call(op wire.Op, args any, done socket.Done) { s.p.sock.Call(op, args, done) }
func (s server) Once(op wire.Op, args any, done socket.Done) { s.p.sock.Once(op, args, done) }
