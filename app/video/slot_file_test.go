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
		{"cleared with the form for good", func(r *rig) { r.Form.Clear(); r.Form.KeepFitted() }, true},
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

func TestFilesAreCheckedBeforeTheyAreSent(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.ImageToVideo)
	for _, c := range []struct {
		name string
		file File
		code string
	}{
		{"a GIF", File{Name: "a.gif", Type: "image/gif", Size: 10}, "wrong_type"},
		{"21 MB", File{Name: "a.png", Type: "image/png", Size: 21 << 20}, "too_large"},
		{"a video where an image goes", File{Name: "a.mp4", Type: "video/mp4", Size: 10}, "wrong_type"},
	} {
		f.Attach("image_urls", 0, c.file)
		s := f.Draft().Images[0]
		if len(r.uploads) != 0 || s.Problem == nil || s.Problem.Code != c.code || s.Problem.Hint == "" {
			t.Errorf("%s: %d uploads, %v", c.name, len(r.uploads), s.Problem)
		}
	}
	r.lacks("Replace the image", "Write a prompt")

	f.Attach("image_urls", 0, File{Name: "a.png", Type: "image/png", Size: 100, Shown: "blob:a"})
	r.lacks("Wait for the upload", "Write a prompt")
	first := r.uploads[0]
	f.Attach("image_urls", 0, File{Name: "b.png", Type: "image/png", Size: 100, Shown: "blob:b"})
	if !first.gone {
		t.Error("the upload that was replaced goes on")
	}
	first.done(wire.Upload{URL: "https://files.example/u/a.png"}, nil)
	if got := f.Draft().Images[0]; got.URL != "" {
		t.Errorf("the replaced file came late, and is %+v", got)
	}
	r.uploads[1].done(wire.Upload{}, &wire.Problem{Code: "full", Message: "The disk is full."})
	if got := f.Draft().Images[0]; got.Stage != StageFailed || got.Problem.Code != "full" {
		t.Errorf("the failed upload is %+v", got)
	}
}

func TestAFileThatTheGatewayCannotFetch(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.ImageToVideo)
	f.SetPrompt("x")
	f.Attach("image_urls", 0, File{Name: "a.png", Type: "image/png", Size: 100, Shown: "blob:a"})
	r.uploads[0].done(wire.Upload{URL: "http://127.0.0.1:8080/u/a.png", Path: "/u/a.png", Unreachable: true}, nil)
	r.lacks("Paste a link for an image")
	f.SetLink("image_urls", 0, "https://elsewhere.example/a.png")
	r.last(wire.OpVideoMeasure).answer(wire.Measured{Type: "image/png", Width: 10, Height: 10})
	r.ready(`{"model":"alpha-3.1-lite-i2v","prompt":"x","seconds":"4","image_urls":["https://elsewhere.example/a.png"]}`)
}
