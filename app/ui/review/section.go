//go:build js && wasm

// Package review draws what people say of clips to each other: beside the player
// of one's own clip, on the page of one that is shown to one, below clips that are
// compared, and the gallery of a team. What needs no browser is in app/review,
// which the files here import under the same name.
//
// It is no section of the Shell: the Video section shows it, by the interface that
// it declares.
package review

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/review"
	"screentest/app/session"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Path is where the page of a clip that is shared with one is, by its share.
const Path = "/review/"

// videos is where the gallery is, and below it the pages of one's own clips.
const videos = "/video"

// Options are what a Section works with.
type Options struct {
	Session *session.Session
	Changed func() // something is to be drawn
	// Compare draws clips side by side, which Section.Compared names; Seek goes to
	// a time of theirs.
	Compare func(of string) app.UI
	Seek    func(ms int64)
}

// Section is what is said of clips, as the Video section knows it.
type Section struct {
	*kit.Host
	o    Options
	desk *review.Desk
	rev  int

	share    string // whose page is shown; "" none
	file     int    // of the version, by its index
	broken   string // the file that the browser could not play
	compared []int  // versions of it that are; none: one is played
	clips    []string

	slot     string // what is typed now is for; see review.New
	mention  mention
	asking   string // the comment that is asked about: is it to go?
	pointing bool   // a click on the frame sets a point
	focus    string // id of what has the focus among the comments
	stage    stage
	more     more
}

// New makes the section.
func New(h *kit.Host, o Options) *Section {
	s := &Section{Host: h, o: o, slot: review.New}
	s.desk = review.NewDesk(review.Options{
		Server: h.Server, Storage: kit.LocalStorage{}, Me: o.Session.Me, NewID: uuid.NewString, After: h.After, Changed: s.changed,
	})
	s.stage.s, s.more.s = s, s
	s.listen()
	return s
}

// changed has all of it drawn with the next frame.
func (s *Section) changed() {
	s.rev++
	s.o.Changed()
}

// Rev tells one state of what is drawn from the others: of what is said, and of the
// connection.
func (s *Section) Rev() int { return s.rev<<3 | int(s.o.Session.Link) }

// News takes what the server tells unasked.
func (s *Section) News(n session.News) {
	s.desk.News(n)
	t, me := s.thread(), s.o.Session.Me()
	if c, is := n.(wire.Comment); is && t != nil && t.Phase == review.Ready && c.Review == t.Review.ID && me != nil && c.Author != me.ID &&
		!c.Deleted && c.EditedMS == 0 && c.ResolvedMS == 0 {
		s.Say("New comment by " + c.Name + ", at " + review.Time(c.AtMS) + ".")
	}
}

// thread is what is looked at; nil is nothing.
func (s *Section) thread() *review.Thread { return s.desk.Thread }

// Go shows what is at an address of a share, and says whether it is one.
func (s *Section) Go(at *url.URL) bool {
	share, is := strings.CutPrefix(at.Path, Path)
	if share = strings.TrimSuffix(share, "/"); !is || share == "" || strings.Contains(share, "/") {
		s.share = ""
		return false
	}
	if share != s.share {
		s.begin()
	}
	s.share, s.clips, s.compared = share, nil, nil
	for _, n := range strings.Split(at.Query().Get("compare"), ",") {
		if v, err := strconv.Atoi(n); err == nil && v > 0 && len(s.compared) < 4 && !slices.Contains(s.compared, v) {
			s.compared = append(s.compared, v)
		}
	}
	if len(s.compared) < 2 {
		s.compared = nil
	}
	t := s.desk.Look(wire.Look{Share: share})
	version, _ := strconv.Atoi(at.Query().Get("version")) // 0 is none in particular
	t.Play(version)
	return true
}

// begin forgets what was open on the page before.
func (s *Section) begin() {
	s.slot, s.mention, s.asking, s.pointing, s.focus, s.file, s.broken = review.New, mention{}, "", false, "", 0, ""
}

// Clips looks at what is said of clips of one's own: of one that is shown, or of
// some that are compared; of none, at nothing.
func (s *Section) Clips(ids ...string) {
	s.share, s.compared = "", nil
	if !slices.Equal(ids, s.clips) {
		s.begin()
	}
	s.clips = ids
	if len(ids) == 0 {
		s.desk.Leave()
		return
	}
	s.desk.Look(wire.Look{Clip: ids[0]})
}

// Title is that of the document on the page of a share.
func (s *Section) Title() string {
	if t := s.thread(); t != nil && t.Played() != nil {
		return t.Played().Title
	}
	return "Clip"
}

// Render draws the page of a share.
func (s *Section) Render() app.UI {
	if s.thread() == nil {
		return kit.Box("div", "clip")
	}
	if len(s.compared) > 0 && s.thread().Phase == review.Ready {
		return s.o.Compare(s.share)
	}
	return &Page{s: s, Rev: s.Rev(), Share: s.share}
}

// Compared are the versions that stand side by side on the page of a share.
func (s *Section) Compared() (list []kit.Compared) {
	t := s.thread()
	if t == nil {
		return nil
	}
	for _, n := range s.compared {
		c := kit.Compared{Key: strconv.Itoa(n), Title: "Version " + strconv.Itoa(n), Why: "This version is gone."}
		for _, v := range t.Review.Versions {
			if v.Version == n {
				c.Title, c.Model, c.Version = v.Title, v.Model, "v"+strconv.Itoa(n)
				c.Why = "This version doesn’t play."
				c.To = versionPath(s.share, n)
				if files := review.Files(v); len(files) > 0 {
					c.Source, c.Why = files[0].Media, ""
				}
			}
		}
		list = append(list, c)
	}
	return list
}

// Back is where the comparison of the page leads back to.
func (s *Section) Back() string { return Path + s.share }

func versionPath(share string, version int) string {
	return Path + share + "?version=" + strconv.Itoa(version)
}

// Place puts the marks at their times: the players know how long they are.
func (s *Section) Place() { s.stage.place() }

func (s *Section) guest() bool { return !s.desk.Comments() }
