//go:build js && wasm

package ui

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
)

// Lane is one way through a conversation: the model that answers, and the
// messages.
type Lane struct {
	app.Compo
	p            *page
	Index        int
	Rev          int // of the messages
	Choice       int // of the model
	Conversation string
	Window       int // revision of the part of the messages that is in the document
	Focused      bool
	Count        int // of lanes
}

// Render implements app.Composer.
func (l *Lane) Render() (ui app.UI) {
	p := l.p
	defer p.Drawing("the conversation", &ui)
	c := p.desk.On()
	if l.Index >= len(c.Lanes) {
		return app.Section().Class("lane")
	}
	label := "Conversation"
	if l.Count > 1 {
		label = "Lane " + strconv.Itoa(l.Index+1) + " of " + strconv.Itoa(l.Count)
	}
	head := append(l.model(), app.Span().Class("push"))
	return app.Section().ID(threadID("lane", l.Index)).Class("lane").Aria("label", label).DataSet("focused", l.Focused).
		On("pointerdown", l.focus()).On("focusin", l.focus()).
		Body(
			app.Div().Class("lane-head").Body(append(head, l.laneActions()...)...),
			&Thread{
				p: p, Lane: l.Index, Rev: l.Rev, Window: l.Window, Busy: c.LaneRunning(l.Index),
				Model: p.desk.LaneModel(l.Index), Conversation: l.Conversation,
			},
		)
}

// focus makes this the lane that the drawer shows, once one works in it.
func (l *Lane) focus() app.EventHandler {
	return func(ctx app.Context, _ app.Event) {
		ctx.PreventUpdate()
		defer l.p.Guard("the lane")
		l.p.desk.Focus(l.Index)
	}
}

// model is the button by which the lane's model is chosen, or its letter while
// the names are hidden.
func (l *Lane) model() []app.UI {
	p := l.p
	if p.desk.Hidden() {
		return []app.UI{app.Span().Class("lane-letter").Text(p.desk.LaneName(l.Index)), app.Span()}
	}
	id := p.desk.LaneModel(l.Index)
	name := id
	if name == "" {
		name = "Choose a model"
	}
	endpoint := app.UI(app.Span())
	if id != "" {
		ep := p.desk.Endpoint(l.Index)
		endpoint = app.Span().Class("badge").Title("The endpoint it is asked at: " + ep.Path()).Text(ep)
	}
	return []app.UI{
		app.Button().ID(threadID("model", l.Index)).Class("model-button").Type("button").
			Aria("haspopup", "dialog").Aria("expanded", p.picker.open && p.picker.lane == l.Index).
			Aria("label", "Model: "+name).Title(name+": choose the model that answers next").
			OnClick(p.On("model", func(app.Context, app.Event) { p.openPicker(l.Index) })).
			Body(modelName(name), kit.Icon(kit.IconDown, "icon small")),
		endpoint,
	}
}

// modelName is a model's id. Where there is little room its prefix gives way
// first, for that is what the models of a gateway have in common.
func modelName(id string) app.UI {
	own := shortName(id)
	return app.Span().Class("model-name").Body(
		app.Span().Class("model-prefix").Text(id[:len(id)-len(own)]),
		app.Span().Class("model-own").Text(own),
	)
}

// Empty stands where the messages will be, and teaches by examples that can be
// sent with one click.
type Empty struct {
	app.Compo
	p       *page
	Sandbox bool
	Base    string
}

type example struct{ name, text string }

// Render implements app.Composer.
func (e *Empty) Render() (ui app.UI) {
	defer e.p.Drawing("the examples", &ui)
	about := "Type below, or begin with one of these. Answers come from " + e.Base + "."
	examples := []example{
		{"Explain", "Explain exponential backoff with full jitter, with a short Go example."},
		{"Compare", "Compare server-sent events and WebSocket for streaming answers, as a table."},
		{"Plan", "Plan a test for code that retries, without sleeping in it."},
		{"Review", "What would you look for first when reviewing a database migration?"},
	}
	if e.Sandbox {
		about = "Type below, or begin with one of these. The built-in sandbox answers: it needs no key, costs nothing and reaches nobody."
		examples = []example{
			{"Ask", "Explain exponential backoff with full jitter, with a short Go example."},
			{"See the formatting", "Show everything that an answer can contain. [[markdown]]"},
			{"See a long answer", "Tell me about the sea. [[repeat: 400]]"},
			{"See a failure", "What happens when there are too many requests? [[status: 429]]"},
		}
	}
	return app.Div().Class("empty").Body(
		app.H2().Text("Ask a model something"),
		app.P().Text(about),
		app.Div().Class("examples").Body(
			app.Range(examples).Slice(func(i int) app.UI {
				return app.Button().Class("example").Type("button").
					OnClick(e.p.On("example "+examples[i].text, func(ctx app.Context, _ app.Event) { e.p.send(ctx, examples[i].text) })).
					Body(
						app.Span().Class("example-name").Text(examples[i].name),
						app.Span().Class("example-text").Text(examples[i].text),
					)
			}),
		),
	)
}
