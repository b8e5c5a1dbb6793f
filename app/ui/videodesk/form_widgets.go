//go:build js && wasm

package videodesk

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/shared/gateway"
)

// choice is one of a set.
type choice struct {
	Value, Text string
	Note        string // as a tooltip
}

// segments is a set as segmented buttons: radio buttons to the keyboard and to
// screen readers.
func (f *Form) segments(name, label, class string, list []choice, value string, set func(string)) app.UI {
	return app.Div().ID("f-"+name).Class("picks "+class).Role("radiogroup").Aria("label", label).Body(
		app.Range(list).Slice(func(i int) app.UI {
			c := list[i]
			id := "f-" + name + "-" + c.Value
			return app.Label().Class("pick").Title(c.Note).DataSet("on", c.Value == value).Body(
				f.s.Radio(id, "f-"+name, c.Value, c.Value == value, func() { set(c.Value) }),
				app.Span().Text(c.Text),
			)
		}),
	)
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
	field := f.s.Field(id, value, set).Class("field number figure").Type("number").Aria("label", label+" in "+unit).Step(1)
	slider := f.s.Field(id+"-range", value, set).Class("slider").Type("range").Step(1).
		Aria("label", label).Aria("valuetext", value+" "+unit)
	if !s.Any() {
		field = field.Min(s.Min).Max(s.Max)
		slider = slider.Min(s.Min).Max(s.Max)
	}
	return app.Div().Class("number-line").Body(
		app.Div().Class("slider-box").Hidden(s.Any()).Body(
			slider,
			app.Div().Class("slider-ends figure").Aria("hidden", true).Body(
				app.Span().Text(s.Min), app.Span().Text(s.Max)),
		),
		field,
		app.Span().Class("unit").Text(unit),
	)
}

// field draws a field: its label, its control, and what is to be said of it.
func (f *Form) field(name, label, note string, control ...app.UI) app.UI {
	return app.Div().Class("form-field").DataSet("place", name).Body(
		app.Div().Class("form-label").Body(
			app.Span().ID("l-"+name).Text(label),
			app.Span().Class("form-note").Text(note),
		),
		app.Div().Class("form-control").Body(control...),
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
			list = append(list, issue(i, "issue bad"))
		}
	}
	if p := form.Problem; p != nil && (p.Field == place || !exact && strings.HasPrefix(p.Field, place)) {
		list = append(list, app.P().Class("issue bad").Body(
			app.Span().Text(p.Message), app.If(p.Hint != "", func() app.UI { return app.Span().Class("todo").Text(" " + p.Hint) })))
		if id := form.Offer(); id != "" && p.Field == place {
			list = append(list, app.Button().ID("take-offer").Class("button").Type("button").Text("Use "+id).
				OnClick(f.on("take offer", func(app.Event) {
					form.SetModel(form.Offer())
					f.later("#model-select")
				})))
		}
	}
	for _, i := range warnings {
		if !exact || i.Field == place {
			list = append(list, issue(i, "issue warn"))
		}
	}
	if form.Tried && len(list) == 0 {
		for _, m := range form.Check.Missing {
			if m.Field == place || !exact && strings.HasPrefix(m.Field, place) {
				list = append(list, app.P().Class("issue bad").Text(m.Text+"."))
				break
			}
		}
	}
	return app.Div().ID("e-"+place).Class("issues").Aria("live", "polite").Body(list...)
}

func issue(i gateway.Issue, class string) app.UI {
	message := i.Message
	if message != "" && !strings.HasSuffix(message, ".") {
		message += "."
	}
	return app.P().Class(class).Title("Rule "+i.Fact).Body(
		app.Span().Text(message),
		app.If(i.Hint != "", func() app.UI { return app.Span().Class("todo").Text(" " + i.Hint) }),
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
