//go:build js && wasm

package video

import (
	"strconv"
	"strings"
	"syscall/js"

	"screentest/app/video"
)

// listen takes what is dropped on the form or pasted into it, for as long as
// the page lives: go-app's own events do not give the browser's objects away.
func (s *Section) listen() {
	within := func(take func(f *Form, ev js.Value)) func(js.Value) {
		return func(ev js.Value) {
			if f, form := s.form, s.DOM.ByID("form"); f != nil && form.Truthy() && form.Call("contains", ev.Get("target")).Bool() {
				take(f, ev)
			}
		}
	}
	s.DOM.On(s.DOM.Doc, "dragover", within(func(_ *Form, ev js.Value) { ev.Call("preventDefault") }), s.Post)
	s.DOM.On(s.DOM.Doc, "drop", within((*Form).onDrop), s.Post)
	s.DOM.On(s.DOM.Doc, "paste", within((*Form).onPaste), s.Post)
}

// onDrop takes a shot to its new place, a file or a link into the slot under
// the pointer, a file elsewhere into the first slot that is free.
func (f *Form) onDrop(ev js.Value) {
	ev.Call("preventDefault")
	target := ev.Get("target")
	if f.dragged != "" {
		if at := target.Call("closest", ".shot"); at.Truthy() {
			f.model().MoveShot(f.dragged, f.model().ShotAt(at.Get("dataset").Get("id").String()))
		}
		f.dragged = ""
		return
	}
	at := target.Call("closest", "[data-slot]")
	data := ev.Get("dataTransfer")
	if files := data.Get("files"); files.Length() > 0 {
		for i := range files.Length() {
			f.give(at, files.Index(i))
			at = js.Null()
		}
		return
	}
	link := strings.TrimSpace(data.Call("getData", "text/uri-list").String())
	if at.Truthy() && link != "" {
		i, _ := strconv.Atoi(at.Get("dataset").Get("index").String())
		f.model().SetLink(at.Get("dataset").Get("slot").String(), i, link)
	}
}

// onPaste takes an image or a video from the clipboard; text goes where the
// caret is, as always.
func (f *Form) onPaste(ev js.Value) {
	files := ev.Get("clipboardData").Get("files")
	if files.Length() == 0 {
		return
	}
	ev.Call("preventDefault")
	f.give(ev.Get("target").Call("closest", "[data-slot]"), files.Index(0))
}

// give puts a file into a slot, or where that takes another kind, or there is
// none, into the first free slot of its kind.
func (f *Form) give(at, file js.Value) {
	if at.Truthy() {
		set := at.Get("dataset")
		i, _ := strconv.Atoi(set.Get("index").String())
		f.attach(set.Get("slot").String(), i, file)
		return
	}
	kind := video.Image
	if strings.HasPrefix(file.Get("type").String(), "video/") {
		kind = video.Video
	}
	for _, field := range f.model().Check.Fields {
		switch field.Name {
		case "image_urls", "reference_video_urls", "video_url":
			if video.KindOf(field.Name) == kind {
				f.attach(field.Name, f.model().Free(field.Name), file)
				return
			}
		}
	}
}
