//go:build js && wasm

package ui

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/model"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// lanes draws the lanes side by side. On a phone one is shown at a time, and
// tabs lead to the others.
func (p *page) lanes(conversation string) app.UI {
	c := p.desk.On()
	n := len(c.Lanes)
	lanes := make([]app.UI, 0, n)
	for i := range c.Lanes {
		lanes = append(lanes, &Lane{
			p: p, Index: i, Rev: p.rev.thread, Choice: p.rev.composer, Conversation: conversation,
			Window: p.threads.at(i).rev, Focused: i == p.desk.Focused, Count: n,
		})
	}
	return app.Div().Class("lanes-frame").DataSet("lanes", n).Body(
		&LaneTabs{p: p, Rev: p.rev.composer, Thread: p.rev.thread, Count: n, Focused: p.desk.Focused},
		app.Div().ID("lanes").Class("lanes").Body(lanes...),
		&Ballot{p: p, Rev: p.rev.composer, Thread: p.rev.thread},
	)
}

// LaneTabs lead from lane to lane on a phone.
type LaneTabs struct {
	app.Compo
	p       *page
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
		t.p.reveal("lane-tab-" + strconv.Itoa(t.Focused))
	})
}

// reveal scrolls an element into view, sideways too, if it is out of it.
func (p *page) reveal(id string) {
	if e := p.DOM.ByID(id); e.Truthy() {
		e.Call("scrollIntoView", map[string]any{"inline": "nearest", "block": "nearest"})
	}
}

// Render implements app.Composer.
func (t *LaneTabs) Render() (ui app.UI) {
	p := t.p
	defer p.Drawing("the tabs", &ui)
	tabs := app.Div().Class("lane-tabs").Role("tablist").Aria("label", "Lanes").Hidden(t.Count < 2)
	if t.Count < 2 {
		return tabs
	}
	c := p.desk.On()
	return tabs.Body(app.Range(c.Lanes).Slice(func(i int) app.UI {
		live := c.LaneRunning(i)
		return app.Button().ID("lane-tab-"+strconv.Itoa(i)).Class("lane-tab").Type("button").Role("tab").
			Aria("selected", i == t.Focused).Aria("controls", threadID("lane", i)).
			OnClick(p.On("tab "+strconv.Itoa(i), func(app.Context, app.Event) { p.focusLane(i) })).
			Body(
				app.If(live, func() app.UI { return app.Span().Class("dot live") }),
				app.Span().Class("lane-tab-name").Text(shortName(p.desk.LaneName(i))),
			)
	}))
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

func (p *page) focusLane(lane int) {
	p.desk.Focus(lane)
	if t := p.threads.at(lane); t.stuck {
		p.Context().Defer(func(app.Context) {
			defer p.Guard("the lane")
			t.toEnd()
		})
	}
}

// addLane opens a lane and lets its model be chosen.
func (p *page) addLane() {
	id := p.nextModel()
	if !p.desk.AddLane(id) {
		return
	}
	lane := p.desk.Focused
	p.threads.stick()
	p.Context().Defer(func(app.Context) {
		defer p.Guard("a new lane")
		p.After(0, func() {
			p.reveal(threadID("lane", lane))
			p.openPicker(lane)
		})
	})
}

// nextModel is the first model that no lane has.
func (p *page) nextModel() string {
	used := map[string]bool{}
	for i := range p.desk.On().Lanes {
		used[p.desk.LaneModel(i)] = true
	}
	for _, m := range p.desk.Models {
		if !used[m.ID] {
			return m.ID
		}
	}
	return p.desk.LaneModel(p.desk.Focused)
}

// Ballot is where a blind comparison is decided; afterwards it says how.
type Ballot struct {
	app.Compo
	p      *page
	Rev    int
	Thread int
}

// Render implements app.Composer.
func (b *Ballot) Render() (ui app.UI) {
	p := b.p
	defer p.Drawing("the vote", &ui)
	hidden, verdict := p.desk.Hidden(), p.desk.Verdict()
	box := app.Div().ID("ballot").Class("ballot").Role("group").Aria("label", "Vote").Hidden(!hidden && verdict == "")
	switch {
	case hidden:
		ready := p.desk.CanVote()
		words := "Which answer is the best? The names are shown after your vote."
		if !ready {
			words = "The names are hidden. You can vote when every answer has ended."
		}
		vote := func(lane int, name string) app.UI {
			return app.Button().ID("vote-" + name).Class("button").Type("button").Disabled(!ready).Text(name).
				OnClick(p.On("vote "+name, func(app.Context, app.Event) { p.desk.Vote(lane); p.focusComposer() }))
		}
		buttons := []app.UI{app.Span().Class("ballot-words").Text(words)}
		for i := range p.desk.Current.Lanes {
			buttons = append(buttons, vote(i, model.Letter(i)))
		}
		return box.Body(append(buttons, vote(model.Tie, "Tie"))...)
	case verdict != "":
		return box.Body(app.Span().Class("ballot-words").Role("status").Text(verdict))
	}
	return box
}

// laneActions are what can be done with a whole lane.
func (l *Lane) laneActions() []app.UI {
	p, i := l.p, l.Index
	c := p.desk.On()
	if i >= len(c.Lanes) {
		return nil
	}
	running := c.LaneRunning(i)
	m := c.Message(c.Lanes[i].Leaf)
	stopping := m != nil && m.Stopping()
	return []app.UI{
		app.Button().Class("icon-button small lane-stop").Type("button").Hidden(!running || l.Count < 2).Disabled(stopping).
			Aria("label", "Stop this answer").Title("Stop this answer").
			OnClick(p.On("stop lane", func(app.Context, app.Event) { p.desk.StopLane(i); p.focusComposer() })).
			Body(kit.Icon(kit.IconStop, "icon small")),
		app.Button().Class("link-button lane-keep").Type("button").Hidden(l.Count < 2 || p.desk.Current == nil).
			Aria("label", "Keep this one, close the others").Title("Go on with this one alone; the other lanes close, and you can undo that").
			OnClick(p.On("keep lane", func(app.Context, app.Event) { p.threads.stick(); p.desk.KeepOnly(i); p.focusComposer() })).
			Body(app.Text("Keep"), app.Span().Class("lane-keep-more").Text(" this one")),
		app.Button().Class("icon-button small lane-close").Type("button").Hidden(l.Count < 2).
			Aria("label", "Close this lane").Title("Close this lane").
			OnClick(p.On("close lane", func(app.Context, app.Event) { p.threads.stick(); p.desk.RemoveLane(i); p.focusComposer() })).
			Body(kit.Icon(kit.IconClose, "icon")),
	}
}

// full says that no lane can be added.
func (p *page) full() bool { return len(p.desk.On().Lanes) >= wire.MaxLanes }
