//go:build js && wasm

package inspector

import (
	"math"
	"strconv"
	"strings"

	"screentest/app/ui/kit"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/shared/gateway"
)

// Parameters are what a lane's model is asked with, drawn from the rules: what
// must not be sent is not offered, and what has no effect says so. The model has
// the figures; how they were typed is kept here, until another lane or
// another model is shown.
type Parameters struct {
	app.Compo
	p    *Inspector
	Lane int
	Rev  int    // of the lanes
	Of   string // conversation and model, so that another is drawn anew

	typed   map[string]string // what stands in the fields of figures, by name
	typedOf string            // the lane, conversation and model that it is of
	// checks say what is wrong with what stands in a field, by its name; of those
	// that are drawn.
	checks map[string]func(text string) string
}

// parameters shows those of a lane.
func (d *Inspector) parameters(lane, rev int) app.UI {
	return &Parameters{p: d, Lane: lane, Rev: rev, Of: d.chat.Shown().ID + " " + d.chat.Lane(lane).Model()}
}

// OnUpdate implements app.Updater: what was typed and is no figure is gone when
// another lane is shown, and then nothing is wrong with it any more.
func (c *Parameters) OnUpdate(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		defer c.p.Guard("the parameters")
		c.p.Settle()
		for name, check := range c.checks {
			if e := c.p.DOM.ByID("param-" + name); e.Truthy() {
				c.blame(name, check(e.Get("value").String()))
			}
		}
	})
}

// readFigure reads a parameter as it is written, nil for nothing, and says what is
// wrong with it: nil and a fault is what can't be taken.
func readFigure(o gateway.Field, text string) (n *float64, bad string) {
	text = strings.Replace(strings.TrimSpace(text), ",", ".", 1)
	if text == "" {
		return nil, ""
	}
	v, err := strconv.ParseFloat(text, 64)
	switch whole := o.Form == gateway.FormInteger; {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		example := "0.7"
		if whole {
			example = "100"
		}
		return nil, "This isn’t a number. Enter one like " + example + ", or leave it empty for the gateway’s default."
	case whole && v != math.Trunc(v):
		return nil, "This must be a whole number."
	case whole && o.Max == 0 && v < float64(o.Min):
		bad = "It must be at least " + strconv.Itoa(o.Min) + "."
	case (!whole || o.Max != 0) && (v < float64(o.Min) || v > float64(o.Max)):
		bad = "It must be from " + strconv.Itoa(o.Min) + " to " + strconv.Itoa(o.Max) + "; the gateway refuses other values."
	}
	return &v, bad
}

// change sets the parameters from what f makes of them.
func (c *Parameters) change(f func(*chat.Params)) {
	v := c.p.chat.Lane(c.Lane).Params()
	f(&v)
	c.p.chat.Lane(c.Lane).SetParams(v)
}

// Render implements app.Composer.
func (c *Parameters) Render() (ui app.UI) {
	p := c.p
	defer p.Drawing("the parameters", &ui)
	if p.chat.Shown().Hidden() {
		return kit.Box("div", "params", kit.Notice(kit.Info, "", nil, "The model and its parameters appear after your vote."))
	}
	id := p.chat.Lane(c.Lane).Model()
	v := p.chat.Lane(c.Lane).Params()
	if of := strconv.Itoa(c.Lane) + " " + c.Of; c.typedOf != of {
		c.typed, c.typedOf = map[string]string{}, of
	}
	c.checks = map[string]func(string) string{}
	return kit.Box("div", "params",
		kit.Box("div", "", kit.Box("p", "params-model mono", id), c.reads()),
		c.about(),
		kit.Labelled("param-system", "Instructions for the model", nil,
			p.Area("param-system", "field params-system", kit.At{"rows", 3, "placeholder", "For example: Answer in two sentences."}, v.System, func(text string) { c.change(func(v *chat.Params) { v.System = text }) })),
		c.number("temperature", "Temperature", v.Temperature, func(v *chat.Params, n *float64) { v.Temperature = n }),
		c.number("top_p", "Top p", v.TopP, func(v *chat.Params, n *float64) { v.TopP = n }),
		c.stream(v),
		c.user(v),
		c.tools(v),
		c.further(v),
		c.extra(v),
		c.settings(),
	)
}

// tools are the web search and the functions, which are written in a dialog.
func (c *Parameters) tools(v chat.Params) app.UI {
	p := c.p
	_, shown := p.chat.Lane(c.Lane).Offers("tools")
	searches := p.chat.Lane(c.Lane).WebSearches()
	return kit.El("div", "params-tools", kit.At{"hidden", !shown && !searches},
		kit.El("label", "switch-line", kit.At{"hidden", !searches},
			kit.Box("span", "label", "Web search"),
			p.Switch("param-search", "switch", nil, v.WebSearch, func(on bool) { c.change(func(v *chat.Params) { v.WebSearch = on }) }),
		),
		kit.Box("p", "label", "Functions"),
		kit.Box("ul", "functions", kit.Times(len(v.Functions), func(i int) app.UI {
			f := v.Functions[i]
			state := ""
			if f.Off {
				state = "not sent"
			}
			return kit.Box("li", "function", kit.Box("div", "function-words",
				kit.Box("code", "", f.Name), kit.Box("span", "faint", state)))
		})),
		kit.Button("", nil, p.Do("param-tools", func() { p.o.OpenTools(c.Lane) }), functionsWords(v)),
	)
}

func functionsWords(v chat.Params) string {
	if len(v.Functions) == 0 {
		return "Add function"
	}
	return "Edit functions"
}

// settings are those that were saved, and what is done with all of these.
func (c *Parameters) settings() app.UI {
	p := c.p
	many := len(p.chat.Shown().Lanes) > 1
	return kit.Box("div", "line",
		kit.Button("", kit.At{"id", "apply-to-all", "hidden", !many}, p.Do("apply-to-all", func() { p.chat.Lane(c.Lane).ApplyToAll() }), "Apply to all lanes"),
		kit.Button("", kit.At{"id", "saved-settings"},
			p.Do("saved-settings", func() {
				p.chat.Lane(c.Lane).Focus()
				p.o.OpenSettings()
			}), "Saved settings"),
	)
}

// about says what is peculiar to the model's family.
func (c *Parameters) about() app.UI {
	var words []string
	if o, shown := c.p.chat.Lane(c.Lane).Offers("stream"); shown && o.Standing == gateway.Required {
		words = append(words, "It only answers as a stream.")
	}
	if _, shown := c.p.chat.Lane(c.Lane).Offers("user"); !shown {
		words = append(words, "It refuses the field user, so it isn’t sent.")
	}
	if o, _ := c.p.chat.Lane(c.Lane).Offers("temperature"); o.Standing == gateway.NoEffect {
		words = append(words, "Temperature and top_p have no effect here and aren’t sent.")
	}
	if len(words) == 0 {
		return kit.El("p", "", kit.At{"hidden", true})
	}
	return kit.Notice(kit.Info, "", nil, strings.Join(words, " "))
}

// number is a parameter with a slider beside a field: nothing in the field
// leaves it to the gateway.
func (c *Parameters) number(name, label string, value *float64, set func(*chat.Params, *float64)) app.UI {
	o, shown := c.p.chat.Lane(c.Lane).Offers(name)
	if !shown {
		return kit.Nothing()
	}
	return c.numberOf(name, label, o, value, set)
}

// numberOf is the same of a parameter that is offered like that. A whole number
// has no slider.
func (c *Parameters) numberOf(name, label string, o chat.Offered, value *float64, set func(*chat.Params, *float64)) app.UI {
	p := c.p
	state := ""
	switch {
	case !o.Sent:
		state = "no effect on this model"
	case value == nil:
		state = "not sent"
	}
	read := func(text string) (*float64, string) {
		now := o.Field
		if of, shown := p.chat.Lane(c.Lane).Offers(name); shown { // of the model that is shown now
			now = of.Field
		}
		return readFigure(now, text)
	}
	c.checks[name] = func(text string) string { _, bad := read(text); return bad }
	typed := func(text string) {
		c.typed[name] = text
		n, bad := read(text)
		if n != nil || bad == "" {
			c.change(func(v *chat.Params) { set(v, n) })
		}
		c.blame(name, bad)
	}
	text, slide := "", "1"
	if o.Min < 0 {
		slide = "0"
	}
	if value != nil {
		text = strconv.FormatFloat(*value, 'f', -1, 64)
		slide = text
		// "0." is 0 on its way to 0.3: what was typed stands as long as it means
		// the value.
		if n, _ := read(c.typed[name]); n != nil && *n == *value {
			text = c.typed[name]
		}
	}
	whole := o.Form == gateway.FormInteger
	keys := "decimal"
	if whole && o.Min >= 0 {
		keys = "numeric"
	}
	return kit.El("div", "params-number", kit.At{"data-sent", o.Sent && value != nil, "data-whole", whole},
		kit.El("label", "label", kit.At{"for", "param-" + name},
			label,
			kit.Box("span", "faint", state),
		),
		kit.If(!whole, func() app.UI {
			return p.Field("slide-"+name, "", kit.At{"type", "range", "min", strconv.Itoa(o.Min), "max", strconv.Itoa(o.Max), "step", 0.05,
				"aria-label", label, "disabled", !o.Sent}, slide, typed)
		}),
		p.Field("param-"+name, "field params-figure", kit.At{"inputmode", keys,
			"placeholder", "–", "disabled", !o.Sent, "aria-describedby", "check-" + name}, text, typed),
		kit.El("p", "outcome bad", kit.At{"id", "check-" + name, "role", "status"}),
	)
}

// blame says what is wrong with a figure, "" for nothing.
func (c *Parameters) blame(name, words string) {
	kit.SetText(c.p.DOM.ByID("check-"+name), words)
	if e := c.p.DOM.ByID("param-" + name); e.Truthy() {
		e.Call("setAttribute", "aria-invalid", strconv.FormatBool(words != ""))
	}
}

func (c *Parameters) stream(v chat.Params) app.UI {
	p := c.p
	o, shown := p.chat.Lane(c.Lane).Offers("stream")
	if !shown {
		return kit.Nothing()
	}
	always := o.Standing == gateway.Required
	state := ""
	if always {
		state = "always on this model"
	}
	return kit.Box("label", "switch-line",
		kit.Box("span", "label", "Stream", kit.Box("span", "faint", state)),
		p.Switch("param-stream", "switch", kit.At{"disabled", always}, always || !v.Whole, func(on bool) { c.change(func(v *chat.Params) { v.Whole = !on }) }),
	)
}

func (c *Parameters) user(v chat.Params) app.UI {
	p := c.p
	if _, shown := p.chat.Lane(c.Lane).Offers("user"); !shown {
		return kit.Nothing()
	}
	return kit.Labelled("param-user", "User", "end-user id, for the gateway",
		p.Field("param-user", "field", kit.At{"placeholder", "not sent"}, v.User, func(text string) { c.change(func(v *chat.Params) { v.User = text }) }),
	)
}
