//go:build js && wasm

package video

import (
	"strconv"
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/gateway"
)

// slotsField draws the places for images or videos of a field.
func (f *Form) slotsField(field gateway.Field) app.UI {
	form := f.model()
	slots := form.Slots(field.Name)
	label, note := slotsLabel(form.Mode, field)
	sent := 0 // the place in the request counts only what is sent
	list := make([]app.UI, 0, len(slots)+1)
	for i, s := range slots {
		place := video.SlotField(field, i)
		at := place
		if s.URL != "" {
			at = video.SlotField(field, sent)
			sent++
		}
		list = append(list, f.slot(field, i, s, place, at))
	}
	if form.Mode == gateway.FirstLastFrame && len(slots) == 2 {
		list = append(list, kit.Button("", kit.At{"disabled", slots[0].Empty() && slots[1].Empty()},
			f.on("swap", func(app.Event) { form.Swap(field.Name) }), "Swap"))
	}
	return f.field(field.Name, label, note, kit.Box("div", "slots", list))
}

func slotsLabel(mode gateway.Mode, field gateway.Field) (label, note string) {
	switch {
	case field.Name == "reference_video_urls":
		return "Reference videos", "1 to 3, each 2 to 15 s, at most 15 s in total"
	case field.Name == "video_url":
		return "Motion clip", "3 to 30 s; its motion is used"
	case mode == gateway.FirstLastFrame:
		return "First and last frame", "the last frame is a guide; the clip may end slightly differently"
	case mode == gateway.MultiShot:
		return "First frame", "optional, one image"
	case mode == gateway.Motion:
		return "Character", "one photo"
	case mode == gateway.Reference:
		return "Images", "optional, up to " + strconv.Itoa(field.Max)
	}
	note = ""
	if field.Standing != gateway.Required {
		note = "optional"
	}
	return "Image", note
}

// slot draws one place: empty, on its way, or with what it holds. at is where
// its link stands in the request, for what the rules say of it.
func (f *Form) slot(field gateway.Field, i int, s video.Slot, place, at string) app.UI {
	form := f.model()
	kind := video.KindOf(field.Name)
	slot := kit.At{"data-place", place, "data-slot", field.Name, "data-index", strconv.Itoa(i),
		"data-stage", string(s.Stage), "data-full", !s.Empty()}
	if s.Empty() {
		return kit.El("div", "slot", slot, f.emptySlot(field, i, kind, place), f.saidIn(field, place))
	}
	saidAt := at
	if s.URL == "" {
		saidAt = place
	}
	return kit.El("div", "slot", slot,
		kit.Box("div", "slot-line",
			f.thumb(kind, s),
			kit.Box("div", "slot-text",
				kit.Box("strong", "slot-name", form.SlotTitle(field, i)),
				kit.El("p", "cut", kit.At{"title", s.URL}, s.Label()),
				f.slotFacts(kind, s),
				f.slotTrouble(field, i, kind, s),
			),
			kit.IconButton("small", "Remove "+s.Label(), kit.IconTrash, kit.At{"title", "Remove"}, f.on("remove "+place+s.ID, func(app.Event) {
				f.model().ClearSlot(field.Name, i)
				f.later(`[data-slot="` + field.Name + `"] input[type="text"]`)
			})),
		),
		kit.If(s.Stage == video.StageFailed, func() app.UI { return f.slotWays(field, i, kind, place) }),
		f.saidIn(field, saidAt),
	)
}

// saidIn is what is to be said within a slot; of a field with one slot it
// stands below the field already.
func (f *Form) saidIn(field gateway.Field, place string) app.UI {
	if place == field.Name {
		return kit.Box("div", "issues")
	}
	return f.said(place, false)
}

// emptySlot takes a file by drop, paste or choice, or a link.
func (f *Form) emptySlot(field gateway.Field, i int, kind video.Kind, place string) app.UI {
	form := f.model()
	what, limit := "an image", "PNG, JPEG or WebP up to "+figure.Bytes(kind.Limit())
	if kind == video.Video {
		what, limit = "a video", "MP4 up to "+figure.Bytes(kind.Limit())
	}
	return kit.Box("div", "form-control",
		kit.Box("p", "label",
			kit.Box("strong", "", form.SlotTitle(field, i), kit.If(form.Mode == gateway.ImageToVideo && i > 0, func() app.UI { return kit.Box("span", "faint", " (optional)") })),
			kit.Box("span", "", "Drop "+what+" here, paste it, or choose one"),
		),
		f.slotWays(field, i, kind, place),
		kit.Box("p", "faint", limit),
	)
}

// slotWays are the ways to fill a slot that is empty, or holds a file that can't
// be used.
func (f *Form) slotWays(field gateway.Field, i int, kind video.Kind, place string) app.UI {
	form := f.model()
	name := form.SlotName(field, i)
	id := "file-" + place
	link := "link-" + place
	f.s.Show(link, "")
	return kit.Box("div", "slot-ways",
		kit.Box("div", "line", kit.Button("", kit.At{"id", "choose-" + place, "data-first", "true"},
			f.on("choose "+place, func(app.Event) { f.s.DOM.ByID(id).Call("click") }), "Upload"),
			f.pickButtons(field, i, place)),
		f.picker(field, i, place),
		kit.El("input", "sr-only", kit.At{"id", id, "type", "file", "accept", kind.Accept(), "tabindex", -1, "aria-label", "File for " + name,
			"onchange", f.on(id, func(app.Event) {
				e := f.s.DOM.ByID(id)
				if list := e.Get("files"); list.Length() > 0 {
					f.attach(field.Name, i, list.Index(0))
					e.Set("value", "")
				}
			})}),
		kit.El("input", "field", kit.At{"id", link, "type", "text", "inputmode", "url", "placeholder", "or paste a link", "autocomplete", "off", "spellcheck", "false",
			"aria-label", "Link to " + name,
			"onchange", f.on(link, func(e app.Event) {
				if text := e.Get("target").Get("value").String(); strings.TrimSpace(text) != "" {
					form.SetLink(field.Name, i, text)
				}
			})}),
	)
}

// thumb shows what the slot holds, where this server has it; from elsewhere
// the browser loads nothing.
func (f *Form) thumb(kind video.Kind, s video.Slot) app.UI {
	shown := s.Shown()
	switch {
	case s.Stage == video.StageFailed: // it may be no picture at all
		return kit.Box("div", "thumb none", kit.Icon(kit.IconVideo, "icon"))
	case shown == "":
		return kit.El("div", "thumb none", kit.At{"title", "A link to another site; your browser doesn’t load it"}, kit.Icon(kit.IconVideo, "icon"))
	case kind == video.Video:
		return kit.Box("div", "thumb",
			kit.El("video", "", kit.At{"src", shown, "muted", true, "preload", "metadata", "playsinline", "true", "tabindex", -1, "aria-label", "Preview of " + s.Label()}))
	}
	return kit.Box("div", "thumb", kit.El("img", "", kit.At{"src", shown, "alt", "Preview of " + s.Label()}))
}

// slotFacts are the measures, or how far the upload is.
func (f *Form) slotFacts(kind video.Kind, s video.Slot) app.UI {
	switch s.Stage {
	case video.StageUploading:
		percent := 0
		if s.Bytes > 0 {
			percent = int(min(s.Sent*100/s.Bytes, 100))
		}
		words := "Uploading " + figure.Bytes(s.Bytes)
		if percent == 100 {
			words = "Uploaded, checking…"
		}
		return kit.El("div", "faint slot-facts", kit.At{"role", "status"},
			kit.Meter(kit.Warn, "Upload of "+s.Label(), int64(percent), 100),
			kit.Box("span", "figure", words),
		)
	case video.StageMeasuring:
		return kit.El("p", "faint slot-facts", kit.At{"role", "status"}, "Checking the link…")
	case video.StageFailed:
		return kit.Box("p", "faint slot-facts", "Not uploaded")
	}
	var facts []string
	if s.Width > 0 {
		facts = append(facts, strconv.Itoa(s.Width)+" × "+strconv.Itoa(s.Height))
	}
	if kind == video.Video && s.Seconds > 0 {
		length := video.Length(s.Seconds)
		if s.ByHand {
			length += " (your figure)"
		}
		facts = append(facts, length)
	}
	if s.Bytes > 0 {
		facts = append(facts, figure.Bytes(s.Bytes))
	}
	if s.Path == "" {
		facts = append(facts, s.Host())
	}
	return kit.Box("p", "faint slot-facts figure", strings.Join(facts, " · "))
}

// slotTrouble says what went wrong with the file and what to do, and takes the
// length of a video that can't be measured.
func (f *Form) slotTrouble(field gateway.Field, i int, kind video.Kind, s video.Slot) app.UI {
	place := video.SlotField(field, i)
	var list []app.UI
	if s.Unreachable {
		list = append(list, kit.Box("p", "issue bad",
			"The gateway can’t fetch this file: this server has no public address. Start it with ",
			kit.Box("code", "", "-public-url https://…"), ", or paste a link instead."))
	}
	if p := s.Problem; p != nil {
		class := "issue warn"
		if s.Stage == video.StageFailed {
			class = "issue bad"
		}
		list = append(list, kit.Box("p", class, p.Message, kit.If(p.Hint != "", func() app.UI { return kit.Box("span", "todo", " "+p.Hint) })))
	}
	if s.Problem != nil && s.Stage == video.StageReady && kind == video.Image {
		list = append(list, kit.Button("", kit.At{"id", "again-" + place}, f.on("look again "+place, func(app.Event) { f.model().Measure(field.Name, i) }), "Check again"))
	}
	unmeasured := kind == video.Video && s.URL != "" && s.Stage == video.StageReady && (s.Seconds <= 0 || s.ByHand)
	if unmeasured {
		id := "length-" + place
		text := ""
		if s.Seconds > 0 {
			text = strconv.FormatFloat(s.Seconds, 'f', -1, 64)
		}
		list = append(list, kit.Box("div", "line soft",
			kit.El("label", "", kit.At{"for", id}, "Length"),
			f.s.Field(id, "field figure number", kit.At{"type", "number", "min", 0, "step", "any", "data-first", "true"}, text, func(text string) {
				n, err := strconv.ParseFloat(text, 64)
				if err != nil {
					n = 0
				}
				f.model().SetLength(field.Name, i, n)
			}),
			kit.Box("span", "", "seconds"),
			kit.Button("", nil, f.on("measure "+place, func(app.Event) { f.model().Measure(field.Name, i) }), "Measure again"),
		))
	}
	return kit.Box("div", "issues", list)
}

// attach hands a file of the browser's to the model.
func (f *Form) attach(field string, i int, file js.Value) {
	url := js.Global().Get("URL").Call("createObjectURL", file).String()
	f.model().Attach(field, i, video.File{
		Name: file.Get("name").String(), Type: file.Get("type").String(), Size: int64(file.Get("size").Float()),
		Shown: url, Handle: file,
	})
}
