package video

import (
	"testing"

	"screentest/shared/gateway"
)

func TestWhatIsWrongIsSaidOfTheForm(t *testing.T) {
	for _, c := range []struct {
		mode gateway.Mode
		fill func(f *Form)
		at   string
		want string
	}{
		{gateway.ImageToVideo, func(f *Form) { f.SetLink("image_urls", 0, "cat.png") }, "image_urls", "This isn’t a web address. Begin it with https:// or http://."},
		{gateway.Reference, func(f *Form) {
			f.SetPrompt("@Video2 dances")
			f.SetLink("reference_video_urls", 0, "https://example.com/a.mp4")
		}, "prompt",
			"The prompt names @Video2, but the form has 1 reference video."},
		{gateway.Extend, func(f *Form) { f.SetSourceUUID("task_1") }, "task_id", "This isn’t the UUID of a clip, such as 123e4567-e89b-12d3-a456-426614174000."},
		{gateway.Extend, func(f *Form) { f.Set("seeds", "7") }, "seeds", "The seed must be 10000 to 99999; it is 7."},
		{gateway.MultiShot, func(f *Form) { f.TypeShotSeconds(f.Draft().Shots[0].ID, "13") }, "multi_prompt[0].duration", "The length of shot 1 must be 1 to 12 seconds; it is 13."},
	} {
		r := newRig(t)
		f := r.Form
		f.SetMode(c.mode)
		c.fill(f)
		errors, warnings := f.Check.At(c.at)
		list := append(errors, warnings...)
		if len(list) == 0 {
			t.Errorf("%s: nothing is said at %s: %+v", c.mode, c.at, f.Check.Errors)
			continue
		}
		if got := f.Say(list[0]); got != c.want {
			t.Errorf("%s: %q, want %q", c.at, got, c.want)
		}
	}
}
