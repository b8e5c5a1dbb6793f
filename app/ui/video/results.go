//go:build js && wasm

package video

import (
	"strings"
	"syscall/js"
	"time"

	"github.com/google/uuid"

	"screentest/app/session"
	"screentest/app/ui/kit"
	"screentest/app/video"
)

// Icons of the results.
const (
	iconStar  kit.IconPath = "M12 4l2.5 5.1 5.6.8-4 4 .9 5.6-5-2.7-5 2.7.9-5.6-4-4 5.6-.8z"
	iconMore  kit.IconPath = "M6 12h.01M12 12h.01M18 12h.01"
	iconPlay  kit.IconPath = "M8 5.5v13l10.5-6.5z"
	iconPause kit.IconPath = "M8.5 6v12M15.5 6v12"
	iconPrev  kit.IconPath = "M17 6v12l-8-6zM6.5 6v12"
	iconNext  kit.IconPath = "M7 6v12l8-6zM17.5 6v12"
	iconSound kit.IconPath = "M5 9.5v5h3.5L13 18.5v-13L8.5 9.5zM16.5 9a4.5 4.5 0 0 1 0 6"
	iconMute  kit.IconPath = "M5 9.5v5h3.5L13 18.5v-13L8.5 9.5zM16.5 10l4 4M20.5 10l-4 4"
	iconDisc  kit.IconPath = "M5 19.5h14M12 4v11M7 10.5l5 5 5-5"
)

// results is the state of the right side and of the pages of clips that is of
// the screen only.
type results struct {
	menu      string // the task whose menu is open
	naming    naming
	purging   string               // the task that is asked about: is it to go for good?
	settling  map[string]*settling // by task
	drawn     map[string]bool      // posters that were drawn here, or could not be
	chunks    chunks
	focus     string // id of what has the focus, for when a draw takes it
	keep      func() // calls keepFocus with the next frame
	searching func() // ends the wait for more of a search
	query     string // that is being typed
	filtering bool   // a phone shows the filters
	ticking   bool   // the times on the page go on
	clip      *video.Clip
	taking    string // what is being made of the clip that is shown
	bulk      bulk
	loop      bool   // a clip on its page begins again at its end
	broken    string // the output that the browser could not play
	compare   player
	archive   archiveForm
	mounted   bool
}

func (s *Section) startResults() {
	r := &s.results
	r.settling, r.drawn = map[string]*settling{}, map[string]bool{}
	r.chunks = newChunks(s)
	r.keep = s.Waker(s.keepFocus)
	s.DOM.On(s.DOM.Doc, "visibilitychange", func(js.Value) { s.look() }, s.ready)
	s.DOM.On(s.DOM.Doc, "focusin", func(ev js.Value) { s.focused(ev.Get("target")) }, s.ready)
	s.DOM.On(s.DOM.Doc, "pointerdown", func(ev js.Value) { s.pointed(ev.Get("target")) }, s.ready)
	s.DOM.On(s.DOM.Doc, "keydown", s.onKey, s.ready)
}

// ready posts what concerns the section once the page stands; before that
// nothing of it is on the screen.
func (s *Section) ready(f func()) {
	if s.results.mounted {
		s.Post(f)
	}
}

// watching says that the person looks at the Video page.
func (s *Section) watching() bool {
	at := js.Global().Get("location").Get("pathname").String()
	return !s.Hidden() && (at == Path || strings.HasPrefix(at, Path+"/"))
}

// look takes it that what has ended is seen.
func (s *Section) look() {
	if s.watching() {
		s.desk.Tasks.Notices.Look()
	}
}

// arrive follows the address, after Go has read it.
func (s *Section) arrive() {
	r := &s.results
	r.menu, r.naming, r.purging = "", naming{}, ""
	if s.view == viewClip {
		if r.clip == nil || r.clip.ID != s.ids[0] {
			r.clip = s.desk.Tasks.Open(s.ids[0])
			r.taking = ""
		}
		if _, next, at := s.desk.Tasks.Beside(s.ids[0]); at > 0 && next == "" {
			s.desk.Tasks.FetchMore() // what stands after it
		}
	} else {
		r.clip = nil
	}
	s.fetchCompared()
	s.desk.Tasks.Notices.Look()
}

// fetchCompared asks for the clips of the comparison that are not here.
func (s *Section) fetchCompared() {
	if s.view != viewCompare {
		return
	}
	for _, id := range s.ids {
		if s.desk.Tasks.Get(id) == nil {
			s.desk.Tasks.Fetch(id)
		}
	}
}

// newsOfResults hands news to the page of a clip.
func (s *Section) newsOfResults(n session.News) {
	if _, is := n.(session.Greeting); is {
		s.fetchCompared()
	}
	if c := s.results.clip; c != nil {
		c.News(n)
	}
}

func (s *Section) newID() string { return uuid.NewString() }

// redrawResults has the gallery drawn again.
func (s *Section) redrawResults() { s.changed(video.PartGallery) }

// The focus. A draw that moves cards takes the focus from what has it; it is
// given back to the element with the same id: with the next frame, because while
// the focus goes from one element to another nothing has it either, and a draw
// may end just then.

func (s *Section) focused(el js.Value) {
	s.results.focus = ""
	if el.Get("closest").Truthy() && el.Call("closest", ".gallery").Truthy() {
		s.results.focus = el.Get("id").String()
	}
}

func (s *Section) keepFocus() {
	if id := s.results.focus; id != "" && s.DOM.Doc.Get("activeElement").Equal(s.DOM.Doc.Get("body")) {
		if el := s.DOM.ByID(id); el.Truthy() {
			el.Call("focus", map[string]any{"preventScroll": true})
		}
	}
}

// pointed closes a menu when something else is pressed.
func (s *Section) pointed(el js.Value) {
	s.results.focus = ""
	s.closeClipMenus(el)
	if s.results.menu != "" && el.Get("closest").Truthy() && !el.Call("closest", ".tile-menu, .tile-more").Truthy() {
		s.closeMenu()
	}
}

func (s *Section) closeMenu() {
	s.results.menu = ""
	s.redrawResults()
}

// onKey takes the keys of the results: Escape closes what is open.
func (s *Section) onKey(ev js.Value) {
	if !kit.Composing(ev) {
		s.results.compare.key(ev) // a review has one too
		if s.watching() {
			s.keyOfClip(ev)
		}
	}
	if !s.watching() || ev.Get("key").String() != "Escape" || kit.Composing(ev) {
		return
	}
	r := &s.results
	switch id := r.menu; {
	case s.closeClipMenus(js.Null()):
	case id != "":
		s.closeMenu()
		s.focusSoon(cardKey(id, "more"))
	case r.naming.task != "":
		id = r.naming.task
		r.naming = naming{}
		s.redrawResults()
		s.focusSoon(s.afterNaming(id))
	case r.purging != "":
		r.purging = ""
		s.redrawResults()
	case s.desk.Tasks.Selection.On && s.view == viewDesk:
		s.desk.Tasks.Selection.Set(false)
	}
}

// focusSoon moves the focus to an element that the next draw makes.
func (s *Section) focusSoon(id string) {
	s.soon(id, func(el js.Value) { el.Call("focus", map[string]any{"preventScroll": true}) })
}

// soon hands f an element that the next draw makes, once it is there. What
// does not come within two seconds is not waited for.
func (s *Section) soon(id string, f func(el js.Value)) {
	const look, most = 40 * time.Millisecond, 50
	var try func(n int)
	try = func(n int) {
		if el := s.DOM.ByID(id); el.Truthy() {
			f(el)
		} else if n < most {
			s.After(look, func() { try(n + 1) })
		}
	}
	s.After(look, func() { try(0) })
}

// cardKey is the id of something in a card.
func cardKey(task, what string) string { return "card-" + task + "-" + what }
