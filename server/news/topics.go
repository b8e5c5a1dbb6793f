package news

import (
	"encoding/json"

	"screentest/shared/wire"
)

// A topic is something of several people's that tabs look at, such as a review.

// WhenLeft has left called when a tab leaves, in the place of what it was to call
// before. It is false of a tab that has left already, which nothing is called for.
func (h *Hub) WhenLeft(owner string, t Tab, left func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, joined := h.tabs[owner][t]
	if joined {
		h.left[t] = left
	}
	return joined
}

// Look has a tab told of a topic's news until it looks away or leaves. One that has
// left looks at nothing.
func (h *Hub) Look(topic, owner string, t Tab) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, joined := h.tabs[owner][t]; !joined {
		return
	}
	if h.topics[topic] == nil {
		h.topics[topic] = map[Tab]string{}
	}
	h.topics[topic][t] = owner
}

// LookAway ends what Look began.
func (h *Hub) LookAway(topic string, t Tab) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lookAway(topic, t)
}

func (h *Hub) lookAway(topic string, t Tab) {
	delete(h.topics[topic], t)
	if len(h.topics[topic]) == 0 {
		delete(h.topics, topic)
	}
}

// Lookers are the owners whose tabs look at a topic.
func (h *Hub) Lookers(topic string) map[string]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	owners := map[string]bool{}
	for _, owner := range h.topics[topic] {
		owners[owner] = true
	}
	return owners
}

// Forget has the tabs of those owners look away from a topic, that may not see it
// any more.
func (h *Hub) Forget(topic string, gone func(owner string) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for t, owner := range h.topics[topic] {
		if gone(owner) {
			h.lookAway(topic, t)
		}
	}
}

// TellTopic queues news for all tabs that look at a topic. Of several with one key
// a tab that is slow gets the last.
func (h *Hub) TellTopic(topic, key string, event wire.Event, data any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := h.topics[topic]
	if len(of) == 0 {
		return
	}
	push := pushOf(event, data)
	for t := range of {
		t.Tell(key, push)
	}
}

// Tell queues news for all tabs of some owners.
func (h *Hub) Tell(owners []string, key string, event wire.Event, data any) {
	for _, owner := range owners {
		h.tell(owner, key, event, data)
	}
}

// pushOf is news as a tab is told of it.
func pushOf(event wire.Event, data any) []byte {
	raw, err := json.Marshal(data)
	if err != nil {
		panic("news: " + err.Error()) // our own types: they marshal
	}
	push, err := json.Marshal(wire.Push{Event: event, Data: raw})
	if err != nil {
		panic("news: " + err.Error())
	}
	return push
}
