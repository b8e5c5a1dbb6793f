package news

import (
	"encoding/json"
	"maps"
	"strings"
	"time"

	"screentest/shared/wire"
)

// What the hub does where one server is several replicas: each has a hub, and tells the
// others what it tells its own tabs. What it hears is told to its own tabs alone.

const (
	// againEvery is the least time between two times that tabs read everything again.
	againEvery = 3 * time.Second
	// crossFor is how long news of two replicas may be on their way, so that the older
	// one may come last.
	crossFor = 5 * time.Second
	// toldFor and maxTold bound what is remembered of what was told.
	toldFor = time.Minute
	maxTold = 8192
)

// Outlet takes news to the hubs of other replicas, in their order, or says there that
// some may be missing. Of several with one key that wait, the last is enough. Send must
// not wait, nor call the hub.
type Outlet interface {
	Send(key string, news []byte)
}

// Heard is given what was told at another replica to an owner, or, with owner "", to who
// looks at a topic or to everybody, after the tabs that are here. It must not wait.
type Heard = func(owner string, event wire.Event, data json.RawMessage)

// Connect has all news be told at other replicas, too. Call it before anything is told.
func (h *Hub) Connect(out Outlet, heard Heard) { h.out, h.heard = out, heard }

// item is a piece of news, as one hub tells it another.
type item struct {
	// Owners, All of them, or who looks at a Topic: whose tabs are told.
	Owners []string `json:"owners,omitempty"`
	All    bool     `json:"all,omitempty"`
	Topic  string   `json:"topic,omitempty"`
	// Subject is the conversation or the clip of the owner, for who listens.
	Subject string     `json:"subject,omitempty"`
	Key     string     `json:"key"`
	Event   wire.Event `json:"event,omitempty"` // "": Subject, a conversation, is to be read
	// Rev grows with what is told by a Key; 0: it says nothing of its age.
	Rev  int64           `json:"rev,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// about is what an item is about, among all.
func (n item) about() string { return n.Topic + strings.Join(n.Owners, " ") + "/" + n.Key }

// told is what was last told by a key, and by whom: 0 is this replica.
type told struct {
	by    int64
	event wire.Event
	rev   int64
	at    time.Time
}

// states are the events that tell how something is without saying how old that is. If two
// replicas tell of the same at about the same time, the store alone knows which was last.
var states = map[wire.Event]bool{
	wire.EventVote: true, wire.EventLibrary: true, wire.EventTeamEntry: true, wire.EventBudgets: true, wire.EventKeep: true,
	wire.EventComment: true, wire.EventSeen: true, wire.EventApproval: true,
}

// send tells the other replicas. The lock is held.
func (h *Hub) send(n item) {
	if n.Event == wire.EventConversation { // as it is when they read it
		n.Event, n.Data = "", nil
	}
	h.out.Send(n.about(), marshal(n))
}

// pass tells the tabs that are here what is told by a replica, unless it is old news. News
// that cross others have their tabs read everything again. The lock is held.
func (h *Hub) pass(by int64, n item) (fresh bool) {
	old, cross := h.takeDown(by, n)
	if old {
		return false
	}
	h.tellTabs(n)
	if cross {
		for t := range h.whom(n) {
			h.missed.tabs[t] = struct{}{}
		}
		signal(h.greeting)
	}
	return true
}

// takeDown remembers what is told, and by whom. It says whether another replica has told
// of something newer, or of what may be newer. The lock is held.
func (h *Hub) takeDown(by int64, n item) (old, cross bool) {
	if n.Rev == 0 && !states[n.Event] {
		return false, false
	}
	now, key := time.Now(), n.about()
	if was, known := h.told[key]; known && by != was.by {
		if n.Rev != 0 && n.Rev < was.rev {
			return true, false
		}
		cross = now.Sub(was.at) < crossFor && (states[n.Event] || states[was.event])
	}
	if len(h.told) >= maxTold {
		maps.DeleteFunc(h.told, func(_ string, t told) bool { return now.Sub(t.at) > toldFor })
		if len(h.told) >= maxTold {
			clear(h.told)
		}
	}
	h.told[key] = told{by, n.Event, n.Rev, now}
	return false, cross
}

// Hear tells the tabs that are here what the hub of another replica, of the number by,
// has sent. News of one replica are to come one after the other.
func (h *Hub) Hear(by int64, news []byte) error {
	var n item
	if err := json.Unmarshal(news, &n); err != nil {
		return err
	}
	if n.Subject != "" && len(n.Owners) == 1 {
		h.of(n.Owners[0], n.Subject)
	}
	h.mu.Lock()
	fresh := h.pass(by, n)
	h.mu.Unlock()
	if !fresh || h.heard == nil || n.Event == "" {
		return nil
	}
	if len(n.Owners) == 0 {
		h.heard("", n.Event, n.Data)
	}
	for _, owner := range n.Owners {
		h.heard(owner, n.Event, n.Data)
	}
	return nil
}

// missed are the tabs that may not know everything.
type missed struct {
	tabs map[Tab]struct{}
	all  bool
	last time.Time // when some were told so
}

// Missed has all tabs read everything again soon: some news of another replica may not
// have been heard here.
func (h *Hub) Missed() {
	h.mu.Lock()
	h.missed.all = true
	h.mu.Unlock()
	signal(h.greeting)
}

// tellMissed tells tabs that they may have missed something, unless that was done a
// moment ago: then again goes off when it is time.
func (h *Hub) tellMissed(again *time.Timer) {
	h.mu.Lock()
	m := &h.missed
	if !m.all && len(m.tabs) == 0 {
		h.mu.Unlock()
		return
	}
	if wait := againEvery - time.Since(m.last); wait > 0 {
		h.mu.Unlock()
		again.Reset(wait)
		return
	}
	all, tabs := m.all, m.tabs
	if all {
		for _, of := range h.tabs {
			for t := range of {
				tabs[t] = struct{}{}
			}
		}
	}
	h.missed = missed{tabs: map[Tab]struct{}{}, last: time.Now()}
	push := marshal(wire.Push{Event: wire.EventMissed})
	for t := range tabs {
		t.Tell("missed", push)
	}
	h.mu.Unlock()
	if all {
		h.of("", "")
	}
	for t := range tabs {
		t.Greet()
	}
}
