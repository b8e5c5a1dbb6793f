//go:build js && wasm

package video

import (
	"net/url"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/session"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Reviews is what people who work together say of clips, and the clips that they
// show each other. Alone there is nobody who would.
type Reviews interface {
	// Go shows what is at an address of a clip that somebody shares, and says
	// whether it is one; Title and Render are for that page.
	Go(at *url.URL) bool
	Title() string
	Render() app.UI
	News(n session.News)
	Commands() []kit.Command
	Keys() []kit.Key
	// Rev counts the changes of all that it draws.
	Rev() int
	// Clips looks at what is said of clips of one's own: the one that is shown, or
	// those that are compared.
	Clips(ids ...string)
	// Stage puts what is said around the player of the clip that is shown, Panel
	// stands beside it.
	Stage(player app.UI) app.UI
	Panel() app.UI
	// Team shows the gallery of a team that the query of an address names; Shows
	// says whether one is shown, Whose chooses which.
	Team(query url.Values)
	Shows() bool
	Whose() app.UI
	Gallery() app.UI
	// Compared are the clips that are compared on the page of a share, Back leads
	// there. Below is what is said of one that is compared, by what tells it from
	// the others.
	Compared() []kit.Compared
	Back() string
	Below(key string) app.UI
	// Place is called when a player knows how long its clip is.
	Place()
}

// Approvals are clips that wait until a lead of their team releases them.
type Approvals interface {
	// Strip shows them; again puts the settings of one that was refused into the
	// form.
	Strip(again func(t *wire.VideoTask)) app.UI
	// OnChange has f called when something of it is to be drawn again.
	OnChange(f func())
}

// SetApprovals is called once, before the page stands.
func (s *Section) SetApprovals(a Approvals) {
	s.Approvals = a
	a.OnChange(s.redrawResults)
}

// SetReviews is called once, before the page stands.
func (s *Section) SetReviews(r Reviews) {
	s.Reviews = r
	s.narrow = js.Global().Call("matchMedia", "(max-width: 50rem)")
	s.DOM.On(s.narrow, "change", func(js.Value) { s.redrawResults() }, s.ready)
}

// phone says that what is said of a clip stands below its player.
func (s *Section) phone() bool { return s.Reviews != nil && s.narrow.Get("matches").Bool() }

func (s *Section) placeSaid() {
	if s.Reviews != nil {
		s.Reviews.Place()
	}
}

func (s *Section) whose() app.UI { return s.Reviews.Whose() }

// said counts the changes of what is said.
func (s *Section) said() int {
	if s.Reviews == nil {
		return 0
	}
	return s.Reviews.Rev()
}

// SaidChanged has what is said drawn with the next frame.
func (s *Section) SaidChanged() { s.Redraw() }

// CompareOf draws the clips that are compared on the page of a share.
func (s *Section) CompareOf(share string) app.UI {
	return &Compare{s: s, Rev: s.rev.gallery, Said: s.said(), Share: share, IDs: comparedKeys(s.Reviews.Compared())}
}

func comparedKeys(list []kit.Compared) (keys string) {
	for _, c := range list {
		keys += c.Key + ","
	}
	return keys
}

// SeekCompared goes to a time of the clips that are compared.
func (s *Section) SeekCompared(ms int64) {
	p := &s.results.compare
	if p.playing {
		p.pause()
	}
	p.seek(float64(ms) / 1000)
}

// reviewed is the player of a clip of one's own with what is said of it.
func (s *Section) reviewed(player app.UI) app.UI {
	if s.Reviews == nil {
		return player
	}
	return s.Reviews.Stage(player)
}

// panel is what is said of a clip of one's own.
func (s *Section) panel() app.UI {
	if s.Reviews == nil {
		return nil
	}
	return s.Reviews.Panel()
}

// Commands implements kit.Commanding.
func (s *Section) Commands() []kit.Command {
	if s.Reviews == nil {
		return nil
	}
	return s.Reviews.Commands()
}
