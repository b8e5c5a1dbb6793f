//go:build js && wasm

package videodesk

import (
	"strconv"
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

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
		list = append(list, app.Button().Class("button swap").Type("button").Disabled(slots[0].Empty() && slots[1].Empty()).
			Text("Swap them").OnClick(f.on("swap", func(app.Event) { form.Swap(field.Name) })))
	}
	class := "slots"
	if len(slots) > 1 {
		class += " several"
	}
	return f.field(field.Name, label, note, app.Div().Class(class).Body(list...))
}

func slotsLabel(mode gateway.Mode, field gateway.Field) (label, note string) {
	switch {
	case field.Name == "reference_video_urls":
		return "Reference videos", "1 to 3, each 2 to 15 s, 15 s together at most"
	case field.Name == "video_url":
		return "Motion clip", "its motion is taken: 3 to 30 s"
	case mode == gateway.FirstLastFrame:
		return "First and last frame", "the last is a guide: the clip may end a little differently"
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
	kind := video.KindOf(field.Name)
	box := app.Div().Class("slot").DataSet("place", place).DataSet("slot", field.Name).DataSet("index", strconv.Itoa(i)).
		DataSet("stage", string(s.Stage)).DataSet("full", !s.Empty())
	if s.Empty() {
		return box.Body(f.emptySlot(field, i, kind, place), f.saidIn(field, place))
	}
	saidAt := at
	if s.URL == "" {
		saidAt = place
	}
	return box.Body(
		app.Div().Class("slot-line").Body(
			f.thumb(kind, s),
			app.Div().Class("slot-text").Body(
				app.P().Class("slot-name").Title(s.URL).Text(s.Label()),
				f.slotFacts(kind, s),
				f.slotTrouble(field, i, kind, s),
			),
			app.Button().Class("icon-button small").Type("button").Aria("label", "Remove "+s.Label()).Title("Remove").
				OnClick(f.on("remove "+place+s.ID, func(app.Event) {
					f.model().ClearSlot(field.Name, i)
					f.later(`[data-slot="` + field.Name + `"] input[type="text"]`)
				})).
				Body(kit.Icon(kit.IconTrash, "icon")),
		),
		app.If(s.Stage == video.StageFailed, func() app.UI { return f.slotWays(field, i, kind, place) }),
		f.saidIn(field, saidAt),
	)
}

// saidIn is what is to be said within a slot; of a field with one slot it
// stands below the field already.
func (f *Form) saidIn(field gateway.Field, place string) app.UI {
	if place == field.Name {
		return app.Div().Class("issues")
	}
	return f.said(place, false)
}

// emptySlot takes a file by drop, paste or choice, or a link.
func (f *Form) emptySlot(field gateway.Field, i int, kind video.Kind, place string) app.UI {
	form := f.model()
	what, limit := "an image", "PNG, JPEG or WebP up to "+video.Megabytes(kind.Limit())
	if kind == video.Video {
		what, limit = "a video", "MP4 up to "+video.Megabytes(kind.Limit())
	}
	name := form.SlotName(field, i)
	return app.Div().Class("slot-empty").Body(
		app.P().Class("slot-invite").Body(
			app.Strong().Text(strings.ToUpper(name[:1])+name[1:]),
			app.Span().Text("Drop "+what+" here, paste it, or choose one"),
		),
		f.slotWays(field, i, kind, place),
		app.P().Class("slot-limit").Text(limit),
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
	return app.Div().Class("slot-ways").Body(
		app.Button().ID("choose-"+place).Class("button").Type("button").Text("Choose a file").DataSet("first", "true").
			OnClick(f.on("choose "+place, func(app.Event) { f.s.DOM.ByID(id).Call("click") })),
		app.Input().ID(id).Class("slot-file").Type("file").Accept(kind.Accept()).TabIndex(-1).Aria("label", "File for "+name).
			OnChange(f.on(id, func(app.Event) {
				e := f.s.DOM.ByID(id)
				if list := e.Get("files"); list.Length() > 0 {
					f.attach(field.Name, i, list.Index(0))
					e.Set("value", "")
				}
			})),
		app.Input().ID(link).Class("field").Type("text").Attr("inputmode", "url").Placeholder("or paste a link").Attr("autocomplete", "off").Attr("spellcheck", "false").
			Aria("label", "Link to "+name).
			OnChange(f.on(link, func(e app.Event) {
				if text := e.Get("target").Get("value").String(); strings.TrimSpace(text) != "" {
					form.SetLink(field.Name, i, text)
				}
			})),
	)
}

// thumb shows what the slot holds, where this server has it; from elsewhere
// the browser loads nothing.
func (f *Form) thumb(kind video.Kind, s video.Slot) app.UI {
	shown := s.Shown()
	switch {
	case shown == "":
		return app.Div().Class("thumb none").Title("A link to elsewhere: your browser does not load it").Body(kit.Icon(kit.IconVideo, "icon"))
	case kind == video.Video:
		return app.Div().Class("thumb").Body(
			app.Video().Src(shown).Muted(true).Preload("metadata").Attr("playsinline", "true").TabIndex(-1).Aria("label", "Preview of "+s.Label()))
	}
	return app.Div().Class("thumb").Body(app.Img().Src(shown).Alt("Preview of " + s.Label()))
}

// slotFacts are the measures, or how far the upload is.
func (f *Form) slotFacts(kind video.Kind, s video.Slot) app.UI {
	switch s.Stage {
	case video.StageUploading:
		percent := 0
		if s.Bytes > 0 {
			percent = int(min(s.Sent*100/s.Bytes, 100))
		}
		words := "Uploading " + video.Megabytes(s.Bytes)
		if percent == 100 {
			words = "Sent; the server looks at it"
		}
		return app.Div().Class("slot-facts").Role("status").Body(
			app.Progress().Max(100).Value(percent).Aria("label", "Upload of "+s.Label()),
			app.Span().Class("figure").Text(words),
		)
	case video.StageMeasuring:
		return app.P().Class("slot-facts").Role("status").Text("The server looks at the link…")
	case video.StageFailed:
		return app.P().Class("slot-facts").Text("Not uploaded")
	}
	var facts []string
	if s.Width > 0 {
		facts = append(facts, strconv.Itoa(s.Width)+" × "+strconv.Itoa(s.Height))
	}
	if kind == video.Video && s.Seconds > 0 {
		length := video.Length(s.Seconds)
		if s.ByHand {
			length += " as you say"
		}
		facts = append(facts, length)
	}
	if s.Bytes > 0 {
		facts = append(facts, video.Megabytes(s.Bytes))
	}
	if s.Path == "" {
		facts = append(facts, s.Host())
	}
	return app.P().Class("slot-facts figure").Text(strings.Join(facts, " · "))
}

// slotTrouble says what went wrong with the file and what to do, and takes the
// length of a video that can't be measured.
func (f *Form) slotTrouble(field gateway.Field, i int, kind video.Kind, s video.Slot) app.UI {
	place := video.SlotField(field, i)
	var list []app.UI
	if s.Unreachable {
		list = append(list, app.P().Class("issue bad").Body(
			app.Text("The gateway can't fetch this file, because this server has no address that is reached from outside. Start it with "),
			app.Code().Text("-public-url https://…"), app.Text(", or give a link instead.")))
	}
	if p := s.Problem; p != nil {
		class := "issue warn"
		if s.Stage == video.StageFailed {
			class = "issue bad"
		}
		list = append(list, app.P().Class(class).Body(app.Text(p.Message), app.If(p.Hint != "", func() app.UI { return app.Span().Class("todo").Text(" " + p.Hint) })))
	}
	unmeasured := kind == video.Video && s.URL != "" && s.Stage == video.StageReady && (s.Seconds <= 0 || s.ByHand)
	if unmeasured {
		id := "length-" + place
		text := ""
		if s.Seconds > 0 {
			text = strconv.FormatFloat(s.Seconds, 'f', -1, 64)
		}
		list = append(list, app.Div().Class("slot-length").Body(
			app.Label().For(id).Text("Its length"),
			f.s.Field(id, text, func(text string) {
				n, err := strconv.ParseFloat(text, 64)
				if err != nil {
					n = 0
				}
				f.model().SetLength(field.Name, i, n)
			}).Class("field number figure").Type("number").Min(0).Attr("step", "any").DataSet("first", "true"),
			app.Span().Text("seconds"),
			app.Button().Class("button").Type("button").Text("Measure again").
				OnClick(f.on("measure "+place, func(app.Event) { f.model().Measure(field.Name, i) })),
		))
	}
	return app.Div().Class("slot-trouble").Body(list...)
}

// attach hands a file of the browser's to the model.
func (f *Form) attach(field string, i int, file js.Value) {
	url := js.Global().Get("URL").Call("createObjectURL", file).String()
	f.model().Attach(field, i, video.File{
		Name: file.Get("name").String(), Type: file.Get("type").String(), Size: int64(file.Get("size").Float()),
		Shown: url, Handle: file,
	})
}
