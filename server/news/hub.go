package news

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"screentest/shared/wire"
)

// gatherFor is the least time between two looks at what has changed, so that
// several changes of a conversation are told as one.
const gatherFor = 15 * time.Millisecond

// readWithin bounds the reading of a conversation that has changed.
const readWithin = 10 * time.Second

// Tab is an open tab.
type Tab interface {
	// Tell queues a push. It must not wait, nor call the hub.
	Tell(key string, push []byte)
	// Greet tells the tab anew what it works with.
	Greet()
}

// Conversations reads a conversation as the list shows it. One that is gone is
// an fs.ErrNotExist.
type Conversations interface {
	Conversation(ctx context.Context, owner, id string) (wire.Summary, error)
}

// conversation names one.
type conversation struct{ owner, id string }

// Hub carries news to the tabs that have joined. Close it.
type Hub struct {
	conversations Conversations
	log           *slog.Logger
	quit          chan struct{}
	ended         sync.WaitGroup
	changed       chan struct{} // holds one: some conversation has
	greeting      chan struct{} // holds one: tabs are to be greeted

	out   Outlet // nil: there are no other replicas
	heard Heard

	mu      sync.Mutex
	told    map[string]told             // what was told lately, with other replicas
	tabs    map[string]map[Tab]struct{} // by owner
	topics  map[string]map[Tab]string   // the tabs that look at each, and whose they are
	left    map[Tab]func()              // what is to be done when a tab leaves
	pending map[conversation]struct{}   // have changed and were not told yet
	all     bool                        // everybody is to be greeted
	greeted map[string]struct{}         // the owners who are
	missed  missed
	listen  []func(owner, subject string)
}

// New returns a Hub without tabs.
func New(c Conversations, log *slog.Logger) *Hub {
	h := &Hub{
		conversations: c, log: log, quit: make(chan struct{}),
		changed: make(chan struct{}, 1), greeting: make(chan struct{}, 1),
		tabs: map[string]map[Tab]struct{}{}, topics: map[string]map[Tab]string{}, left: map[Tab]func(){}, pending: map[conversation]struct{}{}, greeted: map[string]struct{}{},
		told: map[string]told{}, missed: missed{tabs: map[Tab]struct{}{}},
	}
	h.ended.Go(h.loop)
	return h
}

// Close ends the hub's work. What it is told afterwards is lost.
func (h *Hub) Close() {
	close(h.quit)
	h.ended.Wait()
}

// Join has a tab told of an owner's news until it leaves.
func (h *Hub) Join(owner string, t Tab) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tabs[owner] == nil {
		h.tabs[owner] = map[Tab]struct{}{}
	}
	h.tabs[owner][t] = struct{}{}
}

// Leave ends what Join began.
func (h *Hub) Leave(owner string, t Tab) {
	if left := h.leave(owner, t); left != nil {
		left()
	}
}

func (h *Hub) leave(owner string, t Tab) (left func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	left = h.left[t]
	delete(h.left, t)
	delete(h.missed.tabs, t)
	delete(h.tabs[owner], t)
	if len(h.tabs[owner]) == 0 {
		delete(h.tabs, owner)
	}
	for topic := range h.topics {
		h.lookAway(topic, t)
	}
	return left
}

// ConversationChanged has a conversation read soon and told as it is then. It
// never waits.
func (h *Hub) ConversationChanged(owner, id string) {
	h.tell(item{Owners: []string{owner}, Subject: id, Key: "conversation " + id}, nil)
}

// changes has a conversation read soon, for the tabs that are here. The lock is held.
func (h *Hub) changes(owner, id string) {
	if len(h.tabs[owner]) > 0 {
		h.pending[conversation{owner, id}] = struct{}{}
		signal(h.changed)
	}
}

// GatewayChanged has every tab greeted anew soon: the catalogue is another, or
// what is known of a key. It never waits.
func (h *Hub) GatewayChanged() {
	h.mu.Lock()
	h.all = true
	h.mu.Unlock()
	signal(h.greeting)
}

// PeopleChanged has the tabs of owners greeted anew soon: their account is
// another, or what they can charge. It never waits. As of a gateway, each replica
// hears of it by itself.
func (h *Hub) PeopleChanged(owners []string) {
	h.mu.Lock()
	for _, o := range owners {
		h.greeted[o] = struct{}{}
	}
	h.mu.Unlock()
	signal(h.greeting)
}

// Listen has f told of every change of a conversation or a clip, by its id, whether a
// tab is open or not; both are "" when any may have changed. f must return at once.
func (h *Hub) Listen(f func(owner, subject string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listen = append(h.listen, f)
}

// of tells those who listen.
func (h *Hub) of(owner, subject string) {
	h.mu.Lock()
	listen := h.listen
	h.mu.Unlock()
	for _, f := range listen {
		f(owner, subject)
	}
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// tell tells all tabs that news concerns, here and at the other replicas.
func (h *Hub) tell(n item, data any) {
	if n.Subject != "" {
		h.of(n.Owners[0], n.Subject)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.out == nil && !h.concerns(n) {
		return
	}
	if n.Event != "" {
		n.Data = marshal(data)
	}
	if h.out == nil {
		h.tellTabs(n)
	} else if h.pass(0, n) {
		h.send(n)
	}
}

// tellTabs queues news for the tabs that are here. The lock is held.
func (h *Hub) tellTabs(n item) {
	if !h.concerns(n) {
		return
	}
	if n.Event == "" {
		h.changes(n.Owners[0], n.Subject)
		return
	}
	push := marshal(wire.Push{Event: n.Event, Data: n.Data})
	for t := range h.whom(n) {
		t.Tell(n.Key, push)
	}
}

// concerns says whether a tab that is here is told of news. The lock is held.
func (h *Hub) concerns(n item) bool {
	for range h.whom(n) {
		return true
	}
	return false
}

// whom are the tabs that are told of news. The lock is held.
func (h *Hub) whom(n item) iter.Seq[Tab] {
	return func(yield func(Tab) bool) {
		switch {
		case n.Topic != "":
			for t := range h.topics[n.Topic] {
				if !yield(t) {
					return
				}
			}
		case n.All:
			for _, of := range h.tabs {
				for t := range of {
					if !yield(t) {
						return
					}
				}
			}
		default:
			for _, owner := range n.Owners {
				for t := range h.tabs[owner] {
					if !yield(t) {
						return
					}
				}
			}
		}
	}
}

// loop tells of the conversations that changed, and greets.
func (h *Hub) loop() {
	pause := time.NewTimer(gatherFor)
	defer pause.Stop()
	again := time.NewTimer(againEvery) // when tabs may be told once more that they missed something
	defer again.Stop()
	for {
		select {
		case <-h.changed:
		case <-h.greeting:
			h.greet()
			h.tellMissed(again)
			continue
		case <-again.C:
			h.tellMissed(again)
			continue
		case <-h.quit:
			return
		}
		h.mu.Lock()
		pending := h.pending
		h.pending = map[conversation]struct{}{}
		h.mu.Unlock()
		for c := range pending {
			h.read(c)
		}
		pause.Reset(gatherFor)
		select {
		case <-pause.C:
		case <-h.quit:
			return
		}
	}
}

func (h *Hub) greet() {
	h.mu.Lock()
	var all []Tab
	for owner, of := range h.tabs {
		if _, named := h.greeted[owner]; named || h.all {
			all = slices.AppendSeq(all, maps.Keys(of))
		}
	}
	h.all, h.greeted = false, map[string]struct{}{}
	h.mu.Unlock()
	for _, t := range all {
		t.Greet()
	}
}

// read tells of a conversation as it now is.
func (h *Hub) read(c conversation) {
	ctx, cancel := context.WithTimeout(context.Background(), readWithin)
	defer cancel()
	s, err := h.conversations.Conversation(ctx, c.owner, c.id)
	switch {
	case errors.Is(err, fs.ErrNotExist): // deleted meanwhile, which was told
	case err != nil:
		h.log.Error("conversation not read", "conversation", c.id, "err", err)
	default:
		h.of(c.owner, s.ID)
		h.mu.Lock()
		defer h.mu.Unlock()
		n := summary(c.owner, s)
		n.Data = marshal(s)
		h.tellTabs(n)
	}
}
