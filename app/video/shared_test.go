package video

import (
	"encoding/json"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestTheSettingsOfASharedClip(t *testing.T) {
	r := newRig(t)
	r.Form.SetMode(gateway.TextToVideo)
	r.Form.SetPrompt("mine")
	reuse := wire.Reuse{
		Create:  wire.VideoCreate{Mode: string(gateway.TextToVideo), CopiedFrom: "s1", Body: json.RawMessage(`{"model":"beta-video-720p","prompt":"A boat","seconds":"6"}`)},
		Missing: []string{"image_urls"},
		Copied:  wire.Copied{Share: "s1", Title: "Boat", Owner: "Ann"},
	}
	if !r.Desk.ReuseShared(reuse) {
		t.Fatal("the form was not filled")
	}
	f := r.Form
	if got := f.Fitted; got.What != "The form has the settings of “Boat” by Ann now." || len(got.Dropped) == 0 || got.Dropped[len(got.Dropped)-1].Field != "image_urls" {
		t.Errorf("it says %+v", got)
	}
	if after := f.After(); f.Draft().Prompt != "A boat" || after == nil || after.Owner != "Ann" {
		t.Errorf("prompt %q, after %+v", f.Draft().Prompt, after)
	}
	if _, sent := f.Send(); !sent {
		t.Fatalf("not sent: %+v", f.Check.Errors)
	}
	if create := r.last(wire.OpVideoCreate).args.(wire.VideoCreate); create.CopiedFrom != "s1" {
		t.Errorf("the clip is said to be after %q", create.CopiedFrom)
	}

	// What one had before comes back, without it.
	r = newRig(t)
	r.Form.SetMode(gateway.TextToVideo)
	r.Form.SetPrompt("mine")
	r.Desk.ReuseShared(reuse)
	r.Form.Undo()
	if r.Form.Draft().Prompt != "mine" || r.Form.After() != nil {
		t.Errorf("prompt %q, after %+v", r.Form.Draft().Prompt, r.Form.After())
	}

	// And so do one's own settings.
	r.Desk.ReuseShared(reuse)
	r.Form.ForgetAfter()
	if r.Form.After() != nil || r.Form.Draft().Prompt != "A boat" {
		t.Errorf("forgotten: %+v, prompt %q", r.Form.After(), r.Form.Draft().Prompt)
	}

	reuse.Create.Body = json.RawMessage(`not JSON`)
	if r.Desk.ReuseShared(reuse) {
		t.Error("a body that can't be read was")
	}
}
