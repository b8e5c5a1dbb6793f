//go:build js && wasm

package video

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/wire"
)

// entry is a line of a clip's menu.
type entry struct {
	key  string
	name string
	why  string // why it can't be
	note string // what it does not do
	do   func(ctx app.Context)
}

// entries are all that can be done with a clip besides what it can become.
func (s *Section) entries(t *wire.VideoTask, n int) []entry {
	off := video.NotPlayable(t)
	pin, unkept := "Pin in the archive", video.NotKept(t)
	if t.Pinned {
		unkept = ""
		pin = "Unpin from the archive"
	}
	list := []entry{
		{"reference", "Use as reference", s.desk.Tasks.NoReference(t), "", func(app.Context) { s.useAsReference(t, n) }},
		{"first", "Use first frame", off, "", func(app.Context) { s.takeFrame(t, n, video.FirstFrame) }},
		{"last", "Use last frame", off, "", func(app.Context) { s.takeFrame(t, n, video.LastFrame) }},
		{"reuse", "Reuse settings", "", "", func(app.Context) { s.reuse(t) }},
		{"download", "Download", off, "", func(app.Context) { s.Download(wire.MediaPathOf(t.ID, n) + "?download=1") }},
		{"pin", pin, unkept, "", func(app.Context) { s.pin(t.ID) }},
	}
	if t.Deleted {
		for i := range list {
			list[i].why = video.NotDeleted
		}
	}
	return list
}

// menu is the card's menu, in the document only while it is open.
func (c *Card) menu(t *wire.VideoTask) app.UI {
	if !c.Menu {
		return kit.Nothing()
	}
	s := c.s
	list := s.entries(t, max(video.PlayableOutput(t), 0))
	if s.MayShare() && !t.Deleted {
		list = append(list, entry{"share", "Share…", "", "", func(app.Context) { s.share(t) }})
	}
	list = append(list,
		entry{"retag", "Tags…", "", "", func(app.Context) { s.beginNaming(t.ID) }},
		entry{"delete", "Delete", video.Undeletable(t), video.ChargedOn(t), func(app.Context) { s.remove(t.ID) }},
	)
	return kit.El("div", "menu tile-menu", kit.At{"role", "group", "aria-label", "More for " + video.Title(*t)},
		kit.Times(len(list), func(i int) app.UI {
			e := list[i]
			id, tone := cardKey(t.ID, e.key), ""
			if e.key == "delete" && e.why == "" {
				tone = kit.Bad
			}
			return kit.MenuItem(id, e.why, kit.At{"data-tone", tone, "aria-describedby", kit.When(e.why != "", id+"-why")},
				s.On("entry "+e.key, func(ctx app.Context, _ app.Event) {
					s.results.menu = ""
					e.do(ctx)
					s.redrawResults()
				}),
				kit.Box("span", "", e.name, kit.El("small", "faint", kit.At{"id", id + "-why", "hidden", e.why+e.note == ""}, e.why+e.note)))
		}),
	)
}

// star makes a clip a favourite, or no more.
func (s *Section) star(id string) {
	if t := s.desk.Tasks.Get(id); t != nil {
		s.desk.Tasks.SetFavourite(id, !t.Favourite)
	}
}

// pin keeps a clip in the archive for good, or no more.
func (s *Section) pin(id string) {
	if t := s.desk.Tasks.Get(id); t != nil {
		s.desk.Tasks.SetPinned(id, !t.Pinned)
	}
}

// remove deletes a task. The offer to undo it gets the focus, for the card has
// gone.
func (s *Section) remove(id string) {
	s.desk.Tasks.Delete(id)
	s.focusSoon("undo-clip")
}
