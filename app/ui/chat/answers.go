//go:build js && wasm

package chat

import (
	"slices"
	"time"

	"screentest/app/chat"
	"screentest/app/ui/prose"
)

// budget is how long texts are drawn for in one frame; what is left waits for
// the next.
const budget = 7 * time.Millisecond

// Answers that are growing take turns: a frame draws the next of them until share
// is used up, for the browser takes several times as long to lay out and paint what
// was drawn. So each lane has fewer frames where there are many, and the page keeps
// all of its. A lane that is out of view is drawn every so often only.
const (
	share        = 1200 * time.Microsecond
	everySoOften = 400 * time.Millisecond
)

// answers draws the texts of the answers on the page by direct DOM: closed
// blocks once, the open rest at most once a frame. The newest come first, so
// that opening a long conversation shows its end at once.
type answers struct {
	p     *Page
	draw  func() // with the next frame, what is queued and what is streaming
	views map[viewKey]*answerView
	queue []*answerView // what has something to draw; the last is next
	later bool          // what is growing out of view is looked at again
}

func newAnswers(p *Page) *answers {
	a := &answers{p: p, views: map[viewKey]*answerView{}}
	a.draw = p.Waker(a.work)
	return a
}

// viewKey names an answer in the document: two lanes may show the same one.
type viewKey struct {
	lane int
	id   string
}

// answerView is one answer in the document.
type answerView struct {
	viewKey
	text   *prose.View // in the message's body
	fresh  int         // Answer.Replaced when drawing began
	queued bool
	live   bool      // it was seen growing, and is not drawn to its end
	drawn  time.Time // when it was last, while it grows
	extras extras
}

// mount puts the answer id into its message's body. One that is complete stands
// there as it was written until it is drawn.
func (a *answers) mount(lane int, id string) {
	host, m := a.p.DOM.ByID(partID("body", lane, id)), a.message(id)
	if !host.Truthy() || m == nil {
		return
	}
	v := &answerView{viewKey: viewKey{lane, id}, text: a.p.pen.New(host)}
	a.views[v.viewKey] = v
	if !m.Running() {
		v.text.ShowRaw(m.Content())
	}
	a.push(v)
}

func (a *answers) unmount(lane int, id string) {
	if v := a.views[viewKey{lane, id}]; v != nil {
		v.text.EndRepair()
		delete(a.views, v.viewKey)
	}
}

// refresh looks at an answer again: its text may be another, or at its end.
func (a *answers) refresh(lane int, id string) {
	if v := a.views[viewKey{lane, id}]; v != nil {
		a.push(v)
	}
}

// queueStreaming queues the answers that are streaming, and those out of view when
// it is their time.
func (a *answers) queueStreaming() {
	c := a.p.chat.Current
	if c == nil {
		return
	}
	for i := range c.Lanes {
		v := a.views[viewKey{i, c.Lanes[i].Leaf}]
		switch {
		case v == nil:
		case v.live && !a.p.threads.at(i).seen && c.Lane(i).Running() && time.Since(v.drawn) < everySoOften:
			a.drawLater()
		default:
			a.enqueue(v)
		}
	}
}

// drawLater draws what is growing out of view, should nothing else have it drawn.
func (a *answers) drawLater() {
	if !a.later {
		a.later = true
		a.p.After(everySoOften, func() {
			a.later = false
			a.draw()
		})
	}
}

// push has an answer drawn with the next frame.
func (a *answers) push(v *answerView) {
	a.enqueue(v)
	a.draw()
}

func (a *answers) enqueue(v *answerView) {
	if !v.queued {
		v.queued = true
		if v.live { // behind those that wait since the last frame
			a.queue = slices.Insert(a.queue, 0, v)
		} else {
			a.queue = append(a.queue, v)
		}
	}
}

func (a *answers) message(id string) *chat.Message {
	if c := a.p.chat.Current; c != nil {
		return c.Message(id)
	}
	return nil
}

// work draws for as long as the budget lasts, and of what is growing for as long as
// its share; what is left waits for the next frame.
func (a *answers) work() {
	a.queueStreaming()
	var again, waiting []*answerView
	began := time.Now()
	for len(a.queue) > 0 && time.Since(began) < budget {
		v := a.queue[len(a.queue)-1]
		a.queue = a.queue[:len(a.queue)-1]
		m := a.message(v.id)
		if m == nil || a.views[v.viewKey] != v {
			v.queued = false
			continue
		}
		if m.Running() && time.Since(began) >= share {
			waiting = append(waiting, v)
			continue
		}
		v.queued = false
		if v.step(a.p, m) {
			again = append(again, v)
		}
	}
	// What is still running waits behind the others, so that no lane starves;
	// what is whole is drawn to its end first.
	var behind []*answerView
	for i := len(again) - 1; i >= 0; i-- {
		v := again[i]
		v.queued = true
		if m := a.message(v.id); m != nil && m.Running() {
			behind = append(behind, v)
		} else {
			a.queue = append(a.queue, v)
		}
	}
	slices.Reverse(waiting)
	a.queue = slices.Concat(behind, waiting, a.queue)
	if len(a.queue) > 0 {
		a.draw()
	}
}

// step draws one slice and says whether more is left.
func (v *answerView) step(p *Page, m *chat.Message) bool {
	r := m.Reply()
	if r != nil && r.Replaced != v.fresh {
		v.text.Clear()
		v.fresh = r.Replaced
	}
	v.extras.draw(p, v.lane, m)
	running := m.Running()
	more := v.text.Grow(m.Content(), !running)
	switch {
	case running:
		v.live, v.drawn = true, time.Now()
		if !more {
			v.text.ShowCaret()
		}
	case v.live && !more:
		v.live = false
		m.Rev++ // its state may be shown now
		p.changed(chat.PartThread)
	}
	return more
}

// growing says that an answer whose run is over is not yet drawn to its end.
func (a *answers) growing(lane int, id string) bool {
	v := a.views[viewKey{lane, id}]
	return v != nil && v.live
}
