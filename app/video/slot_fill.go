package video

import (
	"encoding/json"
	"slices"
	"strings"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Slots returns the slots of a field as they are drawn: those that were
// filled, and one more while there is room.
func (f *Form) Slots(field string) []Slot {
	list := slices.Clone(*f.draft.slots(field))
	info, _ := f.Field(field)
	room := info.Max
	if field == "video_url" {
		room = 1
	}
	switch {
	case room == 2: // both stand there from the beginning, each with a meaning
		for len(list) < 2 {
			list = append(list, Slot{})
		}
	case room == 0 || len(list) < room:
		if len(list) == 0 || !list[len(list)-1].free() {
			list = append(list, Slot{})
		}
	}
	return list
}

// slot returns the place i of a field, made if it is new.
func (f *Form) slot(field string, i int) *Slot {
	list := f.draft.slots(field)
	for len(*list) <= i {
		*list = append(*list, Slot{})
	}
	return &(*list)[i]
}

// update changes a slot by what became known of its file later, in all its
// copies. They may hold something else by now: then nothing is changed.
func (f *Form) update(id string, change func(s *Slot)) {
	list := f.copies(id)
	for _, s := range list {
		change(s)
	}
	if len(list) == 0 {
		f.dropUnused()
		return
	}
	f.splitWhole()
	for mode, d := range f.drafts {
		d.save(f.d.o.Storage, mode)
	}
	f.recheck()
}

// ClearSlot empties a slot. Those after it move up, but for a first frame,
// which keeps its place.
func (f *Form) ClearSlot(field string, i int) {
	list := f.draft.slots(field)
	if i >= len(*list) {
		return
	}
	info, _ := f.Field(field)
	if info.Max == 2 {
		(*list)[i] = Slot{}
	} else {
		*list = slices.Delete(*list, i, i+1)
	}
	trim(list)
	f.draft.References = 0
	f.changed()
}

// Swap changes the first two slots of a field.
func (f *Form) Swap(field string) {
	a, b := *f.slot(field, 0), *f.slot(field, 1)
	*f.slot(field, 0), *f.slot(field, 1) = b, a
	f.changed()
}

// SetLink puts a link into a slot. The server looks at what it leads to: the
// browser never loads from elsewhere.
func (f *Form) SetLink(field string, i int, link string) {
	link = strings.TrimSpace(link)
	if link == "" {
		f.ClearSlot(field, i)
		return
	}
	s := f.slot(field, i)
	if s.URL == link {
		return
	}
	*s = Slot{ID: f.d.o.NewID(), URL: link}
	f.draft.References = 0
	if strings.HasPrefix(link, "http://") || strings.HasPrefix(link, "https://") {
		s.Stage = StageMeasuring
		f.look(*s)
	}
	f.changed()
}

// Measure looks at a link again, after that has failed.
func (f *Form) Measure(field string, i int) {
	s := f.slot(field, i)
	if s.URL == "" || s.Stage != StageReady {
		return
	}
	s.Stage, s.Problem = StageMeasuring, nil
	f.look(*s)
	f.changed()
}

// look has the server measure what a link leads to.
func (f *Form) look(s Slot) {
	id, url := s.ID, s.URL
	f.d.o.Server.Call(wire.OpVideoMeasure, wire.VideoMeasure{URL: url}, func(data json.RawMessage, p *wire.Problem) {
		var m wire.Measured
		p = session.Read(data, p, &m)
		f.update(id, func(s *Slot) {
			if s.Stage != StageMeasuring {
				return
			}
			s.Stage = StageReady
			if s.Problem = p; p == nil {
				s.Measured = m
			}
		})
	})
}

// SetLength takes the length of a video that could not be measured, in
// seconds; 0 where none was typed.
func (f *Form) SetLength(field string, i int, seconds float64) {
	s := f.slot(field, i)
	s.Seconds, s.ByHand = max(seconds, 0), true
	f.draft.References = 0
	f.changed()
}
