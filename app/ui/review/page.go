//go:build js && wasm

package review

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/review"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Page is the page of a clip that somebody shares with one.
type Page struct {
	app.Compo
	s     *Section
	Rev   int
	Share string
}

// CompoID implements app.DismountEnforcer: the player belongs to one share.
func (p *Page) CompoID() string { return p.Share }

// Render implements app.Composer.
func (p *Page) Render() (ui app.UI) {
	s := p.s
	defer s.Drawing("the clip", &ui)
	t := s.thread()
	switch {
	case t == nil:
		return kit.Box("div", "clip")
	case t.Phase == review.Loading:
		return kit.Empty("page", kit.Box("p", "", "Loading the clip…"))
	case t.Phase == review.Gone || t.Phase == review.Ready && t.Played() == nil:
		return kit.El("div", "empty page", kit.At{"id", "review-gone", "role", "status"},
			kit.Box("p", "", "This clip isn’t shared with you."),
			kit.Box("p", "todo", "Ask whoever sent you the link to share it again."),
			kit.El("a", "button primary", kit.At{"href", videos}, "All clips"),
		)
	case t.Phase == review.Failed:
		return kit.Empty("page", s.failed(t))
	}
	v := t.Played()
	back := videos
	if of := &s.desk.Gallery; of.Team != "" {
		back = galleryPath(of.Team, of.State)
	}
	return kit.El("div", "clip", kit.At{"id", "clip"},
		kit.Box("div", "clip-inner",
			kit.El("a", "button plain clip-back", kit.At{"href", back}, kit.Icon(kit.IconBack, "icon small"), "All clips"),
			kit.Box("div", "clip-stage", s.player(v)),
			kit.Box("div", "clip-side",
				kit.Box("section", "clip-about",
					kit.Box("h2", "clip-title written", v.Title),
					kit.Box("p", "soft", s.facts(v)),
				),
				s.Panel(),
			),
		),
	)
}

// facts are whose clip it is, and what made it.
func (s *Section) facts(v *wire.ReviewVersion) string {
	words := []string{"By " + v.Owner, v.Model}
	if v.Seconds > 0 {
		words = append(words, strconv.FormatFloat(v.Seconds, 'f', -1, 64)+" s")
	}
	return strings.Join(append(words, dateOf(v.CreatedMS)), " · ")
}

// player plays a version, or says why it doesn't.
func (s *Section) player(v *wire.ReviewVersion) app.UI {
	files := review.Files(*v)
	if len(files) == 0 {
		words := "This version isn’t finished yet."
		if v.Task == string(wire.VideoDone) {
			words = "This version’s file is gone."
		}
		return kit.El("div", "empty clip-none", nil, kit.Box("p", "clip-none-state", words))
	}
	played := files[0]
	var choices []kit.Choice
	for _, f := range files {
		if f.Index == s.file {
			played = f
		}
	}
	for _, f := range files {
		name := "File " + strconv.Itoa(f.Index+1)
		choices = append(choices, kit.Choice{Name: name, On: f.Index == played.Index, Do: s.Do(name, func() {
			s.file = f.Index
			s.changed()
		})})
	}
	if s.broken == played.Media {
		return kit.El("div", "empty clip-none", kit.At{"id", "review-broken", "data-tone", "bad"},
			kit.Box("p", "clip-none-state", "The clip doesn’t play"),
			kit.Box("p", "", "The browser couldn’t load the file."),
			kit.Button("", kit.At{"id", "review-play-again"}, s.Do("play again", func() { s.broken = ""; s.changed() }), "Try again"),
		)
	}
	return kit.Box("div", "review-stage",
		s.Stage(kit.El("video", "clip-player", kit.At{"id", "player", "src", played.Media, "poster", played.Poster,
			"controls", "true", "playsinline", "true", "preload", "metadata", "aria-label", v.Title,
			"onerror", s.Do("broken", func() { s.broken = played.Media; s.changed() })})),
		kit.If(len(files) > 1, func() app.UI { return kit.Segments("Files of this version", "", choices) }),
	)
}
