package chat

import (
	"cmp"
	"slices"
)

// tree is a conversation's messages: each follows another one, and several may
// follow the same.
type tree struct {
	messages map[string]*Message
	order    []*Message            // as the server has it, by time
	kids     map[string][]*Message // by the message they follow, in that order
	shape    int                   // grows when messages are put in or reordered
}

func newTree() tree {
	return tree{messages: map[string]*Message{}, kids: map[string][]*Message{}}
}

// Message returns the message with this id, or nil.
func (t *tree) Message(id string) *Message { return t.messages[id] }

// pathTo returns the messages from the first one to the message id, as far back
// as they are known.
func (t *tree) pathTo(id string) []*Message {
	var path []*Message
	for m := t.messages[id]; m != nil && len(path) <= len(t.order); m = t.messages[m.Parent] {
		path = append(path, m)
	}
	slices.Reverse(path)
	return path
}

// add puts a new message at the end.
func (t *tree) add(m *Message) {
	t.messages[m.ID] = m
	t.order = append(t.order, m)
	t.kids[m.Parent] = append(t.kids[m.Parent], m)
	t.shape++
}

// drop takes a message out that was never sent.
func (t *tree) drop(m *Message) {
	is := func(o *Message) bool { return o == m }
	delete(t.messages, m.ID)
	t.order = slices.DeleteFunc(t.order, is)
	t.kids[m.Parent] = slices.DeleteFunc(t.kids[m.Parent], is)
	t.shape++
}

// clear takes all messages out.
func (t *tree) clear() {
	shape := t.shape
	*t = newTree()
	t.shape = shape + 1
}

// sort brings the messages into the outline's order, and those that it has not
// behind it by their time.
func (t *tree) sort() {
	before := func(a, b *Message) int {
		switch {
		case a.place > 0 && b.place > 0:
			return cmp.Compare(a.place, b.place)
		case a.place > 0:
			return -1
		case b.place > 0:
			return 1
		}
		return cmp.Compare(a.CreatedMS, b.CreatedMS)
	}
	if slices.IsSortedFunc(t.order, before) {
		return
	}
	slices.SortStableFunc(t.order, before)
	clear(t.kids)
	for _, m := range t.order {
		t.kids[m.Parent] = append(t.kids[m.Parent], m)
	}
	t.shape++
}

// versions returns what stands beside m in the lane of that number, m among it,
// oldest first: the answers of the lane to the same message, or the messages of
// the person's that were sent in one another's place.
func (t *tree) versions(number int, m *Message) []string {
	answered := func(o *Message) bool { // by the lane
		return slices.ContainsFunc(t.kids[o.ID], func(a *Message) bool { return a.Role == "assistant" && a.Lane == number })
	}
	var ids []string
	for _, o := range t.kids[m.Parent] {
		if o == m || o.Role == m.Role && (o.Lane == number || m.Role != "assistant" && answered(o)) {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// newestBelow returns the newest message of a lane that descends from id, or id
// itself. Answers of other lanes are not followed.
func (t *tree) newestBelow(id string, number int) string {
	below := map[string]bool{id: true}
	newest := id
	for _, o := range t.order {
		if !below[o.Parent] || o.Role == "assistant" && o.Lane != number {
			continue
		}
		below[o.ID] = true
		if o.Lane == number {
			newest = o.ID
		}
	}
	return newest
}

// newestOf is the newest message of a lane, or of all where it has none.
func (t *tree) newestOf(number int) string {
	for i := len(t.order) - 1; i >= 0; i-- {
		if t.order[i].Lane == number {
			return t.order[i].ID
		}
	}
	return t.order[len(t.order)-1].ID
}

// running returns the answers under way.
func (t *tree) running() []*Message {
	var ms []*Message
	for _, m := range t.order {
		if m.Running() {
			ms = append(ms, m)
		}
	}
	return ms
}

// Running says that an answer of the conversation is under way.
func (t *tree) Running() bool { return len(t.running()) > 0 }
