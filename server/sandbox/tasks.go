package sandbox

import (
	"container/heap"
	"time"

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
}

// origin is what decides what a clip can become (F128–F136).
type origin struct {
	Family     gateway.Family `json:"family"`
	Mode       gateway.Mode   `json:"mode"`
	Tier       string         `json:"tier,omitempty"` // alpha's, of the root (G14, G15)
	Resolution string         `json:"resolution"`     // of the result
	Root       string         `json:"root"`           // UUID of the original generation
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

// remove forgets the oldest task.
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

// settle returns the charge of every task that has failed by now (F112). It is
// called with the lock held, before anything that shows a task or an account.
func (s *Server) settle(now time.Time) {
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
