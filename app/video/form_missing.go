package video

import (
	"strconv"
	"strings"

	"screentest/shared/gateway"
)

// Missing is something that has yet to be given before a clip can be made.
type Missing struct {
	Field string // of the request, where the focus goes: "multi_prompt[1].prompt"
	Text  string // what to do, for the button: "Write shot 2"
}

// missing lists what the draft lacks, in the order of the form.
func (f *Form) missing(fields []gateway.Field) (list []Missing) {
	d := f.draft
	want := func(field, text string) { list = append(list, Missing{field, text}) }
	for _, field := range fields {
		switch field.Name {
		case "prompt":
			if strings.TrimSpace(d.Prompt) == "" && f.Mode != gateway.Upscale && field.Standing == gateway.Required {
				text := "Write a prompt"
				if f.Mode == gateway.MultiShot {
					text = "Write the general prompt"
				}
				want("prompt", text)
			}
		case "task_id":
			if d.Source == nil {
				want("task_id", "Choose the clip to "+string(f.Mode))
			}
		case "multi_prompt":
			for i, s := range d.Shots {
				at, shot := "multi_prompt["+strconv.Itoa(i)+"]", "shot "+strconv.Itoa(i+1)
				if s.Prompt == "" {
					want(at+".prompt", "Write "+shot)
				}
				if s.Seconds == 0 {
					want(at+".duration", "Give "+shot+" whole seconds, "+shotSeconds.String())
				}
			}
		case "image_urls":
			f.wantSlots(field, d.Images, want)
		case "reference_video_urls", "video_url":
			f.wantSlots(field, d.Videos, want)
		case "seconds":
			if d.Seconds == 0 && f.Mode != gateway.MultiShot && f.Mode != gateway.Motion { // there it follows from what is given
				want("seconds", "Choose the length")
			}
		case "seeds":
			if _, err := strconv.Atoi(d.Seeds); d.Seeds != "" && err != nil {
				want("seeds", "Make the seed a whole number")
			}
		}
	}
	return list
}

// wantSlots lists what the slots of a field lack.
func (f *Form) wantSlots(field gateway.Field, slots []Slot, want func(field, text string)) {
	kind := KindOf(field.Name)
	least := 0
	if field.Standing == gateway.Required {
		least = max(field.Min, 1)
	}
	for i := range max(len(slots), least) {
		at := SlotField(field, i)
		name := f.SlotName(field, i)
		var s Slot
		if i < len(slots) {
			s = slots[i]
		}
		switch {
		case s.Stage == StageUploading:
			want(at, "Wait for the upload")
		case s.Stage == StageFailed:
			want(at, "Replace "+strings.Replace(name, "an image", "the image", 1))
		case s.Stage == StageMeasuring && kind == Video:
			want(at, "Wait until "+name+" is measured")
		case field.Name == "video_url" && s.Problem != nil && s.Problem.Code == "file_too_large":
			want(at, "Choose a smaller motion clip") // the model takes no larger one, from wherever (F156)
		case s.Unreachable:
			want(at, "Paste a link for "+name)
		case s.Empty() && (i < least || i < len(slots)-1):
			want(at, "Add "+name)
		case !s.Empty() && kind == Video && s.Seconds <= 0 && (field.Name == "video_url" || f.draft.References == 0):
			want(at, "Say how long "+name+" is")
		}
	}
}

// KindOf is what the slots of a field take.
func KindOf(field string) Kind {
	if field == "image_urls" {
		return Image
	}
	return Video
}

// SlotField is the place of a slot in the request: "image_urls[1]".
func SlotField(field gateway.Field, i int) string {
	if field.Form == gateway.FormURL {
		return field.Name
	}
	return field.Name + "[" + strconv.Itoa(i) + "]"
}

// SlotName names a slot within a sentence.
func (f *Form) SlotName(field gateway.Field, i int) string {
	n := strconv.Itoa(i + 1)
	switch {
	case field.Name == "reference_video_urls":
		return "reference video " + n
	case field.Name == "video_url":
		return "the motion clip"
	case f.Mode == gateway.FirstLastFrame && i == 0, f.Mode == gateway.MultiShot:
		return "the first frame"
	case f.Mode == gateway.FirstLastFrame:
		return "the last frame"
	case f.Mode == gateway.Motion:
		return "the character's photo"
	case f.Mode == gateway.ImageToVideo && i == 0:
		return "an image"
	}
	return "image " + n
}

// SlotTitle names a slot by itself, empty or filled: in a mode whose prompt
// names its references, by the word that names it there.
func (f *Form) SlotTitle(field gateway.Field, i int) string {
	name := f.SlotName(field, i)
	for _, article := range []string{"the ", "an "} {
		name = strings.TrimPrefix(name, article)
	}
	if f.Mode == gateway.Reference {
		n := 1 // as the prompt counts them: without those that are empty
		for _, s := range (*f.draft.slots(field.Name))[:i] {
			if !s.Empty() {
				n++
			}
		}
		kind := "@Video"
		if KindOf(field.Name) == Image {
			kind = "@Image"
		}
		return kind + strconv.Itoa(n)
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// slots is where the draft keeps the slots of a field.
func (d *Draft) slots(field string) *[]Slot {
	if KindOf(field) == Image {
		return &d.Images
	}
	return &d.Videos
}

// slotAt returns the slot at a place of the request, nil where there is none.
// A place counts the links that are sent: empty slots have none.
func (f *Form) slotAt(place string) *Slot {
	name, rest, _ := strings.Cut(place, "[")
	if name != "image_urls" && name != "reference_video_urls" && name != "video_url" {
		return nil
	}
	digits, _, _ := strings.Cut(rest, "]")
	n, _ := strconv.Atoi(digits)
	slots := *f.draft.slots(name)
	for i := range slots {
		if slots[i].URL == "" {
			continue
		}
		if n == 0 {
			return &slots[i]
		}
		n--
	}
	return nil
}
