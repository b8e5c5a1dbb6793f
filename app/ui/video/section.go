//go:build js && wasm

package video

import (
	"net/url"
	"strings"
	"sync"
	"syscall/js"
	"time"

	"github.com/google/uuid"
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/session"
	"screentest/app/ui/kit"
	"screentest/app/video"
)

// Section is the Video page as the Shell knows it.
type Section struct {
	*kit.Host
	Reviews   Reviews   // nil alone
	Approvals Approvals // likewise
	desk      *video.Desk

	form      *Form     // that is mounted, nil if none
	goal      string    // selector of what gets the focus after the form's next draw
	arrived   bool      // something was put into the form from elsewhere
	listening sync.Once // to what is dropped and pasted
	rev       revisions
	view      view
	reusing   string   // the share whose clip's settings are to be had; "" none
	ids       []string // of the clip that is shown, or of those compared
	pane      pane
	narrow    js.Value // MediaQueryList: of a phone; undefined alone

	results results
}

// revisions count the changes of the section's parts, for the components'
// fields.
type revisions struct{ form, gallery int }

// view is which page of the section is shown.
type view string

const (
	viewDesk    view = "desk"    // /video: the form and the results
	viewClip    view = "clip"    // /video/{id}
	viewCompare view = "compare" // /video/compare?ids=a,b
	viewReview  view = "review"  // /review/{share}
)

// pane is which of the two sides a phone shows.
type pane string

const (
	paneForm    pane = "form"
	paneResults pane = "results"
)

// Addresses of the section.
const (
	Path        = "/video"
	ComparePath = "/video/compare" // ?ids=ID,ID,…
)

// New makes the section.
func New(h *kit.Host) *Section {
	s := &Section{Host: h, view: viewDesk, pane: paneForm}
	s.desk = video.NewDesk(video.Options{
		Server:  h.Server,
		Storage: kit.LocalStorage{},
		Files:   files{s},
		Now:     time.Now,
		NewID:   uuid.NewString,
		After:   h.After,
		Changed: s.changed,
		Seen:    s.watching,
		Tell:    s.tell,
	})
	s.startResults()
	return s
}

// changed has the parts drawn with the next frame.
func (s *Section) changed(parts video.Part) {
	if parts&video.PartForm != 0 {
		s.rev.form++
	}
	if parts&video.PartGallery != 0 {
		s.rev.gallery++
	}
	s.Redraw()
}

// Item implements kit.Section.
func (s *Section) Item() kit.Item {
	return kit.Item{Path: Path, Name: "Video", Icon: kit.IconVideo, Count: s.desk.Tasks.Notices.Unseen}
}

// Go implements kit.Section.
func (s *Section) Go(at *url.URL) bool {
	s.results.chunks.leave()
	if s.Reviews != nil && s.Reviews.Go(at) {
		s.view, s.ids = viewReview, nil
		s.arrive()
		s.changed(video.PartAll)
		return true
	}
	path := strings.TrimSuffix(at.Path, "/")
	id, below := strings.CutPrefix(path, Path+"/")
	switch {
	case path == Path:
		s.view, s.ids = viewDesk, nil
		s.filtered(at.Query())
		s.wantShared(at.Query())
	case path == ComparePath:
		s.view, s.ids = viewCompare, video.ComparedIDs(at.Query())
	case below && id != "" && !strings.Contains(id, "/"):
		s.view, s.ids = viewClip, []string{id}
	default:
		return false
	}
	if s.Reviews != nil {
		if s.view == viewDesk {
			s.Reviews.Team(at.Query())
		}
		s.Reviews.Clips(s.ids...)
	}
	s.arrive()
	s.changed(video.PartAll)
	return true
}

// Leave implements kit.Leaver.
func (s *Section) Leave() {
	s.results.chunks.leave()
	if s.Reviews != nil {
		s.Reviews.Team(nil)
		s.Reviews.Clips()
	}
}

// Title implements kit.Section.
func (s *Section) Title() string {
	switch s.view {
	case viewCompare:
		return "Compare clips"
	case viewClip:
		return "Clip"
	case viewReview:
		return s.Reviews.Title()
	}
	return "Video"
}

// News implements kit.Section.
func (s *Section) News(n session.News) {
	s.desk.News(n)
	s.newsOfResults(n)
	s.reuseShared()
	if s.Reviews != nil {
		s.Reviews.News(n)
	}
}

// Render implements kit.Section.
func (s *Section) Render() app.UI {
	switch s.view {
	case viewClip:
		return &Clip{s: s, Rev: s.rev.gallery, Said: s.said(), ID: s.ids[0]}
	case viewCompare:
		return &Compare{s: s, Rev: s.rev.gallery, Said: s.said(), IDs: strings.Join(s.ids, ",")}
	case viewReview:
		return s.Reviews.Render()
	}
	return s.panes()
}

// openForm leads to the form from anywhere in the section: after something was
// put into it.
func (s *Section) openForm() {
	s.showPane(paneForm)
	if s.view != viewDesk {
		s.Context().Navigate(s.clipsPath())
	}
}
