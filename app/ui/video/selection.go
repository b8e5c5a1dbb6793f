//go:build js && wasm

package video

import (
	"cmp"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/app/video"
)

// bulk is what the bar of the chosen clips asks for.
type bulk struct {
	tagging bool   // its tags are typed
	tags    string // as they are typed
	asking  bool   // are they to go for good?
}

// selection is the bar that stands below while several are chosen.
func (g *Gallery) selection() app.UI {
	s, tasks := g.s, g.s.desk.Tasks
	n := len(tasks.Selection.IDs)
	none := kit.When(n == 0, "Choose the clips first.")
	does := s.doesWith(none)
	if tasks.Filter.Standing == video.Trashed {
		does = s.doesWithDeleted(none)
	}
	if !tasks.Selection.On {
		does, s.results.bulk = nil, bulk{}
	}
	return kit.El("div", "line selection", kit.At{"id", "selection", "role", "group", "aria-label", "With the chosen clips", "hidden", !tasks.Selection.On},
		kit.El("span", "figure", kit.At{"role", "status"}, figure.Plural(n, "clip", "clips")+" chosen"),
		kit.Button("plain", kit.At{"id", "choose-shown"}, s.Do("choose shown", tasks.ChooseShown), "All shown"),
		kit.Box("div", "push"),
		does,
		kit.Button("", kit.At{"id", "end-selection"}, s.Do("end selection", func() {
			tasks.Selection.Set(false)
			s.soon("select-clips", func(el js.Value) {
				if !el.Get("offsetParent").Truthy() { // a phone has it among the filters
					el = s.DOM.ByID("clip-filters")
				}
				el.Call("focus", map[string]any{"preventScroll": true})
			})
		}), "Done"),
	)
}

// doesWith is what can be done with the chosen ones. none says that there is none.
func (s *Section) doesWith(none string) []app.UI {
	tasks, b := s.desk.Tasks, &s.results.bulk
	if b.tagging {
		tag := func(add bool) func(app.Context) {
			return func(app.Context) {
				words, good := tasks.TagChosen(b.tags, add)
				tone := video.Bad
				if good {
					tone, *b = video.Good, bulk{}
					s.focusSoon("tag-chosen")
				}
				tasks.Notices.Say(words, tone)
				s.redrawResults()
			}
		}
		return []app.UI{
			kit.Labelled("chosen-tags", "Tags, separated by commas", nil,
				s.Field("chosen-tags", "field", nil, b.tags, func(text string) { b.tags = text })),
			s.gated("add-tags", "Add", none, tag(true)),
			s.gated("take-tags", "Remove", none, tag(false)),
			kit.Button("plain", kit.At{"id", "end-tags"}, s.Do("end tags", func() {
				*b = bulk{}
				s.redrawResults()
				s.focusSoon("tag-chosen")
			}), "Cancel"),
		}
	}
	star := "Favourite"
	if tasks.AllFavourites() {
		star = "Remove from favourites"
	}
	_, uncompared := tasks.Selection.ComparePath()
	_, noZip := tasks.Selection.ZipPath()
	off := tasks.NotTogether()
	return []app.UI{
		s.gated("star-chosen", star, none, func(app.Context) { tasks.StarChosen() }),
		s.gated("tag-chosen", "Tags…", none, func(app.Context) {
			b.tagging = true
			s.redrawResults()
			s.focusSoon("chosen-tags")
		}),
		s.gated("delete-chosen", "Delete", cmp.Or(none, tasks.NotDeletable()), func(app.Context) {
			tasks.DeleteChosen()
			s.focusSoon("undo-clip")
		}),
		s.gated("compare-chosen", "Compare", cmp.Or(uncompared, off), func(ctx app.Context) {
			if path, no := tasks.Selection.ComparePath(); no == "" {
				tasks.Selection.Set(false)
				ctx.Navigate(path)
			}
		}),
		s.gated("zip-chosen", "Download as one zip", cmp.Or(noZip, off), func(app.Context) {
			if path, no := tasks.Selection.ZipPath(); no == "" {
				s.Download(path)
			}
		}),
	}
}

// doesWithDeleted is what can be done with the chosen ones of the deleted. That
// they go for good is asked about once.
func (s *Section) doesWithDeleted(none string) []app.UI {
	tasks, b := s.desk.Tasks, &s.results.bulk
	if b.asking && none == "" {
		return []app.UI{
			kit.Box("p", "", "Their files are deleted too. This can’t be undone."),
			s.gated("keep-chosen", "Keep them", "", func(app.Context) {
				b.asking = false
				s.redrawResults()
				s.focusSoon("purge-chosen")
			}),
			s.gated("purge-chosen-now", "Delete for good", "", func(app.Context) {
				b.asking = false
				tasks.PurgeChosen()
				s.focusSoon("end-selection")
			}),
		}
	}
	return []app.UI{
		s.gated("restore-chosen", "Restore", none, func(app.Context) {
			tasks.RestoreChosen()
			s.focusSoon("end-selection")
		}),
		s.gated("purge-chosen", "Delete for good", cmp.Or(none, tasks.NotPurgeable()), func(app.Context) {
			b.asking = true
			s.redrawResults()
			s.focusSoon("keep-chosen")
		}),
	}
}
