//go:build js && wasm

package video

import (
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// pickButtons open the lists that a slot is filled from.
func (f *Form) pickButtons(field gateway.Field, i int, place string) []app.UI {
	var list []app.UI
	for _, way := range []struct {
		from video.PickFrom
		name string
	}{{video.FromClips, "Your clips"}, {video.FromUploads, "Recent uploads"}} {
		p := f.model().Picker
		id := "pick-" + string(way.from) + "-" + place
		list = append(list, kit.Button("", kit.At{"id", id, "aria-expanded", strconv.FormatBool(p.At(field.Name, i) && p.From == way.from)},
			f.on(id, func(app.Event) { f.model().OpenPicker(field.Name, i, way.from) }), way.name))
	}
	return list
}

// picker is the list that is open below a slot.
func (f *Form) picker(field gateway.Field, i int, place string) app.UI {
	form := f.model()
	p := form.Picker
	if !p.At(field.Name, i) {
		return kit.Nothing()
	}
	text := p.Text
	if f.finding != nil {
		text = f.query
	}
	label, none := "Your clips", "No finished clips yet."
	rows := make([]app.UI, 0, len(p.Clips)+len(p.Uploads))
	if p.From == video.FromUploads {
		label, none = "Recent uploads", "No uploads that fit."
		for _, u := range p.Uploads {
			rows = append(rows, f.pickUpload(u, place))
		}
	} else {
		if p.Text != "" {
			none = "No clips match."
		}
		for n := range p.Clips {
			rows = append(rows, f.pickClip(&p.Clips[n], place))
		}
	}
	return kit.El("div", "slot-picker", kit.At{"id", "slot-picker", "role", "group", "aria-label", label, "aria-busy", strconv.FormatBool(p.Loading)},
		kit.If(p.From == video.FromClips && (p.Text != "" || p.More || len(p.Clips) > 4), func() app.UI {
			return kit.Box("label", "field field-box",
				kit.Icon(kit.IconSearch, "icon small"),
				kit.Box("span", "sr-only", "Search your clips"),
				f.s.Field("pick-search", "", kit.At{"type", "search", "placeholder", "Search prompts, titles, tags", "maxlength", 200}, text, f.searchClips))
		}),
		kit.If(p.Problem != nil, func() app.UI {
			return kit.Notice(kit.Bad, "", kit.At{"role", "alert"}, kit.Box("p", "", p.Problem.Words()),
				kit.Button("", nil, f.on("pick again", func(app.Event) { f.model().PickAgain() }), "Try again"))
		}),
		kit.If(!p.Ready && p.Problem == nil, func() app.UI { return kit.El("p", "soft", kit.At{"role", "status"}, "Loading…") }),
		kit.If(p.Ready && len(rows) == 0, func() app.UI { return kit.El("p", "soft", kit.At{"role", "status"}, none) }),
		kit.If(len(rows) > 0, func() app.UI { return kit.Box("ul", "picks", rows) }),
		kit.If(p.More, func() app.UI {
			return kit.Button("small", kit.At{"id", "pick-older", "disabled", p.Loading}, f.on("pick older", func(app.Event) { f.model().OlderClips() }), "Show older")
		}),
	)
}

// searchClips waits until the typing rests.
func (f *Form) searchClips(text string) {
	if f.finding != nil {
		f.finding()
	}
	f.query = text
	f.finding = f.s.After(200*time.Millisecond, func() {
		f.finding = nil
		f.model().FindClips(text)
	})
}

// pickClip is one clip of the list: a slot for an image takes a frame of it.
func (f *Form) pickClip(t *wire.VideoTask, place string) app.UI {
	form := f.model()
	title, n := video.Title(*t), video.PlayableOutput(t)
	task := *t
	var facts []string
	if s := video.LengthOf(t); s > 0 {
		facts = append(facts, video.Length(s))
	}
	facts = append(facts, t.Model)
	use := func(id, name, why string, do func()) app.UI {
		id = "pick-" + id + "-" + t.ID
		return kit.Button("small", kit.At{"id", id, "disabled", why != "", "title", why, "aria-label", name + ": " + title}, f.on(id, func(app.Event) { do() }), name)
	}
	thumb := kit.Box("span", "thumb", sourceThumb(t))
	why := form.PickWhy(t)
	ways := []app.UI{use("clip", "Use clip", why, func() {
		f.later(filledSlot(place))
		f.model().PickClip(task)
	})}
	if video.KindOf(form.Picker.Field) == video.Image {
		ways = nil
		for _, which := range []string{video.FirstFrame, video.LastFrame} {
			ways = append(ways, use(which[:strings.IndexByte(which, ' ')], strings.ToUpper(which[:1])+which[1:], "", func() {
				p := f.model().Picker
				f.s.readFrame(&task, n, which, func(file video.File) {
					f.later(filledSlot(place))
					f.model().PickFrame(p, file)
				})
			}))
		}
	}
	return pickRow(thumb, title, strings.Join(facts, " · "), kit.SayIf("p", "faint", why), ways)
}

// pickUpload is one upload of the list.
func (f *Form) pickUpload(u wire.Upload, place string) app.UI {
	thumb := kit.El("img", "", kit.At{"src", u.Path, "aria-hidden", "true", "loading", "lazy", "decoding", "async"})
	var facts []string
	if u.Seconds > 0 {
		thumb = clipThumb(u.Path)
		facts = append(facts, video.Length(u.Seconds))
	}
	if u.Width > 0 {
		facts = append(facts, strconv.Itoa(u.Width)+" × "+strconv.Itoa(u.Height))
	}
	facts = append(facts, figure.Bytes(u.Bytes))
	name := u.Name
	if name == "" {
		name = "Unnamed"
	}
	id := "pick-upload-" + u.ID
	return pickRow(kit.Box("span", "thumb", thumb), name, strings.Join(facts, " · "), kit.Nothing(), []app.UI{
		kit.Button("small", kit.At{"id", id, "aria-label", "Use " + name}, f.on(id, func(app.Event) {
			f.later(filledSlot(place))
			f.model().PickUpload(u)
		}), "Use"),
	})
}

func pickRow(thumb app.UI, name, facts string, why app.UI, ways []app.UI) app.UI {
	return kit.Box("li", "slot-line",
		thumb,
		kit.Box("div", "slot-text",
			kit.El("p", "cut", kit.At{"title", name}, name),
			kit.Box("p", "faint cut figure", facts),
			why,
			kit.Box("div", "line", ways),
		),
	)
}

// filledSlot is what gets the focus in a slot that was just filled.
func filledSlot(place string) string { return `.slot[data-place="` + place + `"] button` }

// frameFile is what a frame of a clip is as a file of the browser's.
func frameFile(t *wire.VideoTask, which string, blob js.Value) video.File {
	return video.File{
		Name: frameName(video.Title(*t), which), Type: "image/jpeg", Size: int64(blob.Get("size").Int()),
		Shown:  js.Global().Get("URL").Call("createObjectURL", blob).String(),
		Handle: blob,
	}
}
