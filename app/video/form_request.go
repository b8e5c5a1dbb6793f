package video

import (
	"slices"
	"strconv"
	"strings"

	"screentest/shared/gateway"
)

// Check is what the draft comes to: the request, what it lacks, what is wrong
// with it, and what it would cost.
type Check struct {
	Fields []gateway.Field // that the form draws, in its order
	Body   []byte          // the request as it would be sent

	Seconds int    // of the field seconds; 0 while it can't be told
	Sum     string // how it was worked out: "4 + 3 + 5"; "" where a person chooses it
	Price   gateway.Quote

	// Missing is what has yet to be given, the first thing first.
	Missing  []Missing
	Errors   []gateway.Issue // about what was given
	Warnings []gateway.Issue
}

// Ready says that the request can go.
func (c Check) Ready() bool { return len(c.Missing) == 0 && len(c.Errors) == 0 && len(c.Body) > 0 }

// At returns what is to be said at a field of the request, or below it: of
// "multi_prompt" also what concerns "multi_prompt[1].prompt".
func (c Check) At(field string) (errors, warnings []gateway.Issue) {
	for _, i := range c.Errors {
		if below(i.Field, field) {
			errors = append(errors, i)
		}
	}
	for _, i := range c.Warnings {
		if below(i.Field, field) {
			warnings = append(warnings, i)
		}
	}
	return errors, warnings
}

// below says whether place is field or within it.
func below(place, field string) bool {
	rest, ok := strings.CutPrefix(place, field)
	return ok && (rest == "" || rest[0] == '[' || rest[0] == '.')
}

// order is how the form lays the fields out; slots come before the prompt that
// names them, but for multi-shot's one optional frame.
var order = []string{
	"model", "task_id", "reference_video_urls", "image_urls", "video_url", "prompt", "multi_prompt", "aspect_ratio",
	"seconds", "character_orientation", "background_source", "seeds", "watermark",
}

// fields returns what the form draws for a model in a mode.
func fields(m gateway.Model, mode gateway.Mode) []gateway.Field {
	var list []gateway.Field
	for _, f := range m.Fields(mode) {
		if f.Standing > gateway.Required || !slices.Contains(order, f.Name) {
			continue
		}
		if m.Family == gateway.Unknown && (f.Name == "multi_prompt" || f.Name == "reference_video_urls" || f.Name == "video_url" || f.Name == "task_id") {
			continue // of a model that no rule knows only what most take is offered
		}
		list = append(list, f)
	}
	place := func(f gateway.Field) int {
		if f.Name == "image_urls" && mode == gateway.MultiShot {
			return slices.Index(order, "multi_prompt")
		}
		return slices.Index(order, f.Name)
	}
	slices.SortStableFunc(list, func(a, b gateway.Field) int { return place(a) - place(b) })
	if mode == gateway.MultiShot {
		shots := slices.IndexFunc(list, func(f gateway.Field) bool { return f.Name == "multi_prompt" })
		frame := slices.IndexFunc(list, func(f gateway.Field) bool { return f.Name == "image_urls" })
		if shots >= 0 && frame >= 0 && frame < shots {
			list[shots], list[frame] = list[frame], list[shots]
		}
	}
	return list
}

// check works out everything anew.
func (f *Form) check() {
	f.Check = f.checkOf(f.draft)
	f.lanes()
	f.Busy, f.Made = false, false
	for key, try := range f.tries {
		if f.shows(key) {
			f.Busy = f.Busy || try.stage == attemptSent
			f.Made = f.Made || try.stage == attemptMade
		}
	}
	f.Made = f.Made && !f.Busy
}

// checkOf judges a draft of the present mode.
func (f *Form) checkOf(d *Draft) (c Check) {
	shown := f.draft
	f.draft = d
	defer func() { f.draft = shown }()
	m := f.Model()
	if d.Model == "" {
		return c // no catalogue yet
	}
	c.Fields = fields(m, f.Mode)
	draws := func(name string) bool {
		return slices.ContainsFunc(c.Fields, func(f gateway.Field) bool { return f.Name == name })
	}
	c.Seconds, c.Sum = f.seconds()
	r := f.request(draws, c.Seconds)
	c.Body = r.Body()
	c.Missing = f.missing(c.Fields)
	verdict := f.d.Cat.Validate(gateway.Video, c.Body, f.options())
	for _, i := range verdict.Errors {
		if i.Field == "seconds" && c.Seconds == 0 {
			continue // it will follow from what is missing
		}
		if !slices.ContainsFunc(c.Missing, func(m Missing) bool { return below(i.Field, m.Field) || below(m.Field, i.Field) }) {
			c.Errors = append(c.Errors, i)
		}
	}
	unfit := slices.ContainsFunc(verdict.Errors, inLength)
	if c.Sum != "" && slices.ContainsFunc(c.Errors, func(i gateway.Issue) bool { return i.Field != "seconds" }) {
		c.Errors = slices.DeleteFunc(c.Errors, func(i gateway.Issue) bool { return i.Field == "seconds" }) // it follows from the others
	}
	if f.Mode == gateway.Reference && d.Seconds != 0 && !clip.Has(d.Seconds) {
		unfit = true
		c.Errors = append(slices.DeleteFunc(c.Errors, inLength), gateway.Issue{Field: "seconds", Code: gateway.CodeReferenceSeconds,
			Message: "The clip itself lasts " + clip.String() + " s; it is " + strconv.Itoa(d.Seconds), Fact: "F146"})
	}
	if c.Seconds > 0 && !unfit { // a length that can't be has no price
		c.Price = m.VideoPrice(c.Seconds)
	}
	for _, i := range verdict.Warnings {
		if !f.known(i) {
			c.Warnings = append(c.Warnings, i)
		}
	}
	return c
}

// inLength says that an issue is about the length, or that of a shot.
func inLength(i gateway.Issue) bool {
	return i.Field == "seconds" || strings.HasSuffix(i.Field, ".duration")
}

// seconds works the field out: 0 while something for it is missing.
func (f *Form) seconds() (n int, sum string) {
	d := f.draft
	switch f.Mode {
	case gateway.MultiShot:
		parts := make([]string, len(d.Shots))
		for i, s := range d.Shots {
			if s.Seconds == 0 {
				return 0, ""
			}
			n += s.Seconds
			parts[i] = strconv.Itoa(s.Seconds)
		}
		return n, strings.Join(parts, " + ")
	case gateway.Reference:
		took, ok := f.taken()
		if !ok || d.Seconds == 0 {
			return 0, ""
		}
		return d.Seconds + took, "clip " + strconv.Itoa(d.Seconds) + " + references " + strconv.Itoa(took)
	case gateway.Motion:
		if len(d.Videos) == 0 || d.Videos[0].Seconds <= 0 {
			return 0, ""
		}
		return gateway.MotionSeconds(d.Videos[0].Seconds), "the motion clip lasts " + Length(d.Videos[0].Seconds)
	}
	return d.Seconds, ""
}

// taken is what the references add to the field seconds, once all are
// measured, or the gateway has said so itself.
func (f *Form) taken() (n int, ok bool) {
	if f.draft.References > 0 {
		return f.draft.References, true
	}
	list := f.draft.measured()
	return gateway.ReferenceSeconds(list), len(list) > 0
}

// measured are the lengths of the references; none while one is not known.
func (d *Draft) measured() []float64 {
	var list []float64
	for _, s := range d.Videos {
		switch {
		case s.Empty():
		case s.Seconds <= 0:
			return nil
		default:
			list = append(list, s.Seconds)
		}
	}
	return list
}

// request is the draft as the gateway takes it.
func (f *Form) request(draws func(string) bool, seconds int) gateway.VideoRequest {
	d := f.draft
	r := gateway.VideoRequest{Model: d.Model, Prompt: d.Prompt}
	if seconds > 0 {
		r.Seconds = strconv.Itoa(seconds)
	}
	if draws("image_urls") {
		r.ImageURLs = links(d.Images)
	}
	if draws("aspect_ratio") && !(f.Mode == gateway.MultiShot && len(r.ImageURLs) > 0) {
		r.AspectRatio = d.Ratio
	}
	if draws("reference_video_urls") {
		r.ReferenceVideoURLs = links(d.Videos)
	}
	if draws("video_url") && len(d.Videos) > 0 {
		r.VideoURL = d.Videos[0].URL
	}
	if draws("multi_prompt") {
		yes := true
		r.MultiShots = &yes
		for _, s := range d.Shots {
			r.MultiPrompt = append(r.MultiPrompt, gateway.Scene{Prompt: s.Prompt, Duration: s.Seconds})
		}
	}
	if draws("task_id") && d.Source != nil {
		r.TaskID = d.Source.UUID
	}
	if n, err := strconv.Atoi(d.Seeds); draws("seeds") && err == nil {
		r.Seeds = &n
	}
	if draws("watermark") && d.Watermark != "" {
		on := d.Watermark == "true"
		r.Watermark = &on
	}
	if draws("character_orientation") {
		r.CharacterOrientation = d.Orientation
	}
	if draws("background_source") {
		r.BackgroundSource = d.Background
	}
	if f.Mode == gateway.Upscale && strings.TrimSpace(r.Prompt) == "" {
		r.Prompt = upscalePrompt
	}
	return r
}

// upscalePrompt is what an upscale says: any text will do (F55).
const upscalePrompt = "Upscale"

func links(slots []Slot) (urls []string) {
	for _, s := range slots {
		if s.URL != "" {
			urls = append(urls, s.URL)
		}
	}
	return urls
}

// options is what is known beyond the body.
func (f *Form) options() gateway.Options {
	o := gateway.Options{Now: f.d.o.Now()}
	switch f.Mode {
	case gateway.Reference:
		if f.draft.References == 0 {
			o.ReferenceSeconds = f.draft.measured()
		}
	case gateway.Motion:
		if len(f.draft.Videos) > 0 {
			o.MotionSeconds = f.draft.Videos[0].Seconds
		}
	case gateway.Extend, gateway.Upscale:
		if s := f.draft.Source; s != nil {
			o.Source = &s.Provenance
		}
	}
	return o
}

// known says that a warning tells nothing new: the server has found that the
// gateway can fetch its own files, wherever they are.
func (f *Form) known(i gateway.Issue) bool {
	if i.Code != gateway.CodePrivateAddress {
		return false
	}
	if f.d.Gateway.Sandbox {
		return true
	}
	slot := f.slotAt(i.Field)
	return slot != nil && slot.Path != "" && !slot.Unreachable
}

// Length writes a measured length for people: "7.4 s".
func Length(seconds float64) string {
	return strconv.FormatFloat(float64(int(seconds*10+0.5))/10, 'f', -1, 64) + " s"
}
