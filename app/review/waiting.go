package review

import (
	"encoding/json"
	"slices"
	"strings"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Waiting is a comment that the server doesn't have yet.
type Waiting struct {
	wire.Comment
	Problem *wire.Problem // it was refused; nil as long as it is only late
	sending bool
}

// Sending says that it is on its way.
func (w *Waiting) Sending() bool { return w.sending }

func (t *Thread) waits(id string) *Waiting {
	for _, w := range t.waiting {
		if w.ID == id {
			return w
		}
	}
	return nil
}

// stored are the comments of a review that wait, of this tab or another.
func (d *Desk) stored(review string) (list []wire.Comment) {
	if json.Unmarshal([]byte(d.o.Storage.Get(waitingName+review)), &list) != nil {
		return nil // none, or of another build
	}
	return list
}

func (d *Desk) store(review string, list []wire.Comment) {
	if len(list) == 0 {
		d.o.Storage.Remove(waitingName + review)
	} else if b, err := json.Marshal(list); err == nil {
		d.o.Storage.Set(waitingName+review, string(b))
	}
}

// wait has a comment wait until the server has it.
func (t *Thread) wait(c wire.Comment) {
	t.waiting = append(t.waiting, &Waiting{Comment: c})
	t.d.store(c.Review, append(t.d.stored(c.Review), c))
}

// recall takes up what was waiting when the page was left.
func (t *Thread) recall() {
	for _, c := range t.d.stored(t.Review.ID) {
		if t.comment(c.ID) != nil {
			t.arrived(c.ID)
		} else if t.waits(c.ID) == nil && c.Review == t.Review.ID {
			t.waiting = append(t.waiting, &Waiting{Comment: c})
		}
	}
}

// sendWaiting sends what waits, with the ids that it has had from the start: the
// server takes each once.
func (t *Thread) sendWaiting() {
	for _, w := range slices.Clone(t.waiting) {
		if w.sending || w.Problem != nil {
			continue
		}
		w.sending = true
		t.d.o.Server.Call(wire.OpComment, w.Comment, func(data json.RawMessage, p *wire.Problem) {
			var c wire.Comment
			p = session.Read(data, p, &c)
			w.sending = false
			switch {
			case p == nil && t.Phase != Ready: // it went meanwhile
				t.d.unstore(w.Review, w.ID)
			case p == nil:
				t.put(c)
			case !session.Unanswered(p):
				w.Problem = p
			}
			t.changed()
		})
	}
}

// arrived forgets a comment that waited: the server has it.
func (t *Thread) arrived(id string) {
	t.waiting = slices.DeleteFunc(t.waiting, func(w *Waiting) bool { return w.ID == id })
	t.d.unstore(t.Review.ID, id)
}

func (d *Desk) unstore(review, id string) {
	if list := d.stored(review); list != nil {
		d.store(review, slices.DeleteFunc(list, func(c wire.Comment) bool { return c.ID == id }))
	}
}

// SendAgain sends a comment that was refused once more.
func (t *Thread) SendAgain(id string) {
	if w := t.waits(id); w != nil {
		w.Problem = nil
		t.sendWaiting()
		t.changed()
	}
}

// TakeBack puts a comment that was refused back to where it was typed, before
// what was typed since. It returns where that is.
func (t *Thread) TakeBack(id string) (slot string) {
	slot = New
	w := t.waits(id)
	if w == nil {
		return slot
	}
	t.arrived(id)
	if w.Answers != "" {
		slot = answerSlot(w.Answers)
	}
	d := t.Draft(slot)
	text := w.Text
	if since := strings.TrimSpace(d.Text); since != "" {
		text += "\n\n" + since
	}
	d.Text, d.Version, d.AtMS, d.X, d.Y, d.Picked = text, w.Version, w.AtMS, w.X, w.Y, append(d.Picked, w.Mentions...)
	t.keep(slot)
	t.changed()
	return slot
}
