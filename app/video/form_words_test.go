package video

import (
	"regexp"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

var wireName = regexp.MustCompile(`[_\[\]]|seeds|Mend`)

// What the button says, a person understands without having read the contract.
func TestTheButtonSpeaksOfThingsAsPeopleDo(t *testing.T) {
	r := newRig(t)
	f := r.Form
	says := func(want string) {
		t.Helper()
		if got := f.Verb(); got != want {
			t.Errorf("the button says %q, want %q", got, want)
		}
		for _, m := range f.Check.Missing {
			if wireName.MatchString(m.Text) {
				t.Errorf("missing is said as %q", m.Text)
			}
		}
	}
	f.SetPrompt("A keeper's evening")
	f.SetMode(gateway.MultiShot)
	for i, s := range f.Draft().Shots {
		f.SetShot(s.ID, strings.Repeat("x", 501-i))
	}
	says("Change the text of shot 1")
	f.SetShot(f.Draft().Shots[0].ID, "Waves")
	f.TypeShotSeconds(f.Draft().Shots[1].ID, "13")
	says("Change the length of shot 2")

	f.SetMode(gateway.FirstLastFrame)
	r.give("image_urls", 0, 0, "https://files.example/u/a.png")
	f.SetLink("image_urls", 1, "ftp://files.example/b.png")
	says("Change the last frame")
	f.SetMode(gateway.Motion)
	r.give("image_urls", 0, 0, "https://files.example/u/a.png")
	r.give("video_url", 0, 31, "https://files.example/u/long.mp4")
	says("Change the motion clip")
	f.SetMode(gateway.Reference)
	r.give("reference_video_urls", 0, 20, "https://files.example/u/long.mp4")
	says("Change reference video 1")
	f.SetMode(gateway.Extend)
	f.SetPrompt("On")
	f.SetSource(&Source{UUID: "123e4567-e89b-12d3-a456-426614174000", Provenance: gateway.Provenance{Pasted: true}})
	f.Set("seeds", "9")
	says("Change the seed")
	f.Set("seeds", "nine")
	says("Make the seed a whole number")
}

// A slot has the same name empty and filled; a reference has the one that the
// prompt calls it by, which counts no empty slot.
func TestASlotKeepsItsName(t *testing.T) {
	r := newRig(t)
	f := r.Form
	is := func(field string, i int, want string) {
		t.Helper()
		at, _ := f.Field(field)
		if got := f.SlotTitle(at, i); got != want {
			t.Errorf("slot %d of %s is called %q, want %q", i, field, got, want)
		}
	}
	f.SetMode(gateway.FirstLastFrame)
	for range 2 {
		is("image_urls", 0, "First frame")
		is("image_urls", 1, "Last frame")
		r.give("image_urls", 0, 0, "https://files.example/u/a.png")
	}
	f.SetMode(gateway.Motion)
	is("image_urls", 0, "Character's photo")
	is("video_url", 0, "Motion clip")
	f.SetMode(gateway.Reference)
	is("reference_video_urls", 0, "@Video1")
	r.give("reference_video_urls", 0, 4, "https://files.example/u/a.mp4")
	r.give("reference_video_urls", 1, 4, "https://files.example/u/b.mp4")
	is("reference_video_urls", 0, "@Video1")
	is("reference_video_urls", 1, "@Video2")
	f.ClearSlot("reference_video_urls", 0)
	if slots := f.Draft().Videos; slots[0].Empty() {
		is("reference_video_urls", 1, "@Video1")
	}
}

// What is typed as length is what is priced, or it is an error with its bounds.
func TestATypedLengthIsNeverPricedAsAnother(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("A keeper's evening")
	f.SetMode(gateway.MultiShot)
	for _, s := range f.Draft().Shots {
		f.SetShot(s.ID, "Waves")
	}
	shot := f.Draft().Shots[1].ID
	for text, want := range map[string]string{
		"13": "duration must be 1 to 12 seconds; it is 13", "-1": "duration must be 1 to 12 seconds; it is -1",
		"": "Give shot 2 whole seconds, 1 to 12", "0": "Give shot 2 whole seconds, 1 to 12", "4.5": "Give shot 2 whole seconds, 1 to 12",
	} {
		f.TypeShotSeconds(shot, text)
		got := f.Verb()
		if errors, _ := f.Check.At("multi_prompt[1]"); len(errors) > 0 {
			got = errors[0].Message
		}
		if got != want || f.Check.Price.Known || f.Check.Ready() {
			t.Errorf("%q: %q, priced %v", text, got, f.Check.Price)
		}
	}
	f.TypeShotSeconds(shot, "12")
	if !f.Check.Ready() || f.Check.Price.Basis != "16 s × $0.08" {
		t.Errorf("12: %+v", f.Check.Price)
	}

	f.SetMode(gateway.Reference)
	f.SetPrompt("@Video1")
	r.give("reference_video_urls", 0, 3, "https://files.example/u/a.mp4")
	for text, want := range map[string]string{
		"16": "The clip itself lasts 4 to 15 s; it is 16", "3": "The clip itself lasts 4 to 15 s; it is 3", "": "Choose the length", "7.5": "Choose the length",
	} {
		f.TypeSeconds(text)
		got := f.Verb()
		if errors, _ := f.Check.At("seconds"); len(errors) == 1 {
			got = errors[0].Message
		}
		if got != want || f.Check.Price.Known || f.Check.Ready() {
			t.Errorf("%q: %q, priced %v", text, got, f.Check.Price)
		}
	}
	f.TypeSeconds("15")
	if !f.Check.Ready() || f.Check.Seconds != 18 {
		t.Errorf("15: %+v", f.Check)
	}

	f.SetMode(gateway.TextToVideo)
	f.SetModel("gamma-2-480p")
	f.TypeSeconds("16")
	r.greet() // as after each loss of the connection
	if errors, _ := f.Check.At("seconds"); len(errors) != 1 || f.Check.Price.Known || f.Verb() != "Change the length" {
		t.Errorf("16 of 15: %v, priced %v, %q", errors, f.Check.Price, f.Verb())
	}
}

// A file that can't be used stands in its slot with the reason, and is in
// nobody's way: not in that of the next file, nor of what was there before.
func TestARejectedFileBlocksNothing(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("x")
	f.SetMode(gateway.FirstLastFrame)
	gif := File{Name: "a.gif", Type: "image/gif", Size: 10}
	f.Attach("image_urls", 0, gif)
	r.give("image_urls", 1, 0, "https://files.example/u/night.png")
	if i := f.Free("image_urls"); i != 0 {
		t.Errorf("the next file goes into slot %d", i)
	}
	r.give("image_urls", 0, 0, "https://files.example/u/day.png")
	if !f.Check.Ready() {
		t.Errorf("replaced, it lacks %v", f.Check.Missing)
	}
	f.Attach("image_urls", 0, gif)
	r.lacks("Replace the first frame")
	r.says("a.gif replaced the first frame. It can't be used.")
	f.Undo()
	if got := f.Draft().Images[0].URL; got != "https://files.example/u/day.png" {
		t.Errorf("brought back is %q", got)
	}
	f.SetMode(gateway.MultiShot)
	f.ClearSlot("image_urls", 0)
	f.Attach("image_urls", 0, gif)
	f.ClearSlot("image_urls", 0)
	if list := f.Slots("image_urls"); len(list) != 1 || !list[0].Empty() {
		t.Errorf("removed, there is %+v", list)
	}
}

// A link is offered for a large file only where a larger one would be taken.
func TestALinkIsNoWayAroundTheModelsOwnLimit(t *testing.T) {
	r := newRig(t)
	f := r.Form
	large := File{Name: "dance.mp4", Type: "video/mp4", Size: 101 << 20}
	f.SetMode(gateway.Reference)
	f.Attach("reference_video_urls", 0, large)
	if hint := f.Draft().Videos[0].Problem.Hint; !strings.Contains(hint, "paste a link") {
		t.Errorf("a reference: %q", hint)
	}
	f.SetMode(gateway.Motion)
	f.Attach("video_url", 0, large)
	if hint := f.Draft().Videos[0].Problem.Hint; strings.Contains(hint, "paste") || !strings.Contains(hint, "the model takes no larger one") {
		t.Errorf("a motion clip: %q", hint)
	}
	f.SetLink("video_url", 0, "https://elsewhere.example/dance.mp4")
	r.last(wire.OpVideoMeasure).done(nil, &wire.Problem{Code: "file_too_large", Message: "The file behind the link is larger than 100 MB."})
	r.lacks("Add the character's photo", "Choose a smaller motion clip", "Write a prompt")
}

// What was written is never gone for good by one click.
func TestWhatWasWrittenCanBeHadAgain(t *testing.T) {
	r := newRig(t)
	f := r.Form
	f.SetPrompt("My own words")
	f.Example("An example")
	if f.Draft().Prompt != "An example" {
		t.Errorf("the example is %q", f.Draft().Prompt)
	}
	f.Undo()
	if f.Draft().Prompt != "My own words" {
		t.Errorf("brought back is %q", f.Draft().Prompt)
	}

	f.SetMode(gateway.MultiShot)
	first, second := f.Draft().Shots[0].ID, f.Draft().Shots[1].ID
	f.SetShot(first, "Waves")
	f.SetShot(second, "Stairs")
	f.RemoveShot(first)
	f.SetShot(second, "Stairs, slower")
	f.Undo()
	if s := f.Draft().Shots; len(s) != 2 || s[0].Prompt != "Waves" || s[1].Prompt != "Stairs, slower" {
		t.Errorf("brought back are %+v", s)
	}
	f.AddShot()
	f.RemoveShot(f.Draft().Shots[2].ID)
	if f.Fitted != nil {
		t.Errorf("of a shot with nothing in it is said: %v", f.Fitted.What)
	}
}
