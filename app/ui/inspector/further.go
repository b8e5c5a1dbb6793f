//go:build js && wasm

package inspector

import (
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/shared/gateway"
)

// reads says what the model is called, how much it reads and how much it writes,
// where the catalogue tells.
func (c *Parameters) reads() app.UI {
	m := c.p.session.Model(c.p.chat.Lane(c.Lane).Model())
	var words []string
	if m.Name != "" {
		words = append(words, m.Name)
	}
	if m.Context > 0 {
		words = append(words, "reads "+figure.Count(int64(m.Context))+" tokens")
	}
	if m.MaxOutput > 0 {
		words = append(words, "writes up to "+figure.Count(int64(m.MaxOutput)))
	}
	return kit.SayIf("p", "faint", strings.Join(words, " · "))
}

// furtherNames are what further parameters are called, in the order of the form.
var furtherNames = []struct{ of, name string }{
	{chat.MaxTokens, "Max tokens"}, {chat.Effort, "Reasoning effort"}, {chat.FormatOf, "Response format"}, {chat.Stop, "Stop"},
	{"seed", "Seed"}, {"presence_penalty", "Presence penalty"}, {"frequency_penalty", "Frequency penalty"}, {"top_k", "Top k"},
}

// further are the parameters that no family documents: those that the model is
// told to take, or all of them, folded, where nothing is told of it.
func (c *Parameters) further(v chat.Params) app.UI {
	fields, known := c.p.chat.Lane(c.Lane).Further()
	var list []app.UI
	for _, n := range furtherNames {
		i := slices.IndexFunc(fields, func(f chat.FurtherField) bool { return f.Of == n.of })
		if i < 0 {
			continue
		}
		switch n.of {
		case chat.Effort:
			list = append(list, c.effort(n.name, fields[i], v))
		case chat.FormatOf:
			list = append(list, c.format(n.name, fields[i], v))
		case chat.Stop:
			list = append(list, c.stop(n.name, v))
		default:
			list = append(list, c.numberOf(n.of, n.name, chat.Offered{Field: fields[i].Field, Sent: true}, v.Figure(n.of),
				func(v *chat.Params, figure *float64) { v.SetFigure(n.of, figure) }))
		}
	}
	switch {
	case len(list) == 0:
		return kit.Nothing()
	case known:
		return kit.El("div", "params-further", kit.At{"id", "params-further"}, list)
	}
	set := ""
	if n := len(c.p.chat.Lane(c.Lane).FurtherSet()); n > 0 {
		set = strconv.Itoa(n) + " set"
	}
	return kit.El("details", "fold", kit.At{"id", "params-more"},
		kit.Box("summary", "", kit.Icon(kit.IconChevron, "icon small turns"), "More parameters", kit.SayIf("span", "faint", set)),
		kit.Box("div", "params-further",
			kit.Box("p", "soft", "This model may not support these. They’re sent anyway; the gateway may ignore or refuse them."), list))
}

func (c *Parameters) effort(name string, f chat.FurtherField, v chat.Params) app.UI {
	options := kit.Options("", "not sent")
	for _, choice := range f.Choices {
		options = append(options, kit.Option{Value: choice, Name: choice})
	}
	return kit.Labelled("param-"+f.Of, name, nil, c.p.Select("param-"+f.Of, name, "field", nil, v.Effort, options,
		func(value string) { c.change(func(v *chat.Params) { v.Effort = value }) }))
}

// stop are the strings that end an answer, one a line.
func (c *Parameters) stop(name string, v chat.Params) app.UI {
	c.checks[chat.Stop] = func(text string) string {
		if n := len(chat.StopLines(text)); n > gateway.MaxStops {
			return "These are " + strconv.Itoa(n) + ". At most " + strconv.Itoa(gateway.MaxStops) + " can be sent."
		}
		return ""
	}
	text := chat.StopText(v.Stop)
	if typed := c.typed[chat.Stop]; slices.Equal(chat.StopLines(typed), v.Stop) {
		text = typed // a line that was begun stands
	}
	return c.area(chat.Stop, name, "ends the answer; one a line, \\n for a line break", kit.At{"rows", 2, "placeholder", "not sent"}, text, func(text string) {
		c.typed[chat.Stop] = text
		c.change(func(v *chat.Params) { v.Stop = chat.StopLines(text) })
	})
}

// format is what the answer is to look like, with the schema it is to follow.
func (c *Parameters) format(name string, f chat.FurtherField, v chat.Params) app.UI {
	p := c.p
	set := func(change func(*chat.Format)) { c.change(func(v *chat.Params) { change(&v.Format) }) }
	names := map[string]string{"text": "text", "json_object": "JSON object", "json_schema": "JSON by a schema"}
	options := kit.Options("", "not sent")
	for _, choice := range f.Choices {
		options = append(options, kit.Option{Value: choice, Name: names[choice]})
	}
	choose := kit.Labelled("param-"+f.Of, name, nil, p.Select("param-"+f.Of, name, "field", nil, v.Format.Type, options,
		func(value string) { set(func(f *chat.Format) { f.Type = value }) }))
	if v.Format.Type != "json_schema" {
		return choose
	}
	c.checks["schema-name"] = chat.CheckSchemaName
	c.checks["schema"] = func(text string) string { return strings.Join(chat.CheckAnswer(text), "\n") }
	return kit.Box("div", "params-further", choose,
		kit.Labelled("param-schema-name", "Name of the schema", nil,
			p.Field("param-schema-name", "field", kit.At{"placeholder", "answer", "aria-describedby", "check-schema-name"}, v.Format.Name, func(text string) {
				c.blame("schema-name", chat.CheckSchemaName(text))
				set(func(f *chat.Format) { f.Name = text })
			}),
			kit.El("p", "outcome bad", kit.At{"id", "check-schema-name", "role", "status"})),
		c.area("schema", "JSON Schema", "", kit.At{"rows", 6, "placeholder", `{"type": "object", "properties": {}}`}, v.Format.Schema,
			func(text string) { set(func(f *chat.Format) { f.Schema = text }) }),
		kit.Box("label", "switch-line",
			kit.Box("span", "label", "Strict", kit.Box("span", "faint", "strict: the answer must match exactly")),
			p.Switch("param-strict", "switch", nil, !v.Format.Loose, func(on bool) { set(func(f *chat.Format) { f.Loose = !on }) })),
	)
}

// extra is what the page has no field for.
func (c *Parameters) extra(v chat.Params) app.UI {
	c.checks["extra"] = func(text string) string { return strings.Join(c.p.chat.Lane(c.Lane).CheckExtra(text), "\n") }
	return c.area("extra", "Extra JSON", "merged into the request", kit.At{"rows", 2, "placeholder", `{"logit_bias": {"50256": -100}}`}, v.Extra,
		func(text string) { c.change(func(v *chat.Params) { v.Extra = text }) })
}

// area is a parameter of several lines of code, with what its check says below.
func (c *Parameters) area(name, label, note string, at kit.At, text string, set func(string)) app.UI {
	return kit.Labelled("param-"+name, label, note,
		c.p.Area("param-"+name, "field code params-code", append(kit.At{"spellcheck", "false", "aria-describedby", "check-" + name}, at...), text, func(text string) {
			set(text)
			c.blame(name, c.checks[name](text))
		}),
		kit.El("p", "outcome bad", kit.At{"id", "check-" + name, "role", "status"}))
}
