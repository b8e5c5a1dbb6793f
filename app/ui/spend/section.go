//go:build js && wasm

// Package spend draws the Spend page and the settings of budgets and of what is
// kept. What needs no browser is in app/spend, which the files here import under
// the same name.
package spend

import (
	"net/url"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/session"
	"screentest/app/spend"
	"screentest/app/ui/kit"
)

// Section is spend as the Shell sees it.
type Section struct {
	host *kit.Host
	desk *spend.Desk
	rev  int

	searching func() // ends the wait for more of a search of the ledger
}

// New returns the section; tell shows a sentence for a while.
func New(h *kit.Host, tell func(words string)) *Section {
	s := &Section{host: h}
	s.desk = spend.NewDesk(spend.Options{
		Server: h.Server, Clock: browserClock{}, After: h.After, Now: time.Now, Tell: tell, Changed: s.changed,
	})
	s.desk.Correction.Booked = s.focusRow
	return s
}

// changed has the section drawn, and what it says on other pages.
func (s *Section) changed() {
	s.rev++
	s.host.Budget = ""
	if list := s.desk.Budgets.Warned(); len(list) > 0 {
		s.host.Budget = spend.Words(list[0], s.desk.Clock)
	}
	s.host.Redraw()
}

// focusRow goes to the button of a row once the new rows are drawn: before that
// the row stands in another one's elements. What does not come within two
// seconds is not waited for.
func (s *Section) focusRow(row int64) {
	const look, most = 40 * time.Millisecond, 50
	var try func(n int)
	try = func(n int) {
		if drawn := s.host.DOM.Doc.Call("querySelectorAll", "#ledger tbody tr").Length(); drawn == len(s.desk.Rows) {
			s.host.DOM.Focus("#" + fixID(row))
		} else if n < most {
			s.host.After(look, func() { try(n + 1) })
		}
	}
	s.host.After(look, func() { try(1) })
}

// Item implements kit.Section.
func (s *Section) Item() kit.Item {
	i := kit.Item{Path: spend.Path, Name: "Spend", Icon: kit.IconSpend}
	if list := s.desk.Budgets.Warned(); len(list) > 0 {
		i.Mark, i.Why = spend.Mark(list[0]), s.host.Budget
	}
	return i
}

// Go implements kit.Section.
func (s *Section) Go(at *url.URL) bool {
	if at.Path != spend.Path {
		return false
	}
	before, shown := s.desk.View.Day, s.desk.Shown
	s.desk.Go(spend.ParseView(at.Query()))
	if day := s.desk.View.Day; shown && day != before && day != (spend.Date{}) {
		// A bar was chosen: on a small screen its entries are out of sight.
		s.host.Context().Defer(func(app.Context) {
			defer s.host.Guard("the ledger")
			if e := s.host.DOM.Find("#ledger .ledger-head"); e.Truthy() {
				e.Call("scrollIntoView", map[string]any{"block": "nearest"})
			}
		})
	}
	return true
}

// Leave implements kit.Leaver.
func (s *Section) Leave() {
	if s.searching != nil {
		s.searching()
		s.searching = nil
	}
	s.desk.Leave()
}

// Title implements kit.Section.
func (s *Section) Title() string { return "Spend" }

// News implements kit.Section.
func (s *Section) News(n session.News) { s.desk.News(n) }

// Render implements kit.Section.
func (s *Section) Render() app.UI { return &Page{s: s, Rev: s.rev} }

// Settings implements kit.Configurable.
func (s *Section) Settings() []kit.Setting {
	return []kit.Setting{
		{Name: "budgets", ID: "budgets", Title: "Budgets", Draw: func() app.UI {
			s.desk.Budgets.Want()
			s.desk.Hook.Want()
			return &Budgets{s: s, Rev: s.rev}
		}},
		{Name: "storage", ID: "storage", Title: "Storage", Draw: func() app.UI {
			s.desk.Retention.Want()
			return &Storage{s: s, Rev: s.rev}
		}},
	}
}
