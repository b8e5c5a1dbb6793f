package video

import (
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// What is deleted stands among the deleted ones alone, from where it can be
// had back or go for good.
func TestDeletedClipsStandApart(t *testing.T) {
	trash := func(t *testing.T) *pane {
		t.Helper()
		p := opened(t, "", task(2, wire.VideoDone), task(1, wire.VideoDone))
		p.Delete("t002")
		p.asked(wire.OpVideoDelete).answer(nil)
		p.Find(Filter{Standing: Trashed})
		p.list("t002")
		c := p.asked(wire.OpVideoTasks)
		if q := p.query(c); !q.Deleted || len(q.States) != 0 {
			t.Errorf("asked for %+v", q)
		}
		gone := task(2, wire.VideoDone)
		gone.Version, gone.Deleted, gone.DeletedMS = 2, true, noon.UnixMilli()
		c.answer(wire.VideoPage{Tasks: []wire.VideoTask{gone}})
		p.list("t002")
		if all := p.All(); len(all) != 1 || all[0].ID != "t001" {
			t.Errorf("%d are offered to make something of", len(all))
		}
		for _, o := range p.Offers(p.Get("t002")) {
			if o.Enabled || o.Reason != NotDeleted {
				t.Errorf("%+v", o)
			}
		}
		return p
	}
	t.Run("restored", func(t *testing.T) {
		p := trash(t)
		p.Restore("t002")
		p.list()
		back := task(2, wire.VideoDone)
		back.Version = 3
		p.asked(wire.OpVideoUndelete).answer(back)
		p.Find(Filter{})
		p.list("t002", "t001")
	})
	t.Run("the server can't restore it", func(t *testing.T) {
		p := trash(t)
		p.Restore("t002")
		p.asked(wire.OpVideoUndelete).done(nil, &wire.Problem{Code: "not_found", Message: "It is gone."})
		p.list("t002")
		if len(p.Notices.List) != 1 {
			t.Errorf("told %+v", p.Notices.List)
		}
	})
	t.Run("for good", func(t *testing.T) {
		p := trash(t)
		done := false
		p.Purge("t002", func() { done = true })
		p.list("t002") // until it is
		p.asked(wire.OpVideoPurge).answer(nil)
		p.list()
		if !done || p.Get("t002") != nil {
			t.Error("it is still known")
		}
	})
	t.Run("for good in another tab", func(t *testing.T) {
		p := trash(t)
		p.News(session.TaskPurged{ID: "t002"})
		p.list()
	})
	t.Run("deleted in another tab while one looks at them", func(t *testing.T) {
		p := trash(t)
		p.News(session.TaskDeleted{ID: "t001"})
		p.list("t002", "t001")
		p.News(session.TaskDeleted{ID: "t009"}) // that this tab has never seen
		if q := p.query(p.asked(wire.OpVideoTasks)); !q.Deleted {
			t.Errorf("asked for %+v", q)
		}
	})
	t.Run("it ends meanwhile", func(t *testing.T) {
		running := task(5, wire.VideoRunning)
		p := opened(t, "", running)
		p.o.Seen = func() bool { return false }
		p.Delete("t005")
		p.asked(wire.OpVideoDelete).answer(nil)
		ended := task(5, wire.VideoDone)
		ended.Version, ended.Deleted = 3, true
		p.News(ended)
		p.list()
		if len(p.Notices.List) != 0 || p.Notices.Unseen != 0 {
			t.Errorf("told %+v", p.Notices.List)
		}
	})
}

func TestWordsOfADeletion(t *testing.T) {
	running := task(1, wire.VideoRunning)
	running.Charged, running.PriceNanoUSD = true, 400_000_000
	if words := ChargedOn(&running); !strings.Contains(words, "stays charged") {
		t.Errorf("of a running one: %q", words)
	}
	done := task(2, wire.VideoDone)
	if words := ChargedOn(&done); words != "" {
		t.Errorf("of a finished one: %q", words)
	}
	if NotPurged(&done) != "" || NotPurged(&running) == "" {
		t.Error("what is under way goes for good, or what has ended does not")
	}
	at := noon.UnixMilli()
	var said []string
	for _, days := range []int{0, 1, 28, 29, 31} {
		done.Deleted, done.DeletedMS = true, at
		said = append(said, KeptWords(&done, noon.Add(time.Duration(days)*24*time.Hour)))
	}
	want := []string{"Deleted for good in 30 days", "Deleted for good in 29 days", "Deleted for good in 2 days", "Deleted for good within a day", "Deleted for good within a day"}
	if !slices.Equal(said, want) {
		t.Errorf("%q", said)
	}
}

// One that is under way has its 30 days too, however early it ends; only after
// them does it wait for its end.
func TestAClipDeletedWhileItIsMadeIsKeptAsLong(t *testing.T) {
	running := task(1, wire.VideoRunning)
	running.Deleted, running.DeletedMS = true, noon.UnixMilli()
	var said []string
	for _, days := range []int{0, 28, 29, 31} {
		said = append(said, KeptWords(&running, noon.Add(time.Duration(days)*24*time.Hour)))
	}
	want := []string{"Deleted for good in 30 days", "Deleted for good in 2 days", "Deleted for good once it has ended", "Deleted for good once it has ended"}
	if !slices.Equal(said, want) {
		t.Errorf("%q", said)
	}
}
