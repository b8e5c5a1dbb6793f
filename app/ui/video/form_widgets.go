//go:build js && wasm

package video

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/shared/gateway"
)

// radios is a set of which one is chosen.
func (f *Form) radios(name, label, look string, list []kit.Option, value string, set func(string)) app.UI {
	return f.s.Radios("f-"+name, label, look, value, list, set)
}

// typed is a number as its field has it: what was typed, where that is none.
func typed(n int, text string) string {
	if n == 0 {
		return text
	}
	return strconv.Itoa(n)
}

// number is a range as slider and number; value is what the number shows.
func (f *Form) number(name, label, unit, value string, s gateway.Seconds, set func(string)) app.UI {
	id := "f-" + name
	bounds := kit.At{"step", 1}
	if !s.Any() {
		bounds = append(bounds, "min", s.Min, "max", s.Max)
	}
	return kit.Box("div", "number-line",
		kit.El("div", "slider", kit.At{"hidden", s.Any()},
			f.s.Field(id+"-range", "", append(kit.At{"type", "range", "aria-label", label, "aria-valuetext", value + " " + unit}, bounds...), value, set),
			kit.El("div", "faint figure", kit.At{"aria-hidden", true},
				kit.Box("span", "", s.Min), kit.Box("span", "", s.Max)),
		),
		f.s.Field(id, "field figure number", append(kit.At{"type", "number", "aria-label", label + " in " + unit}, bounds...), value, set),
		kit.Box("span", "faint", unit),
	)
}

// field draws a field: its label, its control, and what is to be said of it.
func (f *Form) field(name, label, note string, control ...app.UI) app.UI {
	return kit.El("div", "labelled form-field", kit.At{"data-place", name},
		kit.Box("div", "label",
			kit.El("span", "", kit.At{"id", "l-" + name}, label),
			kit.Box("span", "faint", note),
		),
		kit.Box("div", "form-control", control),
		f.said(name, true),
	)
}

// said is what is wrong at a place, or missing after the person has tried.
// With exact it is only what concerns the place itself, not what is within it.
func (f *Form) said(place string, exact bool) app.UI {
	form := f.model()
	var list []app.UI
	errors, warnings := form.Check.At(place)
	for _, i := range errors {
		if !exact || i.Field == place {
			list = append(list, f.issue(i, "issue bad"))
		}
	}
	if p := form.Problem; p != nil && (p.Field == place || !exact && strings.HasPrefix(p.Field, place)) {
		list = append(list, kit.Box("p", "issue bad",
			kit.Box("span", "", p.Message), kit.If(p.Hint != "", func() app.UI { return kit.Box("span", "todo", " "+p.Hint) })))
		if id := form.Offer(); id != "" && p.Field == place {
			list = append(list, kit.Button("", kit.At{"id", "take-offer"}, f.on("take offer", func(app.Event) {
				form.SetModel(form.Offer())
				f.later("#model-select")
			}), "Use "+id))
		}
	}
	for _, i := range warnings {
		if !exact || i.Field == place {
			list = append(list, f.issue(i, "issue warn"))
		}
	}
	if form.Tried && len(list) == 0 {
		for _, m := range form.Check.Missing {
			if m.Field == place || !exact && strings.HasPrefix(m.Field, place) {
				list = append(list, kit.Box("p", "issue bad", m.Text+"."))
				break
			}
		}
	}
	return kit.El("div", "issues", kit.At{"id", "e-" + place, "aria-live", "polite"}, list)
}

func (f *Form) issue(i gateway.Issue, class string) app.UI {
	return kit.El("p", class, kit.At{"title", "Rule " + i.Fact},
		kit.Box("span", "", f.model().Say(i)),
		kit.If(i.Hint != "", func() app.UI { return kit.Box("span", "todo", " "+i.Hint) }),
	)
}

// rootOf is the field that a place is in: of "multi_prompt[1].prompt" it is
// "multi_prompt".
func rootOf(place string) string {
	if i := strings.IndexAny(place, "[."); i >= 0 {
		return place[:i]
	}
	return place
}

// pretty indents a body for people.
func pretty(body []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, bytes.TrimSpace(body), "", "  ") != nil {
		return string(body)
	}
	return b.String()
}
