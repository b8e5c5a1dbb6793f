package video

import (
	"encoding/json"
	"testing"

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
