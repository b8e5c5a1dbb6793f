//go:build js && wasm

package video

import (
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/wire"
)

// trashNote says above the deleted clips what becomes of them.
func (g *Gallery) trashNote() app.UI {
	return kit.Notice(kit.Info, "", kit.At{"id", "trash-note"},
		"Deleted clips are kept for "+strconv.Itoa(wire.TrashDays)+
			" days, then removed for good with their files. When the archive is full, their files go first. Their cost stays in Spend.")
}

// deleted says on a clip's page that it was deleted.
func (c *Clip) deleted(t *wire.VideoTask) app.UI {
	words := "Deleted on " + dateOf(t.DeletedMS) + ". " + video.KeptWords(t, time.Now()) + "."
	if on := video.ChargedOn(t); on != "" {
		words += " " + on
	}
	return kit.Notice(kit.Warn, "strip", kit.At{"id", "clip-deleted", "role", "status"},
		kit.Box("span", "push", words),
		c.s.trashActions(t, "clip-"),
	)
}

// trashActions are what can be done with a deleted clip. That it goes for good
// is asked about once.
func (s *Section) trashActions(t *wire.VideoTask, key string) app.UI {
	id := t.ID
	if s.results.purging != id {
		return kit.Box("div", "line",
			s.gated(key+"restore", "Restore", "", func(app.Context) {
				s.desk.Tasks.Restore(id)
				s.focusSoon(s.afterTrash("clip-more"))
			}),
			s.gated(key+"purge", "Delete for good", video.NotPurged(t), func(app.Context) {
				s.results.purging = id
				s.redrawResults()
				s.focusSoon(key + "keep")
			}),
		)
	}
	return kit.El("div", "line", kit.At{"role", "group", "aria-label", "Delete it for good?"},
		kit.Box("p", "tile-asked", "Its file is deleted too. This can’t be undone."),
		s.gated(key+"keep", "Keep it", "", func(app.Context) {
			s.results.purging = ""
			s.redrawResults()
			s.focusSoon(key + "purge")
		}),
		s.gated(key+"purge-now", "Delete for good", "", func(app.Context) {
			s.desk.Tasks.Purge(id, func() {
				s.results.purging = ""
				s.showResults()
				s.focusSoon(s.afterTrash("standing-"))
			})
		}),
	)
}

// afterTrash is what gets the focus when a card has left the deleted ones; on
// the clip's page it is another.
func (s *Section) afterTrash(onPage string) string {
	if s.view == viewClip {
		return onPage
	}
	return "standing-" + string(video.Trashed)
}

// shotsWords say how many shots a clip has, "" for one.
func shotsWords(t *wire.VideoTask) string {
	if n := len(video.Shots(t)); n > 0 {
		return figure.Plural(n, "shot", "shots")
	}
	return ""
}
