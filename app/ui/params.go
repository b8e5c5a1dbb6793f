//go:build js && wasm

package ui

import (
	"math"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/model"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Parameters are what a lane's model is asked with, drawn from the rules: what
// must not be sent is not offered, and what has no effect says so. The model has
// the figures; how they were typed is kept here, until another lane or
// another model is shown.
type Parameters struct {
	app.Compo
	p    *page
	Lane int
	Rev  int    // page.rev.composer
	Of   string // conversation and model, so that another is drawn anew

	typed   map[string]string // what stands in the fields of figures, by name
	typedOf string            // the lane, conversation and model that it is of
}

// parameters shows those of a lane.
func (p *page) parameters(lane int) app.UI {
	return &Parameters{p: p, Lane: lane, Rev: p.rev.composer, Of: p.conversationID() + " " + p.desk.LaneModel(lane)}
}

func (p *page) conversationID() string {
	if p.desk.Current == nil {
		return ""
	}
	return p.desk.Current.ID
}

// OnUpdate implements app.Updater: what was typed and is no figure is gone when
// another lane is shown, and then nothing is wrong with it any more.
func (c *Parameters) OnUpdate(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		defer c.p.Guard("the parameters")
		c.p.Settle()
		for _, name := range []string{"temperature", "top_p"} {
			if e := c.p.DOM.ByID("param-" + name); e.Truthy() {
				_, bad := c.figure(name, e.Get("value").String())
				c.blame(name, bad)
			}
		}
	})
}

// figure reads a parameter as it is written, nil for nothing, and says what is
// wrong with it: nil and a fault is what can't be taken.
func (c *Parameters) figure(name, text string) (n *float64, bad string) {
	text = strings.Replace(strings.TrimSpace(text), ",", ".", 1)
	if text == "" {
		return nil, ""
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, "This is no number, so it is not taken. Write one like 0.7, or nothing to leave it to the gateway."
	}
	if o, _ := c.p.desk.Offers(c.Lane, name); v < float64(o.Min) || v > float64(o.Max) { // of the model that is shown now
		bad = "It must be from " + strconv.Itoa(o.Min) + " to " + strconv.Itoa(o.Max) + "; the gateway refuses others."
	}
	return &v, bad
}

// change sets the parameters from what f makes of them.
func (c *Parameters) change(f func(*model.Params)) {
	v := c.p.desk.Params(c.Lane)
	f(&v)
	c.p.desk.SetParams(c.Lane, v)
}

// Render implements app.Composer.
func (c *Parameters) Render() (ui app.UI) {
	p := c.p
	defer p.Drawing("the parameters", &ui)
	if p.desk.Hidden() {
		return app.Div().Class("params").Body(app.P().Class("params-about").Text("Which model this is, and its parameters, are shown after your vote."))
	}
	id := p.desk.LaneModel(c.Lane)
	v := p.desk.Params(c.Lane)
	if of := strconv.Itoa(c.Lane) + " " + c.Of; c.typedOf != of {
		c.typed, c.typedOf = map[string]string{}, of
	}
	return app.Div().Class("params").Body(
		app.P().Class("params-model mono").Text(id),
		c.about(),
		app.Label().Class("params-name").For("param-system").Text("System prompt"),
		p.Area("param-system", v.System, func(text string) { c.change(func(v *model.Params) { v.System = text }) }).
			Class("field params-system").Rows(3).Placeholder("How the model is to answer"),
		c.number("temperature", "Temperature", v.Temperature, func(v *model.Params, n *float64) { v.Temperature = n }),
		c.number("top_p", "Top p", v.TopP, func(v *model.Params, n *float64) { v.TopP = n }),
		c.stream(v),
		c.user(v),
		c.tools(v),
		c.settings(),
	)
}

// tools are the web search and the functions, which are written in a dialog.
func (c *Parameters) tools(v model.Params) app.UI {
	p := c.p
	_, shown := p.desk.Offers(c.Lane, "tools")
	searches := p.desk.WebSearches(c.Lane)
	return app.Div().Class("params-tools").Hidden(!shown && !searches).Body(
		app.Label().Class("params-switch").Hidden(!searches).Body(
			app.Span().Class("params-name").Text("Web search"),
			p.Switch("param-search", v.WebSearch, func(on bool) { c.change(func(v *model.Params) { v.WebSearch = on }) }).Class("switch"),
		),
		app.P().Class("params-name").Text("Functions"),
		app.Ul().Class("functions").Body(app.Range(v.Functions).Slice(func(i int) app.UI {
			f := v.Functions[i]
			state := ""
			if f.Off {
				state = "not sent"
			}
			return app.Li().Class("function").Body(app.Div().Class("function-words").Body(
				app.Code().Text(f.Name), app.Span().Class("params-state").Text(state)))
		})),
		app.Button().Class("button").Type("button").Text(functionsWords(v)).
			OnClick(p.On("param-tools", func(app.Context, app.Event) { p.openTools(c.Lane) })),
	)
}

func functionsWords(v model.Params) string {
	if len(v.Functions) == 0 {
		return "Add function"
	}
	return "Edit functions"
}

// settings are those that were saved, and what is done with all of these.
func (c *Parameters) settings() app.UI {
	p := c.p
	many := len(p.desk.On().Lanes) > 1
	return app.Div().Class("dialog-actions").Body(
		app.Button().ID("apply-to-all").Class("button").Type("button").Hidden(!many).Text("Apply to all lanes").
			OnClick(p.On("apply-to-all", func(app.Context, app.Event) { p.desk.ApplyToAll(c.Lane) })),
		app.Button().ID("saved-settings").Class("button").Type("button").Text("Saved settings").
			OnClick(p.On("saved-settings", func(app.Context, app.Event) {
				p.desk.Focus(c.Lane)
				p.openLibrary()
				p.library.kind = wire.LibrarySettings
			})),
	)
}

// about says what is peculiar to the model's family.
func (c *Parameters) about() app.UI {
	var words []string
	if o, shown := c.p.desk.Offers(c.Lane, "stream"); shown && o.Standing == gateway.Required {
		words = append(words, "It answers as a stream only.")
	}
	if _, shown := c.p.desk.Offers(c.Lane, "user"); !shown {
		words = append(words, "The field user must not be sent to it, and is not.")
	}
	if o, _ := c.p.desk.Offers(c.Lane, "temperature"); o.Standing == gateway.NoEffect {
		words = append(words, "Temperature and top_p have no effect, so they are not sent.")
	}
	if len(words) == 0 {
		return app.P().Hidden(true)
	}
	return app.P().Class("params-about").Text(strings.Join(words, " "))
}

// number is a parameter with a slider beside a field: nothing in the field
// leaves it to the gateway.
func (c *Parameters) number(name, label string, value *float64, set func(*model.Params, *float64)) app.UI {
	p := c.p
	o, shown := p.desk.Offers(c.Lane, name)
	if !shown {
		return app.Div().Hidden(true)
	}
	state := ""
	switch {
	case !o.Sent:
		state = "no effect on this model"
	case value == nil:
		state = "not sent"
	}
	typed := func(text string) {
		c.typed[name] = text
		n, bad := c.figure(name, text)
		if n != nil || bad == "" {
			c.change(func(v *model.Params) { set(v, n) })
		}
		c.blame(name, bad)
	}
	text, slide := "", "1"
	if value != nil {
		text = strconv.FormatFloat(*value, 'g', -1, 64)
		slide = text
		// "0." is 0 on its way to 0.3: what was typed stands as long as it means
		// the value.
		if n, _ := c.figure(name, c.typed[name]); n != nil && *n == *value {
			text = c.typed[name]
		}
	}
	return app.Div().Class("params-number").DataSet("sent", o.Sent && value != nil).Body(
		app.Label().Class("params-name").For("param-"+name).Body(
			app.Text(label),
			app.Span().Class("params-state").Text(state),
		),
		p.Field("slide-"+name, slide, typed).Type("range").Min(strconv.Itoa(o.Min)).Max(strconv.Itoa(o.Max)).Step(0.05).
			Aria("label", label).Disabled(!o.Sent),
		p.Field("param-"+name, text, typed).Class("field params-figure").Attr("inputmode", "decimal").
			Placeholder("–").Disabled(!o.Sent).Aria("describedby", "check-"+name),
		app.P().ID("check-"+name).Class("field-check bad").Role("status"),
	)
}

// blame says what is wrong with a figure, "" for nothing.
func (c *Parameters) blame(name, words string) {
	c.p.setText("check-"+name, words)
	if e := c.p.DOM.ByID("param-" + name); e.Truthy() {
		e.Call("setAttribute", "aria-invalid", strconv.FormatBool(words != ""))
	}
}

func (c *Parameters) stream(v model.Params) app.UI {
	p := c.p
	o, shown := p.desk.Offers(c.Lane, "stream")
	if !shown {
		return app.Div().Hidden(true)
	}
	always := o.Standing == gateway.Required
	state := ""
	if always {
		state = "always on this model"
	}
	return app.Label().Class("params-switch").Body(
		app.Span().Class("params-name").Body(app.Text("Stream"), app.Span().Class("params-state").Text(state)),
		p.Switch("param-stream", always || !v.Whole, func(on bool) { c.change(func(v *model.Params) { v.Whole = !on }) }).
			Class("switch").Disabled(always),
	)
}

func (c *Parameters) user(v model.Params) app.UI {
	p := c.p
	if _, shown := p.desk.Offers(c.Lane, "user"); !shown {
		return app.Div().Hidden(true)
	}
	return app.Div().Body(
		app.Label().Class("params-name").For("param-user").Body(
			app.Text("User"), app.Span().Class("params-state").Text("who asks, for the gateway")),
		p.Field("param-user", v.User, func(text string) { c.change(func(v *model.Params) { v.User = text }) }).
			Class("field").Placeholder("not sent"),
	)
}
