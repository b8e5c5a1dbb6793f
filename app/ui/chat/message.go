//go:build js && wasm

package chat

import (
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/inspector"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Message is one message. An answer's text is not drawn here: see answers.go.
type Message struct {
	app.Compo
	p     *Page
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
	var m *chat.Message
	if cur := c.p.chat.Current; cur != nil {
		m = cur.Message(c.ID)
	}
	if m == nil {
		return kit.Box("article", "")
	}
	at := kit.At{"data-role", m.Role, "data-id", m.ID, "data-lane", c.Lane}
	switch m.Role {
	case "user":
		return kit.El("article", "message", at, c.question(m), kit.If(c.p.inserts(c.Lane, m.ID), func() app.UI { return c.p.editor(c.Lane, m) }))
	case "tool":
		return kit.El("article", "message", at, kit.Box("h2", "sr-only", "Result of "+m.Tool), toolResult(m))
	}
	name, state := "Answer, written by hand", ""
	edits := c.p.edits(c.Lane, m.ID)
	if m.Run != nil {
		name, state = "Answer of "+c.p.shownModel(c.Lane, m.Run.Model), string(m.Run.State)
		if m.Running() || c.p.answers.growing(c.Lane, m.ID) {
			state = string(wire.Running) // until its text is whole
		}
	}
	return kit.El("article", "message", append(at, "data-state", state),
		kit.Box("h2", "sr-only", name),
		kit.El("div", "", kit.At{"id", partID("before", c.Lane, m.ID)}),
		kit.El("div", "body md", kit.At{"id", partID("body", c.Lane, m.ID), "hidden", edits}),
		kit.El("div", "", kit.At{"id", partID("after", c.Lane, m.ID)}),
		kit.If(m.Run != nil && len(m.Calls()) > 0 && !m.Running(), func() app.UI {
			return &Calls{p: c.p, Lane: c.Lane, ID: m.ID, Rev: c.Rev, Last: c.Last}
		}),
		kit.If(m.Run != nil && trouble(m.Run) != nil, func() app.UI { return c.problem(m) }),
		&StateLine{p: c.p, Lane: c.Lane, ID: m.ID, Rev: c.Rev, Last: c.Last, Busy: c.Busy, Model: c.Model},
		kit.If(edits || c.p.inserts(c.Lane, m.ID), func() app.UI { return c.p.editor(c.Lane, m) }),
	)
}

// question is a message of the person's, or the editor for it.
func (c *Message) question(m *chat.Message) []app.UI {
	p := c.p
	you := kit.Box("h2", "sr-only", "You")
	if p.edits(c.Lane, m.ID) {
		return []app.UI{you, p.editor(c.Lane, m)}
	}
	return []app.UI{
		you,
		p.images(m),
		kit.El("div", "body written", kit.At{"hidden", m.Text == "" && len(m.Images) > 0}, m.Text),
		kit.El("div", "question-actions", kit.At{"data-busy", c.Busy},
			p.versions(c.Lane, m),
			kit.IconButton("small edit", "Edit and send again", kit.IconPencil, nil, p.Do("edit", func() { p.beginEdit(c.Lane, c.ID) })),
			p.insertButton(c.Lane, m),
		),
	}
}

// versions lead to what stood at a message's place before, and back.
func (p *Page) versions(lane int, m *chat.Message) app.UI {
	versions := p.chat.Current.Lane(lane).Versions(m)
	if len(versions) < 2 {
		return kit.Box("span", "")
	}
	at := slices.Index(versions, m.ID) + 1
	return kit.Box("span", "versions",
		p.iconButton("Earlier version", kit.IconBack, at == 1, func() { p.chat.Lane(lane).Turn(m.ID, -1) }),
		kit.Box("span", "figure", strconv.Itoa(at)+" of "+strconv.Itoa(len(versions))),
		p.iconButton("Later version", kit.IconChevron, at == len(versions), func() { p.chat.Lane(lane).Turn(m.ID, 1) }),
	)
}

// shownModel is a model's name, or the lane's letter while names are hidden.
func (p *Page) shownModel(lane int, name string) string {
	if p.chat.Shown().Hidden() {
		return p.chat.Lane(lane).Name()
	}
	return name
}

// problem is what went wrong with an answer. While names are hidden, so are
// those within it.
func (c *Message) problem(m *chat.Message) app.UI {
	t := *trouble(m.Run)
	if c.p.chat.Shown().Hidden() {
		for _, s := range []*string{&t.Message, &t.Hint, &t.Raw} {
			*s = strings.ReplaceAll(*s, m.Run.Model, c.p.chat.Lane(c.Lane).Name())
		}
	}
	var actions []app.UI
	if ep := m.Elsewhere(); ep != "" && c.Last && !c.Busy {
		actions = append(actions, kit.Button("primary switch-endpoint", nil,
			c.p.Do("switch endpoint", func() {
				c.p.threads.stick()
				c.p.chat.Lane(c.Lane).Switch(c.ID, ep)
				c.p.FocusComposer()
			}), "Ask at "+ep.Path()+" instead"))
	}
	if c.Last && retriable(m) && !c.Busy {
		actions = append(actions, kit.Button("retry", nil, c.p.Do("retry", func() { c.p.threads.stick(); c.p.chat.Lane(c.Lane).Retry(c.ID); c.p.FocusComposer() }),
			kit.Icon(kit.IconRetry, "icon small"), "Retry"))
	}
	return problem(&t, actions)
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
			Message: "The server stopped during this answer.",
			Hint:    "What arrived is kept. Retry for a complete answer.",
		}
	}
	return r.Problem
}

// problem says what happened in one sentence, then what to do, with that as a
// button where it is one; what the gateway said and the facts are folded away.
func problem(p *wire.Problem, actions []app.UI) app.UI {
	what, more := headline(p.Message)
	var facts []app.UI
	fact := func(name, value string) {
		if value != "" && value != "0" {
			facts = append(facts, kit.Box("span", "", name+" "+value))
		}
	}
	fact("", p.Code)
	fact("field", p.Field)
	fact("HTTP", strconv.Itoa(p.Status))
	fact("request", p.Request)
	return kit.Notice(kit.Bad, "problem", nil,
		kit.Box("p", "problem-what", what),
		kit.SayIf("p", "problem-said", more),
		kit.SayIf("p", "todo", p.Hint),
		kit.Box("div", "line", actions, kit.Remedy(p)),
		kit.Box("details", "fold",
			kit.Box("summary", "", kit.Icon(kit.IconChevron, "icon small turns"), "Details"+kit.When(p.Status != 0, " · HTTP "+strconv.Itoa(p.Status))),
			kit.Box("div", "problem-facts", facts),
			kit.If(p.Raw != "", func() app.UI { return kit.El("pre", "", kit.At{"tabindex", 0}, p.Raw) }),
		),
	)
}

// headline is the first sentence of what happened, and what follows it: a gateway
// may have said a lot.
func headline(message string) (what, more string) {
	if at := strings.Index(message, ". "); at >= 0 {
		return message[:at+1], strings.TrimSpace(message[at+1:])
	}
	return message, ""
}

// StateLine is what stands under an answer.
type StateLine struct {
	app.Compo
	p     *Page
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
	var m *chat.Message
	if c := p.chat.Current; c != nil {
		m = c.Message(s.ID)
	}
	switch {
	case m == nil || m.Stub:
		return kit.Box("div", "state")
	case m.Run == nil:
		return kit.El("div", "state", kit.At{"data-lanes", len(p.chat.Shown().Lanes)},
			s.top(m, kit.El("span", "pill", kit.At{"title", "No model wrote this answer"}, "written by hand")),
			kit.Box("span", "state-actions",
				kit.If(s.Last && !s.Busy && p.chat.Current.Answers(m), func() app.UI { return s.again() }),
				kit.If(!s.Busy, func() app.UI { return s.rewrite(m) }),
				s.copy()))
	}
	f := p.chat.Figures(m)
	hidden := p.chat.Shown().Hidden()
	marks := p.chat.Lane(s.Lane).Marks(m)
	state := stateName(m, f.State)
	if p.chat.Lane(s.Lane).Awaits(m) { // it is the person's turn
		state = kit.El("span", "state-name", kit.At{"data-tone", "warn"}, kit.Icon(kit.IconTool, "icon small"), kit.Box("span", "", "waiting for your result"))
	}
	return kit.El("div", "state", kit.At{"data-lanes", len(p.chat.Shown().Lanes)},
		s.top(m, state,
			span("pill rank", "your vote", marks.Best, "You voted for this answer"),
			span("pill rank", "fastest", marks.Fastest, "The shortest total time of these answers"),
			span("pill rank", "cheapest", marks.Cheapest, "The lowest cost of these answers"),
			span("asked mono", m.Run.Model, m.Run.Model != s.Model && !hidden, "The model asked"),
			span("answered", "answered by "+f.Answered, f.Answered != "" && !hidden, "The gateway reports a different model than the one asked for"),
		),
		span("total", f.Total, f.Total != "", "Total time, from sending to the end"),
		span("first", f.FirstToken+" to first token", f.FirstToken != "", "From sending to the first output, including reasoning"),
		span("speed", f.Speed, f.Speed != "", "Output tokens per second after the first token"),
		span("tokens", f.Tokens, f.Tokens != "", "Input and output tokens"),
		span(costClass(m), f.Cost+kit.When(f.Sample, " sample"), f.Cost != "" && !hidden, f.Basis),
		kit.Box("span", "state-actions",
			kit.If(s.Last && retriable(m) && !s.Busy && trouble(m.Run) == nil, func() app.UI {
				return kit.Button("small retry", nil, p.Do("retry", func() { p.threads.stick(); p.chat.Lane(s.Lane).Retry(s.ID); p.FocusComposer() }),
					kit.Icon(kit.IconRetry, "icon small"), "Retry")
			}),
			kit.If(s.Last && !retriable(m) && !m.Running() && !s.Busy, func() app.UI { return s.again() }),
			kit.If(s.Last && m.Cut() && !s.Busy, func() app.UI {
				return kit.Button("small continue", kit.At{"title", "Have the model go on where it stopped"},
					p.Do("continue", func() { p.threads.stick(); p.chat.Lane(s.Lane).Continue(s.ID); p.FocusComposer() }), "Continue")
			}),
			kit.If(s.Last && !m.Running() && !s.Busy && !hidden, func() app.UI {
				id := partID("again-with", s.Lane, s.ID)
				return kit.IconButton("small again-with", "Answer with another model", kit.IconDown, kit.At{"id", id, "aria-haspopup", "dialog"},
					p.Do("again with", func() { p.picker.ask(s.Lane, s.ID, id) }))
			}),
			kit.If(!m.Running() && !s.Busy && !hidden, func() app.UI { return s.rewrite(m) }),
			kit.If(!m.Running() && m.Text != "", func() app.UI { return s.copy() }),
			kit.IconButton("small inspect", "Request and reply", kit.IconInspect, kit.At{"title", "Request and reply, byte for byte"}, p.Do("inspect", func() { p.inspector.Show(inspector.Wire, s.Lane, s.ID) })),
		),
	)
}

// top is how the answer ended, with its marks, and the way to its other versions.
func (s *StateLine) top(m *chat.Message, words ...app.UI) app.UI {
	return kit.Box("span", "state-top",
		kit.Box("span", "state-head", words),
		kit.If(!s.Busy, func() app.UI { return s.p.versions(s.Lane, m) }))
}

func (s *StateLine) again() app.UI {
	p := s.p
	return kit.IconButton("small again", "Answer again", kit.IconRetry, kit.At{"title", "Answer again (keeps this version)"}, p.Do("again", func() { p.threads.stick(); p.chat.Lane(s.Lane).Retry(s.ID); p.FocusComposer() }))
}

// rewrite writes the answer anew, or puts a message below it.
func (s *StateLine) rewrite(m *chat.Message) app.UI {
	return kit.Box("span", "rewrite",
		kit.IconButton("small edit", "Edit this answer", kit.IconPencil, kit.At{"title", "Edit this answer (keeps this version)"}, s.p.Do("edit", func() { s.p.beginEdit(s.Lane, s.ID) })),
		s.p.insertButton(s.Lane, m))
}

func (s *StateLine) copy() app.UI {
	p := s.p
	return kit.IconButton("small copy", "Copy the answer", kit.IconCopy, kit.At{"title", "Copy the answer as Markdown"},
		p.On("copy", func(ctx app.Context, _ app.Event) {
			p.CopyTo(p.textOf(s.ID), p.DOM.Find("#"+threadID("lane", s.Lane)+` [data-id="`+s.ID+`"] .copy`))
		}))
}

// textOf is a message's text as it is now: a conversation that is fetched again
// has other messages of the same names.
func (p *Page) textOf(id string) string {
	if c := p.chat.Current; c != nil {
		if m := c.Message(id); m != nil {
			return m.Text
		}
	}
	return ""
}

func (p *Page) iconButton(label string, path kit.IconPath, disabled bool, f func()) app.UI {
	return kit.IconButton("small", label, path, kit.At{"disabled", disabled}, p.Do(label, func() { f() }))
}

func span(class, text string, shown bool, title string) app.UI {
	if !shown {
		text, title = "", ""
	}
	return kit.El("span", class, kit.At{"title", title, "hidden", !shown}, text)
}

func costClass(m *chat.Message) string {
	if m.Run.CostSource == "estimated" {
		return "cost estimated"
	}
	return "cost"
}

// stateName is the state in a word, with a sign and a colour that say the same.
func stateName(m *chat.Message, words string) app.UI {
	tone, sign := "", kit.Box("span", "dot")
	switch m.Run.State {
	case wire.Running:
		tone, sign = "live", kit.Box("span", "dot live")
	case wire.Done:
		tone, sign = "good", kit.Icon(kit.IconCheck, "icon small")
	case wire.Failed, wire.Interrupted:
		tone, sign = "bad", kit.Icon(kit.IconAlert, "icon small")
	case wire.Incomplete:
		tone, sign = "warn", kit.Icon(kit.IconAlert, "icon small")
	case wire.Stopped:
		sign = kit.Icon(kit.IconStop, "icon small")
	}
	return kit.El("span", "state-name", kit.At{"data-tone", tone}, sign, kit.Box("span", "", words))
}

// retriable says that another try makes sense.
func retriable(m *chat.Message) bool {
	switch m.Run.State {
	case wire.Failed, wire.Interrupted, wire.Stopped, wire.Incomplete:
		return true
	}
	return false
}
