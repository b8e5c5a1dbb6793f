package video

import (
	"slices"

	"screentest/shared/gateway"
)

// The frames of a clip that are taken by name; another is "frame at 4.50 s".
const (
	FirstFrame = "first frame"
	LastFrame  = "last frame"
)

// UseFrame puts an image, taken from a clip, into the form: into the mode that
// is shown, if it takes images, else into image to video. It takes the place of
// what is there, which can be taken back, and the form says what it is now.
func (d *Desk) UseFrame(file File, which string) {
	f := d.Form
	at := &filled{field: "image_urls", from: f.Mode}
	if _, ok := f.Field("image_urls"); !ok {
		f.SetMode(gateway.ImageToVideo)
	}
	if _, ok := f.Field("image_urls"); !ok {
		d.o.Files.Release(file.Shown)
		return
	}
	at.i = f.framePlace(which)
	f.fill(at, "The clip's "+which+" is now", "")
	if at.i < 0 {
		f.draft.Images = nil
	}
	f.Attach("image_urls", max(at.i, 0), file)
}

// framePlace is the slot of image_urls for a frame; -1 in place of all images.
func (f *Form) framePlace(which string) int {
	switch f.Mode {
	case gateway.ImageToVideo, gateway.AnyVideo:
		return -1
	case gateway.Reference: // the prompt names its images: they keep their numbers
		return f.Free("image_urls")
	case gateway.FirstLastFrame: // one that is free first, in the order of the clip
		free := slices.IndexFunc(f.Slots("image_urls"), Slot.free)
		if free >= 0 {
			return free
		}
		if which == LastFrame {
			return 1
		}
	}
	return 0
}

// fill notes what is about to be put where, for the person and for Undo: before
// and after stand around the slot's name.
func (f *Form) fill(at *filled, before, after string) {
	field, _ := f.Field(at.field)
	name := f.SlotName(field, max(at.i, 0))
	if name == "an image" {
		name = "the image"
	}
	f.Fitted = &Fitted{What: before + " " + name + "." + after, Mode: f.Mode, before: f.draft.clone(), slot: at}
}

// unfill takes out again what was filled in, and puts back what was there.
func (f *Form) unfill(at *filled, before *Draft) {
	list, was := f.draft.slots(at.field), *before.slots(at.field)
	switch {
	case at.i < 0:
		*list = was
	case at.i < len(was):
		*f.slot(at.field, at.i) = was[at.i]
	case at.i < len(*list):
		*list = slices.Delete(*list, at.i, at.i+1)
	}
	f.draft.References = 0
	trim(list)
}

// trim leaves out the empty slots at the end.
func trim(list *[]Slot) {
	for n := len(*list); n > 0 && (*list)[n-1].Empty(); n-- {
		*list = (*list)[:n-1]
	}
}
