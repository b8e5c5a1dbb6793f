//go:build js && wasm

// Package ranking draws the page of a team's ranking of models. What needs no browser
// is in app/ranking, which the files here import under the same name.
package ranking

import (
	"net/url"

	"screentest/app/ranking"
	"screentest/app/session"
	"screentest/app/ui/kit"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Section is the ranking as the Shell sees it.
type Section struct {
	host *kit.Host
	desk *ranking.Desk
	rev  int
}

// New returns the section.
func New(h *kit.Host) *Section {
	s := &Section{host: h}
	s.desk = ranking.NewDesk(ranking.Options{Server: h.Server, After: h.After, Midnight: kit.Midnight, Changed: s.changed})
	return s
}

func (s *Section) changed() {
	s.rev++
	s.host.Redraw()
}

// Item implements kit.Section.
func (s *Section) Item() kit.Item {
	return kit.Item{Path: ranking.Path, Name: "Ranking", Icon: kit.IconRanking}
}

// Go implements kit.Section.
func (s *Section) Go(at *url.URL) bool {
	if at.Path != ranking.Path {
		return false
	}
	s.desk.Go(ranking.ParseView(at.Query()))
	return true
}

// Leave implements kit.Leaver.
func (s *Section) Leave() { s.desk.Leave() }

// Title implements kit.Section.
func (s *Section) Title() string { return "Ranking" }

// News implements kit.Section.
func (s *Section) News(n session.News) { s.desk.News(n) }

// Render implements kit.Section.
func (s *Section) Render() app.UI { return &Page{s: s, Rev: s.rev} }
