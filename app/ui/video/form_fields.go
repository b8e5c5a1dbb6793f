//go:build js && wasm

package video

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"screentest/app/ui/kit"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/video"
	"screentest/shared/gateway"
)

// fields draws what the rules say that the model takes in the mode.
func (f *Form) fields() []app.UI {
	form := f.model()
	var list []app.UI
	for _, field := range form.Check.Fields {
		switch field.Name {
		case "model":
			list = append(list, f.modelField())
		case "task_id":
			list = append(list, f.sourceField())
		case "prompt":
			if form.Mode != gateway.Upscale {
				list = append(list, f.promptField(field))
			}
		case "multi_prompt":
			list = append(list, f.shotsField())
		case "image_urls", "reference_video_urls", "video_url":
			list = append(list, f.slotsField(field))
		case "aspect_ratio":
			list = append(list, f.ratioField(field))
		case "seconds":
			list = append(list, f.secondsField())
		case "character_orientation":
			list = append(list, f.choiceField(field, "Orientation of the character", map[string]string{"video": "As in the clip", "image": "As in the photo"}))
		case "background_source":
			list = append(list, f.choiceField(field, "Background", map[string]string{"input_video": "Of the clip", "input_image": "Of the photo"}))
		case "seeds":
			list = append(list, f.seedsField(field))
		case "watermark":
			list = append(list, f.choiceField(field, "Watermark", map[string]string{"true": "On", "false": "Off"}))
		}
	}
	return list
}

// modelField chooses among the models of the mode.
func (f *Form) modelField() app.UI {
	form := f.model()
	chosen, gone := form.Model(), form.Gone()
	var options []kit.Option
	for _, m := range form.Models() {
		options = append(options, kit.Option{Value: m.ID, Name: m.ID + rate(m), Group: string(m.Family)})
	}
	note := ""
	if chosen.Resolution != "" {
		note = chosen.Resolution
	}
	return f.field("model", "Model", note,
		f.s.Select("model-select", "Model", "field mono", nil, chosen.ID, options, form.SetModel),
		kit.If(len(form.Lanes)+len(gone) > 0, func() app.UI {
			return kit.El("ul", "lanes-also", kit.At{"id", "also", "aria-label", "Also made with"},
				kit.Times(len(form.Lanes), func(i int) app.UI { return f.lane(form.Lanes[i]) }),
				kit.Times(len(gone), func(i int) app.UI { return f.goneLane(gone[i]) }))
		}),
		f.another(),
	)
}

// another adds a model that the same is sent to.
func (f *Form) another() app.UI {
	form := f.model()
	others := form.Others()
	options := kit.Options("", "Also make it with…")
	for _, m := range others {
		options = append(options, kit.Option{Value: m.ID, Name: m.ID + rate(m), Group: string(m.Family)})
	}
	return f.s.Select("also-model", "Also make it with another model", "field fits", kit.At{"hidden", len(others) == 0}, "", options, form.AddModel)
}

// lane is one of the further models: what it makes of the form, and for how much.
func (f *Form) lane(l video.Lane) app.UI {
	id := l.Model.ID
	price, basis := video.NoPrice, ""
	if cost, known := l.Price(); known {
		price, basis = cost.String(), l.Check.Price.Basis
	} else if l.Model.Price.Known {
		price = "–"
	}
	if l.Made() {
		price, basis = "made", ""
	}
	var notes []app.UI
	for _, d := range l.Dropped {
		notes = append(notes, kit.Box("p", "issue warn", d.Words()))
	}
	if why := f.model().Why(l); why != "" && f.model().Check.Ready() {
		price = "–"
		notes = append(notes, kit.Box("p", "issue bad", "Left out: "+why))
	}
	return f.laneRow(id, kit.El("span", "figure", kit.At{"title", basis}, price), notes)
}

// goneLane is a further model that can't be had: nothing is made with it.
func (f *Form) goneLane(id string) app.UI {
	return f.laneRow(id, nil, []app.UI{kit.Box("p", "issue warn", "Left out: it isn’t offered here at present.")})
}

// laneRow is a row of the further models.
func (f *Form) laneRow(id string, price app.UI, notes []app.UI) app.UI {
	return kit.El("li", "lane-also", kit.At{"data-model", id},
		kit.Box("div", "line",
			kit.El("span", "mono cut push", kit.At{"title", id}, id),
			price,
			kit.IconButton("small", "Leave out "+id, kit.IconTrash, kit.At{"title", "Leave out"}, f.on("drop "+id, func(app.Event) {
				f.later("#also-model")
				f.model().DropModel(id)
			}))),
		kit.Box("div", "issues", notes),
	)
}

// rate is what a model costs, as the list of models has it.
func rate(m gateway.Model) string {
	switch {
	case !m.Price.Known:
		return "  ·  no price known"
	case m.Price.PerClip > 0:
		return "  ·  " + m.Price.PerClip.String() + " a clip"
	}
	return "  ·  " + m.Price.PerSecond.String() + " a second"
}

// promptField is the prompt, with chips for what it may name.
func (f *Form) promptField(field gateway.Field) app.UI {
	form := f.model()
	label, note, rows := "Prompt", "", 5
	hint := "What is to be seen, how it moves, how the camera moves"
	switch form.Mode {
	case gateway.MultiShot:
		label, note, rows = "General prompt", "required, though the model reads only the shots", 2
		hint = "What the whole is about"
	case gateway.Reference:
		note = "type @ to name a reference"
		hint = "The dancer of @Video1 in the street of @Image1"
	case gateway.Extend:
		hint = "How it goes on"
	}
	if field.Standing != gateway.Required {
		note = "optional"
	}
	at := kit.At{"rows", rows, "placeholder", hint, "aria-labelledby", "l-prompt"}
	if form.Mode == gateway.Reference {
		at = append(at, f.mentions()...)
	}
	area := f.s.Area("f-prompt", "field prompt", at, form.Draft().Prompt, func(text string) {
		form.SetPrompt(text)
		f.mentionTyped()
	})
	if form.Mode != gateway.Reference {
		return f.field("prompt", label, note, area)
	}
	return f.field("prompt", label, note, f.chips(), f.mentionBox(area))
}

// ratioField chooses the aspect ratio.
func (f *Form) ratioField(field gateway.Field) app.UI {
	form := f.model()
	d := form.Draft()
	note := ""
	if form.Mode == gateway.MultiShot && len(d.Images) > 0 && !d.Images[0].Empty() {
		return f.field(field.Name, "Aspect ratio", "taken from the frame")
	}
	if len(field.Choices) == 0 {
		return f.field(field.Name, "Aspect ratio", "optional, such as 16:9",
			f.s.Field("f-ratio", "field figure short", kit.At{"placeholder", "the model’s default", "aria-label", "Aspect ratio"}, d.Ratio, form.SetRatio))
	}
	list := make([]kit.Option, 0, len(field.Choices))
	for _, r := range field.Choices {
		list = append(list, kit.Option{Value: r, Name: r})
	}
	return f.field(field.Name, "Aspect ratio", note, f.radios("ratio", "Aspect ratio", "", list, d.Ratio, form.SetRatio))
}

// secondsField is the length: chosen, or worked out where the contract says
// from what.
func (f *Form) secondsField() app.UI {
	form := f.model()
	d, c := form.Draft(), form.Check
	switch form.Mode {
	case gateway.MultiShot:
		return f.field("seconds", "Length", "the sum of the shots", f.workedOut(c))
	case gateway.Motion:
		return f.field("seconds", "Length", "same as the motion clip", f.workedOut(c))
	case gateway.Reference:
		return f.field("seconds", "Length of the clip", form.Lengths().String()+" s",
			f.number("seconds", "Length of the clip", "seconds", typed(d.Seconds, d.Typed), form.Lengths(), form.TypeSeconds), f.workedOut(c))
	}
	allowed := form.Lengths()
	if len(allowed.Values) == 0 {
		note := ""
		if !allowed.Any() {
			note = allowed.String() + " s"
		}
		return f.field("seconds", "Length", note, f.number("seconds", "Length", "seconds", typed(d.Seconds, d.Typed), allowed, form.TypeSeconds))
	}
	if len(allowed.Values) == 1 {
		note := "fixed for this model"
		if form.Mode == gateway.Upscale {
			note = "required by the gateway, whatever the clip’s length"
		}
		return f.field("seconds", "Length", note, kit.El("p", "line figure", kit.At{"id", "f-seconds"}, strconv.Itoa(allowed.Values[0])+" s"))
	}
	list := make([]kit.Option, 0, len(allowed.Values))
	for _, n := range allowed.Values {
		list = append(list, kit.Option{Value: strconv.Itoa(n), Name: strconv.Itoa(n) + " s"})
	}
	return f.field("seconds", "Length", "", f.radios("seconds", "Length", "", list, strconv.Itoa(d.Seconds), func(v string) {
		if n, err := strconv.Atoi(v); err == nil {
			form.SetSeconds(n)
		}
	}))
}

// workedOut shows the field seconds where nobody chooses it.
func (f *Form) workedOut(c video.Check) app.UI {
	if c.Seconds == 0 {
		words := "Shown once the motion clip is measured."
		switch f.model().Mode {
		case gateway.Reference:
			words = "The total is shown once the references are measured."
		case gateway.MultiShot:
			words = "Shown once every shot has a length."
		}
		return kit.El("p", "faint", kit.At{"id", "worked-out"}, words)
	}
	return kit.El("p", "line figure", kit.At{"id", "worked-out"},
		kit.Box("strong", "", "Billed as "+strconv.Itoa(c.Seconds)+" s"),
		kit.Box("span", "faint", sumWords(c)),
	)
}

// sumWords is how seconds came to be, where there is anything to add up.
func sumWords(c video.Check) string {
	if c.Sum == "" || c.Sum == strconv.Itoa(c.Seconds) {
		return ""
	}
	if strings.HasPrefix(c.Sum, "the ") { // a sentence
		return c.Sum
	}
	return "= " + c.Sum
}

// choiceField is one of a few words, or nothing: then the gateway decides.
func (f *Form) choiceField(field gateway.Field, label string, names map[string]string) app.UI {
	form := f.model()
	values := field.Choices
	if field.Form == gateway.FormBoolean {
		values = []string{"true", "false"}
	}
	list := []kit.Option{{Name: "Default"}}
	for _, v := range values {
		list = append(list, kit.Option{Value: v, Name: names[v]})
	}
	return f.field(field.Name, label, "the gateway decides by default", f.radios(field.Name, label, "", list, form.Get(field.Name), func(v string) { form.Set(field.Name, v) }))
}

// seedsField is a number that makes the same again, or none.
func (f *Form) seedsField(field gateway.Field) app.UI {
	form := f.model()
	return f.field("seeds", "Seed", "optional, "+strconv.Itoa(field.Min)+" to "+strconv.Itoa(field.Max),
		kit.Box("div", "line",
			f.s.Field("f-seeds", "field figure short", kit.At{"inputmode", "numeric", "aria-label", "Seed", "placeholder", "any"}, form.Get("seeds"), func(text string) { form.Set("seeds", text) }),
			kit.Button("", nil, f.on("seeds random", func(app.Event) {
				form.Set("seeds", strconv.Itoa(field.Min+rand.IntN(field.Max-field.Min+1)))
			}), "Random"),
		))
}
