package video

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Bounds of Tasks.
const (
	galleryPage = 48               // tasks asked for at a time
	undoFor     = 10 * time.Second // how long a deletion is offered back
	countAfter  = time.Second      // news are gathered so long before the counts are asked for again
)

// TasksOptions are what Tasks stand on. All but Seen and
// Tell are needed.
type TasksOptions struct {
	// Call asks the server, and again after a lost connection.
	Call    func(op wire.Op, args any, done session.Done)
	Now     func() time.Time
	After   func(time.Duration, func()) (cancel func())
	Changed func() // draws what shows the gallery
	Cat     func() *gateway.Catalogue
	// Seen says that the person looks at the gallery at this moment; nil is
	// always.
	Seen func() bool
	// Tell is called with each new notice, for a browser's own; nil is nothing.
	Tell func(Notice)
}

// Tasks are the tasks as the page has them: those that the filter asks for in
// their order, whatever else of them has been opened, what is selected, and
// what was just deleted. It is not safe for concurrent use.
type Tasks struct {
	o TasksOptions

	Filter  Filter
	List    []string // ids that the filter finds, newest first
	Counts  wire.VideoCount
	Found   wire.VideoFound // by state, of those that all else of the filter finds
	Ready   bool            // the first page has come
	Loading bool
	More    bool // older ones can be asked for
	// Problem is why the last page did not come.
	Problem *wire.Problem

	Selection Selection
	Notices   Notices
	Archive   Archive
	Deleted   *wire.VideoTask // the last deletion, while it is offered back

	tasks    map[string]*wire.VideoTask
	absent   map[string]*wire.Problem // why a task that was asked for did not come
	edits    map[string][]*change     // that the server has not answered, oldest first
	before   string
	asked    int  // of the page that is asked for now; answers to others are late
	counting bool // the counts are asked for soon

	also   []string // what was deleted together with Deleted
	forget func()   // ends the offer of Deleted
}

// NewTasks returns empty Tasks. They ask for nothing before [Tasks.Start].
func NewTasks(o TasksOptions) *Tasks {
	if o.Seen == nil {
		o.Seen = func() bool { return true }
	}
	g := &Tasks{o: o, tasks: map[string]*wire.VideoTask{}, absent: map[string]*wire.Problem{}, edits: map[string][]*change{}}
	g.Selection.changed, g.Notices.o, g.Archive.o = o.Changed, &g.o, &g.o
	return g
}

// Task returns what is known of a task.
func (g *Tasks) Task(id string) (t wire.VideoTask, known bool) {
	if p := g.tasks[id]; p != nil {
		return *p, true
	}
	return t, false
}

// Get returns what is known of a task, or nil. It is not to be changed.
func (g *Tasks) Get(id string) *wire.VideoTask { return g.tasks[id] }

// All returns every task that is known and not deleted, newest first.
func (g *Tasks) All() []wire.VideoTask {
	list := make([]wire.VideoTask, 0, len(g.tasks))
	for _, t := range g.tasks {
		if !t.Deleted {
			list = append(list, *t)
		}
	}
	slices.SortFunc(list, func(a, b wire.VideoTask) int { return newestFirst(&a, &b) })
	return list
}

// Now is the page's time.
func (g *Tasks) Now() time.Time { return g.o.Now() }

// Start asks for the newest tasks again, as many as are shown: at the first
// look and after a lost connection.
func (g *Tasks) Start() {
	g.fetch("", min(max(galleryPage, len(g.List)), wire.MaxVideoPage))
	g.Archive.fetch()
}

// Find shows what another filter asks for.
func (g *Tasks) Find(f Filter) {
	f = f.clean()
	if f == g.Filter && g.Ready {
		return
	}
	if (f.Standing == Trashed) != (g.Filter.Standing == Trashed) {
		g.Selection.On, g.Selection.IDs = false, nil
	}
	g.Filter = f
	g.List, g.Ready, g.More, g.before = nil, false, false, ""
	// What is known is shown at once; the server's answer makes it whole.
	for id, t := range g.tasks {
		if f.matches(t) {
			g.List = append(g.List, id)
		}
	}
	g.sort()
	g.fetch("", galleryPage)
	g.o.Changed()
}

// Fetch asks for a task that the list may not have.
func (g *Tasks) Fetch(id string) {
	g.o.Call(wire.OpVideoTask, wire.Target{ID: id}, func(data json.RawMessage, problem *wire.Problem) {
		var o wire.VideoOpened
		if problem = session.Read(data, problem, &o); problem != nil {
			g.absent[id] = problem
		} else {
			delete(g.absent, id)
			g.put(&o.Task)
		}
		g.o.Changed()
	})
}

// Absent is why a task that Fetch asked for is not here, nil while nothing says
// so.
func (g *Tasks) Absent(id string) *wire.Problem {
	if g.tasks[id] != nil {
		return nil
	}
	return g.absent[id]
}

// KeyPaused is how many of the tasks that are shown wait for a key.
func (g *Tasks) KeyPaused() int {
	n := 0
	for _, t := range g.tasks {
		if _, settings := PauseWords(t); settings && !t.Deleted {
			n++
		}
	}
	return n
}

// FetchMore asks for older tasks, if there are any and none are on their way.
func (g *Tasks) FetchMore() {
	if g.More && !g.Loading {
		g.fetch(g.before, galleryPage)
		g.o.Changed()
	}
}

func (g *Tasks) fetch(before string, limit int) {
	q := g.Filter.query()
	q.Before, q.Limit = before, limit
	g.asked++
	asked := g.asked
	g.Loading = true
	g.o.Call(wire.OpVideoTasks, q, func(data json.RawMessage, problem *wire.Problem) {
		if asked != g.asked {
			return // of another filter
		}
		g.Loading = false
		var page wire.VideoPage
		g.Problem = session.Read(data, problem, &page)
		if g.Problem == nil {
			g.addPage(page, before == "")
		}
		g.o.Changed()
	})
}

// addPage adds a page to the list; the first one replaces what was there.
func (g *Tasks) addPage(page wire.VideoPage, first bool) {
	if first {
		g.List = nil
	}
	for i := range page.Tasks {
		id := page.Tasks[i].ID
		g.put(&page.Tasks[i])
		if g.tasks[id].Deleted == (g.Filter.Standing == Trashed) && !slices.Contains(g.List, id) {
			g.List = append(g.List, id)
		}
	}
	g.before, g.More = page.Before, page.Before != ""
	g.Ready = true
	g.setCounts(page)
	g.sort()
}

func (g *Tasks) setCounts(page wire.VideoPage) {
	if page.Counts != nil {
		g.Counts = *page.Counts
	}
	if page.Found != nil {
		g.Found = *page.Found
	}
}

// put keeps a task if it is newer than what is known of it, with the changes
// that the server has not answered yet, and returns what was known before. How far
// a running task is goes on within a version, and is not always told.
func (g *Tasks) put(t *wire.VideoTask) (old *wire.VideoTask, newer bool) {
	old = g.tasks[t.ID]
	if old != nil && old.Version > t.Version {
		return old, false
	}
	kept := *t
	if old != nil && t.Progress < 0 && old.State == wire.VideoRunning && t.State == wire.VideoRunning {
		kept.Progress = old.Progress
	}
	g.redo(&kept)
	g.tasks[t.ID] = &kept
	return old, old == nil || old.Version < t.Version || old.Progress != kept.Progress
}

func (g *Tasks) sort() {
	slices.SortFunc(g.List, func(a, b string) int { return g.Filter.compare(g.tasks[a], g.tasks[b]) })
}

func newestFirst(a, b *wire.VideoTask) int {
	return cmp.Or(cmp.Compare(b.CreatedMS, a.CreatedMS), cmp.Compare(b.ID, a.ID))
}

// News takes what the server tells unasked, and says by Changed what is to be
// drawn.
func (g *Tasks) News(news session.News) {
	switch n := news.(type) {
	case session.Greeting:
		g.Start() // whatever was missed while the connection was lost
	case wire.VideoTask:
		g.Put(n)
	case session.TaskDeleted:
		g.wasDeleted(n)
	case session.TaskPurged:
		g.drop(n.ID)
		g.recount()
		g.o.Changed()
	case wire.Archive:
		g.Archive.Archive, g.Archive.Ready = n, true
		g.o.Changed()
	}
}

// Put takes a task as the server tells it: an answer, or news.
func (g *Tasks) Put(t wire.VideoTask) {
	if t.State == wire.VideoAsks {
		return // there is no clip yet
	}
	old, newer := g.put(&t)
	if !newer {
		return
	}
	g.relist(g.tasks[t.ID]) // with the changes that wait for their answer
	if old == nil || old.State != t.State || old.Deleted != t.Deleted || !slices.Equal(old.Tags, t.Tags) {
		g.recount()
	}
	if old != nil && !t.Deleted {
		g.Notices.ended(old, &t)
	}
	g.o.Changed()
}

// relist puts a task into the list, or takes it out, as the filter says. One
// that stands after all that is shown comes with its page.
func (g *Tasks) relist(t *wire.VideoTask) {
	at := slices.Index(g.List, t.ID)
	switch want := g.Filter.matches(t); {
	case !want && at >= 0:
		g.List = slices.Delete(g.List, at, at+1)
	case want && at < 0:
		if n := len(g.List); g.More && n > 0 && g.Filter.compare(t, g.tasks[g.List[n-1]]) > 0 {
			return
		}
		g.List = append(g.List, t.ID)
		g.sort()
	case want:
		g.sort() // its name may be another
	}
}

func (g *Tasks) drop(id string) {
	delete(g.tasks, id)
	g.List = slices.DeleteFunc(g.List, func(s string) bool { return s == id })
	g.Selection.drop(id)
}

// recount asks for the counts of the filters, soon and once for many news.
func (g *Tasks) recount() {
	if g.counting {
		return
	}
	g.counting = true
	g.o.After(countAfter, func() {
		g.counting = false
		f := g.Filter
		q := f.query()
		q.Limit = 1
		g.o.Call(wire.OpVideoTasks, q, func(data json.RawMessage, problem *wire.Problem) {
			var page wire.VideoPage
			if problem == nil && json.Unmarshal(data, &page) == nil && f == g.Filter {
				g.setCounts(page)
				g.o.Changed()
			}
		})
	})
}
