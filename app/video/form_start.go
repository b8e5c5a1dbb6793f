package video

import (
	"encoding/json"
	"slices"
	"strconv"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Start fills the form to extend or upscale a finished clip. model is the action
// model of gateway.Actions, "" for the first that fits.
func (d *Desk) Start(mode gateway.Mode, t wire.VideoTask, model string) {
	f := d.Form
	f.SetMode(mode)
	if f.Mode != mode {
		return // the catalogue has no such model; Actions says so on the button
	}
	if mode == gateway.Upscale {
		f.draft.Prompt = t.Prompt
	}
	f.SetSource(&Source{UUID: t.UUID, Task: t.ID, Title: Title(t), Provenance: t.Provenance()})
	if model != "" && model != f.draft.Model {
		f.draft.Model = model
		f.fit(f.draft, mode)
		f.changed()
	}
}

// SetSource chooses the clip that an extend or upscale starts from; nil takes
// it away. A model that does not fit it gives way to one that does.
//
// An extend begins with an empty prompt: what was written for another clip, or
// what a clip was made of already, is cleared, and can be taken back.
func (f *Form) SetSource(s *Source) {
	d := f.draft
	if before := d.clone(); s != nil && f.Mode == gateway.Extend && d.Prompt != "" &&
		(d.Used || d.Source != nil && d.Source.UUID != s.UUID) {
		d.Prompt, d.Used = "", false
		f.Fitted = &Fitted{What: "The last extend’s prompt was cleared.", Mode: f.Mode, before: before, whole: true}
	}
	d.Source = s
	if list := f.Models(); s != nil && len(list) > 0 && !slices.ContainsFunc(list, func(m gateway.Model) bool { return m.ID == f.draft.Model }) {
		f.draft.Model = list[0].ID
	}
	f.fit(f.draft, f.Mode)
	f.changed()
}

// SetSourceUUID takes the pasted id of a clip that was made elsewhere: of such
// a one nothing is known, and the gateway judges.
func (f *Form) SetSourceUUID(uuid string) {
	if uuid == "" {
		f.SetSource(nil)
		return
	}
	for _, t := range f.d.Tasks.All() {
		if t.UUID == uuid {
			f.SetSource(&Source{UUID: uuid, Task: t.ID, Title: Title(t), Provenance: t.Provenance()})
			return
		}
	}
	f.SetSource(&Source{UUID: uuid, Provenance: gateway.Provenance{TaskID: uuid, Pasted: true}})
}

// Sources are the finished clips, newest first, that the present action can
// start from.
func (f *Form) Sources() []wire.VideoTask {
	var list []wire.VideoTask
	for _, t := range f.d.Tasks.All() {
		if t.State != wire.VideoDone {
			continue
		}
		if slices.ContainsFunc(gateway.Actions(t.Provenance(), f.d.o.Now(), f.d.Cat), func(a gateway.Action) bool {
			return a.Kind == f.Mode && a.Enabled
		}) {
			list = append(list, t)
		}
	}
	return list
}

// Example puts an example's prompt into the form. What was written can be had
// again.
func (f *Form) Example(prompt string) {
	f.SetMode(gateway.TextToVideo)
	if before := f.draft.clone(); before.Prompt != "" && before.Prompt != prompt {
		f.Fitted = &Fitted{What: "The example replaced your prompt.", Mode: f.Mode, before: before, whole: true}
	}
	f.SetPrompt(prompt)
}

// Title names a task for a person.
func Title(t wire.VideoTask) string {
	switch {
	case t.Title != "":
		return t.Title
	case t.Prompt != "":
		return t.Prompt
	}
	return ModeName(gateway.Mode(t.Mode))
}

// UseAsReference puts an output of a finished clip into the next free slot of
// reference video, as a file of this server that the gateway can fetch.
func (d *Desk) UseAsReference(t wire.VideoTask, output int) {
	f := d.Form
	f.SetMode(gateway.Reference)
	if f.Mode != gateway.Reference {
		return
	}
	i := f.Free("reference_video_urls")
	if !f.slot("reference_video_urls", i).Empty() {
		f.fill(&filled{"reference_video_urls", i, f.Mode}, "The clip is now", "")
	}
	f.attachClip("reference_video_urls", i, t, output)
}

// attachClip puts an output of a finished clip into a slot: by the gateway's
// own link, while there is one, else by sending what this server has of it.
func (f *Form) attachClip(field string, i int, t wire.VideoTask, output int) {
	file := File{Name: Title(t) + ".mp4", Type: "video/mp4", Shown: wire.MediaPathOf(t.ID, output)}
	o, _ := OutputOf(&t, output)
	if file.Size = o.Bytes; o.Link == "" {
		f.Attach(field, i, file)
		return
	}
	s := f.slot(field, i)
	*s = Slot{ID: f.d.o.NewID(), URL: o.Link, Path: file.Shown, Name: file.Name}
	s.Measured = wire.Measured{Type: file.Type, Seconds: o.Seconds, Width: o.Width, Height: o.Height, Bytes: o.Bytes}
	f.draft.References = 0
	if id := s.ID; s.Seconds <= 0 {
		s.Stage = StageMeasuring
		f.d.o.Files.Measure(file, func(m wire.Measured) {
			f.update(id, func(s *Slot) {
				s.Stage = StageReady
				s.Seconds, s.Width, s.Height = m.Seconds, m.Width, m.Height
			})
		})
	}
	f.changed()
}

// Free is the first slot of a field with nothing in it that can be used; where
// all are taken, the last.
func (f *Form) Free(field string) int {
	list := f.Slots(field)
	if i := slices.IndexFunc(list, Slot.free); i >= 0 {
		return i
	}
	return len(list) - 1
}

// Reuse fills the form with what a task was made with: to edit it and try
// again. It returns false for a task whose model or mode is not in the
// catalogue any more.
func (d *Desk) Reuse(t wire.VideoTask) bool {
	f := d.Form
	mode := gateway.Mode(t.Mode)
	var r gateway.VideoRequest
	if !slices.Contains(f.Modes(), mode) || json.Unmarshal(t.Body, &r) != nil {
		return false
	}
	f.SetMode(mode)
	before := f.draft.clone()
	n, _ := strconv.Atoi(r.Seconds)
	next := Draft{VersionOf: t.ID, Model: r.Model, Prompt: r.Prompt, Ratio: r.AspectRatio, Seconds: n,
		Orientation: r.CharacterOrientation, Background: r.BackgroundSource}
	for _, s := range r.MultiPrompt {
		next.Shots = append(next.Shots, Shot{ID: d.o.NewID(), Prompt: s.Prompt, Seconds: s.Duration})
	}
	if r.Seeds != nil {
		next.Seeds = strconv.Itoa(*r.Seeds)
	}
	if r.Watermark != nil {
		next.Watermark = strconv.FormatBool(*r.Watermark)
	}
	if r.TaskID != "" {
		next.Source = &Source{UUID: r.TaskID, Task: t.Source, Index: t.SourceIndex, Provenance: gateway.Provenance{TaskID: r.TaskID, Pasted: true}}
		if source, ok := d.Tasks.Task(t.Source); ok {
			next.Source.Title, next.Source.Provenance = Title(source), source.Provenance()
		}
	}
	*f.draft = next
	// Before any link is set: what Undo brings back is still waited for.
	f.Fitted = &Fitted{What: "The form now has that clip’s settings.", Mode: mode, before: before, whole: true}
	for i, link := range r.ImageURLs {
		f.relink("image_urls", i, link, before)
	}
	for i, link := range r.ReferenceVideoURLs {
		f.relink("reference_video_urls", i, link, before)
	}
	if r.VideoURL != "" {
		f.relink("video_url", 0, r.VideoURL, before)
	}
	if mode == gateway.Reference {
		f.draft.Whole, f.draft.Seconds = n, 0
	}
	f.Fitted.Dropped = f.fit(f.draft, mode)
	f.splitWhole()
	f.Tried = false
	f.changed()
	return true
}

// relink puts a link of a former request into a slot: with what is known of it
// where the draft had the same.
func (f *Form) relink(field string, i int, link string, before *Draft) {
	for _, s := range *before.slots(field) {
		if s.URL == link {
			*f.slot(field, i) = s
			return
		}
	}
	f.SetLink(field, i, link)
}

// splitWhole takes the length of the clip from the whole of a request that is used
// again, once it is known what the references take of it.
func (f *Form) splitWhole() {
	d := f.drafts[gateway.Reference]
	if d == nil || d.Whole == 0 {
		return
	}
	if list := d.measured(); len(list) > 0 {
		d.Seconds = nearest(clip, d.Whole-gateway.ReferenceSeconds(list))
		d.Whole = 0
	}
}
