//go:build js && wasm

// Package share draws sharing: the dialog that shares a conversation or a clip and
// says who sees it, and the page Shared. What needs no browser is in app/share,
// which the files here import under the same name. Other parts of the page get at
// it by kit.Sharing.
package share

import (
	"net/url"
	"syscall/js"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/session"
	"screentest/app/share"
	"screentest/app/ui/kit"
)

// Section is sharing as the Shell sees it. There is none of it alone.
type Section struct {
	*kit.Host
	desk *share.Desk
	told func() // of what is shared
	rev  int
	seen string // of what is shared, when told was called last
	to   string // the focus goes to what matches it, once it is drawn; "" stays
}

// New returns the section; told is called when what is shared is another.
func New(h *kit.Host, s *session.Session, told func()) *Section {
	c := &Section{Host: h, told: told}
	c.desk = share.New(share.Options{
		API: h, Session: s, Now: time.Now, Midnight: midnight, After: h.After,
		Changed: c.changed, Mistaken: c.mistaken, Say: h.Say,
		Shared: func() { c.goTo("#share-copy") },
	})
	return c
}

func midnight(year int, month time.Month, day int) int64 {
	return int64(js.Global().Get("Date").New(year, int(month)-1, day).Call("getTime").Float())
}

func (s *Section) changed() {
	s.rev++
	if now := s.desk.State(); now != s.seen {
		s.seen = now
		s.told()
	}
	s.Redraw()
}

// mistaken goes to the first field that something is wrong with.
func (s *Section) mistaken() { s.goTo(`#share [aria-invalid="true"]`) }

// goTo has the focus go to what matches, once what is planned is drawn.
func (s *Section) goTo(selector string) {
	s.to = selector
	s.changed()
}

// drawn moves the focus where it is to go.
func (s *Section) drawn(ctx app.Context) {
	to := s.to
	if to == "" {
		return
	}
	ctx.Defer(func(app.Context) {
		defer s.Guard("the focus")
		if e := s.DOM.Find(to); e.Truthy() {
			s.to = ""
			e.Call("focus")
		}
	})
}

// Item implements kit.Section.
func (s *Section) Item() kit.Item {
	return kit.Item{Path: share.Path, Name: "Shared", Icon: kit.IconShare}
}

// Go implements kit.Section.
func (s *Section) Go(at *url.URL) bool {
	if at.Path != share.Path {
		return false
	}
	s.desk.Go(at.Query())
	return true
}

// Title implements kit.Section.
func (s *Section) Title() string { return "Shared" }

// News implements kit.Section.
func (s *Section) News(n session.News) { s.desk.News(n) }

// Render implements kit.Section.
func (s *Section) Render() app.UI { return &Page{s: s, Rev: s.rev} }

// Dialogs implements kit.Dialogued.
func (s *Section) Dialogs() []app.UI { return []app.UI{&Dialog{s: s, Rev: s.rev}} }

// Sharing is the section for the other parts of the page.
func (s *Section) Sharing() kit.Sharing { return sharing{s} }

type sharing struct{ s *Section }

func (x sharing) May() bool                   { return x.s.desk.May() }
func (x sharing) Open(kind, id, title string) { x.s.open(kind, id, title) }
func (x sharing) Mark(kind, id string) string { return x.s.desk.Mark(kind, id) }
func (x sharing) WithMe() int                 { return len(x.s.desk.WithMe()) }
