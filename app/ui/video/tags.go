//go:build js && wasm

package video

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/wire"
)

// naming is the form for a clip's name and tags, as they are typed.
type naming struct {
	task        string // "": it is closed
	title, tags string
	wrong       string // with the tags; "" nothing
}

// tags are shown, and typed where that was asked for.
func (c *Card) tags(t *wire.VideoTask) app.UI {
	if c.Naming {
		return c.s.nameForm(t, false)
	}
	return kit.El("div", "line tile-tags", kit.At{"hidden", len(t.Tags) == 0 && c.Shared == ""},
		c.s.ShareMark(cardKey(t.ID, "shared"), wire.ShareClip, t.ID, video.Title(*t)),
		c.s.tagsOf(t, cardKey(t.ID, "tag-")))
}

// tagsOf are a task's tags. Each shows all clips with it.
func (s *Section) tagsOf(t *wire.VideoTask, key string) []app.UI {
	return kit.Times(len(t.Tags), func(i int) app.UI {
		tag := t.Tags[i]
		return kit.Chip(kit.At{"id", key + strconv.Itoa(i), "title", "Show the clips with this tag"}, s.Do("tag "+tag, func() {
			s.results.chunks.place = 0 // another list
			s.showPane(paneResults)
			s.find(video.Filter{Tag: tag})
		}), kit.Box("span", "cut", "#"+tag))
	})
}

// nameForm takes a task's tags, and on the clip's page its name.
func (s *Section) nameForm(t *wire.VideoTask, onPage bool) app.UI {
	n := &s.results.naming
	id := t.ID
	save := s.On("name and tags", func(_ app.Context, e app.Event) {
		e.PreventDefault()
		if onPage {
			s.desk.Tasks.SetTitle(id, n.title)
		}
		if n.wrong = s.desk.Tasks.SetTags(id, n.tags); n.wrong != "" {
			s.redrawResults()
			s.focusSoon(cardKey(id, "tags"))
			return
		}
		*n = naming{}
		s.redrawResults()
		s.focusSoon(s.afterNaming(id))
	})
	tags := cardKey(id, "tags")
	return kit.El("form", "tag-form", kit.At{"onsubmit", save},
		kit.If(onPage, func() app.UI {
			return kit.Labelled("clip-name", "Name", nil,
				s.Field("clip-name", "field", kit.At{"maxlength", wire.MaxTaskTitle}, n.title, func(text string) { n.title = text }))
		}),
		kit.Labelled(tags, "Tags, separated by commas", nil,
			s.Field(tags, "field", kit.At{"aria-invalid", n.wrong != "", "aria-describedby", kit.When(n.wrong != "", tags+"-wrong")}, n.tags,
				func(text string) { n.tags = text }),
			kit.El("p", "issue bad", kit.At{"id", tags + "-wrong", "role", "alert", "hidden", n.wrong == ""}, n.wrong)),
		kit.Button("", kit.At{"type", "submit"}, nil, "Save"),
	)
}

// afterNaming is what gets the focus when the form has closed.
func (s *Section) afterNaming(id string) string {
	if s.view == viewClip {
		return "clip-name-tags"
	}
	return cardKey(id, "more")
}

// beginNaming opens the form with what there is.
func (s *Section) beginNaming(id string) {
	t := s.desk.Tasks.Get(id)
	if t == nil {
		return
	}
	s.results.menu, s.results.naming = "", naming{task: id, title: t.Title, tags: strings.Join(t.Tags, ", ")}
	s.redrawResults()
	if s.view == viewClip {
		s.focusSoon("clip-name")
	} else {
		s.focusSoon(cardKey(id, "tags"))
	}
}
