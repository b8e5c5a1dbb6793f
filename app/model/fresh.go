package model

import (
	"encoding/json"
	"reflect"

	"screentest/shared/wire"
)

// freshName holds, in the Storage, the lanes of a conversation that has yet to be
// begun, as the server would keep them: models, system prompts, parameters and
// functions outlive a reload as the draft does. There is no key in them.
const freshName = "screentest.lanes"

// newFresh returns what a conversation is before its first message.
func newFresh() *Conversation {
	c := newConversation("")
	c.Phase, c.fetched = Ready, true
	return c
}

// keepFresh keeps the lanes of the conversation to come, if anything was chosen
// for them.
func (d *Desk) keepFresh() {
	w := d.fresh.wireLanes()
	b, err := json.Marshal(w)
	if err != nil || reflect.DeepEqual(w, newFresh().wireLanes()) {
		d.storage.Remove(freshName)
		return
	}
	d.storage.Set(freshName, string(b))
}

// recallFresh takes them up again. What can't be read is of another build, or
// somebody's mistake, and counts as nothing.
func (d *Desk) recallFresh() {
	var w wire.Lanes
	if json.Unmarshal([]byte(d.storage.Get(freshName)), &w) != nil || len(w.Lanes) == 0 || len(w.Lanes) > wire.MaxLanes {
		return
	}
	d.fresh.setLanes(w)
	for i := range d.fresh.Lanes {
		d.fresh.Lanes[i].Leaf = "" // nothing has been said
	}
	d.fresh.Blind = w.Blind && len(w.Lanes) > 1
}
