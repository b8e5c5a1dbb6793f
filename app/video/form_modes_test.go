package video

import (
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// give uploads a file of so many seconds (0 is an image) into a slot.
func (r *rig) give(field string, i int, seconds float64, url string) {
	r.t.Helper()
	file := File{Name: "file", Type: "image/png", Size: 1000, Shown: "blob:" + url}
	m := wire.Measured{Type: file.Type, Width: 640, Height: 360, Bytes: 1000}
	if KindOf(field) == Video {
		file.Type, m.Type, m.Seconds = "video/mp4", "video/mp4", seconds
	}
	r.measure[file.Shown] = m
	r.Form.Attach(field, i, file)
	u := r.uploads[len(r.uploads)-1]
	u.done(wire.Upload{URL: url, Path: "/u/" + url[strings.LastIndexByte(url, '/')+1:], Measured: m}, nil)
}

// lacks holds what the form says is missing against these sentences.
func (r *rig) lacks(want ...string) {
	r.t.Helper()
	var got []string
	for _, m := range r.Form.Check.Missing {
		got = append(got, m.Text)
	}
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		r.t.Errorf("missing is %q, want %q", got, want)
	}
	if len(want) > 0 && r.Form.Verb() != want[0] {
		r.t.Errorf("the button says %q, want %q", r.Form.Verb(), want[0])
	}
}

func TestModes(t *testing.T) {
	r := newRig(t)
	var names []string
	for _, m := range r.Form.Modes() {
		names = append(names, string(m))
	}
	want := "text-to-video image-to-video first-last-frame reference-video multi-shot motion-control extend upscale"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the modes are %s, want %s", got, want)
	}
}

func TestImageToVideo(t *testing.T) {
	r := newRig(t)
	r.Form.SetMode(gateway.ImageToVideo)
	r.lacks("Add an image", "Write a prompt")
	r.Form.SetPrompt("It begins to rain")
	r.give("image_urls", 0, 0, "https://files.example/u/one.png")
	r.ready(`{"model":"alpha-3.1-lite-i2v","prompt":"It begins to rain","seconds":"4","image_urls":["https://files.example/u/one.png"]}`)
	if _, drawn := r.Form.Field("aspect_ratio"); drawn {
		t.Error("the aspect ratio is drawn, where it has no effect (F63)")
	}
}

func TestFirstAndLastFrame(t *testing.T) {
	r := newRig(t)
	r.Form.SetMode(gateway.FirstLastFrame)
	r.Form.SetPrompt("From day to night")
	r.give("image_urls", 1, 0, "https://files.example/u/night.png")
	r.lacks("Add the first frame")
	r.give("image_urls", 0, 0, "https://files.example/u/day.png")
	r.ready(`{"model":"gamma-2-480p-i2v","prompt":"From day to night","seconds":"5","image_urls":["https://files.example/u/day.png","https://files.example/u/night.png"]}`)
	r.Form.Swap("image_urls")
	r.ready(`{"model":"gamma-2-480p-i2v","prompt":"From day to night","seconds":"5","image_urls":["https://files.example/u/night.png","https://files.example/u/day.png"]}`)
	r.Form.ClearSlot("image_urls", 1)
	if !r.Form.Check.Ready() {
		t.Errorf("one frame is enough (F137): %+v", r.Form.Check.Missing)
	}
}

func TestReferenceVideo(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.Reference)
	r.lacks("Add reference video 1", "Write a prompt")
	if f.Check.Price.Known {
		t.Error("there is a price before the references are measured")
	}
	f.SetPrompt("@Video1 in the light of @Image1")
	r.give("reference_video_urls", 0, 2.3, "https://files.example/u/a.mp4")
	r.give("reference_video_urls", 1, 2.3, "https://files.example/u/b.mp4")
	r.give("image_urls", 0, 0, "https://files.example/u/c.png")
	f.SetSeconds(6)
	// 4.6 s of references are rounded once, to 5 (G21).
	if f.Check.Seconds != 11 || f.Check.Sum != "clip 6 + references 5" {
		t.Errorf("seconds is %d, worked out as %q", f.Check.Seconds, f.Check.Sum)
	}
	r.ready(`{"model":"gamma-2-720p-vref","prompt":"@Video1 in the light of @Image1","seconds":"11","image_urls":["https://files.example/u/c.png"],"reference_video_urls":["https://files.example/u/a.mp4","https://files.example/u/b.mp4"]}`)
	if got := f.Check.Price.Cost.String(); got != "$0.77" {
		t.Errorf("11 s × $0.07 is %s", got)
	}
	if got := strings.Join(f.Names(), " "); got != "@Video1 @Video2 @Image1" {
		t.Errorf("the prompt may name %s", got)
	}
	f.Send()
	if c := r.last(wire.OpVideoCreate).args.(wire.VideoCreate); len(c.ReferenceSeconds) != 2 || c.ReferenceSeconds[0] != 2.3 {
		t.Errorf("the lengths sent are %v", c.ReferenceSeconds)
	}

	f.SetPrompt("@Video3")
	if errors, warnings := f.Check.At("prompt"); len(errors) != 0 || len(warnings) != 1 {
		t.Errorf("a reference that is not there: %v, %v", errors, warnings)
	}
	r.give("reference_video_urls", 2, 12, "https://files.example/u/d.mp4")
	if errors, _ := f.Check.At("reference_video_urls"); len(errors) != 1 {
		t.Errorf("16.6 s of references: %v", errors)
	}
}

func TestReferenceThatTheGatewayMeasuresOtherwise(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.Reference)
	f.SetPrompt("@Video1")
	r.give("reference_video_urls", 0, 4.4, "https://files.example/u/a.mp4")
	f.Send()
	r.last(wire.OpVideoCreate).done(nil, &wire.Problem{Code: gateway.CodeReferenceSeconds, Field: "seconds", Message: "…", Allowed: []string{"9", "20"}})
	if f.Check.Seconds != 5+5 || f.Check.Sum != "clip 5 + references 5" {
		t.Errorf("after the gateway's word: %d, %q", f.Check.Seconds, f.Check.Sum)
	}
	r.give("reference_video_urls", 0, 3, "https://files.example/u/b.mp4")
	if f.Check.Seconds != 8 {
		t.Errorf("another reference: %d", f.Check.Seconds)
	}
}

func TestReferenceThatCannotBeMeasured(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.Reference)
	f.SetPrompt("@Video1")
	f.SetLink("reference_video_urls", 0, "https://elsewhere.example/clip.mp4")
	r.lacks("Wait until reference video 1 is measured")
	r.last(wire.OpVideoMeasure).done(nil, &wire.Problem{Code: "unreachable", Message: "It can't be fetched."})
	r.lacks("Say how long reference video 1 is")
	f.SetLength("reference_video_urls", 0, 7)
	r.ready(`{"model":"gamma-2-720p-vref","prompt":"@Video1","seconds":"12","reference_video_urls":["https://elsewhere.example/clip.mp4"]}`)
}

func TestMultiShot(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.MultiShot)
	r.lacks("Write the general prompt", "Write shot 1", "Write shot 2")
	if _, drawn := f.Field("multi_prompt"); !drawn {
		t.Fatal("the shots are not drawn")
	}
	f.SetPrompt("A keeper's evening")
	id := func(i int) string { return f.Draft().Shots[i].ID }
	f.SetShot(id(0), "Waves")
	f.SetShot(id(1), "Stairs")
	f.AddShot()
	f.SetShot(id(2), "The lamp")
	f.TypeShotSeconds(id(0), "12")
	f.TypeShotSeconds(id(1), "12")
	f.TypeShotSeconds(id(2), "3")
	f.MoveShot(id(2), 0)
	if f.Check.Seconds != 27 || f.Check.Sum != "3 + 12 + 12" {
		t.Errorf("seconds is %d, worked out as %q", f.Check.Seconds, f.Check.Sum)
	}
	r.ready(`{"model":"delta-3.0-720p","prompt":"A keeper's evening","seconds":"27","aspect_ratio":"16:9","multi_shots":true,"multi_prompt":[{"prompt":"The lamp","duration":3},{"prompt":"Waves","duration":12},{"prompt":"Stairs","duration":12}]}`)
	r.give("image_urls", 0, 0, "https://files.example/u/first.png")
	if strings.Contains(string(f.Check.Body), "aspect_ratio") || !f.Check.Ready() || len(f.Check.Warnings) != 0 {
		t.Errorf("with a frame: %s, %v", f.Check.Body, f.Check.Warnings)
	}
	f.SetShot(id(1), strings.Repeat("ä", gateway.MaxScenePrompt+1))
	if errors, _ := f.Check.At("multi_prompt[1]"); len(errors) != 1 {
		t.Errorf("501 characters: %v", errors)
	}
	for range 5 {
		f.AddShot()
	}
	if n := len(f.Draft().Shots); n != gateway.MaxScenes {
		t.Errorf("%d shots", n)
	}
}

func TestMotionControl(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.Motion)
	r.lacks("Add the character's photo", "Add the motion clip", "Write a prompt")
	f.SetPrompt("She dances")
	r.give("image_urls", 0, 0, "https://files.example/u/her.png")
	r.give("video_url", 0, 7.4, "https://files.example/u/dance.mp4")
	f.Set("background_source", "input_image")
	r.ready(`{"model":"delta-3.0-motion-control-720p","prompt":"She dances","seconds":"7","image_urls":["https://files.example/u/her.png"],"video_url":"https://files.example/u/dance.mp4","background_source":"input_image"}`)
	if f.Check.Sum != "the motion clip lasts 7.4 s" {
		t.Errorf("worked out as %q", f.Check.Sum)
	}
	r.give("video_url", 0, 31, "https://files.example/u/long.mp4")
	if errors, _ := f.Check.At("video_url"); len(errors) != 1 || f.Check.Ready() {
		t.Errorf("31 s: %v", f.Check.Errors)
	}
}

func TestExtendAndUpscale(t *testing.T) {
	r := newRig(t)
	f := r.Form
	const uuid = "123e4567-e89b-12d3-a456-426614174000"
	f.SetMode(gateway.Extend)
	f.SetPrompt("On it goes")
	r.lacks("Choose the clip to extend")
	clip := wire.VideoTask{
		ID: "one", UUID: uuid, Model: "beta-video-720p", Mode: "text-to-video", Prompt: "A road", State: wire.VideoDone,
		Family: "beta-video", Resolution: "720p", FinishState: "SUCCESS", FinishedMS: now.UnixMilli() - 1000, CreatedMS: 1, Version: 1,
	}
	r.Tasks.Put(clip)
	if got := f.Sources(); len(got) != 1 || got[0].ID != "one" {
		t.Errorf("the clips that can be extended are %v", got)
	}
	r.Start(gateway.Extend, clip, "")
	if f.Draft().Model != "beta-video-720p-extend" || len(f.Models()) != 1 {
		t.Errorf("the model is %s of %d", f.Draft().Model, len(f.Models()))
	}
	f.Set("seeds", "12345")
	f.Set("watermark", "false")
	r.ready(`{"model":"beta-video-720p-extend","prompt":"On it goes","seconds":"6","task_id":"` + uuid + `","seeds":12345,"watermark":false}`)
	f.Set("seeds", "9")
	if errors, _ := f.Check.At("seeds"); len(errors) != 1 {
		t.Errorf("a seed out of bounds: %v", f.Check.Errors)
	}
	f.Set("seeds", "some")
	r.lacks("Make the seed a whole number")

	r.Start(gateway.Upscale, clip, "beta-video-upscale-720p-1080p")
	r.ready(`{"model":"beta-video-upscale-720p-1080p","prompt":"A road","seconds":"1","task_id":"` + uuid + `"}`)
	if got := f.Check.Price.Cost.String(); got != "$0.15" {
		t.Errorf("an upscale is %s", got)
	}
	f.Send()
	if c := r.last(wire.OpVideoCreate).args.(wire.VideoCreate); c.Source != "one" || c.Mode != "upscale" {
		t.Errorf("sent %+v", c)
	}
	f.SetPrompt("")
	if !f.Check.Ready() || !strings.Contains(string(f.Check.Body), `"prompt":"Upscale"`) {
		t.Errorf("an upscale needs no prompt of a person's (F55): %s", f.Check.Body)
	}

	f.SetSourceUUID("223e4567-e89b-12d3-a456-426614174000")
	if len(f.Models()) != 5 || !f.Check.Ready() {
		t.Errorf("of a pasted clip nothing is known: %d models, %v", len(f.Models()), f.Check.Errors)
	}
	// The gateway knows it, and names the model that fits.
	f.SetModel("beta-video-upscale-720p-1080p")
	f.Send()
	r.last(wire.OpVideoCreate).done(nil, &wire.Problem{Code: gateway.CodeSourceMismatch, Field: "task_id", Message: "source is 480p; use beta-video-upscale-480p-1080p"})
	if got := f.Offer(); got != "beta-video-upscale-480p-1080p" {
		t.Errorf("F136: %q is offered", got)
	}
	if f.SetModel(f.Offer()); f.Draft().Model != "beta-video-upscale-480p-1080p" || f.Offer() != "" || f.Problem != nil {
		t.Errorf("F136: taken, the model is %s, %q is offered, and %v", f.Draft().Model, f.Offer(), f.Problem)
	}
	f.SetSourceUUID("task_1")
	if errors, _ := f.Check.At("task_id"); len(errors) != 1 {
		t.Errorf("an id for polling (F69): %v", f.Check.Errors)
	}
}

func TestSourceThatDoesNotFit(t *testing.T) {
	r := newRig(t)
	clip := wire.VideoTask{
		ID: "one", UUID: "123e4567-e89b-12d3-a456-426614174000", Model: "gamma-2-720p", Mode: "text-to-video", State: wire.VideoDone,
		Family: "gamma", Resolution: "720p", FinishState: "SUCCESS", FinishedMS: now.UnixMilli(), Version: 1,
	}
	r.Tasks.Put(clip)
	r.Form.SetMode(gateway.Extend)
	if got := r.Form.Sources(); len(got) != 0 {
		t.Errorf("gamma has no action models, and %v is offered", got)
	}
}

func TestTextToVideo(t *testing.T) {
	r := newRig(t)
	if got := r.Form.Verb(); got != "Write a prompt" {
		t.Errorf("the empty form's button says %q", got)
	}
	if first, sent := r.Form.Send(); first != "prompt" || sent {
		t.Errorf("an empty form: focus %q, sent %v", first, sent)
	}
	r.Form.SetPrompt("A paper boat")
	r.ready(`{"model":"alpha-3.1-lite","prompt":"A paper boat","seconds":"4","aspect_ratio":"16:9"}`)
	if got := r.Form.Check.Price; got.Cost.String() != "$0.20" || got.Basis != "4 s × $0.05" || !got.Sample {
		t.Errorf("the price is %+v", got)
	}
	if first, sent := r.Form.Send(); first != "" || !sent {
		t.Fatalf("a whole form: focus %q, sent %v", first, sent)
	}
	create := r.last(wire.OpVideoCreate).args.(wire.VideoCreate)
	if create.ID == "" || create.Mode != "text-to-video" || string(create.Body) != string(r.Form.Check.Body) {
		t.Errorf("sent %+v", create)
	}
}
