//go:build js && wasm

package ui

import (
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/model"
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
	shown        string // the conversation that was drawn last
	pieces       int    // that stood in front of its first fetched messages
}

// OnUpdate implements app.Updater.
func (l *Lane) OnUpdate(ctx app.Context) {
	defer l.p.Guard("the conversation")
	pieces := 0
	if c := l.p.desk.Current; c != nil {
		pieces = len(c.Starts)
	}
	if pieces > l.pieces && l.shown == l.Conversation {
		settle := l.p.thread.hold()
		ctx.Defer(func(app.Context) {
			defer l.p.Guard("the scrolling")
			settle()
		})
	}
	l.pieces, l.shown = pieces, l.Conversation
}

// OnMount implements app.Mounter.
func (l *Lane) OnMount(app.Context) {
	defer l.p.Guard("the conversation")
	thread := l.p.DOM.ByID("thread")
	l.p.thread.attach(thread, l.p.DOM.ByID("thread-inner"))
	l.p.sight.attach(thread)
	l.p.thread.toEnd()
}

// OnDismount implements app.Dismounter.
func (l *Lane) OnDismount() {
	l.p.thread.detach()
	l.p.sight.detach()
}

// Render implements app.Composer.
func (l *Lane) Render() (ui app.UI) {
	p := l.p
	defer p.Drawing("the conversation", &ui)
	id := p.desk.LaneModel(l.Index)
	m, _ := p.desk.Model(id)
	name := id
	if name == "" {
		name = "Choose a model"
	}
	hollow := ""
	if c := p.desk.Current; c == nil || c.Phase != model.Ready {
		hollow = " hollow"
	}
	return app.Section().Class("lane").Aria("label", "Conversation").Body(
		app.Div().Class("lane-head").Body(
			app.Button().ID("model").Class("model-button").Type("button").
				Aria("haspopup", "dialog").Aria("expanded", p.picker.open).Aria("label", "Model: "+name).Title("Choose the model that answers next").
				OnClick(p.On("model", func(app.Context, app.Event) { p.openPicker(l.Index) })).
				Body(app.Span().Class("model-name").Text(name), kit.Icon(kit.IconDown, "icon small")),
			app.If(id != "", func() app.UI {
				return app.Span().Class("badge").Title("The endpoint it is asked at: " + m.Endpoint.Path()).Text(m.Endpoint)
			}),
		),
		app.Div().ID("thread").Class("thread").TabIndex(0).Role("region").Aria("label", "Messages").Body(
			app.Div().ID("thread-inner").Class("thread-inner"+hollow).Body(l.content()),
		),
		app.Button().ID("jump").Class("button jump").Type("button").
			OnClick(p.On("jump", func(app.Context, app.Event) { p.thread.toEnd(); p.focusComposer() })).
			Body(kit.Icon(kit.IconArrow, "icon small"), app.Text("Jump to latest")),
	)
}

func (l *Lane) content() app.UI {
	p := l.p
	c := p.desk.Current
	switch {
	case c == nil && p.desk.Greeted:
		return &Empty{p: p, Sandbox: p.desk.Hello.Gateway.Sandbox, Base: p.desk.Hello.Gateway.BaseURL}
	case c == nil:
		return app.Div().Class("middle")
	case c.Phase == model.Loading:
		return app.Div().Class("middle").Body(app.P().Text("Loading the conversation…"))
	case c.Phase == model.Missing:
		return app.Div().Class("middle").Body(
			app.P().Text("This conversation does not exist here, or was deleted."),
			app.A().Class("button primary").Href("/").Text("New conversation"),
		)
	case c.Phase == model.Broken:
		return app.Div().Class("middle").Body(
			app.P().Text(c.Problem.Message),
			app.Button().Class("button primary").Type("button").Text("Try again").
				OnClick(p.On("refetch", func(app.Context, app.Event) { p.desk.Refetch() })),
		)
	}
	return l.messages(c)
}

// messages draws the path, each stretch that was fetched in front of the
// others inside an element that stands first in the next: go-app updates lists
// by position, and this way older messages move nothing that is drawn.
func (l *Lane) messages(c *model.Conversation) app.UI {
	p := l.p
	top := []app.UI{app.Div().Class("piece")}
	if c.Earlier {
		words := "Show earlier messages"
		if c.Fetching {
			words = "Loading earlier messages…"
		}
		top = []app.UI{app.Button().ID("earlier").Class("button earlier").Type("button").Text(words).
			OnClick(p.On("earlier", func(app.Context, app.Event) { p.desk.FetchEarlier() }))}
	}
	piece := func() app.UI { return app.Div().Class("piece").Body(top...) }
	path, busy, model := c.Path(l.Index), p.desk.Running(), p.desk.LaneModel(l.Index)
	for i, m := range path {
		if slices.Contains(c.Starts, m.ID) {
			top = []app.UI{piece()}
		}
		top = append(top, &Message{p: p, ID: m.ID, Role: m.Role, Rev: m.Rev, Last: i == len(path)-1, Busy: busy, Model: model})
	}
	return piece()
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
