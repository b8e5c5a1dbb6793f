//go:build js && wasm

package chat

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/figure"
	"screentest/app/session"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// imageSide is the longest side of an image that is sent, in pixels; models look
// at no more of it.
const imageSide = 2048

const iconImage kit.IconPath = "M4 5h16v14H4zM4 16l5-5 4 4 2.500-2.500L20 17M15.500 9.500v.01"

// listenImages takes images that are pasted into the composer or dropped on the
// conversation.
func (p *Page) listenImages() {
	files := func(ev js.Value) js.Value {
		for _, from := range []string{"clipboardData", "dataTransfer"} {
			if data := ev.Get(from); data.Truthy() {
				return data.Get("files")
			}
		}
		return js.Null()
	}
	within := func(ev js.Value, selector string) bool {
		at := ev.Get("target")
		return p.shown && at.Get("closest").Truthy() && at.Call("closest", selector).Truthy()
	}
	take := func(ev js.Value) { p.attach(files(ev)) }
	p.Hear(p.DOM.Doc, "paste", func(ev js.Value) bool {
		f := files(ev)
		// Some programs put a picture of a text beside it: that is a text.
		text := f.Truthy() && ev.Get("clipboardData").Call("getData", "text/plain").String() != ""
		return f.Truthy() && f.Length() > 0 && !text && within(ev, "#composer")
	}, take)
	dragged := func(ev js.Value) bool {
		data := ev.Get("dataTransfer")
		return data.Truthy() && data.Get("types").Call("includes", "Files").Bool() && within(ev, ".desk")
	}
	over := func() {}
	p.Hear(p.DOM.Doc, "dragover", dragged, func(js.Value) { // again and again, for as long as it lasts
		over()
		box := p.DOM.Find(".composer-box")
		if !box.Truthy() {
			return
		}
		box.Get("dataset").Set("drop", "")
		over = p.After(500*time.Millisecond, func() { box.Get("dataset").Delete("drop") })
	})
	p.Hear(p.DOM.Doc, "drop", dragged, take)
}

// attach puts files into the composer.
func (p *Page) attach(files js.Value) {
	if !files.Truthy() || p.Guest {
		return
	}
	c := p.chat.Shown()
	if !c.MayAttach() {
		return
	}
	for i := range files.Length() {
		file := files.Index(i)
		a := c.Attach(file.Get("name").String())
		if a == nil {
			return
		}
		p.prepare(file, func(blob js.Value, note string, problem *wire.Problem) {
			if problem != nil {
				c.AttachDone(a.ID, wire.Image{}, "", problem)
				return
			}
			p.upload(blob, func(i wire.Image, problem *wire.Problem) { c.AttachDone(a.ID, i, note, problem) })
		})
	}
	p.FocusComposer()
}

// upload sends an image to the server.
func (p *Page) upload(blob js.Value, done func(i wire.Image, problem *wire.Problem)) {
	p.Send("POST", wire.ImagesPath, blob, blob.Get("type").String(), func(status int, answer string) {
		var i wire.Image
		data, problem := session.Answered(status, answer)
		if problem == nil && json.Unmarshal(data, &i) != nil {
			problem = &wire.Problem{Code: "server_error", Message: "The server’s answer could not be read."}
		}
		done(i, problem)
	})
}

// prepare makes an image ready: it is drawn anew, so that it is no larger than models
// look at and nothing is left in it of where and when it was taken. note says what
// was done.
func (p *Page) prepare(file js.Value, done func(blob js.Value, note string, problem *wire.Problem)) {
	p.Await(js.Global().Call("createImageBitmap", file), func(bitmap js.Value) {
		if !bitmap.Truthy() {
			done(js.Null(), "", &wire.Problem{Code: "not_an_image", Message: "This browser can’t read this image.", Hint: "Choose a PNG, JPEG, WebP or GIF."})
			return
		}
		width, height := bitmap.Get("width").Float(), bitmap.Get("height").Float()
		kind, size := file.Get("type").String(), file.Get("size").Float()
		longest := math.Max(width, height)
		if kind == "image/gif" && longest <= imageSide && size <= wire.MaxImage { // it may move
			bitmap.Call("close")
			done(file, pixels(width, height)+", "+figure.Bytes(int64(size)), nil)
			return
		}
		if kind != "image/jpeg" && kind != "image/webp" {
			kind = "image/png"
		}
		p.redraw(bitmap, kind, math.Min(1, imageSide/longest), 4, func(blob js.Value, w, h float64) {
			bitmap.Call("close")
			if !blob.Truthy() {
				done(js.Null(), "", &wire.Problem{Code: "image_too_large", Message: "It can’t be made small enough: an image has at most 5 MiB.", Hint: "Choose a smaller one."})
				return
			}
			note := pixels(w, h) + ", " + figure.Bytes(int64(blob.Get("size").Float()))
			if w < width {
				note += ", made smaller from " + pixels(width, height)
			}
			done(blob, note, nil)
		})
	})
}

// redraw draws an image at a scale, and smaller, until it is small enough in bytes.
func (p *Page) redraw(bitmap js.Value, kind string, scale float64, tries int, done func(blob js.Value, w, h float64)) {
	side := func(name string) float64 { return math.Max(1, math.Round(bitmap.Get(name).Float()*scale)) }
	canvas := p.DOM.El("canvas", "")
	w, h := side("width"), side("height")
	canvas.Set("width", w)
	canvas.Set("height", h)
	canvas.Call("getContext", "2d").Call("drawImage", bitmap, 0, 0, w, h)
	var got js.Func
	got = js.FuncOf(func(_ js.Value, args []js.Value) any {
		blob := args[0]
		p.Post(func() {
			got.Release()
			switch {
			case blob.Truthy() && blob.Get("size").Float() <= wire.MaxImage:
				done(blob, w, h)
			case tries == 0 || !blob.Truthy():
				done(js.Null(), 0, 0)
			case kind == "image/png":
				p.redraw(bitmap, "image/webp", scale, tries-1, done)
			default:
				p.redraw(bitmap, kind, scale*0.7, tries-1, done)
			}
		})
		return nil
	})
	canvas.Call("toBlob", got, kind, 0.9)
}

func pixels(w, h float64) string {
	return strconv.Itoa(int(w)) + " × " + strconv.Itoa(int(h))
}

// chooseImages has the browser ask for files.
func (p *Page) chooseImages() {
	if input := p.DOM.ByID("image-file"); input.Truthy() {
		input.Call("click")
	}
}

// imageButton chooses images from the disk, or with the phone's camera.
func (p *Page) imageButton() app.UI {
	why, quiet := p.chat.Shown().ImagesRefused()
	title := "Add images (or paste or drop them)"
	if why != "" {
		title = why
	}
	return kit.Chip(kit.At{"id", "add-image", "title", title, "hidden", quiet, "disabled", why != ""},
		p.Do("add-image", p.chooseImages),
		kit.Icon(iconImage, "icon small"), kit.Box("span", "", "Image"))
}

// attachments are the images in the composer, with what is to be known of them.
func (p *Page) attachments() app.UI {
	c := p.chat.Shown()
	choose := kit.El("input", "sr-only", kit.At{"id", "image-file", "type", "file", "accept", "image/*", "multiple", true, "tabindex", -1, "aria-label", "Images to add",
		"onchange", p.Do("image-file", func() {
			input := p.DOM.ByID("image-file")
			p.attach(input.Get("files"))
			input.Set("value", "") // the same may be chosen again
		})})
	list := make([]app.UI, 0, len(c.Attached()))
	for n, a := range c.Attached() {
		list = append(list, p.attachment(n, a))
	}
	warning, left := c.ImagesWarning(), c.ImagesLeft()
	return kit.Box("div", "",
		choose,
		kit.El("ul", "attached", kit.At{"id", "attached", "aria-label", "Images of this message", "hidden", len(list) == 0}, list),
		kit.El("div", "attached-note", kit.At{"id", "images-note", "role", "status", "hidden", warning+left == ""},
			kit.Box("span", "", strings.TrimSpace(warning+" "+left)),
			kit.If(warning != "", func() app.UI {
				return kit.Button("small", kit.At{"id", "leave-images"}, p.Do("leave-images", func() { c.LeaveImages(); p.FocusComposer() }), "Ask without the images")
			})),
	)
}

func (p *Page) attachment(n int, a *chat.Attachment) app.UI {
	name := a.Name
	if name == "" {
		name = "Image " + strconv.Itoa(n+1)
	}
	words, state := a.Note, "ready"
	switch {
	case a.Problem != nil:
		words, state = a.Problem.Message, "bad"
	case !a.Ready():
		words, state = "Preparing…", "busy"
	}
	return kit.El("li", "attachment", kit.At{"data-state", state, "title", name},
		kit.If(a.Ready(), func() app.UI {
			return kit.El("img", "", kit.At{"src", a.Image.Address(), "alt", name})
		}),
		kit.Box("span", "attachment-words",
			kit.Box("span", "cut", name),
			kit.Box("span", "faint", words)),
		kit.IconButton("small", "Remove "+name, kit.IconClose, nil, p.Do("detach "+a.ID, func() {
			p.chat.Shown().Detach(a.ID)
			p.FocusComposer()
		})))
}

// images are those of a question, small; each opens in full.
func (p *Page) images(m *chat.Message) app.UI {
	if len(m.Images) == 0 {
		return kit.Nothing()
	}
	list := make([]app.UI, 0, len(m.Images))
	for n, i := range m.Images {
		label := imageName(n, len(m.Images))
		list = append(list, kit.Box("li", "",
			kit.Button("image", kit.At{"title", "Show full size"},
				p.Do("image "+strconv.Itoa(n), func() { p.showImage(m.Images, n) }),
				kit.El("img", "", kit.At{"src", i.Address(), "alt", label, "loading", "lazy", "width", i.Width, "height", i.Height}))))
	}
	return kit.Box("ul", "images", list)
}

func imageName(n, of int) string {
	if of == 1 {
		return "Image"
	}
	return "Image " + strconv.Itoa(n+1) + " of " + strconv.Itoa(of)
}

// ImageView shows an image in full.
type ImageView struct {
	app.Compo
	p    *Page
	Rev  int
	Open bool
	N    int
	List []wire.Image
}

// images that are shown in full.
type imageView struct {
	open bool
	n    int
	list []wire.Image
	from js.Value // what had the focus
}

func (p *Page) showImage(list []wire.Image, n int) {
	p.view = imageView{open: true, n: n, list: list, from: p.DOM.Doc.Get("activeElement")}
	p.showDialog("image-view", chat.PartComposer)
}

func (p *Page) hideImage() {
	from := p.view.from
	p.view = imageView{}
	p.hideDialog("image-view", chat.PartComposer)
	p.Context().Defer(func(app.Context) {
		if from.Truthy() {
			from.Call("focus")
		}
	})
}

func (p *Page) turnImage(by int) {
	if n := p.view.n + by; n >= 0 && n < len(p.view.list) {
		p.view.n = n
		p.changed(chat.PartComposer)
	}
}

// Render implements app.Composer.
func (v *ImageView) Render() (ui app.UI) {
	p := v.p
	defer p.Drawing("an image", &ui)
	if !v.Open || v.N >= len(v.List) {
		return p.Dialog("image-view", "Image", nil, p.hideImage, p.hideImage)
	}
	i := v.List[v.N]
	name := imageName(v.N, len(v.List))
	return p.Dialog("image-view", name, kit.At{
		"onclick", p.OnBackdrop("image-view", p.hideImage),
		"onkeydown", p.On("image-key", func(ctx app.Context, e app.Event) {
			ctx.PreventUpdate()
			switch e.Get("key").String() {
			case "ArrowLeft":
				p.turnImage(-1)
			case "ArrowRight":
				p.turnImage(1)
			}
		})}, p.hideImage, p.hideImage,
		kit.Box("div", "image-full", kit.El("img", "", kit.At{"src", i.Address(), "alt", name, "width", i.Width, "height", i.Height})),
		kit.Box("div", "line image-foot",
			kit.Box("span", "faint", pixels(float64(i.Width), float64(i.Height))+", "+figure.Bytes(i.Bytes)),
			kit.If(len(v.List) > 1, func() app.UI {
				return kit.Box("span", "line",
					p.iconButton("Previous image", kit.IconBack, v.N == 0, func() { p.turnImage(-1) }),
					p.iconButton("Next image", kit.IconChevron, v.N == len(v.List)-1, func() { p.turnImage(1) }))
			})))
}

// withoutImages offers to ask a model that takes no images without those of the
// conversation, where that is what was refused.
func (c *Composer) withoutImages(r *chat.Refusal) app.UI {
	of := c.p.chat.Shown()
	if len(r.Issues) == 0 || r.Issues[0].Code != chat.CodeNoImages || len(of.NoImages()) == len(of.Lanes) && len(of.Attached()) > 0 && of.Draft() == "" {
		return kit.Nothing()
	}
	return kit.Button("small", kit.At{"id", "without-images"}, c.p.Do("without-images", func() { of.LeaveImages(); c.p.FocusComposer() }), "Ask without the images")
}
