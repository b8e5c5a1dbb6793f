package notices

import (
	"encoding/json"
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

type call struct {
	op   wire.Op
	args any
	done session.Done
}

// world is a Desk with the other end of its line in the test's hands.
type world struct {
	*Desk
	t       *testing.T
	calls   []call
	looking bool
	told    int
}

func newWorld(t *testing.T) *world {
	w := &world{t: t}
	w.Desk = NewDesk(Options{Server: w, Looking: func() bool { return w.looking }, Changed: func() {}, Tell: func(wire.Notice) { w.told++ }})
	return w
}

func (w *world) Call(op wire.Op, args any, done session.Done) {
	w.calls = append(w.calls, call{op, args, done})
}
func (w *world) Once(op wire.Op, args any, done session.Done) { w.Call(op, args, done) }

func (w *world) answer(op wire.Op, v any) any {
	w.t.Helper()
	if len(w.calls) == 0 || w.calls[0].op != op {
		w.t.Fatalf("asked is %+v, want %s", w.calls, op)
	}
	c := w.calls[0]
	w.calls = w.calls[1:]
	data, _ := json.Marshal(v)
	if c.done != nil {
		c.done(data, nil)
	}
	return c.args
}

func (w *world) stands(unseen, all int) {
	w.t.Helper()
	if w.Unseen != unseen || len(w.List) != all {
		w.t.Errorf("%d of %d are new, want %d of %d", w.Unseen, len(w.List), unseen, all)
	}
}

// What is new counts until it is looked at, here or in another tab, and stays
// marked for who looks.
func TestNoticesAreSeen(t *testing.T) {
	w := newWorld(t)
	w.News(session.Greeting{}) // alone
	if len(w.calls) != 0 {
		t.Fatalf("asked is %+v", w.calls)
	}
	w.News(session.Greeting{Me: &wire.Me{}})
	w.answer(wire.OpNotices, wire.Notices{Notices: []wire.Notice{{ID: "b"}, {ID: "a", Seen: true}}, Unseen: 3, Before: "x"})
	w.stands(3, 2)
	w.News(wire.Notice{ID: "c"})
	w.News(wire.Notice{ID: "c"}) // told and fetched
	w.stands(4, 3)
	if w.told != 1 {
		t.Errorf("told %d times", w.told)
	}
	w.looking = true
	w.Look()
	if to := w.answer(wire.OpNoticesSeen, nil).(wire.Target); to.ID != "c" {
		t.Errorf("seen is %+v", to)
	}
	w.stands(0, 3)
	if !w.Fresh(w.List[0]) || !w.Fresh(w.List[1]) || w.Fresh(w.List[2]) {
		t.Error("what was new isn't marked")
	}
	w.Look() // nothing is new
	w.News(wire.Notice{ID: "d"})
	w.answer(wire.OpNoticesSeen, nil)
	if w.told != 1 || len(w.calls) != 0 {
		t.Errorf("told %d times while one looks; asked is %+v", w.told, w.calls)
	}
	w.looking = false
	w.Leave()
	if w.Fresh(w.List[0]) {
		t.Error("it stays marked")
	}
	w.News(wire.Notice{ID: "e"})
	w.News(wire.Notice{ID: "f"})
	w.News(session.NoticesSeen{ID: "e"})
	w.stands(1, 6)
	w.News(session.NoticesSeen{ID: "of long ago"})
	w.stands(1, 6)
	w.FetchMore()
	w.FetchMore()
	if p := w.answer(wire.OpNotices, wire.Notices{Notices: []wire.Notice{{ID: "0"}}, Unseen: 1}).(wire.Page); p.Before != "x" {
		t.Errorf("asked for %+v", p)
	}
	w.FetchMore()
	w.stands(1, 7)
	if len(w.calls) != 0 || w.More() {
		t.Errorf("asked is %+v", w.calls)
	}
}

// One that comes while a page is on its way, which may have been read before it, stays
// and is counted.
func TestANoticeBesideAPage(t *testing.T) {
	w := newWorld(t)
	w.News(session.Greeting{Me: &wire.Me{}})
	w.News(wire.Notice{ID: "b"})
	w.answer(wire.OpNotices, wire.Notices{Notices: []wire.Notice{{ID: "a", Seen: true}}, Before: "x"})
	w.stands(1, 2)
	w.FetchMore()
	w.News(wire.Notice{ID: "c"})
	w.answer(wire.OpNotices, wire.Notices{Notices: []wire.Notice{{ID: "old", Seen: true}}, Unseen: 1})
	w.stands(2, 4)
	w.Fetch()
	w.News(wire.Notice{ID: "d"})
	w.answer(wire.OpNotices, wire.Notices{Notices: []wire.Notice{{ID: "d"}, {ID: "c"}, {ID: "b"}, {ID: "a", Seen: true}}, Unseen: 3})
	w.stands(3, 4)
	if len(w.calls) != 0 {
		t.Errorf("asked is %+v", w.calls)
	}
}
