//go:build js && wasm

package video

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
)

// panes are the form and the results side by side; on a phone, one of them,
// with buttons to choose.
func (s *Section) panes() app.UI {
	return kit.El("div", "video", kit.At{"id", "video", "data-pane", string(s.pane)},
		s.Tabs("Parts of the page", "video-tabs", "", []kit.Choice{s.tab(paneForm, "Make"), s.tab(paneResults, "Clips")}),
		kit.El("section", "video-form", kit.At{"id", "video-form", "aria-label", "Make a clip"},
			&Form{s: s, Rev: s.rev.form, Budget: s.Budget, Lost: s.Lost},
		),
		kit.El("section", "video-results", kit.At{"id", "video-results", "aria-label", "Clips"},
			s.gallery(),
		),
	)
}

// gallery is one's own, or that of a team.
func (s *Section) gallery() app.UI {
	if s.Reviews != nil && s.Reviews.Shows() {
		return s.Reviews.Gallery()
	}
	return &Gallery{s: s, Rev: s.rev.gallery, Said: s.said()}
}

func (s *Section) tab(p pane, name string) kit.Choice {
	return kit.Choice{ID: "video-tab-" + string(p), Name: name, On: s.pane == p, At: kit.At{"aria-controls", "video-" + string(p)},
		Do: s.Do("pane "+string(p), func() { s.showPane(p) })}
}

func (s *Section) showPane(p pane) {
	s.pane = p
	s.changed(video.PartAll)
}

// toClips is a link to the gallery: on a phone, not to the form beside it.
func (s *Section) toClips(class string, kids ...any) app.UI {
	return kit.El("a", class, kit.At{"href", s.clipsPath(),
		"onclick", s.Do("to clips", func() { s.showPane(paneResults) })}, kids...)
}
