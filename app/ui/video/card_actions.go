//go:build js && wasm

package video

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/wire"
)

// actions are what the clip can become, or what to do about its failure.
func (c *Card) actions(t *wire.VideoTask) app.UI {
	s := c.s
	if t.Deleted {
		return s.trashActions(t, cardKey(t.ID, ""))
	}
	var list []app.UI
	switch {
	case video.CanRetry(t):
		list = append(list,
			s.gatedAs(cardKey(t.ID, "edit"), "Edit and retry", "Put it in the form to change it first", "", func(app.Context) { s.reuse(t) }),
			s.gatedAs(cardKey(t.ID, "retry"), video.RetryLabel(t), "Send the same request again, as a new clip", "", func(app.Context) { s.retry(t.ID) }))
	case video.Playable(t) || t.State.Final():
		for i, o := range s.desk.Tasks.Offers(t) {
			key := cardKey(t.ID, string(o.Kind)+"-"+strconv.Itoa(i))
			list = append(list, s.gatedAs(key, o.Label, o.Full, o.Reason, func(app.Context) { s.start(t, o) }))
		}
	}
	list = append(list, kit.IconButton("small tile-more", "More for this clip", iconMore,
		kit.At{"id", cardKey(t.ID, "more"), "aria-expanded", c.Menu, "title", "More"}, s.Do("more", func() {
			if s.results.menu == t.ID {
				s.results.menu = ""
			} else {
				s.results.menu = t.ID
			}
			s.redrawResults()
		})))
	return kit.Box("div", "line tile-actions", list)
}

// start puts a clip into the form, to make something of it.
func (s *Section) start(t *wire.VideoTask, o video.Offer) {
	s.desk.Start(o.Kind, *t, o.Model)
	s.writeOn()
}

// reuse puts a clip's settings into the form.
func (s *Section) reuse(t *wire.VideoTask) {
	if !s.desk.Reuse(*t) {
		s.desk.Tasks.Notices.Say("This clip’s model isn’t in the catalogue any more, so its settings can’t be reused.", video.Bad)
		return
	}
	s.writeOn()
}

func (s *Section) retry(id string) { s.desk.Tasks.Retry(id, s.newID()) }

// showResults leads to the gallery from anywhere in the section.
func (s *Section) showResults() {
	s.showPane(paneResults)
	if s.view != viewDesk {
		s.Context().Navigate(s.clipsPath())
	}
}
