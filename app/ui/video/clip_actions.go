//go:build js && wasm

package video

import (
	"cmp"
	"strconv"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/gateway"
	"screentest/shared/snippet"
	"screentest/shared/wire"
)

// Icons of what the clip can become.
const (
	iconExtend  kit.IconPath = "M4 6h9v12H4zM16.500 12H21M18.700 9.500L21.200 12l-2.500 2.500"
	iconUpscale kit.IconPath = "M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7"
	iconUse     kit.IconPath = "M20 12H9M13 7.500L8.500 12l4.500 4.500M4.500 5v14"
	iconLoop    kit.IconPath = "M17 3l3 3-3 3M20 6H8a4 4 0 0 0-4 4v1M7 21l-3-3 3-3M4 18h12a4 4 0 0 0 4-4v-1"
)

// head leads back to the gallery, and to the clips beside this one in it.
func (c *Clip) head(t *wire.VideoTask) app.UI {
	s := c.s
	prev, next, at := s.desk.Tasks.Beside(t.ID)
	step := func(id, label string, icon kit.IconPath, to string) app.UI {
		return kit.IconButton("", label, icon, kit.At{"id", id, "aria-disabled", to == ""}, s.Do(id, func() { s.stepTo(to, id) }))
	}
	return kit.Box("div", "line clip-head",
		s.toClips("button plain clip-back", kit.Icon(kit.IconBack, "icon small"), "All clips"),
		kit.If(at > 0, func() app.UI {
			return kit.El("div", "line", kit.At{"role", "group", "aria-label", "The clips beside this one"},
				step("clip-prev", "Previous clip (←)", kit.IconBack, prev),
				kit.El("span", "soft figure", kit.At{"id", "clip-place"}, strconv.Itoa(at)+" of "+strconv.Itoa(s.desk.Tasks.FoundCount())),
				step("clip-next", "Next clip (→)", kit.IconChevron, next),
			)
		}),
	)
}

// stepTo shows another clip; the focus stays on the button that led there, ""
// is none.
func (s *Section) stepTo(to, button string) {
	if to == "" {
		return
	}
	s.Context().Navigate(Path + "/" + to)
	if button != "" {
		s.soon("title-"+to, func(js.Value) { s.DOM.Focus("#" + button) })
	}
}

// actions are the four that most go for, and all else in a menu.
func (c *Clip) actions(t *wire.VideoTask, n int) app.UI {
	s := c.s
	gone := ""
	if t.Deleted {
		gone = video.NotDeleted
	}
	var list []app.UI
	if video.CanRetry(t) {
		list = append(list,
			s.gatedSign("clip-edit", kit.IconPencil, "Edit and retry", "Put it in the form to change it first", gone, func(app.Context) { s.reuse(t) }),
			s.gatedSign("clip-retry", kit.IconRetry, video.RetryLabel(t), "Send the same request again, as a new clip", gone, func(app.Context) { s.retry(t.ID) }))
	} else {
		list = c.becomes(t)
	}
	off := cmp.Or(gone, video.NotPlayable(t))
	var use, more []entry
	var download app.UI
	for _, e := range s.entries(t, n) {
		switch e.key {
		case "reference", "first", "last":
			use = append(use, e)
		case "download":
			download = s.gatedSign("clip-download", iconDisc, e.name, e.name, e.why, func(ctx app.Context) { e.do(ctx) })
		case "pin":
			e.name = "Pin in the archive"
			if t.Pinned {
				e.name = "Unpin from the archive"
			}
			more = append(more, e)
		default:
			more = append(more, e)
		}
	}
	use = append(use, entry{"take", "The frame shown", off, "", func(app.Context) {
		if v := s.DOM.ByID("player"); v.Truthy() {
			s.useFrame(t, v, "frame at "+strconv.FormatFloat(v.Get("currentTime").Float(), 'f', 2, 64)+" s")
		}
	}})
	star := "Add to favourites"
	if t.Favourite {
		star = "Remove from favourites"
	}
	more = append(more,
		entry{"star", star, gone, "", func(app.Context) { s.star(t.ID) }})
	for _, l := range snippet.Languages() {
		more = append(more, entry{string(l), "Copy as " + l.Name(), gone, "", func(app.Context) { s.copyAs(l, t) }})
	}
	if s.MayShare() && !t.Deleted {
		more = append(more, entry{"share", "Share…", "", "", func(app.Context) { s.share(t) }})
	}
	if !t.Deleted {
		more = append(more, entry{"delete", "Delete", video.Undeletable(t), video.ChargedOn(t), func(app.Context) {
			s.remove(t.ID)
			s.showResults()
		}})
	}
	list = append(list, c.menu("clip-use", "Use as…", iconUse, use), download,
		kit.IconButton("clip-loop", "Loop", iconLoop, kit.At{"id", "clip-loop", "aria-pressed", s.results.loop, "disabled", off != ""},
			s.Do("loop", func() {
				s.results.loop = !s.results.loop
				s.redrawResults()
			})),
		c.menu("clip-more", "", iconMore, more))
	return kit.El("div", "line clip-does", kit.At{"role", "group", "aria-label", "With this clip"}, list)
}

// becomes are what can be made of the clip. Several ways to upscale are one menu.
func (c *Clip) becomes(t *wire.VideoTask) (list []app.UI) {
	s := c.s
	var sizes []entry
	var only app.UI
	for i, o := range s.desk.Tasks.Offers(t) {
		id, name, icon := string(o.Kind)+"-"+strconv.Itoa(i), o.Label, iconExtend
		do := func(app.Context) { s.start(t, o) }
		if o.Kind == gateway.Upscale {
			icon = iconUpscale
			sizes = append(sizes, entry{id, o.Full, o.Reason, "", do})
			if o.Enabled {
				name = "Upscale to " + o.Label
			}
		}
		one := s.gatedSign("clip-"+id, icon, name, o.Full, o.Reason, do)
		if o.Kind == gateway.Upscale {
			only = one
			continue
		}
		list = append(list, one)
	}
	if len(sizes) > 1 {
		only = c.menu("clip-upscale", "Upscale…", iconUpscale, sizes)
	}
	if only != nil {
		list = append(list, only)
	}
	return list
}

// menu is a button that opens a list. A name of "" is the rest of all that can
// be done. The browser opens it; [Section.closeClipMenus] closes it.
func (c *Clip) menu(id, name string, icon kit.IconPath, list []entry) app.UI {
	s := c.s
	look, label := "button", ""
	if name == "" {
		look, label = "icon-button", "More for this clip"
	}
	return kit.El("details", "clip-menu", kit.At{"data-end", name == ""},
		kit.El("summary", look, kit.At{"id", id, "aria-label", label, "title", label}, kit.Icon(icon, kit.When(name != "", "icon small")+kit.When(name == "", "icon")), name),
		kit.El("div", "menu", kit.At{"role", "group", "aria-label", label + name}, kit.Times(len(list), func(i int) app.UI {
			e := list[i]
			key, tone := "clip-"+e.key, ""
			if e.key == "delete" && e.why == "" {
				tone = kit.Bad
			}
			return kit.MenuItem(key, e.why, kit.At{"data-tone", tone, "aria-describedby", kit.When(e.why != "", key+"-why")},
				s.On("entry "+key, func(ctx app.Context, _ app.Event) {
					s.closeClipMenus(js.Null())
					e.do(ctx)
					s.redrawResults()
				}),
				kit.Box("span", "", e.name, kit.El("small", "faint", kit.At{"id", key + "-why", "hidden", e.why+e.note == ""}, e.why+e.note)))
		})),
	)
}

// closeClipMenus closes the open menus of the page of a clip but the one that
// but is in, and says whether there was one. The focus goes to its button if it
// was inside.
func (s *Section) closeClipMenus(but js.Value) bool {
	open := s.DOM.Find(".clip-menu[open]")
	if !open.Truthy() || but.Truthy() && open.Call("contains", but).Bool() {
		return false
	}
	inside := open.Call("contains", s.DOM.Doc.Get("activeElement")).Bool()
	open.Set("open", false)
	if inside {
		open.Get("firstChild").Call("focus")
	}
	return true
}

// keyOfClip takes the keys of the page of a clip: to the one before, and on.
func (s *Section) keyOfClip(ev js.Value) {
	key := ev.Get("key").String()
	if s.view != viewClip || key != "ArrowLeft" && key != "ArrowRight" || ev.Get("shiftKey").Bool() ||
		s.taken(ev, "input, textarea, select, video, pre, [contenteditable], [role=tablist], [open] > .menu") {
		return
	}
	prev, next, _ := s.desk.Tasks.Beside(s.ids[0])
	if key == "ArrowLeft" {
		next = prev
	}
	button := s.DOM.Doc.Get("activeElement").Get("id").String()
	if button != "clip-prev" && button != "clip-next" {
		button = ""
	}
	s.stepTo(next, button)
}

// copyAs puts the request onto the clipboard, as code that runs.
func (s *Section) copyAs(l snippet.Language, t *wire.VideoTask) {
	text := snippet.Write(l, snippet.Request{BaseURL: s.desk.Gateway.BaseURL, Endpoint: gateway.Video, Body: t.Body})
	s.copy(text, "Copied. Running it makes another clip, which is charged.")
}
