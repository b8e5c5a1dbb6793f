//go:build js && wasm

// Package notices is the page of notices: what the person is told of what concerns
// them, with the number of those that are new beside its bell in the rail.
package notices

import (
	"net/url"
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/notices"
	"screentest/app/session"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Path is where the page is.
const Path = "/notices"

const iconBell kit.IconPath = "M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 20.5h4M12 3v2"

// Approvals are what waits for the person, see package approval.
type Approvals interface {
	// Waits says whether one, by its id, does; About is what it is, and what can be
	// done with it.
	Waits(id string) bool
	About(id string) app.UI
	Rev() int
}

// Section is the page of notices as the Shell knows it.
type Section struct {
	*kit.Host
	desk      *notices.Desk
	approvals Approvals
	shown     bool
	rev       int
}

// New makes the section.
func New(h *kit.Host, a Approvals) *Section {
	s := &Section{Host: h, approvals: a}
	s.desk = notices.NewDesk(notices.Options{
		Server:  h.Server,
		Looking: func() bool { return s.shown && !s.Hidden() },
		Changed: s.changed,
		Tell:    func(n wire.Notice) { h.Tell(words(n)) },
	})
	s.DOM.On(s.DOM.Doc, "visibilitychange", func(js.Value) { s.look() }, s.Post)
	return s
}

func (s *Section) changed() {
	s.rev++
	s.Redraw()
}

// Item implements kit.Section.
func (s *Section) Item() kit.Item {
	return kit.Item{Path: Path, Name: "Notices", Icon: iconBell, Count: s.desk.Unseen}
}

// Go implements kit.Section.
func (s *Section) Go(at *url.URL) bool {
	s.shown = strings.TrimSuffix(at.Path, "/") == Path
	if s.shown {
		s.look()
	}
	return s.shown
}

// look takes it that what there is was seen.
func (s *Section) look() {
	if s.shown && !s.Hidden() {
		s.desk.Look()
		s.changed()
	}
}

// Leave implements kit.Leaver.
func (s *Section) Leave() {
	s.shown = false
	s.desk.Leave()
}

// Title implements kit.Section.
func (s *Section) Title() string { return "Notices" }

// News implements kit.Section.
func (s *Section) News(n session.News) { s.desk.News(n) }

// Commands implements kit.Commanding.
func (s *Section) Commands() []kit.Command {
	return []kit.Command{{Name: "Notices", When: func() bool { return true }, Do: func() { s.Context().Navigate(Path) }}}
}

// Render implements kit.Section.
func (s *Section) Render() app.UI { return &Page{s: s, Rev: s.rev, Waiting: s.approvals.Rev()} }

// Page is the page.
type Page struct {
	app.Compo
	s       *Section
	Rev     int
	Waiting int
}

// Render implements app.Composer.
func (p *Page) Render() (ui app.UI) {
	s := p.s
	defer s.Drawing("the notices", &ui)
	d := s.desk
	switch {
	case d.Problem != nil && !d.Came:
		return kit.Box("div", "notices", kit.Notice(kit.Bad, "", kit.At{"role", "alert"},
			kit.Box("p", "", d.Problem.Message),
			kit.Button("", nil, s.Do("again", d.Fetch), "Try again")))
	case !d.Came:
		return kit.Box("div", "notices", kit.El("p", "soft", kit.At{"role", "status"}, "Loading…"))
	case len(d.List) == 0:
		return kit.Empty("page",
			kit.Box("p", "", "No notifications yet. Shares, mentions and clips to approve appear here."),
			kit.El("a", "button primary", kit.At{"href", "/"}, "New conversation"))
	}
	return kit.Box("div", "notices",
		kit.El("ul", "notice-list", kit.At{"id", "notices", "aria-label", "Notices"},
			kit.Times(len(d.List), func(i int) app.UI { return s.line(d.List[i]) })),
		kit.If(d.More(), func() app.UI {
			return kit.Button("", kit.At{"id", "more-notices", "disabled", d.Loading}, s.Do("more", d.FetchMore), "Show older ones")
		}))
}

// line is one of them.
func (s *Section) line(n wire.Notice) app.UI {
	return kit.El("li", "notice-line", kit.At{"data-new", s.desk.Fresh(n)},
		kit.El("a", "notice-link", kit.At{"href", n.Path},
			kit.If(s.desk.Fresh(n), func() app.UI { return kit.Box("span", "sr-only", "New: ") }),
			kit.If(n.By != "", func() app.UI { return kit.Box("strong", "", n.By+" ") }),
			kit.Box("span", "", n.Text)),
		kit.El("time", "faint figure", nil, kit.Wall(n.AtMS).Format("2 Jan, 15:04")),
		kit.If(n.Kind == wire.NoticeApproval && s.approvals.Waits(n.Subject), func() app.UI { return s.approvals.About(n.Subject) }))
}

// words are a notice as a sentence.
func words(n wire.Notice) string { return strings.TrimSpace(n.By+" "+n.Text) + "." }
