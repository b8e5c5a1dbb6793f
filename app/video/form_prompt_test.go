package video

import (
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// What was written last is what the next clip is made of, whatever the kind of
// clip: a paid click never takes words of before.
func TestThePromptGoesAlongBetweenModes(t *testing.T) {
	r := newRig(t)
	f := r.Form
	wants := func(mode gateway.Mode, prompt string) {
		t.Helper()
		f.SetMode(mode)
		if got := f.Draft().Prompt; got != prompt {
			t.Errorf("in %s the prompt is %q, want %q", mode, got, prompt)
		}
	}
	f.SetMode(gateway.ImageToVideo)
	f.SetPrompt("Old words")
	wants(gateway.TextToVideo, "Old words")
	f.SetPrompt("New words")
	for _, mode := range f.Modes() {
		if mode.Generates() {
			wants(mode, "New words")
		}
	}
	f.SetPrompt("")
	wants(gateway.ImageToVideo, "")
	f.SetPrompt("Newest words")
	wants(gateway.Extend, "") // how a clip goes on is something else
	f.SetPrompt("On it goes")
	r.reload()
	f = r.Form
	if f.Mode != gateway.Extend || f.Draft().Prompt != "On it goes" {
		t.Errorf("after a reload: %s, %q", f.Mode, f.Draft().Prompt)
	}
	wants(gateway.TextToVideo, "Newest words")
	wants(gateway.Extend, "On it goes")
}

func finished(id, uuid string) wire.VideoTask {
	return wire.VideoTask{
		ID: id, UUID: uuid, Model: "beta-video-720p", Mode: "text-to-video", Prompt: "A road", State: wire.VideoDone,
		Family: "beta-video", Resolution: "720p", FinishState: "SUCCESS", FinishedMS: now.UnixMilli() - 1000, CreatedMS: 1, Version: 1,
	}
}

func TestAnExtendBeginsWithAnEmptyPrompt(t *testing.T) {
	r := newRig(t)
	f := r.Form
	one, two := finished("one", "123e4567-e89b-12d3-a456-426614174000"), finished("two", "223e4567-e89b-12d3-a456-426614174000")
	f.SetPrompt("A road")
	wants := func(after, prompt string) {
		t.Helper()
		if got := f.Draft().Prompt; got != prompt {
			t.Errorf("%s: the prompt is %q, want %q", after, got, prompt)
		}
	}
	r.Start(gateway.Extend, one, "")
	wants("begun", "")
	r.lacks("Write a prompt")
	f.SetPrompt("It rains")
	f.SetMode(gateway.TextToVideo)
	r.Start(gateway.Extend, one, "")
	wants("back at the same clip, with nothing made yet", "It rains")

	r.Start(gateway.Extend, two, "beta-video-720p-extend")
	wants("another clip", "")
	if f.Fitted == nil {
		t.Fatal("the words for the other clip can't be taken back")
	}
	f.Undo()
	wants("undone", "It rains")
	if f.Draft().Source.Task != "one" {
		t.Errorf("undone: the clip is %s", f.Draft().Source.Task)
	}

	f.Send()
	create := r.last(wire.OpVideoCreate)
	create.answer(wire.VideoTask{ID: create.args.(wire.VideoCreate).ID, State: wire.VideoCreating, Version: 1})
	wants("made: the same again can be meant", "It rains")
	r.reload()
	f = r.Form
	r.Start(gateway.Extend, one, "")
	wants("once more, of the same clip", "")

	// Who has written first and chooses the clip then keeps the words.
	f.SetSource(nil)
	f.SetPrompt("It snows")
	r.Start(gateway.Extend, two, "")
	wants("written before the clip was chosen", "It snows")
}
