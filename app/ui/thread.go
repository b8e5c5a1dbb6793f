//go:build js && wasm

package ui

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/model"
	"screentest/app/ui/kit"
)

// Thread is the messages of a lane. Only those near its window are in the
// document; see thread, which scrolls it.
type Thread struct {
	app.Compo
	p            *page
	Lane         int // index
	Rev          int // of the messages
	Window       int // revision of the part that is in the document
	Busy         bool
	Model        string // that answers next in the lane
	Conversation string
}

// threadID names an element of a lane's thread; the first lane has the names
// alone.
func threadID(name string, lane int) string {
	if lane == 0 {
		return name
	}
	return name + "-" + strconv.Itoa(lane)
}

// OnMount implements app.Mounter.
func (t *Thread) OnMount(ctx app.Context) {
	ctx.PreventUpdate()
	defer t.p.Guard("the conversation")
	t.p.threads.at(t.Lane).attach()
}

// OnDismount implements app.Dismounter.
func (t *Thread) OnDismount() { t.p.threads.at(t.Lane).detach() }

// OnUpdate implements app.Updater.
func (t *Thread) OnUpdate(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		defer t.p.Guard("the conversation")
		t.p.threads.at(t.Lane).rendered()
	})
}

// Render implements app.Composer.
func (t *Thread) Render() (ui app.UI) {
	p := t.p
	defer p.Drawing("the conversation", &ui)
	hollow := ""
	if c := p.desk.Current; c == nil || c.Phase != model.Ready {
		hollow = " hollow"
	}
	name := "Messages"
	if t.Lane > 0 {
		name += " of lane " + strconv.Itoa(t.Lane+1)
	}
	return app.Div().Class("thread-frame").Body(
		app.Div().ID(threadID("thread", t.Lane)).Class("thread").TabIndex(0).Role("region").Aria("label", name).Body(
			app.Div().ID(threadID("thread-inner", t.Lane)).Class("thread-inner"+hollow).Body(t.content()),
		),
		app.Button().ID(threadID("jump", t.Lane)).Class("button jump").Type("button").
			OnClick(p.On("jump", func(app.Context, app.Event) { p.threads.at(t.Lane).toEnd(); p.focusComposer() })).
			Body(kit.Icon(kit.IconArrow, "icon small"), app.Text("Jump to latest")),
	)
}

func (t *Thread) content() app.UI {
	p := t.p
	c := p.desk.Current
	switch {
	case c == nil && t.Lane > 0:
		return app.Div().Class("middle").Body(app.P().Text("It gets the same question, and answers for itself."))
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
	return t.messages(c)
}

// messages draws the window of the path.
func (t *Thread) messages(c *model.Conversation) app.UI {
	s := t.p.threads.at(t.Lane)
	s.plan(c)
	var body []app.UI
	if c.Earlier {
		words := "Show earlier messages"
		if c.Fetching {
			words = "Loading earlier messages…"
		}
		body = append(body, app.Button().ID(threadID("earlier", t.Lane)).Class("button earlier").Type("button").Text(words).
			OnClick(t.p.On("earlier", func(app.Context, app.Event) { t.p.desk.Outline(c) })))
	} else {
		body = append(body, app.Span())
	}
	path := c.Path(t.Lane)
	for _, x := range s.column.Stretches(s.shown) {
		body = append(body, t.stretch(path, x))
	}
	return app.Div().Class("messages").Body(body...)
}

// stretch draws a part of the path, or the gap that stands for it: an image of
// nothing, whose height is an attribute, for the page's policy forbids styles
// in its markup.
func (t *Thread) stretch(path []*model.Message, s model.Stretch) app.UI {
	if s.Gap > 0 {
		return gap(s.Gap)
	}
	var body []app.UI
	for _, k := range s.Kids {
		body = append(body, t.stretch(path, k))
	}
	block := app.Div().Class("stretch")
	if s.Kids != nil {
		return block.Body(body...)
	}
	for i := s.From; i < s.To; i++ {
		m := path[i]
		if m.Stub {
			height := t.p.threads.at(t.Lane).column.Height(i, i+1)
			body = append(body, &Stub{ID: m.ID, Role: m.Role, Height: int(height)})
			continue
		}
		body = append(body, &Message{
			p: t.p, Lane: t.Lane, ID: m.ID, Role: m.Role, Rev: m.Rev,
			Last: i == len(path)-1, Busy: t.Busy, Model: t.Model,
		})
	}
	return block.DataSet("from", s.From).Body(body...)
}

func gap(height float64) app.UI {
	return app.Elem("svg").XMLNS("http://www.w3.org/2000/svg").Class("gap").Aria("hidden", true).
		Attr("width", "1").Attr("height", strconv.Itoa(int(height)))
}

// Stub stands for a message whose text is on its way.
type Stub struct {
	app.Compo
	ID     string
	Role   string
	Height int // px that it will have, about
}

// CompoID implements app.DismountEnforcer.
func (s *Stub) CompoID() string { return s.ID }

// Render implements app.Composer.
func (s *Stub) Render() app.UI {
	return app.Article().Class("stub").DataSet("role", s.Role).Aria("busy", true).Aria("label", "Loading a message").
		Body(gap(float64(s.Height)))
}
