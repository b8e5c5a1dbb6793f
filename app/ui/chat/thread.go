//go:build js && wasm

package chat

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/kit"
)

// Thread is the messages of a lane. Only those near its window are in the
// document; see thread, which scrolls it.
type Thread struct {
	app.Compo
	p            *Page
	Lane         int // index
	Rev          int // of the messages
	Window       int // revision of the part that is in the document
	Busy         bool
	Model        string // that answers next in the lane
	Choice       int    // of the lane's model and parameters
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
		t.p.threads.rendered(t.Lane)
	})
}

// Render implements app.Composer.
func (t *Thread) Render() (ui app.UI) {
	p := t.p
	defer p.Drawing("the conversation", &ui)
	hollow := ""
	if c := p.chat.Current; c == nil || c.Phase != chat.Ready {
		hollow = " hollow"
	}
	name := "Messages"
	if t.Lane > 0 {
		name += " of lane " + strconv.Itoa(t.Lane+1)
	}
	return kit.Box("div", "thread-frame",
		kit.El("div", "thread", kit.At{"id", threadID("thread", t.Lane), "data-lane", t.Lane, "tabindex", 0, "role", "region", "aria-label", name},
			kit.El("div", "thread-inner"+hollow, kit.At{"id", threadID("thread-inner", t.Lane), "data-lane", t.Lane}, t.content()),
		),
		kit.Button("jump", kit.At{"id", threadID("jump", t.Lane)}, p.Do("jump", func() { p.threads.at(t.Lane).toEnd(); p.FocusComposer() }),
			kit.Icon(kit.IconArrow, "icon small"), "Jump to latest"),
	)
}

func (t *Thread) content() app.UI {
	p := t.p
	c := p.chat.Current
	switch {
	case c == nil && t.Lane > 0:
		return kit.Empty("page", kit.Box("p", "", "Gets the same prompt and answers independently."))
	case c == nil && p.Guest:
		return p.GuestStart()
	case c == nil && p.session.Greeted:
		return &Empty{p: p, Sandbox: p.session.Hello.Gateway.Sandbox, Connect: p.session.Hello.Gateway.Sandbox && (p.session.Me() == nil || p.session.Admin()), Base: p.session.Hello.Gateway.BaseURL, System: p.chat.Lane(0).Params().System, Kept: p.chat.Shown().Kept()}
	case c == nil:
		return kit.Empty("page")
	case c.Phase == chat.Loading:
		return kit.Empty("page", kit.Box("p", "", "Loading the conversation…"))
	case c.Phase == chat.Missing:
		return kit.Empty("page",
			kit.Box("p", "", "This conversation doesn’t exist or was deleted."),
			kit.El("a", "button primary", kit.At{"href", "/"}, "New conversation"),
		)
	case c.Phase == chat.Broken:
		return kit.Empty("page",
			kit.Box("p", "", c.Problem.Message),
			kit.Button("primary", nil, p.Do("refetch", func() { p.chat.Shown().Refetch() }), "Try again"),
		)
	}
	return t.messages(c)
}

// messages draws the window of the path.
func (t *Thread) messages(c *chat.Conversation) app.UI {
	s := t.p.threads.at(t.Lane)
	s.plan(c)
	var body []app.UI
	if c.Earlier {
		words := "Show earlier messages"
		if c.Fetching {
			words = "Loading earlier messages…"
		}
		body = append(body, kit.Button("earlier", kit.At{"id", threadID("earlier", t.Lane)}, t.p.Do("earlier", func() { c.Outline() }), words))
	} else {
		body = append(body, kit.Box("span", ""))
	}
	path := c.Lane(t.Lane).Path()
	for _, x := range s.column.Stretches(s.shown) {
		body = append(body, t.stretch(path, x))
	}
	return kit.Box("div", "messages", body)
}

// stretch draws a part of the path, or the gap that stands for it: an image of
// nothing, whose height is an attribute, for the page's policy forbids styles
// in its markup.
func (t *Thread) stretch(path []*chat.Message, s chat.Stretch) app.UI {
	if s.Gap > 0 {
		return gap(s.Gap)
	}
	var body []app.UI
	for _, k := range s.Kids {
		body = append(body, t.stretch(path, k))
	}
	if s.Kids != nil {
		return kit.Box("div", "stretch", body)
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
	return kit.El("div", "stretch", kit.At{"data-from", s.From}, body)
}

func gap(height float64) app.UI {
	return kit.SVG("svg", kit.At{"class", "gap", "aria-hidden", true,
		"width", "1", "height", strconv.Itoa(int(height))})
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
	return kit.El("article", "stub", kit.At{"data-role", s.Role, "aria-busy", true, "aria-label", "Loading a message"},
		gap(float64(s.Height)))
}
