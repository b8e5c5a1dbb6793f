//go:build js && wasm

package chat

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/inspector"
	"screentest/app/ui/kit"
)

// lanes draws the lanes side by side. On a phone one is shown at a time, and
// tabs lead to the others.
func (p *Page) lanes(conversation string) app.UI {
	c := p.chat.Shown()
	n := len(c.Lanes)
	lanes := make([]app.UI, 0, n)
	for i := range c.Lanes {
		lanes = append(lanes, &Lane{
			p: p, Index: i, Rev: p.rev.thread, Choice: p.rev.lanes, Conversation: conversation,
			Window: p.threads.at(i).rev, Params: p.inspector.IsOpen() && p.inspector.Tab() == inspector.Params, Focused: i == p.chat.Shown().Focused, Count: n,
		})
	}
	return kit.El("div", "lanes-frame", kit.At{"data-lanes", n},
		&LaneTabs{p: p, Rev: p.rev.lanes, Thread: p.rev.thread, Count: n, Focused: p.chat.Shown().Focused},
		kit.El("div", "lanes", kit.At{"id", "lanes"}, lanes),
		&Ballot{p: p, Rev: p.rev.lanes, Thread: p.rev.thread},
	)
}

// LaneTabs lead from lane to lane on a phone.
type LaneTabs struct {
	app.Compo
	p       *Page
	Rev     int
	Thread  int
	Count   int
	Focused int

	shown int // the tab that was brought into view
}

// OnUpdate implements app.Updater: the tab of the lane in focus is in view.
func (t *LaneTabs) OnUpdate(ctx app.Context) {
	if t.shown == t.Focused {
		return
	}
	t.shown = t.Focused
	ctx.Defer(func(app.Context) {
		defer t.p.Guard("the tabs")
		t.p.Reveal("lane-tab-" + strconv.Itoa(t.Focused))
	})
}

// Render implements app.Composer.
func (t *LaneTabs) Render() (ui app.UI) {
	p := t.p
	defer p.Drawing("the tabs", &ui)
	if t.Count < 2 {
		return kit.Nothing()
	}
	c := p.chat.Shown()
	var tabs []kit.Choice
	for i := range c.Lanes {
		more := []any{kit.Box("span", "cut", shortName(p.chat.Lane(i).Name()))}
		if c.Lane(i).Running() {
			more = append(more, kit.Box("span", "dot live"))
		}
		tabs = append(tabs, kit.Choice{ID: "lane-tab-" + strconv.Itoa(i), On: i == t.Focused, More: more,
			At: kit.At{"aria-controls", threadID("lane", i)}, Do: p.Do("tab "+strconv.Itoa(i), func() { p.focusLane(i) })})
	}
	return p.Tabs("Lanes", "lane-tabs", "", tabs)
}

// shortName leaves the prefix out of a model's id.
func shortName(id string) string {
	for i := len(id) - 1; i > 0; i-- {
		if id[i] == '/' {
			return id[i+1:]
		}
	}
	return id
}

func (p *Page) focusLane(lane int) {
	p.chat.Lane(lane).Focus()
	if t := p.threads.at(lane); t.stuck {
		p.Context().Defer(func(app.Context) {
			defer p.Guard("the lane")
			t.toEnd()
		})
	}
}

// addLane opens a lane and lets its model be chosen.
func (p *Page) addLane() {
	id := p.nextModel()
	if !p.chat.Shown().AddLane(id) {
		return
	}
	lane := p.chat.Shown().Focused
	p.threads.stick()
	p.Context().Defer(func(app.Context) {
		defer p.Guard("a new lane")
		p.After(0, func() {
			p.Reveal(threadID("lane", lane))
			p.picker.show(lane)
		})
	})
}

// nextModel is the first model that no lane has.
func (p *Page) nextModel() string {
	used := map[string]bool{}
	for i := range p.chat.Shown().Lanes {
		used[p.chat.Lane(i).Model()] = true
	}
	for _, m := range p.session.Models {
		if !used[m.ID] {
			return m.ID
		}
	}
	return p.chat.Focused().Model()
}

// laneActions are what can be done with a whole lane.
func (l *Lane) laneActions() []app.UI {
	p, i := l.p, l.Index
	c := p.chat.Shown()
	if i >= len(c.Lanes) {
		return nil
	}
	running := c.Lane(i).Running()
	m := c.Message(c.Lanes[i].Leaf)
	stopping := m != nil && m.Stopping()
	return []app.UI{
		kit.IconButton("small lane-params", "Parameters of this model", kit.IconSettings, kit.At{"id", threadID("lane-params", i), "hidden", p.Guest || c.Hidden(),
			"aria-expanded", l.Params && l.Focused, "aria-controls", "drawer"},
			p.Do("params", func() { p.inspector.ToggleParams(i) })),
		kit.IconButton("small lane-stop", "Stop this answer", kit.IconStop, kit.At{"hidden", !running || l.Count < 2, "disabled", stopping}, p.Do("stop lane", func() { p.chat.Lane(i).Stop(); p.FocusComposer() })),
		kit.El("button", "link lane-keep", kit.At{"type", "button", "hidden", l.Count < 2 || p.chat.Current == nil,
			"aria-label", "Keep this one, close the others", "title", "Continue with this model only. The others close; you can undo this.",
			"onclick", p.Do("keep lane", func() { p.threads.stick(); p.chat.Lane(i).KeepOnly(); p.FocusComposer() })},
			"Keep", kit.Box("span", "lane-keep-more", " this one")),
		kit.IconButton("small", "Close this lane", kit.IconClose, kit.At{"hidden", l.Count < 2}, p.Do("close lane", func() { p.threads.stick(); p.chat.Lane(i).Close(); p.FocusComposer() })),
	}
}
