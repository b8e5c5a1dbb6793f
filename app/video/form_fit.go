package video

import (
	"slices"
	"strconv"

	"screentest/app/figure"
	"screentest/shared/gateway"
)

// Fitted is what a change took from the draft, so that it can be undone.
type Fitted struct {
	What    string // "gamma-2-720p took the place of alpha-3.1-lite."
	Mode    gateway.Mode
	Dropped []Dropped
	before  *Draft // after a change of the model, only the slots that were dropped are in it
	whole   bool   // all of the draft gave way to another
	slot    *filled
	shot    string // id of the one that was removed
}

// filled is a slot that was given something from a clip.
type filled struct {
	field string
	i     int          // in the slot; -1: in place of all
	from  gateway.Mode // that was shown then
}

// Dropped is a value that did not fit.
type Dropped struct {
	Field string // of the request: "seconds"
	Was   string // "8"
	Now   string // "6"; "" where nothing took its place
}

// Words say what became of the value.
func (d Dropped) Words() string {
	left := map[string]string{
		"seeds": "The seed", "watermark": "The choice of a watermark", "character_orientation": "The orientation of the character",
		"background_source": "The choice of a background", "aspect_ratio": "The aspect ratio " + d.Was,
	}[d.Field]
	switch {
	case d.Now == "":
		return left + " is left out."
	case d.Field == "seconds":
		return "Length changed from " + d.Was + " to " + d.Now + " s."
	case d.Field == "aspect_ratio":
		return "Aspect ratio changed from " + d.Was + " to " + d.Now + "."
	case d.Field == "model":
		return "Model changed from " + d.Was + " to " + d.Now + "."
	}
	return d.Now + " instead of " + d.Was + "."
}

// SetModel chooses a model of the mode. What fits it is kept.
func (f *Form) SetModel(id string) {
	if id == f.draft.Model {
		return
	}
	before := f.draft.clone()
	f.draft.Model = id
	f.draft.Also = slices.DeleteFunc(f.draft.Also, func(have string) bool { return have == id })
	dropped := f.fit(f.draft, f.Mode)
	f.Fitted = nil
	if len(dropped) > 0 {
		before.Images, before.Videos = before.Images[len(f.draft.Images):], nil
		f.Fitted = &Fitted{What: id + " can’t use everything.", Mode: f.Mode, Dropped: dropped, before: before}
	}
	f.changed()
}

// Undo brings back what the last change took: after one of the model, the model
// and the values that did not fit it. What was typed since stays.
func (f *Form) Undo() {
	if f.Fitted == nil {
		return
	}
	fitted := f.Fitted
	f.Fitted = nil
	f.Mode, f.draft = fitted.Mode, f.of(fitted.Mode)
	switch before, slot := fitted.before, fitted.slot; {
	case fitted.whole:
		*f.draft = *before
	case fitted.shot != "":
		f.unremove(fitted.shot, before)
	case slot != nil:
		f.unfill(slot, before)
		f.SetMode(slot.from)
	default:
		f.draft.Model = before.Model
		for _, d := range fitted.Dropped {
			switch d.Field {
			case "aspect_ratio":
				f.draft.Ratio = before.Ratio
			case "seconds":
				f.draft.Seconds = before.Seconds
			case "image_urls":
				f.draft.Images = append(f.draft.Images, before.Images...)
			}
		}
		f.fit(f.draft, f.Mode)
	}
	f.changed()
}

// KeepFitted closes the list of what was dropped: it may stay so.
func (f *Form) KeepFitted() {
	f.Fitted = nil
	f.dropUnused()
	f.d.o.Changed(PartForm)
}

// fit makes a draft one that its model can take, and says what it had to drop.
// A draft without a model of the mode gets the first.
func (f *Form) fit(d *Draft, mode gateway.Mode) (dropped []Dropped) {
	list := f.models(mode)
	if len(list) == 0 {
		return nil
	}
	at := slices.IndexFunc(list, func(m gateway.Model) bool { return m.ID == d.Model })
	if at < 0 {
		at = 0
		if d.Model != "" {
			dropped = append(dropped, Dropped{"model", d.Model, list[0].ID})
		}
		d.Model = list[0].ID
	}
	m := list[at]
	for _, field := range m.Fields(mode) {
		takes := field.Standing <= gateway.Required
		switch field.Name {
		case "aspect_ratio":
			if fits := takes && (len(field.Choices) == 0 || slices.Contains(field.Choices, d.Ratio)); !fits {
				was := d.Ratio
				d.Ratio = ""
				if takes && len(field.Choices) > 0 {
					d.Ratio = field.Choices[0]
				}
				if was != "" {
					dropped = append(dropped, Dropped{field.Name, was, d.Ratio})
				}
			}
		case "seconds":
			if mode == gateway.MultiShot || mode == gateway.Motion {
				continue // worked out
			}
			allowed := lengths(field, mode)
			if now := nearest(allowed, d.Seconds); now != d.Seconds {
				if d.Seconds != 0 {
					dropped = append(dropped, Dropped{field.Name, strconv.Itoa(d.Seconds), strconv.Itoa(now)})
				}
				d.Seconds, d.Typed = now, ""
			}
		case "image_urls":
			if n := len(d.Images); takes && field.Max > 0 && n > field.Max {
				dropped = append(dropped, Dropped{field.Name, figure.Plural(n, "image", "images"), figure.Plural(field.Max, "image", "images")})
				d.Images = d.Images[:field.Max]
			}
		case "multi_prompt":
			if takes && len(d.Shots) == 0 {
				d.Shots = []Shot{{ID: f.d.o.NewID(), Seconds: 4}, {ID: f.d.o.NewID(), Seconds: 4}}
			}
		}
	}
	return dropped
}

// Lengths is what a person may choose as length in the present mode: the
// clip's own in reference video, else the field seconds. The zero Seconds is
// any.
func (f *Form) Lengths() gateway.Seconds {
	field, _ := f.Field("seconds")
	return lengths(field, f.Mode)
}

// clip is the length of the clip itself in reference video (F146).
var clip = gateway.Seconds{Min: 4, Max: 15}

func lengths(field gateway.Field, mode gateway.Mode) gateway.Seconds {
	if mode == gateway.Reference {
		return clip
	}
	return field.Seconds
}

// usual is the length that a range begins with.
const usual = 5

// nearest returns the allowed length that is nearest to n; for none the
// shortest of a set, or the usual one of a range.
func nearest(s gateway.Seconds, n int) int {
	switch {
	case s.Any() && n == 0:
		return usual
	case s.Any() || n != 0 && s.Has(n):
		return n
	case len(s.Values) == 0:
		if n == 0 {
			n = usual
		}
		return min(max(n, s.Min), s.Max)
	}
	best := s.Values[0]
	for _, v := range s.Values {
		if n != 0 && max(v-n, n-v) < max(best-n, n-best) {
			best = v
		}
	}
	return best
}
