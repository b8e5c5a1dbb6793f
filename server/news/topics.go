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

// TellTopic queues news for all tabs that look at a topic. Of several with one key
// a tab that is slow gets the last.
func (h *Hub) TellTopic(topic, key string, event wire.Event, data any) {
	h.tell(item{Topic: topic, Key: key, Event: event}, data)
}

// TellTopicHere is TellTopic for the tabs of this process alone: of what each replica
// finds out by itself.
func (h *Hub) TellTopicHere(topic, key string, event wire.Event, data any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := (item{Topic: topic, Key: key, Event: event}); h.concerns(n) {
		n.Data = marshal(data)
		h.tellTabs(n)
	}
}

// Tell queues news for all tabs of some owners.
func (h *Hub) Tell(owners []string, key string, event wire.Event, data any) {
	if len(owners) > 0 {
		h.tell(item{Owners: owners, Key: key, Event: event}, data)
	}
}

// marshal is news as a tab is told of it.
func marshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("news: " + err.Error()) // our own types: they marshal
	}
	return raw
}
