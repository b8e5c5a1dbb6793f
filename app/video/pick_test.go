package video

import (
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// playing is a clip of these seconds that plays, from the gateway or, without
// its link, from the archive.
func playing(n int, seconds float64, link string) wire.VideoTask {
	t := task(n, wire.VideoDone)
	t.Outputs = []wire.VideoOutput{{Link: link, Seconds: seconds, Width: 16, Height: 9, Bytes: 1000, Type: "video/mp4", Archive: wire.ArchiveSaved}}
	if link == "" {
		t.State = wire.VideoExpired
	}
	return t
}

func TestASlotIsFilledFromOnesClips(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.Reference)
	f.OpenPicker("reference_video_urls", 0, FromClips)
	if p := f.Picker; !p.At("reference_video_urls", 0) || !p.Loading {
		t.Fatalf("open is %+v", p)
	}
	first := r.last(wire.OpVideoTasks)
	if q := first.args.(wire.VideoQuery); q.Gone != wire.GoneOut || len(q.States) != 2 || q.Limit != pickPage {
		t.Errorf("asked for %+v", q)
	}
	// What is asked for last counts, whatever comes last.
	f.FindClips("boat")
	second := r.last(wire.OpVideoTasks)
	second.answer(wire.VideoPage{Tasks: []wire.VideoTask{playing(3, 8, "https://cdn.example/3.mp4"), playing(2, 20, "https://cdn.example/2.mp4")}, Before: "x"})
	first.answer(wire.VideoPage{})
	if p := f.Picker; len(p.Clips) != 2 || !p.More || p.Loading {
		t.Fatalf("listed are %+v", p)
	}
	f.OlderClips()
	older := r.last(wire.OpVideoTasks)
	if q := older.args.(wire.VideoQuery); q.Before != "x" || q.Text != "boat" {
		t.Errorf("asked for %+v", q)
	}
	gone := playing(0, 5, "")
	gone.Outputs[0].Archive = wire.ArchiveRemoved
	older.answer(wire.VideoPage{Tasks: []wire.VideoTask{playing(1, 6, ""), gone}})
	p := f.Picker
	if len(p.Clips) != 3 || p.More {
		t.Fatalf("listed are %d clips, more: %v", len(p.Clips), p.More)
	}
	if f.PickWhy(&p.Clips[0]) != "" || f.PickWhy(&p.Clips[1]) == "" {
		t.Errorf("of 8 s: %q, of 20 s: %q", f.PickWhy(&p.Clips[0]), f.PickWhy(&p.Clips[1]))
	}
	if f.PickClip(p.Clips[1]); f.Picker == nil {
		t.Error("a clip that is too long was taken")
	}
	f.PickClip(p.Clips[0])
	if s := f.Draft().Videos[0]; f.Picker != nil || s.URL != "https://cdn.example/3.mp4" || s.Seconds != 8 {
		t.Errorf("the slot holds %+v", s)
	}
	// What only the archive has is sent to where the gateway can fetch it.
	f.OpenPicker("reference_video_urls", 1, FromClips)
	r.last(wire.OpVideoTasks).answer(wire.VideoPage{Tasks: p.Clips})
	f.PickClip(p.Clips[2])
	if s := f.Draft().Videos[1]; s.Stage != StageUploading || len(r.uploads) != 1 || r.uploads[0].file.Shown != "/media/t001/0" {
		t.Errorf("the slot holds %+v, uploads %+v", s, r.uploads)
	}
}

func TestASlotIsFilledFromWhatWasUploaded(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.FirstLastFrame)
	f.OpenPicker("image_urls", 1, FromUploads)
	if q := r.last(wire.OpVideoUploads).args.(wire.VideoUploads); q.Videos {
		t.Error("asked for videos")
	}
	r.last(wire.OpVideoUploads).done(nil, &wire.Problem{Code: "disconnected", Message: "The connection was lost."})
	if f.Picker.Problem == nil || f.Picker.Ready {
		t.Fatalf("the list is %+v", f.Picker)
	}
	f.PickAgain()
	u := wire.Upload{ID: "a", URL: "https://files.example/u/a.png", Path: "/u/a.png", Name: "cat.png",
		Measured: wire.Measured{Type: "image/png", Width: 40, Height: 30, Bytes: 100}, Unreachable: true}
	r.last(wire.OpVideoUploads).answer(wire.VideoUploaded{Uploads: []wire.Upload{u}})
	if len(f.Picker.Uploads) != 1 || f.Picker.Problem != nil {
		t.Fatalf("listed are %+v", f.Picker)
	}
	f.PickUpload(u)
	s := f.Draft().Images[1]
	if f.Picker != nil || s.URL != u.URL || s.Path != u.Path || s.Label() != "cat.png" || !s.Unreachable || s.Measured != u.Measured {
		t.Errorf("the slot holds %+v", s)
	}
	if len(r.uploads) > 0 {
		t.Error("it was uploaded again")
	}
}

// A frame is for the slot whose list it was taken from: what comes late fills
// no other.
func TestAFrameThatComesLateIsLetGo(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.ImageToVideo)
	frame := File{Name: "a.jpg", Type: "image/jpeg", Size: 10, Shown: "blob:a"}
	f.OpenPicker("image_urls", 0, FromClips)
	p := f.Picker
	if !f.PickFrame(p, frame) || f.Draft().Images[0].Stage != StageUploading {
		t.Fatalf("the slot holds %+v", f.Draft().Images)
	}
	if f.PickFrame(p, File{Shown: "blob:b"}) || len(r.gone) != 1 || r.gone[0] != "blob:b" {
		t.Errorf("let go are %v", r.gone)
	}
	for name, leave := range map[string]func(){
		"another kind of clip": func() { f.SetMode(gateway.TextToVideo) },
		"a link":               func() { f.SetLink("image_urls", 0, "https://example.com/a.png") },
		"the same again":       func() { f.OpenPicker("image_urls", 0, FromClips) },
	} {
		f.SetMode(gateway.ImageToVideo)
		f.ClearSlot("image_urls", 0)
		f.OpenPicker("image_urls", 0, FromClips)
		if leave(); f.Picker != nil {
			t.Errorf("%s: the list is still open", name)
		}
	}
}
