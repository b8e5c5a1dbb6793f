package sandbox

import (
	"container/heap"
	"time"

	"screentest/server/sandbox/clip"
	"screentest/shared/gateway"
	"screentest/shared/money"
)

// task is one video task. All about it is decided when it is made, so that its
// state is a function of the time and nothing has to run in the background.
type task struct {
	ID      string        `json:"id"`   // task_…, for polling (F91)
	UUID    string        `json:"uuid"` // for actions and files (F101)
	Number  int           `json:"number"`
	Account string        `json:"account"`
	Model   string        `json:"model"`
	Seconds int           `json:"seconds"` // as asked for
	Cost    money.NanoUSD `json:"cost_nano_usd"`

	Created  time.Time `json:"created"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	Fail     string    `json:"fail,omitempty"`   // the reason; "" succeeds
	Expire   bool      `json:"expire,omitempty"` // as soon as it is done
	Poll     int       `json:"poll,omitempty"`   // status of the first poll; 0 is none
	Returned bool      `json:"returned,omitempty"`

	origin
	Clip clip.Spec `json:"clip"`
}

// origin is what decides what a clip can become (F128–F136).
type origin struct {
	Family     gateway.Family `json:"family"`
	Mode       gateway.Mode   `json:"mode"`
	Tier       string         `json:"tier,omitempty"` // alpha's, of the root (G14, G15)
	Resolution string         `json:"resolution"`     // of the result
	Root       string         `json:"root"`           // UUID of the original generation
}

// status is the task's state at a moment (F97, F110).
func (t *task) status(now time.Time) gateway.TaskStatus {
	switch {
	case now.Before(t.Started):
		return gateway.StatusQueued
	case now.Before(t.Finished):
		return gateway.StatusInProgress
	case t.Fail != "":
		return gateway.StatusFailure
	}
	return gateway.StatusSuccess
}

// expired says whether the result is deleted: 14 days after the finish (F104,
// G33), or at once where the script says so.
func (t *task) expired(now time.Time) bool {
	return t.status(now) == gateway.StatusSuccess && (t.Expire || now.Sub(t.Finished) > gateway.Retention)
}

// progress is how far the task is, in percent, as such gateways show it.
func (t *task) progress(now time.Time) int {
	switch t.status(now) {
	case gateway.StatusQueued:
		return 20
	case gateway.StatusInProgress:
		return 30 + int(69*float64(now.Sub(t.Started))/float64(t.Finished.Sub(t.Started)))
	}
	return 100
}

// taskSet is the tasks of all accounts. The bank's lock guards it.
type taskSet struct {
	byID   map[string]*task
	byUUID map[string]*task
	order  []*task // oldest first
	owed   owed
	polled map[string]bool // tasks whose injected status was sent
	number int
}

func newTaskSet() *taskSet {
	return &taskSet{byID: map[string]*task{}, byUUID: map[string]*task{}, polled: map[string]bool{}}
}

func (ts *taskSet) add(t *task) {
	ts.byID[t.ID], ts.byUUID[t.UUID] = t, t
	ts.order = append(ts.order, t)
	ts.number = max(ts.number, t.Number)
	if t.Fail != "" && !t.Returned {
		heap.Push(&ts.owed, t)
	}
}

// maxTasks is how many tasks are known at a time.
const maxTasks = 100_000

// room makes sure that one more task can be added: the oldest is forgotten,
// if its result is deleted anyway.
func (ts *taskSet) room(now time.Time) bool {
	if len(ts.order) < maxTasks {
		return true
	}
	if !ts.order[0].expired(now) && !(ts.order[0].Returned) {
		return false
	}
	ts.removeOldest()
	return true
}

func (ts *taskSet) removeOldest() {
	t := ts.order[0]
	ts.order = ts.order[1:]
	delete(ts.byID, t.ID)
	delete(ts.byUUID, t.UUID)
	delete(ts.polled, t.ID)
}

// owed is the failing tasks whose charge has not gone back, by their finish.
type owed []*task

func (h owed) Len() int           { return len(h) }
func (h owed) Less(i, j int) bool { return h[i].Finished.Before(h[j].Finished) }
func (h owed) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *owed) Push(x any)        { *h = append(*h, x.(*task)) }
func (h *owed) Pop() any {
	old := *h
	t := old[len(old)-1]
	*h = old[:len(old)-1]
	return t
}

// returnFailed returns the charge of every task that has failed by now (F112). It
// is called with the lock held, before anything that shows a task or an account.
func (s *Server) returnFailed(now time.Time) {
	for len(s.tasks.owed) > 0 && !s.tasks.owed[0].Finished.After(now) {
		t := heap.Pop(&s.tasks.owed).(*task)
		if err := s.journal.append(line{Return: t.ID}, false); err != nil {
			// It is not booked either; the next call tries again.
			s.log.Error("a return is not in the journal", "task", t.ID, "err", err)
			heap.Push(&s.tasks.owed, t)
			return
		}
		t.Returned = true
		if a := s.bank.byName[t.Account]; a != nil {
			a.book("return", t.ID, t.Cost)
		}
	}
}
