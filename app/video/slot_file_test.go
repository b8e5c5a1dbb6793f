package video

import (
	"encoding/json"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// A change of the mode copies a file that is on its way: all copies hear of
// it, and it is given up with the last of them.
func TestAnUploadBelongsToAllCopiesOfItsSlot(t *testing.T) {
	for range 20 { // the drafts come in a random order
		r := newRig(t)
		f := r.Form
		f.SetMode(gateway.ImageToVideo)
		f.Attach("image_urls", 0, File{Name: "a.png", Type: "image/png", Size: 100, Shown: "blob:a"})
		f.SetMode(gateway.FirstLastFrame)
		r.uploads[0].progress(40)
		each := func(check func(mode gateway.Mode, s Slot)) {
			t.Helper()
			for _, mode := range []gateway.Mode{gateway.FirstLastFrame, gateway.ImageToVideo} {
				f.SetMode(mode)
				check(mode, f.Draft().Images[0])
			}
		}
		each(func(mode gateway.Mode, s Slot) {
			if s.Stage != StageUploading || s.Sent != 40 {
				t.Errorf("%s: on its way it is %+v", mode, s)
			}
		})
		r.uploads[0].done(wire.Upload{URL: "https://files.example/u/a.png", Path: "/u/a.png"}, nil)
		each(func(mode gateway.Mode, s Slot) {
			if s.Stage != StageReady || s.URL == "" || s.Preview != "" {
				t.Errorf("%s: when it is there it is %+v", mode, s)
			}
		})
		if t.Failed() {
			return
		}
	}
}

// A clip's settings that take the place of the form leave its uploads under way:
// Undo brings them back.
func TestReuseLeavesTheUploadsToUndo(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.ImageToVideo)
	f.Attach("image_urls", 0, File{Name: "a.png", Type: "image/png", Size: 100, Shown: "blob:a"})
	if !r.Reuse(wire.VideoTask{ID: "t", Mode: "image-to-video", Body: json.RawMessage(`{"model":"alpha-3.1-lite-i2v","prompt":"x","seconds":"4","image_urls":["https://elsewhere.example/b.png"]}`)}) {
		t.Fatal("not taken")
	}
	if r.uploads[0].gone || len(r.gone) != 0 {
		t.Fatal("the upload was given up")
	}
	r.uploads[0].done(wire.Upload{URL: "https://files.example/u/a.png", Path: "/u/a.png"}, nil)
	f.Undo()
	if s := f.Draft().Images[0]; s.URL != "https://files.example/u/a.png" || s.Stage != StageReady {
		t.Errorf("brought back is %+v", s)
	}
}

func TestClearingACopyLeavesTheUploadToTheOther(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.ImageToVideo)
	f.Attach("image_urls", 0, File{Name: "a.png", Type: "image/png", Size: 100, Shown: "blob:a"})
	f.SetMode(gateway.FirstLastFrame)
	f.ClearSlot("image_urls", 0)
	if r.uploads[0].gone || len(r.gone) != 0 {
		t.Fatal("the other copy's upload was given up")
	}
	f.SetMode(gateway.ImageToVideo)
	f.ClearSlot("image_urls", 0)
	if !r.uploads[0].gone || len(r.gone) != 1 {
		t.Error("nobody waits for the upload, and it goes on")
	}
}

// What the browser holds of a file is let go when nothing shows it any more:
// once, and not before.
func TestFilesAreLetGo(t *testing.T) {
	file := func(name string) File {
		return File{Name: name, Type: "image/png", Size: 100, Shown: "blob:" + name}
	}
	for _, c := range []struct {
		name string
		does func(r *rig)
		gone bool
	}{
		{"while it is on its way", func(*rig) {}, false},
		{"uploaded", func(r *rig) { r.uploads[0].done(wire.Upload{URL: "https://files.example/a", Path: "/u/a"}, nil) }, true},
		{"refused by the server", func(r *rig) { r.uploads[0].done(wire.Upload{}, &wire.Problem{Code: "full"}) }, false},
		{"refused, and cleared", func(r *rig) {
			r.uploads[0].done(wire.Upload{}, &wire.Problem{Code: "full"})
			r.Form.ClearSlot("image_urls", 0)
		}, true},
		{"cleared", func(r *rig) { r.Form.ClearSlot("image_urls", 0) }, true},
		{"replaced by a file", func(r *rig) { r.Form.Attach("image_urls", 0, file("b.png")) }, true},
		{"replaced by a link", func(r *rig) { r.Form.SetLink("image_urls", 0, "https://elsewhere.example/a.png") }, true},
		{"cleared with the form", func(r *rig) { r.Form.Clear() }, false},
		{"cleared with the form, and back", func(r *rig) { r.Form.Clear(); r.Form.Undo() }, false},
		{"cleared with the form for good", func(r *rig) { r.Form.Clear(); r.Form.Wave() }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.Form.SetMode(gateway.ImageToVideo)
			r.Form.Attach("image_urls", 0, file("a.png"))
			c.does(r)
			if gone := len(r.gone) == 1 && r.gone[0] == "blob:a.png"; gone != c.gone || len(r.gone) > 1 {
				t.Errorf("let go %q", r.gone)
			}
		})
	}
	r := newRig(t)
	r.Form.SetMode(gateway.ImageToVideo)
	r.Form.Attach("image_urls", 0, File{Name: "a.gif", Type: "image/gif", Shown: "blob:a.gif"})
	if len(r.gone) != 1 {
		t.Error("a file that is not taken is kept")
	}
}
