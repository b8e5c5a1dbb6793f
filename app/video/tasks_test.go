package video

import (
	"testing"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestTasksOfAPage(t *testing.T) {
	p := opened(t, "c1", task(3, wire.VideoDone), task(2, wire.VideoFailed))
	p.list("t003", "t002")
	if !p.Ready || !p.More || p.Loading {
		t.Errorf("ready %v, more %v, loading %v", p.Ready, p.More, p.Loading)
	}

	p.FetchMore()
	p.FetchMore() // one at a time
	more := p.asked(wire.OpVideoTasks)
	if q := p.query(more); q.Before != "c1" {
		t.Errorf("asked before %q", q.Before)
	}
	if len(p.calls) != 0 {
		t.Errorf("asked twice: %v", p.calls)
	}
	more.answer(wire.VideoPage{Tasks: []wire.VideoTask{task(1, wire.VideoDone), task(2, wire.VideoFailed)}})
	p.list("t003", "t002", "t001")
	if p.More {
		t.Error("there is more after the last page")
	}
}

func TestTasksFollowNews(t *testing.T) {
	t.Run("a new task comes first", func(t *testing.T) {
		p := opened(t, "", task(1, wire.VideoDone))
		p.News(task(2, wire.VideoQueued))
		p.list("t002", "t001")
	})
	t.Run("an older version changes nothing", func(t *testing.T) {
		done := task(1, wire.VideoDone)
		done.Version = 7
		p := opened(t, "", done)
		late := task(1, wire.VideoRunning)
		late.Version = 6
		p.News(late)
		if got := p.Get("t001").State; got != wire.VideoDone {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("a task older than the pages so far waits for its page", func(t *testing.T) {
		p := opened(t, "more", task(5, wire.VideoDone))
		p.News(task(1, wire.VideoDone))
		p.list("t005")
	})
	t.Run("deleted in another tab", func(t *testing.T) {
		p := opened(t, "", task(2, wire.VideoDone), task(1, wire.VideoDone))
		p.Selection.Set(true)
		p.Selection.Toggle("t002")
		p.News(session.TaskDeleted{ID: "t002"})
		p.list("t001")
		if len(p.Selection.IDs) != 0 {
			t.Error("what is deleted is still selected")
		}
	})
	t.Run("many news ask for the counts once", func(t *testing.T) {
		p := opened(t, "")
		for n := range 20 {
			p.News(task(n, wire.VideoQueued))
		}
		p.pass()
		p.asked(wire.OpVideoTasks).answer(wire.VideoPage{Counts: &wire.VideoCount{All: 20}, Found: &wire.VideoFound{States: map[string]int{"queued": 20}}})
		if len(p.calls) != 0 {
			t.Errorf("asked more: %v", p.calls)
		}
		if p.StandingCount(Underway) != 20 || p.StandingCount(Failed) != 0 || p.StandingCount(AnyStanding) != 20 {
			t.Errorf("counts: %+v", p.Found)
		}
	})
	t.Run("how far a task is goes on within a version", func(t *testing.T) {
		p := opened(t, "", task(1, wire.VideoRunning))
		drawn := p.drawn
		at := func(version int64, progress, want int) {
			t.Helper()
			v := task(1, wire.VideoRunning)
			v.Version, v.Progress = version, progress
			p.News(v)
			if got := p.Get(v.ID).Progress; got != want {
				t.Errorf("version %d with %d: it is at %d", version, progress, got)
			}
		}
		at(1, 32, 32)
		if p.drawn == drawn {
			t.Error("it is not drawn")
		}
		at(1, 39, 39)
		at(2, -1, 39) // a name that somebody gave it, say
		at(2, 50, 50)
	})
	t.Run("a new connection asks for as many as are shown", func(t *testing.T) {
		var many []wire.VideoTask
		for n := range 120 {
			many = append(many, task(120-n, wire.VideoDone))
		}
		p := opened(t, "", many...)
		p.News(session.Greeting{Catalogue: gateway.SampleCatalogue()})
		c := p.asked(wire.OpVideoTasks)
		if q := p.query(c); q.Limit != 120 {
			t.Errorf("asked for %d", q.Limit)
		}
		c.answer(wire.VideoPage{Tasks: many[1:]})
		if len(p.List) != 119 {
			t.Errorf("%d are shown: one was deleted while the line was down", len(p.List))
		}
	})
}

func TestDeleteAndUndo(t *testing.T) {
	t.Run("taken back", func(t *testing.T) {
		p := opened(t, "", task(2, wire.VideoDone), task(1, wire.VideoDone))
		p.Delete("t002")
		p.list("t001")
		if p.Deleted == nil || p.Deleted.ID != "t002" {
			t.Fatalf("nothing is offered back: %+v", p.Deleted)
		}
		p.News(func() wire.VideoTask { v := task(2, wire.VideoDone); v.Version = 2; return v }())
		p.list("t001") // news that were on their way do not bring it back
		p.asked(wire.OpVideoDelete).answer(nil)
		p.News(session.TaskDeleted{ID: "t002", Version: 3})
		p.News(func() wire.VideoTask { v := task(2, wire.VideoDone); v.Version = 2; return v }())
		p.list("t001") // nor do old ones that come late
		p.Undo()
		p.list("t002", "t001")
		back := task(2, wire.VideoDone)
		back.Version = 4
		p.asked(wire.OpVideoUndelete).answer(back)
		p.News(session.TaskDeleted{ID: "t002", Version: 3}) // that has come before
		p.list("t002", "t001")
	})
	t.Run("the offer ends", func(t *testing.T) {
		p := opened(t, "", task(1, wire.VideoDone))
		p.Delete("t001")
		p.asked(wire.OpVideoDelete).answer(nil)
		p.pass()
		if p.Deleted != nil {
			t.Error("it is still offered")
		}
		p.Undo()
		p.list()
	})
	t.Run("the server refuses", func(t *testing.T) {
		p := opened(t, "", task(1, wire.VideoQueued))
		p.Delete("t001")
		p.asked(wire.OpVideoDelete).done(nil, &wire.Problem{Code: "x", Message: "It is still being made.", Hint: "Wait."})
		p.list("t001")
		if len(p.Notices.List) != 1 || p.Notices.List[0].Words != "It is still being made. Wait." || p.Deleted != nil {
			t.Errorf("told %+v, offered %v", p.Notices.List, p.Deleted)
		}
	})
}
