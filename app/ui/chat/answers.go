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

// answers draws the texts of the answers on the page by direct DOM: closed
// blocks once, the open rest at most once a frame. The newest come first, so
// that opening a long conversation shows its end at once.
type answers struct {
	p     *Page
	draw  func() // with the next frame, what is queued and what is streaming
	views map[viewKey]*answerView
	queue []*answerView // what has something to draw; the last is next
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
	live   bool // it was seen growing, and is not drawn to its end
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

// queueStreaming queues the answers that are streaming.
func (a *answers) queueStreaming() {
	if c := a.p.chat.Current; c != nil {
		for i := range c.Lanes {
			if v := a.views[viewKey{i, c.Lanes[i].Leaf}]; v != nil {
				a.enqueue(v)
			}
		}
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

// work draws for as long as the budget lasts; what is left waits for the next
// frame.
func (a *answers) work() {
	a.queueStreaming()
	var again []*answerView
	for end := time.Now().Add(budget); len(a.queue) > 0; {
		v := a.queue[len(a.queue)-1]
		a.queue = a.queue[:len(a.queue)-1]
		v.queued = false
		m := a.message(v.id)
		if m == nil || a.views[v.viewKey] != v {
			continue
		}
		if v.step(a.p, m) {
			again = append(again, v)
		}
		if time.Now().After(end) {
			break
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
	a.queue = append(behind, a.queue...)
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
		v.live = true
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
