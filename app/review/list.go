package review

import (
	"encoding/json"
	"slices"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Entry is a comment as it is shown.
type Entry struct {
	wire.Comment
	Answers []Entry
	Fresh   bool          // came while one looked, and wasn't looked at
	Mine    bool          // one may change it
	May     bool          // one may delete it
	Busy    bool          // is being changed
	Trouble *wire.Problem // of changing it
	Waiting *Waiting      // the server doesn't have it yet
}

// Entries are the comments that are shown, in the order of the clip's time, with
// their answers.
func (t *Thread) Entries() []Entry {
	if t.entries == nil && t.Phase == Ready {
		t.entries = t.list()
	}
	return t.entries
}

func (t *Thread) list() []Entry {
	all := slices.Clone(t.Review.Comments)
	for _, w := range t.waiting {
		all = append(all, w.Comment)
	}
	slices.SortStableFunc(all, inOrder)
	answers := map[string][]Entry{}
	for _, c := range all {
		if c.Answers != "" && !c.Deleted {
			answers[c.Answers] = append(answers[c.Answers], t.entry(c))
		}
	}
	list := []Entry{}
	for _, c := range all {
		if c.Answers != "" || c.Deleted && len(answers[c.ID]) == 0 {
			continue
		}
		if t.OpenOnly && c.ResolvedMS != 0 || t.Only != 0 && c.Version != t.Only {
			continue
		}
		e := t.entry(c)
		e.Answers = answers[c.ID]
		list = append(list, e)
	}
	return list
}

func (t *Thread) entry(c wire.Comment) Entry {
	e := Entry{Comment: c, Fresh: t.fresh[c.ID], Busy: t.busy[c.ID], Trouble: t.troubles[c.ID], Waiting: t.waits(c.ID)}
	e.Mine = e.Waiting == nil && !c.Deleted && t.d.Comments() && c.Author == t.d.me()
	v := t.find(c.Version)
	e.May = e.Waiting == nil && !c.Deleted && t.d.Comments() && (e.Mine || v != nil && v.Clears)
	if e.Waiting != nil {
		e.Name = "You"
	}
	return e
}

// drawn is how many comments are drawn at once.
const drawn = 100

// Drawn are those of the Entries that are drawn, with how many there are before and
// after.
func (t *Thread) Drawn() (list []Entry, before, after int) {
	all := t.Entries()
	from := max(slices.IndexFunc(all, func(e Entry) bool { return e.ID == t.first }), 0)
	if at := slices.IndexFunc(all, func(e Entry) bool { return e.ID == t.Selected }); t.Selected != t.seen && at >= 0 {
		if t.seen = t.Selected; at < from || at >= from+drawn {
			from = at - drawn/2 // it is in the middle
		}
	}
	from = t.from(all, from)
	to := min(from+drawn, len(all))
	return all[from:to], from, len(all) - to
}

// from notes which comment is the first that is drawn.
func (t *Thread) from(all []Entry, from int) int {
	if from = max(min(from, len(all)-drawn), 0); from == 0 {
		t.first = ""
	} else {
		t.first = all[from].ID
	}
	return from
}

// Draw draws the comments before those that are drawn, or after.
func (t *Thread) Draw(later bool) {
	_, from, _ := t.Drawn()
	if later {
		from += drawn
	} else {
		from -= drawn
	}
	t.from(t.Entries(), from)
	t.changed()
}

// marked is how many marks a bar has at most.
const marked = 150

// Mark is a mark on the bar: of a comment, and of others so near that they have none
// of their own.
type Mark struct {
	Entry
	Others int
}

// Marks are the marks of comments in the order of the clip's time.
func Marks(list []Entry) []Mark {
	marks := make([]Mark, 0, min(len(list), marked))
	last := int64(0)
	for _, e := range list {
		last = max(last, e.AtMS)
	}
	for _, e := range list {
		n := len(marks) - 1
		switch {
		case e.Deleted:
		case len(list) > marked && n >= 0 && (e.AtMS-marks[n].AtMS)*marked < last:
			marks[n].Others++
			marks[n].Fresh = marks[n].Fresh || e.Fresh
		default:
			marks = append(marks, Mark{Entry: e})
		}
	}
	return marks
}

// Count is how many comments there are, answers aside, and how many of them
// aren't resolved.
func (t *Thread) Count() (all, open int) {
	for _, c := range t.Review.Comments {
		if c.Answers == "" && !c.Deleted {
			all++
			if c.ResolvedMS == 0 {
				open++
			}
		}
	}
	return all, open
}

// Select opens a comment, "" none, and says where in the clip it is.
func (t *Thread) Select(id string) (atMS int64, is bool) {
	t.Selected = id
	for _, e := range t.Entries() {
		if e.ID != id {
			continue
		}
		delete(t.fresh, id)
		for _, a := range e.Answers {
			delete(t.fresh, a.ID)
		}
		atMS, is = e.AtMS, true
	}
	t.changed()
	return atMS, is
}

// Beside is the comment that is so many on from the one that is open, or, if none
// is, from a time of the clip; "" where there is none.
func (t *Thread) Beside(by int, nowMS int64) string {
	list := t.Entries()
	at := slices.IndexFunc(list, func(e Entry) bool { return e.ID == t.Selected })
	if at < 0 { // between two of them
		at = slices.IndexFunc(list, func(e Entry) bool { return e.AtMS >= nowMS })
		if at < 0 {
			at = len(list)
		}
		if by > 0 {
			at--
		}
	}
	if at += by; at < 0 || at >= len(list) {
		return ""
	}
	return list[at].ID
}

// nearMS is how far from its time a comment's point is still drawn.
const nearMS = 400

// Points are the comments whose point is drawn at a time of the clip: what is open,
// and what is near.
func (t *Thread) Points(nowMS int64) []Entry {
	var list []Entry
	for _, e := range t.Entries() {
		near := e.AtMS-nowMS <= nearMS && nowMS-e.AtMS <= nearMS
		if e.X != nil && e.Y != nil && !e.Deleted && (e.ID == t.Selected || near && e.Version == t.Version && e.ResolvedMS == 0) {
			list = append(list, e)
		}
	}
	return list
}

// Resolve says of a comment that it is dealt with, or that it isn't.
func (t *Thread) Resolve(id string, resolved bool) {
	next := ""
	if t.OpenOnly && resolved && t.Selected == id { // it goes out of sight
		if next = t.Beside(1, 0); next == "" {
			next = t.Beside(-1, 0)
		}
	}
	t.change(wire.CommentEdit{ID: id, Resolved: &resolved}, func() {
		if next != "" {
			t.Selected = next
		}
	})
}

// Delete deletes a comment, for all and for good.
func (t *Thread) Delete(id string) { t.change(wire.CommentEdit{ID: id, Deleted: true}, func() {}) }

func (t *Thread) change(e wire.CommentEdit, done func()) {
	if t.busy[e.ID] {
		return
	}
	t.busy[e.ID] = true
	delete(t.troubles, e.ID)
	t.d.o.Server.Call(wire.OpCommentEdit, e, func(data json.RawMessage, p *wire.Problem) {
		var c wire.Comment
		p = session.Read(data, p, &c)
		delete(t.busy, e.ID)
		if t.Phase != Ready {
			return
		}
		if p != nil {
			t.troubles[e.ID] = p
		} else {
			t.put(c)
			done()
		}
		t.changed()
	})
	t.changed()
}
