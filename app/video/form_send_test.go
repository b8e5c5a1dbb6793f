package video

import (
	"encoding/json"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestChangingTheModelKeepsWhatFits(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.SetModel("beta-video-720p")
	f.SetSeconds(10)
	f.SetRatio("1:1")
	f.SetModel("alpha-3.1-fast")
	if f.Fitted == nil {
		t.Fatal("nothing is said of what was dropped")
	}
	want := []Dropped{{"seconds", "10", "8"}, {"aspect_ratio", "1:1", "16:9"}}
	if len(f.Fitted.Dropped) != 2 || f.Fitted.Dropped[0] != want[0] || f.Fitted.Dropped[1] != want[1] {
		t.Errorf("dropped %v, want %v", f.Fitted.Dropped, want)
	}
	r.ready(`{"model":"alpha-3.1-fast","prompt":"A paper boat","seconds":"8","aspect_ratio":"16:9"}`)
	f.Undo()
	r.ready(`{"model":"beta-video-720p","prompt":"A paper boat","seconds":"10","aspect_ratio":"1:1"}`)
	if f.Fitted != nil {
		t.Error("what was undone is still offered")
	}
	f.SetModel("delta-3.0-720p")
	if f.Fitted != nil {
		t.Errorf("all of it fits delta, and %v is said to be dropped", f.Fitted)
	}
}

// Undo gives back what the change of the model took, and nothing that was
// written since goes with it.
func TestUndoKeepsWhatWasTypedSince(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.SetModel("beta-video-720p")
	f.SetSeconds(10)
	f.SetModel("alpha-3.1-fast")
	f.SetPrompt("A paper boat in the rain")
	f.Undo()
	r.ready(`{"model":"beta-video-720p","prompt":"A paper boat in the rain","seconds":"10","aspect_ratio":"16:9"}`)

	// What a person put in place of a whole draft goes with its undoing.
	r.Reuse(wire.VideoTask{ID: "t", Mode: "text-to-video", Body: json.RawMessage(`{"model":"alpha-3.1-lite","prompt":"Another","seconds":"4","aspect_ratio":"9:16"}`)})
	f.SetPrompt("Another, slower")
	f.Undo()
	r.ready(`{"model":"beta-video-720p","prompt":"A paper boat in the rain","seconds":"10","aspect_ratio":"16:9"}`)
}

func TestEveryModelOfEveryModeIsOfferedARequestThatPasses(t *testing.T) {
	r := newRig(t)
	f := r.Form
	for _, mode := range f.Modes() {
		f.SetMode(mode)
		f.SetPrompt("Some words")
		for _, m := range f.Models() {
			f.SetModel(m.ID)
			for _, i := range f.Check.Errors {
				t.Errorf("%s, %s: %s: %s", mode, m.ID, i.Field, i.Message)
			}
		}
	}
}

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

func TestADoubleClickIsOneTask(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.Send()
	f.Send() // while the server has not answered
	if n := r.count(wire.OpVideoCreate); n != 1 {
		t.Fatalf("%d creations", n)
	}
	create := r.last(wire.OpVideoCreate)
	id := create.args.(wire.VideoCreate).ID
	create.answer(wire.VideoTask{ID: id, State: wire.VideoCreating, Version: 1})
	f.Send() // right after it has
	if n := r.count(wire.OpVideoCreate); n != 1 || f.Verb() != "Created" {
		t.Fatalf("%d creations, the button says %q", n, f.Verb())
	}
	for _, run := range r.timers {
		run()
	}
	f.Send()
	if n := r.count(wire.OpVideoCreate); n != 2 {
		t.Fatalf("the same again, meant: %d creations", n)
	}
	if again := r.last(wire.OpVideoCreate).args.(wire.VideoCreate).ID; again == id {
		t.Error("the same again has the first one's id: it would be the first one")
	}
}

// Another form's creation is never taken for the second click of a double click:
// neither while the first is on its way, nor right after it.
func TestAnotherFormIsCreatedHoweverSoon(t *testing.T) {
	r := newRig(t)
	f := r.Form
	made := func(want int, verb string) {
		t.Helper()
		if n := r.count(wire.OpVideoCreate); n != want || f.Verb() != verb {
			t.Fatalf("%d creations, the button says %q, want %d and %q", n, f.Verb(), want, verb)
		}
	}
	f.SetPrompt("A paper boat")
	f.Send()
	boat := r.last(wire.OpVideoCreate)
	f.SetPrompt("A tin boat")
	made(1, "Create video")
	f.Send()
	made(2, "Creating…")
	tin := r.last(wire.OpVideoCreate)
	tin.answer(wire.VideoTask{ID: tin.args.(wire.VideoCreate).ID, State: wire.VideoCreating, Version: 1})
	made(2, "Created")
	f.SetPrompt("A paper boat")
	f.Send()
	made(2, "Creating…") // the very same is still on its way
	boat.done(nil, &wire.Problem{Code: "budget", Message: "The budget is spent."})
	made(2, "Create video")
	if f.Problem == nil {
		t.Error("the refusal of what stands in the form is not shown")
	}
	f.Send()
	made(3, "Creating…")
	f.SetMode(gateway.MultiShot)
	r.last(wire.OpVideoCreate).done(nil, &wire.Problem{Code: "budget", Message: "The budget is spent."})
	if f.Problem != nil {
		t.Errorf("another form says %v", f.Problem)
	}
	if n := r.Tasks.Notices; len(n) == 0 || !strings.Contains(n[len(n)-1].Words, "The budget is spent.") {
		t.Errorf("nobody is told: %v", n)
	}

	// Changed and changed back is meant, without a wait.
	f.SetMode(gateway.TextToVideo)
	f.SetPrompt("A glass boat")
	f.Send()
	glass := r.last(wire.OpVideoCreate)
	glass.answer(wire.VideoTask{ID: glass.args.(wire.VideoCreate).ID, State: wire.VideoCreating, Version: 1})
	made(4, "Created")
	f.SetSeconds(6)
	f.SetSeconds(4)
	made(4, "Create video")
	f.Send()
	made(5, "Creating…")
}

// An answer that was lost while another form was shown leaves the id, too.
func TestALostAnswerKeepsItsIDBesideOthers(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.Send()
	boat := r.last(wire.OpVideoCreate)
	f.SetPrompt("A tin boat")
	f.Send()
	boat.done(nil, &wire.Problem{Code: "no_answer", Message: "The server did not answer."})
	f.SetPrompt("A paper boat")
	f.Send()
	if got, want := r.last(wire.OpVideoCreate).args.(wire.VideoCreate).ID, boat.args.(wire.VideoCreate).ID; got != want {
		t.Errorf("the id is %s, was %s: it could become two tasks", got, want)
	}
}

func TestAnAnswerThatDidNotComeLeavesTheID(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.Send()
	first := r.last(wire.OpVideoCreate)
	first.done(nil, &wire.Problem{Code: "no_answer", Message: "The server did not answer."})
	if f.Problem == nil {
		t.Error("nothing is said of it")
	}
	f.Send()
	if got, want := r.last(wire.OpVideoCreate).args.(wire.VideoCreate).ID, first.args.(wire.VideoCreate).ID; got != want {
		t.Errorf("the id is %s, was %s: it could become two tasks", got, want)
	}
}

func TestARefusalStandsAtItsField(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.Send()
	create := r.last(wire.OpVideoCreate)
	id := create.args.(wire.VideoCreate).ID
	create.answer(wire.VideoTask{ID: id, State: wire.VideoCreating, Version: 1})
	refused := wire.VideoTask{ID: id, State: wire.VideoRefused, Version: 2, Problem: &wire.Problem{Code: "invalid_seconds", Field: "seconds", Message: "no"}}
	r.News(refused)
	if f.Problem == nil || f.Problem.Field != "seconds" || f.Made {
		t.Fatalf("the problem is %v, made %v", f.Problem, f.Made)
	}
	if f.Draft().Prompt != "A paper boat" {
		t.Error("the draft is gone")
	}
	f.SetSeconds(6)
	if f.Problem != nil {
		t.Error("the problem stays after the form was changed")
	}
	refused.ID = "another"
	r.News(refused)
	if f.Problem != nil {
		t.Error("the form shows what befell a task that it did not make")
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
	r.lacks("Give a link for an image")
	f.SetLink("image_urls", 0, "https://elsewhere.example/a.png")
	r.last(wire.OpVideoMeasure).answer(wire.Measured{Type: "image/png", Width: 10, Height: 10})
	r.ready(`{"model":"alpha-3.1-lite-i2v","prompt":"x","seconds":"4","image_urls":["https://elsewhere.example/a.png"]}`)
}

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

func TestMention(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "@": "@", "see @Vid": "@Vid", "(@image1": "@image1", "a@b": "", "@Video1 and": "", "@Video1, @": "@", "@Vi deo": "",
	} {
		if got, _ := Mention(text); got != want {
			t.Errorf("in %q %q is being typed, want %q", text, got, want)
		}
	}
	names := []string{"@Video1", "@Video2", "@Image1"}
	for query, want := range map[string]int{"@": 3, "@v": 2, "@VIDEO2": 0, "@video": 2, "@i": 1, "@x": 0} {
		if got := MentionMatches(names, query); len(got) != want {
			t.Errorf("%q matches %v", query, got)
		}
	}
	for _, c := range [][3]string{
		{"", "", "@Video1 |"}, {"the man of @vi", " walks", "the man of @Video1| walks"}, {"in", "the street", "in @Video1 |the street"}, {"(", ")", "(@Video1|)"},
	} {
		before, after := Complete(c[0], c[1], "@Video1")
		if got := before + "|" + after; got != c[2] {
			t.Errorf("%q|%q becomes %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
