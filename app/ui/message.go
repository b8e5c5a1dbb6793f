//go:build js && wasm

package ui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/model"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Message is one message. An answer's text is not drawn here: see answers.go.
type Message struct {
	app.Compo
	p     *page
	Lane  int // index of the lane that shows it: two may show the same message
	ID    string
	Role  string
	Rev   int
	Last  bool   // of the lane
	Busy  bool   // an answer is under way
	Model string // that answers next in the lane
}

// CompoID implements app.DismountEnforcer: what is drawn inside belongs to
// this message and no other.
func (c *Message) CompoID() string { return c.ID }

// OnMount implements app.Mounter.
func (c *Message) OnMount(ctx app.Context) {
	ctx.PreventUpdate()
	defer c.p.Guard("a message")
	if c.Role == "assistant" {
		c.p.answers.mount(c.Lane, c.ID)
	}
}

// OnUpdate implements app.Updater.
func (c *Message) OnUpdate(app.Context) {
	defer c.p.Guard("a message")
	c.p.answers.refresh(c.Lane, c.ID)
}

// OnDismount implements app.Dismounter.
func (c *Message) OnDismount() { c.p.answers.unmount(c.Lane, c.ID) }

// Render implements app.Composer.
func (c *Message) Render() (ui app.UI) {
	defer c.p.Drawing("a message", &ui)
	var m *model.Message
	if cur := c.p.desk.Current; cur != nil {
		m = cur.Message(c.ID)
	}
	if m == nil {
		return app.Article()
	}
	article := app.Article().Class("message").DataSet("role", m.Role).DataSet("id", m.ID)
	switch m.Role {
	case "user":
		return article.Body(c.question(m)...)
	case "tool":
		return article.Body(append([]app.UI{app.H2().Class("sr-only").Text("Result of " + m.Tool)}, toolResult(m)...)...)
	}
	name, state := "Answer", ""
	if m.Run != nil {
		name, state = "Answer of "+c.p.shownModel(c.Lane, m.Run.Model), string(m.Run.State)
		if m.Running() || c.p.answers.growing(c.Lane, m.ID) {
			state = string(wire.Running) // until its text is whole
		}
	}
	return article.DataSet("state", state).Body(
		app.H2().Class("sr-only").Text(name),
		app.Div().ID(partID("before", c.Lane, m.ID)),
		app.Div().ID(partID("body", c.Lane, m.ID)).Class("body md"),
		app.Div().ID(partID("after", c.Lane, m.ID)),
		app.If(m.Run != nil && len(m.Calls()) > 0 && !m.Running(), func() app.UI {
			return &Calls{p: c.p, Lane: c.Lane, ID: m.ID, Rev: c.Rev, Last: c.Last}
		}),
		app.If(m.Run != nil && trouble(m.Run) != nil, func() app.UI { return c.problem(m) }),
		&StateLine{p: c.p, Lane: c.Lane, ID: m.ID, Rev: c.Rev, Last: c.Last, Busy: c.Busy, Model: c.Model},
	)
}

// question is a message of the person's, or the editor for it.
func (c *Message) question(m *model.Message) []app.UI {
	p := c.p
	you := app.H2().Class("sr-only").Text("You")
	if p.editing == (viewKey{c.Lane, m.ID}) {
		return []app.UI{you, &Editor{p: p, Lane: c.Lane, ID: m.ID}}
	}
	return []app.UI{
		you,
		app.Div().Class("body").Text(m.Text),
		app.Div().Class("question-actions").DataSet("busy", c.Busy).Body(
			p.versions(c.Lane, m),
			app.Button().Class("icon-button small edit").Type("button").Aria("label", "Edit and send again").Title("Edit and send again").
				OnClick(p.On("edit", func(app.Context, app.Event) { p.beginEdit(c.Lane, c.ID) })).
				Body(kit.Icon(kit.IconPencil, "icon small")),
		),
	}
}

// versions lead to what stood at a message's place before, and back.
func (p *page) versions(lane int, m *model.Message) app.UI {
	versions := p.desk.Current.Versions(lane, m)
	if len(versions) < 2 {
		return app.Span()
	}
	at := slices.Index(versions, m.ID) + 1
	return app.Span().Class("versions").Body(
		p.iconButton("Earlier version", kit.IconBack, at == 1, func() { p.desk.Turn(lane, m.ID, -1) }),
		app.Span().Class("figure").Text(strconv.Itoa(at)+" of "+strconv.Itoa(len(versions))),
		p.iconButton("Later version", kit.IconChevron, at == len(versions), func() { p.desk.Turn(lane, m.ID, 1) }),
	)
}

// shownModel is a model's name, or the lane's letter while names are hidden.
func (p *page) shownModel(lane int, name string) string {
	if p.desk.Hidden() {
		return p.desk.LaneName(lane)
	}
	return name
}

// problem is what went wrong with an answer. While names are hidden, so are
// those within it.
func (c *Message) problem(m *model.Message) app.UI {
	t := *trouble(m.Run)
	if c.p.desk.Hidden() {
		for _, s := range []*string{&t.Message, &t.Hint, &t.Raw} {
			*s = strings.ReplaceAll(*s, m.Run.Model, c.p.desk.LaneName(c.Lane))
		}
	}
	ep := c.p.desk.Elsewhere(m)
	if ep == "" || !c.Last || c.Busy {
		return problem(&t)
	}
	return app.Div().Class("switchable").Body(
		problem(&t),
		app.Button().Class("button primary switch-endpoint").Type("button").Text("Ask at "+ep.Path()+" instead").
			OnClick(c.p.On("switch endpoint", func(app.Context, app.Event) {
				c.p.threads.stick()
				c.p.desk.Switch(c.Lane, c.ID, ep)
				c.p.focusComposer()
			})),
	)
}

// partID names a part of a message in a lane.
func partID(part string, lane int, id string) string {
	return part + "-" + strconv.Itoa(lane) + "-" + id
}

// trouble is what went wrong with a run, or nil.
func trouble(r *wire.Run) *wire.Problem {
	if r.Problem == nil && r.State == wire.Interrupted {
		return &wire.Problem{
			Code:    "interrupted",
			Message: "The server ended while this answer was being made.",
			Hint:    "What it had stored is kept. Retry for a whole answer.",
		}
	}
	return r.Problem
}

// problem says what happened and why, then what to do; the gateway's own words
// are folded away.
func problem(p *wire.Problem) app.UI {
	var facts []app.UI
	fact := func(name, value string) {
		if value != "" && value != "0" {
			facts = append(facts, app.Span().Text(name+" "+value))
		}
	}
	fact("", p.Code)
	fact("field", p.Field)
	fact("HTTP", strconv.Itoa(p.Status))
	fact("request", p.Request)
	return app.Div().Class("problem").Body(
		app.P().Class("problem-what").Text(p.Message),
		app.If(p.Hint != "", func() app.UI { return app.P().Class("problem-todo").Text(p.Hint) }),
		kit.Remedy(p),
		app.Div().Class("problem-facts").Body(facts...),
		app.If(p.Raw != "", func() app.UI {
			return app.Details().Class("fold").Body(
				app.Summary().Body(kit.Icon(kit.IconChevron, "icon small turns"), app.Text("What the gateway sent")),
				app.Pre().TabIndex(0).Text(p.Raw),
			)
		}),
	)
}

// StateLine is what stands under an answer.
type StateLine struct {
	app.Compo
	p     *page
	Lane  int
	ID    string
	Rev   int
	Last  bool   // nothing follows it, so that a retry hides nothing
	Busy  bool   // an answer is under way
	Model string // that answers next in the lane
}

// Render implements app.Composer.
func (s *StateLine) Render() (ui app.UI) {
	p := s.p
	defer p.Drawing("a state", &ui)
	var m *model.Message
	if c := p.desk.Current; c != nil {
		m = c.Message(s.ID)
	}
	if m == nil || m.Run == nil {
		return app.Div().Class("state")
	}
	f := p.desk.Figures(m)
	hidden := p.desk.Hidden()
	marks := p.desk.Marks(s.Lane, m)
	state := stateName(m, f.State)
	if p.desk.Awaits(s.Lane, m) { // it is the person's turn
		state = app.Span().Class("state-name").DataSet("tone", "warn").Body(kit.Icon(kit.IconTool, "icon small"), app.Span().Text("waiting for your result"))
	}
	return app.Div().Class("state").Body(
		state,
		span("asked mono", m.Run.Model, m.Run.Model != s.Model && !hidden, "The model that was asked"),
		span("rank", "your vote", marks.Best, "You voted for this answer"),
		span("rank", "fastest", marks.Fastest, "The shortest time from sending to the end"),
		span("rank", "cheapest", marks.Cheapest, "The lowest cost of these answers"),
		span("first", "first token "+f.FirstToken, f.FirstToken != "", "From sending to the first piece of the answer, its reasoning included"),
		span("total", "took "+f.Total, f.Total != "", "From sending to the end"),
		span("speed", f.Speed, f.Speed != "", "Output tokens per second, from the first token on"),
		span("tokens", f.Tokens, f.Tokens != "", "Tokens of the request and of the answer"),
		span(costClass(m), f.Cost, f.Cost != "" && !hidden, f.Basis),
		span("answered", "answered by "+f.Answered, f.Answered != "" && !hidden, "The gateway names another model than the one asked for"),
		app.Span().Class("state-actions").Body(
			app.If(!s.Busy, func() app.UI { return p.versions(s.Lane, m) }),
			app.If(s.Last && retriable(m) && !s.Busy, func() app.UI {
				return app.Button().Class("button retry").Type("button").
					OnClick(p.On("retry", func(app.Context, app.Event) { p.threads.stick(); p.desk.Retry(s.Lane, s.ID); p.focusComposer() })).
					Body(kit.Icon(kit.IconRetry, "icon small"), app.Text("Retry"))
			}),
			app.If(s.Last && !retriable(m) && !m.Running() && !s.Busy, func() app.UI {
				return app.Button().Class("icon-button small again").Type("button").Aria("label", "Answer again").Title("Answer again: another version beside this one").
					OnClick(p.On("again", func(app.Context, app.Event) { p.threads.stick(); p.desk.Retry(s.Lane, s.ID); p.focusComposer() })).
					Body(kit.Icon(kit.IconRetry, "icon small"))
			}),
			app.If(!m.Running() && m.Text != "", func() app.UI {
				return app.Button().Class("icon-button small copy").Type("button").Aria("label", "Copy the answer").Title("Copy the answer as Markdown").
					OnClick(p.On("copy", func(ctx app.Context, _ app.Event) {
						p.copyText(p.textOf(s.ID), p.DOM.Find("#"+threadID("lane", s.Lane)+` [data-id="`+s.ID+`"] .copy`))
					})).
					Body(kit.Icon(kit.IconCopy, "icon small"))
			}),
			app.Button().Class("icon-button small inspect").Type("button").
				Aria("label", "What was sent and what came").Title("What was sent and what came, to the byte").
				OnClick(p.On("inspect", func(app.Context, app.Event) { p.inspector.show(tabWire, s.Lane, s.ID) })).
				Body(kit.Icon(kit.IconInspect, "icon small")),
		),
	)
}

// textOf is a message's text as it is now: a conversation that is fetched again
// has other messages of the same names.
func (p *page) textOf(id string) string {
	if c := p.desk.Current; c != nil {
		if m := c.Message(id); m != nil {
			return m.Text
		}
	}
	return ""
}

func (p *page) iconButton(label string, path kit.IconPath, disabled bool, f func()) app.UI {
	return app.Button().Class("icon-button small").Type("button").Aria("label", label).Title(label).Disabled(disabled).
		OnClick(p.On(label, func(app.Context, app.Event) { f() })).
		Body(kit.Icon(path, "icon small"))
}

func span(class, text string, shown bool, title string) app.UI {
	if !shown {
		text, title = "", ""
	}
	return app.Span().Class(class).Title(title).Hidden(!shown).Text(text)
}

func costClass(m *model.Message) string {
	if m.Run.CostSource == "estimated" {
		return "cost estimated"
	}
	return "cost"
}

// stateName is the state in a word, with a sign and a colour that say the same.
func stateName(m *model.Message, words string) app.UI {
	tone, sign := "", app.UI(app.Span().Class("dot"))
	switch m.Run.State {
	case wire.Running:
		tone, sign = "live", app.Span().Class("dot live")
	case wire.Done:
		tone, sign = "good", kit.Icon(kit.IconCheck, "icon small")
	case wire.Failed, wire.Interrupted:
		tone, sign = "bad", kit.Icon(kit.IconAlert, "icon small")
	case wire.Incomplete:
		tone, sign = "warn", kit.Icon(kit.IconAlert, "icon small")
	case wire.Stopped:
		sign = kit.Icon(kit.IconStop, "icon small")
	}
	return app.Span().Class("state-name").DataSet("tone", tone).Body(sign, app.Span().Text(words))
}

// retriable says that another try makes sense.
func retriable(m *model.Message) bool {
	switch m.Run.State {
	case wire.Failed, wire.Interrupted, wire.Stopped, wire.Incomplete:
		return true
	}
	return false
}
