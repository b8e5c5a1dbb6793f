package video

import (
	"slices"
	"strconv"

	"screentest/shared/gateway"
)

// AddShot adds a shot behind the others, if there is room (F82).
func (f *Form) AddShot() {
	if len(f.draft.Shots) >= gateway.MaxScenes {
		return
	}
	f.draft.Shots = append(f.draft.Shots, Shot{ID: f.d.o.NewID(), Seconds: 4})
	f.changed()
}

// RemoveShot takes a shot out; the last one stays. What was written for it can
// be had again.
func (f *Form) RemoveShot(id string) {
	i := f.shot(id)
	if i < 0 || len(f.draft.Shots) < 2 {
		return
	}
	if f.draft.Shots[i].Prompt != "" {
		f.Fitted = &Fitted{What: "Shot " + strconv.Itoa(i+1) + " was removed.", Mode: f.Mode, before: f.draft.clone(), shot: id}
	}
	f.draft.Shots = slices.Delete(f.draft.Shots, i, i+1)
	f.changed()
}

// unremove puts a removed shot back where it was, if there still is room.
func (f *Form) unremove(id string, before *Draft) {
	i := slices.IndexFunc(before.Shots, func(s Shot) bool { return s.ID == id })
	if len(f.draft.Shots) < gateway.MaxScenes {
		f.draft.Shots = slices.Insert(f.draft.Shots, min(i, len(f.draft.Shots)), before.Shots[i])
	}
}

// MoveShot puts a shot at another place, counted from 0.
func (f *Form) MoveShot(id string, to int) {
	from := f.shot(id)
	if from < 0 || to < 0 || to >= len(f.draft.Shots) || from == to {
		return
	}
	s := f.draft.Shots[from]
	f.draft.Shots = slices.Insert(slices.Delete(f.draft.Shots, from, from+1), to, s)
	f.changed()
}

// SetShot follows what is typed for a shot.
func (f *Form) SetShot(id, prompt string) {
	if i := f.shot(id); i >= 0 {
		f.draft.Shots[i].Prompt = prompt
		f.changed()
	}
}

// TypeShotSeconds follows what is typed for the length of a shot, as
// TypeSeconds does.
func (f *Form) TypeShotSeconds(id, text string) {
	if i := f.shot(id); i >= 0 {
		f.draft.Shots[i].Seconds, f.draft.Shots[i].Typed = wholeSeconds(text)
		f.changed()
	}
}

// shotSeconds is how long a shot may be (F86).
var shotSeconds = gateway.Seconds{Min: gateway.MinSceneDuration, Max: gateway.MaxSceneDuration}

// ShotAt is where the shot with an id stands, counted from 0; -1 if nowhere.
func (f *Form) ShotAt(id string) int { return f.shot(id) }

// shot is where the shot with an id stands; -1 if nowhere.
func (f *Form) shot(id string) int {
	return slices.IndexFunc(f.draft.Shots, func(s Shot) bool { return s.ID == id })
}
