//go:build js && wasm

// Package spenddesk draws the Spend page and the settings of budgets and of
// what is kept; what they know is in package spend.
package spenddesk

import (
	"net/url"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/spend"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Section is spend as the Shell sees it.
type Section struct {
	host *kit.Host
	desk *spend.Desk
	rev  int
}

// New returns the section.
func New(h *kit.Host) *Section {
	s := &Section{host: h}
	s.desk = spend.NewDesk(spend.Options{
		Line: h.Line, Clock: browserClock{}, After: h.After,
		Changed: func() { s.rev++; h.Redraw() },
	})
	return s
}

// Item implements kit.Section.
func (s *Section) Item() kit.Item {
	i := kit.Item{Path: spend.Path, Name: "Spend", Icon: kit.IconSpend}
	if s.desk.Warning != nil {
		i.Count = 1
	}
	return i
}

// Go implements kit.Section.
func (s *Section) Go(at *url.URL) bool {
	if at.Path != spend.Path {
		return false
	}
	s.desk.Go(spend.ParseView(at.Query()))
	return true
}

// Leave implements kit.Leaver.
func (s *Section) Leave() { s.desk.Leave() }

// Title implements kit.Section.
func (s *Section) Title() string { return "Spend" }

// News implements kit.Section.
func (s *Section) News(p wire.Push) { s.desk.News(p) }

// Render implements kit.Section.
func (s *Section) Render() app.UI { return &Page{s: s, Rev: s.rev} }

// Settings implements kit.Configurable.
func (s *Section) Settings() []app.UI {
	s.desk.Budgets.Want()
	s.desk.Keep.Want()
	return []app.UI{&Budgets{s: s, Rev: s.rev}, &Keep{s: s, Rev: s.rev}}
}
