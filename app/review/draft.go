package review

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Names in the Storage, each followed by the review's id, and that of a draft by
// what it is for.
const (
	draftName   = "screentest.review.draft."
	waitingName = "screentest.review.unsent."
)

// Slots: what is typed for. New is a comment, Note what goes with a state.
const (
	New  = "new"
	Note = "note"
)

func answerSlot(comment string) string { return "answer." + comment }
func editSlot(comment string) string   { return "edit." + comment }

// AnswerSlot is where an answer to a comment is typed.
func AnswerSlot(comment string) string { return answerSlot(comment) }

// EditSlot is where a comment is changed.
func EditSlot(comment string) string { return editSlot(comment) }

// Draft is what is typed and not sent.
type Draft struct {
	Text string `json:"text"`
	// Version is that on which a new comment was begun; 0 is the one that is played.
	Version int      `json:"version,omitempty"`
	AtMS    int64    `json:"at_ms,omitempty"`
	X       *int     `json:"x,omitempty"`
	Y       *int     `json:"y,omitempty"`
	Picked  []string `json:"picked,omitempty"` // people who were chosen of the list
	// Problem says why it could not be sent.
	Problem *wire.Problem `json:"-"`
}

// Draft is what is typed in a slot; never nil.
func (t *Thread) Draft(slot string) *Draft {
	d := t.drafts[slot]
	if d == nil {
		d = &Draft{}
		if t.Phase == Ready {
			if json.Unmarshal([]byte(t.d.o.Storage.Get(t.draftName(slot))), d) != nil {
				*d = Draft{} // none, or of another build
			}
			t.drafts[slot] = d
		}
	}
	return d
}

func (t *Thread) draftName(slot string) string { return draftName + t.Review.ID + "." + slot }

// Type keeps what is typed.
func (t *Thread) Type(slot, text string) {
	d := t.Draft(slot)
	if slot == New && d.Empty() {
		d.Version = t.Version
	}
	d.Text, t.sent = text, false
	if d.Problem != nil {
		d.Problem = nil
		t.changed()
	}
	t.keep(slot)
}

func (t *Thread) keep(slot string) {
	d := t.Draft(slot)
	if d.Text == "" && d.X == nil {
		t.d.o.Storage.Remove(t.draftName(slot))
		return
	}
	if b, err := json.Marshal(d); err == nil {
		t.d.o.Storage.Set(t.draftName(slot), string(b))
	}
}

func (t *Thread) dropDraft(slot string) {
	t.d.o.Storage.Remove(t.draftName(slot))
	delete(t.drafts, slot)
}

// Open begins to type in a slot: where a comment is changed, with its text, unless
// one has typed there already.
func (t *Thread) Open(slot string) {
	if id, is := strings.CutPrefix(slot, "edit."); is && t.Draft(slot).Text == "" {
		if c := t.comment(id); c != nil {
			t.Draft(slot).Text = c.Text
			t.keep(slot)
		}
	}
	t.changed()
}

// About is the comment that a slot is about, nil if it is about none that is there.
func (t *Thread) About(slot string) *wire.Comment {
	_, id, _ := strings.Cut(slot, ".")
	return t.comment(id)
}

// Discard forgets what is typed in a slot.
func (t *Thread) Discard(slot string) {
	t.dropDraft(slot)
	t.changed()
}

// rescue makes of an answer that is typed to a comment which is there no more a new
// comment.
func (t *Thread) rescue(to wire.Comment) {
	d := t.Draft(answerSlot(to.ID))
	text := strings.TrimSpace(d.Text)
	if text == "" {
		return
	}
	n := t.Draft(New)
	if n.Empty() {
		n.Version, n.AtMS = to.Version, to.AtMS
	} else {
		text = n.Text + "\n\n" + text
	}
	n.Text, n.Picked = text, append(n.Picked, d.Picked...)
	t.dropDraft(answerSlot(to.ID))
	t.keep(New)
}

// Empty says that nothing is typed for a new comment, so that its time is still
// that of the player.
func (d *Draft) Empty() bool { return strings.TrimSpace(d.Text) == "" && d.X == nil }

// SetTime puts the new comment at a time of the clip.
func (t *Thread) SetTime(ms int64) {
	d := t.Draft(New)
	d.Version, d.AtMS = t.Version, max(ms, 0)
	t.keep(New)
	t.changed()
}

// Point puts the new comment at a point of the frame, in FramePoints; one that is
// outside is put on the edge.
func (t *Thread) Point(x, y int) {
	x, y = min(max(x, 0), wire.FramePoints), min(max(y, 0), wire.FramePoints)
	d := t.Draft(New)
	if d.Version != t.Version { // the frame is of another
		d.Version, d.AtMS = t.Version, 0
	}
	d.X, d.Y = &x, &y
	t.keep(New)
	t.changed()
}

// NoPoint takes the point away again.
func (t *Thread) NoPoint() {
	d := t.Draft(New)
	d.X, d.Y = nil, nil
	t.keep(New)
	t.changed()
}

// Pick notes who was chosen of the list of people.
func (t *Thread) Pick(slot, person string) {
	d := t.Draft(slot)
	if !slices.Contains(d.Picked, person) {
		d.Picked = append(d.Picked, person)
	}
	t.keep(slot)
}

// comment is one that the server has, nil if there is none.
func (t *Thread) comment(id string) *wire.Comment {
	for i := range t.Review.Comments {
		if c := &t.Review.Comments[i]; c.ID == id {
			return c
		}
	}
	return nil
}

// Send sends what is typed in a slot. What is wrong with it is the draft's Problem.
func (t *Thread) Send(slot string) (sent bool) {
	d := t.Draft(slot)
	text := strings.TrimSpace(d.Text)
	switch {
	case t.Phase != Ready, text == "" && t.sent: // which may be a double click
		return false
	case text == "":
		d.Problem = &wire.Problem{Code: "bad_field", Field: "text", Message: "The comment is empty.", Hint: "Write a comment first."}
	case len(text) > wire.MaxComment:
		d.Problem = &wire.Problem{Code: "bad_field", Field: "text",
			Message: fmt.Sprintf("A comment has up to %d bytes; this one has %d.", wire.MaxComment, len(text)), Hint: "Shorten it or split it in two."}
	default:
		d.Problem = nil
	}
	if d.Problem != nil {
		t.changed()
		return false
	}
	if id, is := strings.CutPrefix(slot, "edit."); is {
		t.edit(id, text)
		return true
	}
	on := t.Version
	if t.Has(d.Version) {
		on = d.Version
	}
	c := wire.Comment{ID: t.d.o.NewID(), Review: t.Review.ID, Version: on, Text: text, AtMS: d.AtMS, X: d.X, Y: d.Y,
		Mentions: Mentioned(text, t.Review.People, d.Picked)}
	if id, is := strings.CutPrefix(slot, "answer."); is {
		to := t.comment(id)
		if to == nil {
			return false
		}
		c.Answers, c.Version, c.AtMS, c.X, c.Y = id, to.Version, to.AtMS, nil, nil
	}
	t.wait(c)
	t.sent = true
	t.dropDraft(slot)
	t.sendWaiting()
	t.changed()
	return true
}

// edit sends another text of a comment. It stays a draft until the server has it.
func (t *Thread) edit(id, text string) {
	if t.busy[id] {
		return
	}
	t.busy[id] = true
	delete(t.troubles, id)
	t.d.o.Server.Call(wire.OpCommentEdit, wire.CommentEdit{ID: id, Text: &text}, func(data json.RawMessage, p *wire.Problem) {
		var c wire.Comment
		p = session.Read(data, p, &c)
		delete(t.busy, id)
		if t.Phase != Ready {
			return
		}
		if p != nil {
			t.Draft(editSlot(id)).Problem, t.troubles[id] = p, p // the field may be another's by now
		} else {
			t.put(c)
			t.dropDraft(editSlot(id))
		}
		t.changed()
	})
	t.changed()
}
