package video

import (
	"encoding/json"
	"slices"
	"strings"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// pickPage is how many clips are listed at a time, and once more with each
// "Show older".
const pickPage = 12

// PickFrom is where a slot is filled from, beside a file and a link.
type PickFrom string

// The places.
const (
	FromClips   PickFrom = "clips"   // finished ones that play: a frame for an image, the whole for a video
	FromUploads PickFrom = "uploads" // what one has uploaded before
)

// Picker is the list that is open below a slot.
type Picker struct {
	Field string
	Index int
	From  PickFrom

	Text    string           // that the clips are searched for
	Clips   []wire.VideoTask // newest first
	Uploads []wire.Upload    // likewise
	Ready   bool             // the first answer has come
	Loading bool
	More    bool // older clips can be asked for
	Problem *wire.Problem

	mode   gateway.Mode
	before string
	asked  int // answers to what was asked before are late
}

// At says that the list is open below this slot.
func (p *Picker) At(field string, i int) bool { return p != nil && p.Field == field && p.Index == i }

// OpenPicker opens a list below a slot, or closes it again.
func (f *Form) OpenPicker(field string, i int, from PickFrom) {
	if p := f.Picker; p.At(field, i) && p.From == from {
		f.ClosePicker()
		return
	}
	f.Picker = &Picker{Field: field, Index: i, From: from, mode: f.Mode}
	f.pick("")
}

// ClosePicker closes the list.
func (f *Form) ClosePicker() {
	f.Picker = nil
	f.d.o.Changed(PartForm)
}

// FindClips lists the clips that words are found in.
func (f *Form) FindClips(text string) {
	if p := f.Picker; p != nil && strings.TrimSpace(text) != strings.TrimSpace(p.Text) {
		p.Text = text
		f.pick("")
	}
}

// OlderClips lists more of them.
func (f *Form) OlderClips() {
	if p := f.Picker; p != nil && p.More && !p.Loading {
		f.pick(p.before)
	}
}

// PickAgain asks once more, after that has failed.
func (f *Form) PickAgain() {
	if f.Picker != nil {
		f.pick("")
	}
}

// pick asks for what is listed: from the newest, or what comes after.
func (f *Form) pick(before string) {
	p := f.Picker
	p.asked++
	asked := p.asked
	p.Loading, p.Problem = true, nil
	op, args := wire.OpVideoUploads, any(wire.VideoUploads{Videos: KindOf(p.Field) == Video})
	if p.From == FromClips {
		op, args = wire.OpVideoTasks, wire.VideoQuery{States: []wire.VideoState{wire.VideoDone, wire.VideoExpired}, Gone: wire.GoneOut,
			Text: strings.TrimSpace(p.Text), Before: before, Limit: pickPage}
	}
	f.d.o.Server.Call(op, args, func(data json.RawMessage, problem *wire.Problem) {
		if asked != p.asked || f.Picker != p {
			return
		}
		p.Loading = false
		var page struct {
			wire.VideoPage
			wire.VideoUploaded
		}
		if p.Problem = session.Read(data, problem, &page); p.Problem == nil {
			if before == "" {
				p.Clips = nil
			}
			for _, t := range page.Tasks {
				if Playable(&t) && !slices.ContainsFunc(p.Clips, func(have wire.VideoTask) bool { return have.ID == t.ID }) {
					p.Clips = append(p.Clips, t)
				}
			}
			p.Uploads, p.before, p.More, p.Ready = page.Uploads, page.Before, page.Before != "", true
		}
		f.d.o.Changed(PartForm)
	})
	f.d.o.Changed(PartForm)
}

// PickWhy says why a clip can't go into the slot as a whole; "" if it can.
func (f *Form) PickWhy(t *wire.VideoTask) string {
	switch p := f.Picker; {
	case p == nil || KindOf(p.Field) == Image:
		return ""
	case p.Field == "video_url":
		if s := LengthOf(t); s > 0 && (s < 3 || s > 30) {
			return "A motion clip lasts 3 to 30 seconds; this clip lasts " + Clock(s) + "."
		}
		return ""
	}
	return f.d.Tasks.NoReference(t)
}

// PickClip puts a whole clip into the slot.
func (f *Form) PickClip(t wire.VideoTask) {
	if p := f.Picker; p != nil && f.PickWhy(&t) == "" {
		f.Picker = nil
		f.attachClip(p.Field, p.Index, t, PlayableOutput(&t))
	}
}

// PickFrame puts a frame of a clip into the slot of the list that it was taken
// for. Where that is closed by now, the frame is let go.
func (f *Form) PickFrame(p *Picker, file File) bool {
	if p == nil || f.Picker != p {
		f.d.o.Files.Release(file.Shown)
		return false
	}
	f.Picker = nil
	f.Attach(p.Field, p.Index, file)
	return true
}

// PickUpload puts an upload into the slot again.
func (f *Form) PickUpload(u wire.Upload) {
	p := f.Picker
	if p == nil {
		return
	}
	f.Picker = nil
	*f.slot(p.Field, p.Index) = Slot{ID: f.d.o.NewID(), URL: u.URL, Path: u.Path, Name: u.Name, Measured: u.Measured, Unreachable: u.Unreachable}
	f.draft.References = 0
	f.changed()
}

// endPicker closes a list whose slot is filled, or isn't drawn any more.
func (f *Form) endPicker() {
	if p := f.Picker; p != nil {
		list := f.Slots(p.Field)
		if _, drawn := f.Field(p.Field); !drawn || p.mode != f.Mode || p.Index >= len(list) || !list[p.Index].free() {
			f.Picker = nil
		}
	}
}
