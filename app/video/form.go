package video

import (
	"slices"
	"strconv"
	"strings"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// modes are the modes in the order in which they are offered.
var modes = []gateway.Mode{
	gateway.TextToVideo, gateway.ImageToVideo, gateway.FirstLastFrame, gateway.Reference, gateway.MultiShot,
	gateway.Motion, gateway.Extend, gateway.Upscale, gateway.AnyVideo,
}

// ModeName names a mode for people.
func ModeName(m gateway.Mode) string {
	switch m {
	case gateway.TextToVideo:
		return "Text to video"
	case gateway.ImageToVideo:
		return "Image to video"
	case gateway.FirstLastFrame:
		return "First and last frame"
	case gateway.Reference:
		return "Reference video"
	case gateway.MultiShot:
		return "Multi-shot"
	case gateway.Motion:
		return "Motion control"
	case gateway.Extend:
		return "Extend"
	case gateway.Upscale:
		return "Upscale"
	case gateway.AnyVideo:
		return "Other models"
	}
	return string(m)
}

// Form is the left side of the Video page: one draft for each mode, and what the
// request that it makes would be.
type Form struct {
	d *Desk

	Mode  gateway.Mode
	draft *Draft // of Mode
	// prompt is the one of all modes that make a clip anew: what was written
	// last is what the next clip is made of, whatever the mode. Extend has one of
	// its own, of how it goes on.
	prompt string
	drafts map[gateway.Mode]*Draft
	files  map[string]*transfer // by Slot.ID

	Check Check // of the draft as it stands
	// Lanes are the further models that the same goes to.
	Lanes []Lane
	// Fitted is what the last change of the model took from the draft; nil
	// where nothing, or where it was undone or kept.
	Fitted *Fitted
	// Problem is why the last creation was refused or not answered; nil while
	// nothing is wrong. Where it names a field it is drawn there.
	Problem *wire.Problem
	// Tried says that the person has asked for a clip that lacks something:
	// what is missing is then marked.
	Tried bool

	// Picker is the list below a slot that is filled from what is here; nil while
	// none is open.
	Picker *Picker

	Busy    bool // what stands in the form is being created
	Made    bool // and was created a moment ago
	Waits   bool // what was created last waits until it is released
	tries   map[attemptKey]*attempt
	made    map[string]maker // the tasks that were made last, by our ids
	madeOf  gateway.Mode     // and their mode
	several int
	// rest is how many clips of each model are left to make, after only some of a
	// click's were made; nil are all.
	rest  map[string]int
	edits int // changes of the form, so far
}

func newForm(d *Desk) *Form {
	f := &Form{d: d, drafts: map[gateway.Mode]*Draft{}, files: map[string]*transfer{}, tries: map[attemptKey]*attempt{}}
	f.Mode = gateway.Mode(d.o.Storage.Get(modeName))
	if !slices.Contains(modes, f.Mode) {
		f.Mode = gateway.TextToVideo
	}
	if f.prompt = d.o.Storage.Get(promptName); f.prompt == "" && f.Mode.Generates() {
		f.prompt = f.of(f.Mode).Prompt
	}
	f.enter(f.Mode)
	f.check()
	return f
}

// enter takes up the draft of a mode, with the prompt that goes along.
func (f *Form) enter(mode gateway.Mode) {
	f.Mode, f.draft = mode, f.of(mode)
	if mode.Generates() {
		f.draft.Prompt = f.prompt
	}
}

// Draft is the draft of the present mode. It is changed by the Form's methods
// only.
func (f *Form) Draft() Draft { return *f.draft }

// of returns the draft of a mode.
func (f *Form) of(mode gateway.Mode) *Draft {
	d := f.drafts[mode]
	if d == nil {
		d = loadDraft(f.d.o.Storage, mode)
		f.drafts[mode] = d
	}
	return d
}

// setCatalogue fits the form to a catalogue that is new or has changed.
func (f *Form) setCatalogue() {
	if !slices.Contains(f.Modes(), f.Mode) && len(f.Modes()) > 0 {
		f.enter(f.Modes()[0])
	}
	f.fit(f.draft, f.Mode)
	f.check()
}

// changed keeps the draft, judges it anew, and has the form drawn.
func (f *Form) changed() {
	f.Problem, f.rest = nil, nil
	f.edits++
	if f.Mode.Generates() && f.prompt != f.draft.Prompt {
		f.prompt = f.draft.Prompt
		f.d.o.Storage.Set(promptName, f.prompt)
	}
	f.draft.save(f.d.o.Storage, f.Mode)
	for key, try := range f.tries {
		f.endRest(key, try)
	}
	f.recheck()
}

// recheck judges the draft anew, without ending the rest after a creation, and has
// the form drawn.
func (f *Form) recheck() {
	f.dropUnused()
	f.check()
	f.endPicker()
	f.d.o.Changed(PartForm)
}

// Modes returns the modes that the catalogue has a model for.
func (f *Form) Modes() []gateway.Mode {
	var list []gateway.Mode
	for _, mode := range modes {
		if len(f.models(mode)) > 0 {
			list = append(list, mode)
		}
	}
	return list
}

// models are those of the catalogue that work in a mode, and are paid for.
func (f *Form) models(mode gateway.Mode) []gateway.Model {
	var list []gateway.Model
	for _, m := range f.d.Cat.Models {
		if m.Endpoint == gateway.Video && slices.Contains(m.Modes(), mode) && gateway.ModelAllowed(f.d.Charge.Models, m.ID) {
			list = append(list, m)
		}
	}
	return list
}

// Models returns the models that may be chosen in the present mode: of an
// action only those that fit its source (table A).
func (f *Form) Models() []gateway.Model {
	list := f.models(f.Mode)
	s := f.draft.Source
	if s == nil || f.Mode.Generates() {
		return list
	}
	var fitting []gateway.Model
	for _, a := range gateway.Actions(s.Provenance, f.d.o.Now(), f.d.Cat) {
		if i := slices.IndexFunc(list, func(m gateway.Model) bool { return m.ID == a.Model }); i >= 0 && a.Kind == f.Mode {
			fitting = append(fitting, list[i])
		}
	}
	if len(fitting) == 0 {
		return list // nothing fits; the button says why
	}
	return fitting
}

// Model is the one that is chosen.
func (f *Form) Model() gateway.Model {
	m, _ := f.d.Cat.Lookup(f.draft.Model)
	return m
}

// Field returns how a field stands with the model in the mode, and whether the
// form draws it: what is forbidden or without effect it leaves out.
func (f *Form) Field(name string) (gateway.Field, bool) {
	for _, field := range f.Check.Fields {
		if field.Name == name {
			return field, true
		}
	}
	return gateway.Field{}, false
}

// SetMode shows the draft of another mode. The prompt goes along, and into an
// empty draft the images too.
func (f *Form) SetMode(mode gateway.Mode) {
	if mode == f.Mode || !slices.Contains(f.Modes(), mode) {
		return
	}
	before := f.draft
	f.enter(mode)
	f.d.o.Storage.Set(modeName, string(mode))
	if f.draft.empty() {
		if image, takes := f.takes("image_urls"); takes && len(before.Images) > 0 {
			n := len(before.Images)
			if image.Max > 0 {
				n = min(n, image.Max)
			}
			f.draft.Images = slices.Clone(before.Images[:n])
		}
	}
	f.fit(f.draft, mode)
	f.Fitted, f.Tried = nil, false
	f.changed()
}

// takes says how a field stands with the mode's first or chosen model.
func (f *Form) takes(name string) (gateway.Field, bool) {
	m, known := f.d.Cat.Lookup(f.draft.Model)
	if !known {
		if list := f.models(f.Mode); len(list) > 0 {
			m = list[0]
		}
	}
	for _, field := range m.Fields(f.Mode) {
		if field.Name == name {
			return field, field.Standing <= gateway.Required
		}
	}
	return gateway.Field{}, false
}

// SetPrompt follows what is typed.
func (f *Form) SetPrompt(text string) {
	f.draft.Prompt, f.draft.Used = text, false
	f.changed()
}

// SetRatio chooses an aspect ratio; "" leaves it to the model.
func (f *Form) SetRatio(ratio string) {
	f.draft.Ratio = ratio
	f.changed()
}

// SetSeconds chooses the length: the field seconds, or of a reference video
// that of the clip itself.
func (f *Form) SetSeconds(n int) {
	f.draft.Seconds, f.draft.Typed, f.draft.Whole = n, "", 0
	f.changed()
}

// TypeSeconds follows what is typed for the length. It is taken as it stands:
// what can't be is an error, and has no price.
func (f *Form) TypeSeconds(text string) {
	n, typed := wholeSeconds(text)
	f.draft.Seconds, f.draft.Typed, f.draft.Whole = n, typed, 0
	f.changed()
}

// wholeSeconds reads what was typed; 0 and the text where it is no whole number.
func wholeSeconds(text string) (n int, typed string) {
	n, err := strconv.Atoi(text)
	if err != nil || n == 0 {
		return 0, text
	}
	return n, ""
}

// Set takes what was chosen or typed for one of the small fields: seeds,
// watermark, character_orientation, background_source. "" leaves it out.
func (f *Form) Set(name, value string) {
	switch name {
	case "seeds":
		f.draft.Seeds = strings.TrimSpace(value)
	case "watermark":
		f.draft.Watermark = value
	case "character_orientation":
		f.draft.Orientation = value
	case "background_source":
		f.draft.Background = value
	}
	f.changed()
}

// Get is the opposite of Set.
func (f *Form) Get(name string) string {
	switch name {
	case "seeds":
		return f.draft.Seeds
	case "watermark":
		return f.draft.Watermark
	case "character_orientation":
		return f.draft.Orientation
	case "background_source":
		return f.draft.Background
	}
	return ""
}

// Clear empties the draft of the mode.
func (f *Form) Clear() {
	before := f.draft.clone()
	*f.draft = Draft{Model: f.draft.Model}
	f.fit(f.draft, f.Mode)
	f.Tried = false
	f.Fitted = &Fitted{What: "The form was cleared.", Mode: f.Mode, before: before, whole: true}
	f.changed()
}
