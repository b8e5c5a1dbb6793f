package video

import (
	"strings"
	"testing"

	"screentest/shared/gateway"
)

func TestDraftsSurviveAReload(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.SetSeconds(8)
	f.SetMode(gateway.MultiShot)
	f.SetShot(f.Draft().Shots[0].ID, "Waves")
	f.TypeShotSeconds(f.Draft().Shots[0].ID, "7")
	f.SetMode(gateway.Reference)
	r.give("reference_video_urls", 0, 3, "https://files.example/u/a.mp4")
	f.Attach("image_urls", 0, File{Name: "half.png", Type: "image/png", Size: 10, Shown: "blob:half"})

	r.reload()
	f = r.Form
	if f.Mode != gateway.Reference {
		t.Errorf("the mode is %s", f.Mode)
	}
	d := f.Draft()
	if len(d.Videos) != 1 || d.Videos[0].Seconds != 3 || d.Videos[0].Shown() != "/u/a.mp4" || f.Check.Seconds != 8 {
		t.Errorf("the reference is %+v, seconds %d", d.Videos, f.Check.Seconds)
	}
	for _, s := range d.Images {
		if !s.Empty() {
			t.Errorf("a file that was on its way is %+v", s)
		}
	}
	f.SetMode(gateway.MultiShot)
	if d := f.Draft(); d.Shots[0].Prompt != "Waves" || d.Shots[0].Seconds != 7 {
		t.Errorf("the shots are %+v", d.Shots)
	}
	f.SetMode(gateway.TextToVideo)
	if d := f.Draft(); d.Prompt != "A paper boat" || d.Seconds != 8 {
		t.Errorf("the draft is %+v", d)
	}
	for name, value := range r.store {
		if strings.Contains(value, "blob:") {
			t.Errorf("%s keeps an address that ends with the page: %s", name, value)
		}
	}
}

func TestADraftThatCannotBeReadIsAnEmptyOne(t *testing.T) {
	r := newRig(t)
	r.store[draftName+"text-to-video"] = `{"model":"gone-1","seconds":99,"images":[{`
	r.reload()
	r.lacks("Write a prompt")
	r.store[draftName+"text-to-video"] = `{"model":"gone-1","prompt":"x","seconds":99,"ratio":"2:1"}`
	r.reload()
	r.ready(`{"model":"alpha-3.1-lite","prompt":"x","seconds":"8","aspect_ratio":"16:9"}`)
}
