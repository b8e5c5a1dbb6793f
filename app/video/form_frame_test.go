package video

import (
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// frame takes a frame of a clip; its name is that of its file too.
func (r *rig) frame(name, which string) {
	r.t.Helper()
	n := len(r.uploads)
	r.UseFrame(File{Name: name, Type: "image/jpeg", Size: 10, Shown: "blob:" + name}, which)
	if len(r.uploads) != n+1 {
		r.t.Fatalf("%s: %d uploads", name, len(r.uploads))
	}
	r.uploads[n].done(wire.Upload{URL: "https://files.example/u/" + name, Path: "/u/" + name}, nil)
}

// holds holds the names of the draft's images against these; "-" is an empty slot.
func (r *rig) holds(want string) {
	r.t.Helper()
	var got []string
	for _, s := range r.Form.Draft().Images {
		name := s.Name
		if s.Empty() {
			name = "-"
		}
		got = append(got, name)
	}
	if strings.Join(got, " ") != want {
		r.t.Errorf("the images are %q, want %q", got, want)
	}
}

func (r *rig) says(what string) {
	r.t.Helper()
	if r.Form.Fitted == nil || r.Form.Fitted.What != what {
		r.t.Errorf("the form says %+v, want %q", r.Form.Fitted, what)
	}
}

// A frame of a clip takes the place of what is in the form, says as what, and
// can be taken back.
func TestAFrameTakesThePlaceOfTheImage(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("On it goes")
	r.frame("a", LastFrame)
	if f.Mode != gateway.ImageToVideo || f.Draft().Prompt != "On it goes" {
		t.Errorf("a frame leads to %s with %q", f.Mode, f.Draft().Prompt)
	}
	r.says("The clip's last frame is now the image.")
	r.holds("a")
	r.frame("b", "frame at 4.50 s")
	r.says("The clip's frame at 4.50 s is now the image.")
	r.holds("b")
	f.SetPrompt("On and on")
	f.Undo()
	r.holds("a")
	if f.Draft().Prompt != "On and on" || f.Fitted != nil {
		t.Errorf("undone, the prompt is %q, and it is said: %v", f.Draft().Prompt, f.Fitted)
	}

	f.SetMode(gateway.TextToVideo)
	r.frame("c", FirstFrame)
	r.holds("c")
	f.Undo()
	if f.Mode != gateway.TextToVideo {
		t.Errorf("undone, the mode is %s", f.Mode)
	}
	f.SetMode(gateway.ImageToVideo)
	r.holds("a")
}

func TestFramesGoWhereTheModeHasRoom(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.FirstLastFrame)
	r.frame("a", LastFrame)
	r.says("The clip's last frame is now the first frame.")
	r.frame("b", FirstFrame)
	r.says("The clip's first frame is now the last frame.")
	r.holds("a b")
	r.frame("c", LastFrame)
	r.holds("a c")
	f.Undo()
	r.holds("a b")
	r.frame("d", FirstFrame)
	r.holds("d b")
	f.ClearSlot("image_urls", 0)
	r.frame("e", LastFrame)
	r.holds("e b")
	f.Undo()
	r.holds("- b")

	f.SetMode(gateway.Motion)
	f.ClearSlot("image_urls", 0)
	r.frame("f", FirstFrame)
	r.frame("g", FirstFrame)
	r.says("The clip's first frame is now the character's photo.")
	r.holds("g")

	f.SetMode(gateway.Reference) // its images have numbers that the prompt names
	for len(f.Draft().Images) > 0 {
		f.ClearSlot("image_urls", 0)
	}
	r.frame("h", FirstFrame)
	r.frame("i", LastFrame)
	r.says("The clip's last frame is now image 2.")
	r.holds("h i")
	f.Undo()
	r.holds("h")
}

// The upload of what was replaced goes on while it can be taken back.
func TestAReplacedImageIsStillUploaded(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.ImageToVideo)
	f.Attach("image_urls", 0, File{Name: "own", Type: "image/png", Size: 100, Shown: "blob:own"})
	r.frame("a", LastFrame)
	if r.uploads[0].gone || len(r.gone) != 1 {
		t.Fatalf("given up: %v, let go: %v", r.uploads[0].gone, r.gone)
	}
	r.uploads[0].done(wire.Upload{URL: "https://files.example/u/own", Path: "/u/own"}, nil)
	f.Undo()
	if s := f.Draft().Images[0]; s.Name != "own" || s.URL == "" {
		t.Errorf("brought back is %+v", s)
	}
}
