//go:build js && wasm

package chat

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/kit"
)

// Lane is one way through a conversation: the model that answers, and the
// messages.
type Lane struct {
	app.Compo
	p            *Page
	Index        int
	Rev          int // of the messages
	Choice       int // of the model
	Conversation string
	Window       int // revision of the part of the messages that is in the document
	Focused      bool
	Params       bool // the drawer shows the parameters of the lane in focus
	Count        int  // of lanes
}

// Render implements app.Composer.
func (l *Lane) Render() (ui app.UI) {
	p := l.p
	defer p.Drawing("the conversation", &ui)
	c := p.chat.Shown()
	if l.Index >= len(c.Lanes) {
		return kit.Box("section", "lane")
	}
	label := "Conversation"
	if l.Count > 1 {
		label = "Lane " + strconv.Itoa(l.Index+1) + " of " + strconv.Itoa(l.Count)
	}
	head := append(l.model(), kit.Box("span", "push"))
	return kit.El("section", "lane", kit.At{"id", threadID("lane", l.Index), "aria-label", label, "data-focused", l.Focused,
		"onpointerdown", l.focus(), "onfocusin", l.focus()},
		kit.Box("div", "lane-head", append(head, l.laneActions()...)),
		&Thread{
			p: p, Lane: l.Index, Rev: l.Rev, Window: l.Window, Busy: c.Lane(l.Index).Running(),
			Model: p.chat.Lane(l.Index).Model(), Conversation: l.Conversation, Choice: l.Choice,
		},
	)
}

// focus makes this the lane that the drawer shows, once one works in it.
func (l *Lane) focus() *kit.Handler {
	return l.p.On("the lane", func(ctx app.Context, _ app.Event) {
		ctx.PreventUpdate()
		l.p.chat.Lane(l.Index).Focus()
	})
}

// model is the button by which the lane's model is chosen, or its letter while
// the names are hidden.
func (l *Lane) model() []app.UI {
	p := l.p
	if p.chat.Shown().Hidden() {
		return []app.UI{kit.Box("span", "lane-letter", p.chat.Lane(l.Index).Name()), kit.Box("span", "")}
	}
	id := p.chat.Lane(l.Index).Model()
	name := id
	if name == "" {
		name = "Choose a model"
	}
	endpoint := kit.Box("span", "")
	if id != "" {
		ep := p.chat.Lane(l.Index).Endpoint()
		endpoint = kit.Pill(kit.At{"title", "Endpoint: " + ep.Path()}, ep)
	}
	return []app.UI{
		kit.El("button", "model-button", kit.At{"id", threadID("model", l.Index), "type", "button",
			"aria-haspopup", "dialog", "aria-expanded", p.picker.open && p.picker.lane == l.Index,
			"aria-label", "Model: " + name, "title", name + ": choose another model",
			"onclick", p.Do("model", func() { p.picker.show(l.Index) })},
			modelName(name), kit.Icon(kit.IconDown, "icon small")),
		endpoint,
	}
}

// modelName is a model's id. Where there is little room its prefix gives way
// first, for that is what the models of a gateway have in common.
func modelName(id string) app.UI {
	own := shortName(id)
	return kit.Box("span", "model-name",
		kit.Box("span", "model-prefix cut", id[:len(id)-len(own)]),
		kit.Box("span", "model-own cut", own),
	)
}

// Empty stands where the messages will be, and teaches by examples that can be
// sent with one click.
type Empty struct {
	app.Compo
	p       *Page
	Sandbox bool
	Connect bool // the person may connect a gateway of their own
	Base    string
	System  string // the instructions for the model
	Kept    bool   // there are parameters
}

// instructions are the words of the button by which those are written.
func instructions(system string) string {
	if system == "" {
		return "Add instructions for the model"
	}
	return "Instructions: " + chat.Short(system, 80)
}

type example struct{ name, text string }

// Render implements app.Composer.
func (e *Empty) Render() (ui app.UI) {
	defer e.p.Drawing("the examples", &ui)
	about := "Type below or start with one of these. Answers come from " + e.Base + "."
	examples := []example{
		{"Explain", "Explain exponential backoff with full jitter, with a short Go example."},
		{"Compare", "Compare server-sent events and WebSocket for streaming answers, as a table."},
		{"Plan", "Plan a test for code that retries, without sleeping in it."},
		{"Review", "What would you look for first when reviewing a database migration?"},
	}
	if e.Sandbox {
		about = "Type below or start with one of these. The built-in sandbox answers: no key, no cost, nothing leaves this machine."
		examples = []example{
			{"Ask", "Explain exponential backoff with full jitter, with a short Go example."},
			{"See the formatting", "Show everything that an answer can contain. [[markdown]]"},
			{"See a long answer", "Tell me about the sea. [[repeat: 400]]"},
			{"See a failure", "What happens when there are too many requests? [[status: 429]]"},
		}
	}
	return kit.Box("div", "welcome",
		kit.Box("h2", "", "Ask a model something"),
		kit.Box("p", "", about),
		kit.If(e.Connect, func() app.UI {
			return kit.El("p", "", kit.At{"id", "connect-yours"}, "This is the sandbox. ", kit.El("a", "button", kit.At{"href", "/settings/gateway"}, "Connect your gateway"))
		}),
		kit.Box("div", "line", kit.Button("plain instructions", kit.At{"id", "instructions", "title", e.System}, e.p.Do("instructions", func() { e.p.inspector.Instructions(0) }),
			kit.Icon(kit.IconPencil, "icon small"), kit.Box("span", "cut", instructions(e.System))),
			kit.Button("plain", kit.At{"id", "reset-params", "hidden", !e.Kept, "title", "Kept from your last conversation"},
				e.p.Do("reset-params", func() { e.p.chat.Shown().Reset() }), "Reset parameters")),
		kit.Box("div", "examples",
			kit.Times(len(examples), func(i int) app.UI {
				return kit.El("button", "example", kit.At{"type", "button",
					"onclick", e.p.On("example "+examples[i].text, func(ctx app.Context, _ app.Event) { e.p.send(ctx, examples[i].text) })},
					kit.Box("span", "example-name", examples[i].name),
					kit.Box("span", "", examples[i].text),
				)
			}),
		),
	)
}
