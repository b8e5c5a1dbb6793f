package video

import (
	"encoding/json"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestReuse(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetMode(gateway.Reference)
	f.SetPrompt("@Video1")
	r.give("reference_video_urls", 0, 3, "https://files.example/u/a.mp4")
	f.SetSeconds(9)
	body := string(f.Check.Body)
	f.Clear()
	f.SetMode(gateway.TextToVideo)
	if !r.Reuse(wire.VideoTask{ID: "t", Mode: "reference-video", Body: json.RawMessage(body)}) {
		t.Fatal("not taken")
	}
	r.last(wire.OpVideoMeasure).answer(wire.Measured{Type: "video/mp4", Seconds: 3, Width: 1, Height: 1})
	r.ready(strings.TrimSpace(body))

	shots := `{"model":"delta-3.0-1080p","prompt":"p","seconds":"5","aspect_ratio":"1:1","multi_shots":true,"multi_prompt":[{"prompt":"a","duration":2},{"prompt":"b","duration":3}]}`
	r.Reuse(wire.VideoTask{ID: "t", Mode: "multi-shot", Body: json.RawMessage(shots)})
	r.ready(shots)
	if r.Reuse(wire.VideoTask{ID: "t", Mode: "a mode of tomorrow", Body: json.RawMessage(shots)}) {
		t.Error("a mode that is not there is taken")
	}
	if len(f.Models()) == 0 {
		t.Error("no models")
	}
}

func TestClipsBackIntoTheForm(t *testing.T) {
	r := newRig(t)
	clip := wire.VideoTask{ID: "one", Prompt: "A road", Outputs: []wire.VideoOutput{{Index: 0, Link: "https://gateway.example/one.mp4", Seconds: 6, Width: 1280, Height: 720}, {Index: 1}}}
	r.UseAsReference(clip, 0)
	s := r.Form.Draft().Videos[0]
	if r.Form.Mode != gateway.Reference || s.URL != "https://gateway.example/one.mp4" || s.Shown() != "/media/one/0" || s.Seconds != 6 {
		t.Errorf("%s, %+v", r.Form.Mode, s)
	}
	r.UseAsReference(clip, 1) // the gateway has deleted it
	if len(r.uploads) != 1 || r.uploads[0].file.Shown != "/media/one/1" {
		t.Errorf("the uploads are %+v", r.uploads)
	}
	r.Form.SetMode(gateway.TextToVideo)
	r.UseFrame(File{Name: "frame.png", Type: "image/png", Size: 10, Shown: "blob:x"}, LastFrame)
	if r.Form.Mode != gateway.ImageToVideo || len(r.uploads) != 2 {
		t.Errorf("a frame: %s, %d uploads", r.Form.Mode, len(r.uploads))
	}
	r.Form.SetMode(gateway.FirstLastFrame)
	r.UseFrame(File{Name: "frame.png", Type: "image/png", Size: 10, Shown: "blob:y"}, LastFrame)
	if r.Form.Mode != gateway.FirstLastFrame || len(r.uploads) != 3 {
		t.Errorf("a frame: %s, %d uploads", r.Form.Mode, len(r.uploads))
	}
}

// What is made with a clip's settings is its next version; what is made after that
// is not, unless they are used again.
func TestReuseMakesTheNextVersion(t *testing.T) {
	r := newRig(t)
	body := `{"model":"alpha-3.1-lite","prompt":"A fox","seconds":"4","aspect_ratio":"9:16"}`
	r.Reuse(wire.VideoTask{ID: "t", Mode: "text-to-video", Body: json.RawMessage(body)})
	r.Form.Send()
	create := r.last(wire.OpVideoCreate)
	if c := create.args.(wire.VideoCreate); c.VersionOf != "t" {
		t.Errorf("sent %+v", c)
	}
	create.done(nil, &wire.Problem{Code: "disconnected"})
	r.Form.Send()
	create = r.last(wire.OpVideoCreate)
	if c := create.args.(wire.VideoCreate); c.VersionOf != "t" {
		t.Errorf("sent again %+v", c)
	}
	create.answer(wire.VideoTask{ID: create.args.(wire.VideoCreate).ID, State: wire.VideoCreating})
	r.Form.SetPrompt("A crow")
	r.Form.Send()
	if c := r.last(wire.OpVideoCreate).args.(wire.VideoCreate); c.VersionOf != "" || !strings.Contains(string(c.Body), "crow") {
		t.Errorf("sent after it %+v", c)
	}
}
