package admin

import (
	"maps"
	"slices"
	"strings"

	"screentest/shared/wire"
)

// Form is what is typed over what is set, by field, and what became of it. The
// zero Form is untouched.
type Form struct {
	typed map[string]string
	// Wrong is what is wrong, by field; Problem what is wrong with none of them.
	Wrong   map[string]string
	Problem *wire.Problem
	Saving  bool
	Saved   bool
}

// Value is what a field shows: what is typed, else what is set.
func (f *Form) Value(field, set string) string {
	if text, is := f.typed[field]; is {
		return text
	}
	return set
}

// On is Value of a switch.
func (f *Form) On(field string, set bool) bool { return f.Value(field, Bool(set)) == yes }

const yes = "yes"

// Bool is the value of a switch.
func Bool(on bool) string {
	if on {
		return yes
	}
	return ""
}

// Type takes what is typed into a field. What is set already is no change.
func (f *Form) Type(field, text, set string) {
	if f.typed == nil {
		f.typed = map[string]string{}
	}
	if text == set {
		delete(f.typed, field)
	} else {
		f.typed[field] = text
	}
	delete(f.Wrong, field)
	f.Saved, f.Problem = false, nil
}

// Touched says that something is typed which isn't saved.
func (f *Form) Touched() bool { return len(f.typed) > 0 }

// Changed says that of a field.
func (f *Form) Changed(field string) bool {
	_, is := f.typed[field]
	return is
}

// Reset gives up what is typed.
func (f *Form) Reset() { *f = Form{} }

// wrong notes what is wrong with a field; "" is nothing.
func (f *Form) wrong(field, what string) {
	if what == "" {
		return
	}
	if f.Wrong == nil {
		f.Wrong = map[string]string{}
	}
	f.Wrong[field] = what
}

// begin starts to save, unless it is under way or something is wrong.
func (f *Form) begin() bool {
	if f.Saving || len(f.Wrong) > 0 {
		return false
	}
	f.Saving, f.Saved, f.Problem = true, false, nil
	return true
}

// end takes how saving went. A problem with one of the form's fields stands
// there: the server calls them as they are in the JSON, "limits.day_nano_usd",
// "models[2]".
func (f *Form) end(p *wire.Problem, fields ...string) {
	f.Saving = false
	if p == nil {
		*f = Form{Saved: true}
		return
	}
	name, _, _ := strings.Cut(p.Field[strings.LastIndex(p.Field, ".")+1:], "[")
	for _, field := range fields {
		if name == field || name != "" && strings.HasPrefix(name, field+"_") {
			f.wrong(field, p.Words())
			return
		}
	}
	f.Problem = p
}

// A choice of several is kept in a form as their ids with spaces between.

// Has says whether an id is among them.
func Has(ids, id string) bool { return slices.Contains(strings.Fields(ids), id) }

// With adds an id, or takes it away.
func With(ids, id string, in bool) string {
	set := map[string]bool{}
	for _, one := range strings.Fields(ids) {
		set[one] = true
	}
	if in {
		set[id] = true
	} else {
		delete(set, id)
	}
	return strings.Join(slices.Sorted(maps.Keys(set)), " ")
}
