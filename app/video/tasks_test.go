package video

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// noon is the time of these tests.
var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// call is a question of the page that waits for its answer.
type question struct {
	op   wire.Op
	args json.RawMessage
	done func(json.RawMessage, *wire.Problem)
}

// pane is Tasks with the other end of its line in the test's hands.
type pane struct {
	*Tasks
	t      *testing.T
	now    time.Time
	calls  []question
	timers map[int]func()
	next   int
	seen   bool
	told   []Notice
	drawn  int
}

func newPane(t *testing.T) *pane {
	p := &pane{t: t, now: noon, timers: map[int]func(){}, seen: true}
	p.Tasks = NewTasks(TasksOptions{
		Call: func(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
			raw, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			p.calls = append(p.calls, question{op, raw, done})
		},
		Now: func() time.Time { return p.now },
		After: func(_ time.Duration, f func()) func() {
			p.next++
			n := p.next
			p.timers[n] = f
			return func() { delete(p.timers, n) }
		},
		Changed: func() { p.drawn++ },
		Cat:     gateway.SampleCatalogue,
		Seen:    func() bool { return p.seen },
		Tell:    func(n Notice) { p.told = append(p.told, n) },
	})
	return p
}

// asked takes the oldest unanswered call of a kind.
func (p *pane) asked(op wire.Op) question {
	p.t.Helper()
	at := slices.IndexFunc(p.calls, func(c question) bool { return c.op == op })
	if at < 0 {
		p.t.Fatalf("%s was not asked; unanswered: %v", op, p.calls)
	}
	c := p.calls[at]
	p.calls = slices.Delete(p.calls, at, at+1)
	return c
}

func (p *pane) query(c question) wire.VideoQuery {
	p.t.Helper()
	var q wire.VideoQuery
	if err := json.Unmarshal(c.args, &q); err != nil {
		p.t.Fatal(err)
	}
	return q
}

func (c question) answer(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	c.done(b, nil)
}

// pass lets every timer run out.
func (p *pane) pass() {
	timers := p.timers
	p.timers = map[int]func(){}
	for _, f := range timers {
		f()
	}
}

// opened is a pane that has these tasks as its first page.
func opened(t *testing.T, before string, tasks ...wire.VideoTask) *pane {
	t.Helper()
	p := newPane(t)
	p.Start()
	p.asked(wire.OpArchive)
	p.asked(wire.OpVideoTasks).answer(wire.VideoPage{Tasks: tasks, Before: before, Counts: &wire.VideoCount{All: len(tasks)}})
	return p
}

func task(n int, state wire.VideoState) wire.VideoTask {
	return wire.VideoTask{
		ID: fmt.Sprintf("t%03d", n), State: state, Version: 1, CreatedMS: noon.UnixMilli() + int64(n), Progress: -1,
		Prompt: fmt.Sprintf("a paper boat, take %d", n), Model: "beta-video-720p", Mode: string(gateway.TextToVideo), Seconds: 6,
	}
}

func (p *pane) list(want ...string) {
	p.t.Helper()
	if !slices.Equal(p.List, want) && len(p.List)+len(want) > 0 {
		p.t.Errorf("the list is %v, want %v", p.List, want)
	}
}

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
		p.Select(true)
		p.Toggle("t002")
		p.News(session.TaskDeleted{ID: "t002"})
		p.list("t001")
		if len(p.Selected) != 0 {
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

func TestFilter(t *testing.T) {
	a := task(1, wire.VideoDone)
	a.Tags, a.Favourite, a.Title = []string{"Boats"}, true, "Harbour"
	for _, c := range []struct {
		name string
		f    Filter
		want bool
	}{
		{"all", Filter{}, true},
		{"its standing", Filter{Standing: Finished}, true},
		{"another standing", Filter{Standing: Failed}, false},
		{"its mode", Filter{Mode: "text-to-video"}, true},
		{"another mode", Filter{Mode: "upscale"}, false},
		{"its model", Filter{Model: "beta-video-720p"}, true},
		{"another model", Filter{Model: "gamma-2-720p"}, false},
		{"its tag in another case", Filter{Tag: "boats"}, true},
		{"another tag", Filter{Tag: "boat"}, false},
		{"favourites", Filter{Favourite: true}, true},
		{"words in any order and field", Filter{Text: "720P paper HARBOUR boats"}, true},
		{"a word that is not there", Filter{Text: "paper plane"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.f.matches(&a); got != c.want {
				t.Errorf("%v", got)
			}
		})
	}
	for s := range standings {
		for _, state := range standings[s] {
			want := s
			if state == wire.VideoExpired {
				want = Expired // there is no copy
			}
			if got := StandingOf(&wire.VideoTask{State: state}); got != want {
				t.Errorf("%s stands under %q, want %q", state, got, want)
			}
		}
	}
}

// What plays from the archive after the gateway deleted its own is finished;
// what plays no more is expired, and neither is the other. The counts are of
// what all else of the filter finds.
func TestExpiredIsNotFinished(t *testing.T) {
	kept, gone := task(2, wire.VideoExpired), task(1, wire.VideoExpired)
	kept.Outputs = []wire.VideoOutput{{Archive: wire.ArchiveSaved}}
	p := opened(t, "", kept, gone)
	p.Find(Filter{Standing: Finished, Text: "boat"})
	p.list("t002")
	c := p.asked(wire.OpVideoTasks)
	if q := p.query(c); q.Gone != wire.GoneOut || q.Text != "boat" {
		t.Errorf("asked for %+v", q)
	}
	c.answer(wire.VideoPage{Tasks: []wire.VideoTask{kept}, Counts: &wire.VideoCount{All: 90},
		Found: &wire.VideoFound{States: map[string]int{"expired": 5, "done": 3, "failed": 1}, Gone: 4, Deleted: 2}})
	for s, want := range map[Standing]int{AnyStanding: 9, Finished: 4, Expired: 4, Failed: 1, Trashed: 2} {
		if n := p.StandingCount(s); n != want {
			t.Errorf("%d are %q, want %d", n, s, want)
		}
	}
	p.Find(Filter{Standing: Expired})
	p.list("t001")
	if q := p.query(p.asked(wire.OpVideoTasks)); q.Gone != wire.GoneOnly {
		t.Errorf("asked for %+v", q)
	}
	p.News(task(7, wire.VideoDone))
	p.pass()
	if q := p.query(p.asked(wire.OpVideoTasks)); q.Gone != wire.GoneOnly || q.Limit != 1 {
		t.Errorf("the counts are asked for with %+v", q)
	}
}

func TestFindShowsWhatIsKnownThenTheServersAnswer(t *testing.T) {
	p := opened(t, "", task(3, wire.VideoFailed), task(2, wire.VideoDone), task(1, wire.VideoFailed))
	p.Find(Filter{Standing: Failed})
	p.list("t003", "t001")
	first := p.asked(wire.OpVideoTasks)
	if q := p.query(first); !slices.Equal(q.States, []wire.VideoState{"failed", "refused", "lost"}) {
		t.Errorf("asked for %v", q.States)
	}

	p.Find(Filter{Text: " take   2 "})
	second := p.asked(wire.OpVideoTasks)
	if q := p.query(second); q.Text != "take 2" {
		t.Errorf("asked for %q", q.Text)
	}
	second.answer(wire.VideoPage{Tasks: []wire.VideoTask{task(2, wire.VideoDone)}})
	first.answer(wire.VideoPage{Tasks: []wire.VideoTask{task(3, wire.VideoFailed)}}) // late
	p.list("t002")

	failed := task(2, wire.VideoDone)
	failed.Version, failed.Prompt = 2, "something else"
	p.News(failed)
	p.list()
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
		p.News(session.TaskDeleted{ID: "t002"})
		p.Undo()
		p.list("t002", "t001")
		back := task(2, wire.VideoDone)
		back.Version = 3
		p.asked(wire.OpVideoUndelete).answer(back)
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
		if len(p.Notices) != 1 || p.Notices[0].Words != "It is still being made. Wait." || p.Deleted != nil {
			t.Errorf("told %+v, offered %v", p.Notices, p.Deleted)
		}
	})
}

func TestEdits(t *testing.T) {
	p := opened(t, "", task(1, wire.VideoDone))
	p.SetFavourite("t001", true)
	if !p.Get("t001").Favourite {
		t.Error("it is not shown at once")
	}
	p.asked(wire.OpVideoEdit).done(nil, &wire.Problem{Message: "No."})
	if p.Get("t001").Favourite {
		t.Error("a refused change is not taken back")
	}
	p.SetTags("t001", " Boats, #sea ,boats,, night  sky")
	if got := p.Get("t001").Tags; !slices.Equal(got, []string{"Boats", "sea", "night sky"}) {
		t.Errorf("tags %q", got)
	}
	if args := string(p.asked(wire.OpVideoEdit).args); args != `{"id":"t001","tags":["Boats","sea","night sky"]}` {
		t.Errorf("sent %s", args)
	}
	p.SetTitle("t001", strings.Repeat("x", 300))
	if n := len(p.Get("t001").Title); n != wire.MaxTaskTitle {
		t.Errorf("a title of %d characters", n)
	}
}

// News of a task that were on their way before a change do not take it back.
func TestNewsBeforeTheAnswerToAnEdit(t *testing.T) {
	p := opened(t, "", task(1, wire.VideoDone))
	p.SetFavourite("t001", true)
	first := p.asked(wire.OpVideoEdit)
	news := *p.Get("t001")
	news.Favourite, news.Version = false, news.Version+1
	p.Put(news)
	if !p.Get("t001").Favourite {
		t.Error("older news took the change back")
	}
	p.SetFavourite("t001", false)
	second := p.asked(wire.OpVideoEdit)
	answer := func(q question, on bool) {
		news.Favourite, news.Version = on, news.Version+1
		b, _ := json.Marshal(news)
		q.done(b, nil)
	}
	answer(first, true)
	if p.Get("t001").Favourite {
		t.Error("the answer to the first change took the second back")
	}
	answer(second, false)
	news.Favourite, news.Version = true, news.Version+1
	p.Put(news) // in another tab
	if !p.Get("t001").Favourite {
		t.Error("a change that was answered goes on")
	}
}

// Nor do they take the task out of the list that the change put it into.
func TestNewsBeforeTheAnswerToAnEditLeaveTheList(t *testing.T) {
	p := opened(t, "", task(1, wire.VideoDone))
	p.SetFavourite("t001", true)
	p.Filter.Favourite = true
	news := *p.Get("t001")
	news.Favourite, news.Version = false, news.Version+1
	p.Put(news)
	if !slices.Contains(p.List, "t001") {
		t.Errorf("the list is %q", p.List)
	}
}

func TestSettle(t *testing.T) {
	for _, c := range []struct {
		name, remote string
		went, sent   bool
		args         string
	}{
		{"it went through", " task_abc ", true, true, `{"id":"t001","outcome":"went_through","remote":"task_abc"}`},
		{"it did not", "", false, true, `{"id":"t001","outcome":"did_not"}`},
		{"no id", "", true, false, ""},
		{"F118 a UUID is no id to poll with", "0f6e0a3e-7f9f-4d3e-8d5a-4d8e8b8f3a11", true, false, ""},
		{"the prefix alone", "task_", true, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := opened(t, "", task(1, wire.VideoUnknown))
			var problem *wire.Problem
			p.Settle("t001", c.went, c.remote, func(pr *wire.Problem) { problem = pr })
			if !c.sent {
				if problem == nil || problem.Field != "remote" || len(p.calls) != 0 {
					t.Errorf("problem %v, calls %v", problem, p.calls)
				}
				return
			}
			settle := p.asked(wire.OpVideoSettle)
			if string(settle.args) != c.args {
				t.Errorf("sent %s", settle.args)
			}
			settled := task(1, wire.VideoQueued)
			settled.Version = 2
			settle.answer(settled)
			if problem != nil || p.Get("t001").State != wire.VideoQueued {
				t.Errorf("problem %v, state %s", problem, p.Get("t001").State)
			}
		})
	}
}

func TestNotices(t *testing.T) {
	running, done := task(1, wire.VideoRunning), task(1, wire.VideoDone)
	done.Version = 2

	p := opened(t, "", running)
	p.News(done)
	if len(p.Notices) != 0 || p.Unseen != 0 {
		t.Errorf("told of what is seen: %+v", p.Notices)
	}

	p = opened(t, "", running)
	p.seen = false
	p.News(done)
	p.News(done) // again, from another event
	if p.Unseen != 1 || len(p.Notices) != 1 || p.Notices[0].Words != "Finished: a paper boat, take 1" || len(p.told) != 1 {
		t.Errorf("unseen %d, notices %+v", p.Unseen, p.Notices)
	}
	expired := done
	expired.Version, expired.State = 3, wire.VideoExpired
	p.News(expired)
	if p.Unseen != 1 {
		t.Error("an expiry is told as an end")
	}
	p.Look()
	if p.Unseen != 0 {
		t.Error("it is counted after a look")
	}
	p.pass()
	if len(p.Notices) != 0 {
		t.Error("a notice stays")
	}
	for n := range 9 {
		p.Say(fmt.Sprint(n), Plain)
	}
	if len(p.Notices) != maxNotices || p.Notices[2].Words != "8" {
		t.Errorf("%+v", p.Notices)
	}
}

func TestSelection(t *testing.T) {
	p := opened(t, "", task(5, wire.VideoDone), task(4, wire.VideoDone), task(3, wire.VideoDone), task(2, wire.VideoDone), task(1, wire.VideoDone))
	p.Select(true)
	if path, why := p.ComparePath(); path != "" || why == "" {
		t.Errorf("compare nothing: %q, %q", path, why)
	}
	if path, why := p.ZipPath(); path != "" || why == "" {
		t.Errorf("a zip of nothing: %q, %q", path, why)
	}
	p.Toggle("t004")
	p.Toggle("t002")
	if path, _ := p.ComparePath(); path != "/video/compare?ids=t004,t002" {
		t.Error(path)
	}
	if path, _ := p.ZipPath(); path != "/api/videos.zip?ids=t004,t002" {
		t.Error(path)
	}
	for _, id := range []string{"t001", "t003", "t005"} {
		p.Toggle(id)
	}
	if path, why := p.ComparePath(); path != "" || why == "" {
		t.Errorf("compare five: %q, %q", path, why)
	}
	p.Toggle("t005")
	if path, _ := p.ComparePath(); path == "" {
		t.Error("four can't be compared")
	}
}

func TestArchiveSettings(t *testing.T) {
	p := newPane(t)
	p.Start()
	p.asked(wire.OpArchive).answer(wire.Archive{Bytes: 5})
	if !p.ArchiveReady || p.Archive.Bytes != 5 {
		t.Errorf("%+v", p.Archive)
	}
	var problem *wire.Problem
	p.SetArchive(wire.ArchiveSettings{QuotaBytes: 1}, func(pr *wire.Problem) { problem = pr })
	p.asked(wire.OpSetArchive).done(nil, &wire.Problem{Message: "Too small."})
	if problem == nil || p.Archive.Bytes != 5 {
		t.Errorf("problem %v, archive %+v", problem, p.Archive)
	}
	p.News(wire.Archive{Bytes: 9, Warn: true})
	if !p.Archive.Warn {
		t.Error("a warning is not taken")
	}
}
