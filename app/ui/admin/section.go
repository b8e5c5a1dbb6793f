//go:build js && wasm

// Package admin draws the administration of a team's instance: the pages People,
// Teams, Audit and Instance of the settings. What needs no browser is in
// app/admin, which the files here import under the same name.
//
// The two weigh 69 KB of the page's program (brotli 11: 1 459 KB without them,
// 1 528 KB with them), and somebody alone, who never sees them, loads them too. A
// program of their own that comes when they are wanted would bring Go's runtime
// and go-app once more, which are 1 410 KB: so they stay.
package admin

import (
	"net/url"
	"syscall/js"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/admin"
	"screentest/app/session"
	"screentest/app/ui/kit"
)

// group is what the pages stand under in the navigation.
const group = "The instance"

// Section is the administration as the settings see it. It shows nothing to who
// has no part in it.
type Section struct {
	*kit.Host
	desk    *admin.Desk
	session *session.Session
	rev     int
	to      string // the focus goes to what matches it, once it is drawn; "" stays
}

// New returns the section.
func New(h *kit.Host, s *session.Session) *Section {
	c := &Section{Host: h, session: s}
	c.desk = admin.New(admin.Options{
		API: h, Session: s, Now: time.Now, Changed: c.changed, Mistaken: c.mistaken,
		Zone: zone, Midnight: midnight,
	})
	return c
}

// zone is the viewer's time zone.
func zone() string {
	name := js.Global().Get("Intl").Call("DateTimeFormat").Call("resolvedOptions").Get("timeZone")
	if name.Type() != js.TypeString {
		return ""
	}
	return name.String()
}

func midnight(year int, month time.Month, day int) int64 {
	return int64(js.Global().Get("Date").New(year, int(month)-1, day).Call("getTime").Float())
}

func (s *Section) changed() {
	s.rev++
	s.Redraw()
}

// Settings implements kit.Configurable.
func (s *Section) Settings() []kit.Setting {
	var list []kit.Setting
	for _, name := range s.desk.Pages() {
		list = append(list, kit.Setting{
			Name: name, Title: s.title(name), Group: group, Apart: true,
			Draw:  func() app.UI { return s.draw(name) },
			Go:    func(query url.Values) { s.desk.Go(name, query) },
			Leave: s.desk.Leave,
		})
	}
	return list
}

// title is what a page is called. Until there is a second team, the page of
// teams speaks of none.
func (s *Section) title(name string) string {
	switch name {
	case admin.PagePeople:
		return "People"
	case admin.PageTeams:
		if me := s.session.Me(); me != nil && len(me.Teams) > 1 || s.desk.Teams.Several() {
			return "Teams"
		}
		return "Shared key and limits"
	case admin.PageAudit:
		return "Audit"
	}
	return "Instance"
}

func (s *Section) draw(name string) app.UI {
	switch name {
	case admin.PagePeople:
		return &People{s: s, Rev: s.rev}
	case admin.PageTeams:
		return &Teams{s: s, Rev: s.rev}
	case admin.PageAudit:
		return &Audit{s: s, Rev: s.rev}
	}
	return &Instance{s: s, Rev: s.rev}
}

// mistaken goes to the first field that something is wrong with.
func (s *Section) mistaken() { s.goTo(`.settings [aria-invalid="true"]`) }

// goTo has the focus go to what matches, once what is planned is drawn.
func (s *Section) goTo(selector string) {
	s.to = selector
	s.changed()
}

// drawn moves the focus where it is to go.
func (s *Section) drawn(ctx app.Context) {
	if to := s.to; to != "" {
		s.to = ""
		ctx.Defer(func(app.Context) {
			defer s.Guard("the focus")
			s.DOM.Focus(to)
		})
	}
}

// when writes a time by the viewer's clock.
func when(ms int64) string { return kit.Wall(ms).Format("2 Jan 2006, 15:04") }
