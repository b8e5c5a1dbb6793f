package chat

import (
	"encoding/json"
	"reflect"

	"screentest/shared/wire"
)

// freshName holds, in the Storage, the lanes of a conversation that has yet to be
// begun, as the server would store them: models, system prompts, parameters and
// functions outlive a reload as the draft does. There is no key in them.
const freshName = "screentest.lanes"

// newFresh returns what a conversation is before its first message.
func (ch *Chat) newFresh() *Conversation {
	c := ch.newConversation("")
	c.Phase, c.fetched = Ready, true
	return c
}

// forAnother are the parameters as another conversation begins with them: how the
// model is to answer and what it may call, and nothing of what was found out about
// one model.
func (p Params) forAnother() Params {
	p = p.clone()
	p.Via, p.ViaModel, p.NoImages = "", "", false
	return p
}

// Kept says that the conversation to come has parameters, which it may have from
// the one before, and Reset lets go of them.
func (c *Conversation) Kept() bool {
	return !c.begun() && !reflect.DeepEqual(c.Lanes[0].params, Params{})
}

// Reset empties the parameters of the first lane.
func (c *Conversation) Reset() { c.Lanes[0].SetParams(Params{}) }

// storeFresh stores the lanes of the conversation to come, if anything was
// chosen for them.
func (ch *Chat) storeFresh() {
	w := ch.fresh.wireLanes()
	b, err := json.Marshal(w)
	if err != nil || reflect.DeepEqual(w, ch.newFresh().wireLanes()) {
		b = nil
	}
	store(ch.o.Storage, freshName, string(b))
}

// recallFresh takes them up again. What can't be read is of another build, or
// somebody's mistake, and counts as nothing.
func (ch *Chat) recallFresh() {
	var w wire.Lanes
	if json.Unmarshal([]byte(ch.o.Storage.Get(freshName)), &w) != nil || len(w.Lanes) == 0 || len(w.Lanes) > wire.MaxLanes {
		return
	}
	ch.fresh.setLanes(w)
	for _, l := range ch.fresh.Lanes {
		l.Leaf = "" // nothing has been said
	}
	ch.fresh.Blind = w.Blind && len(w.Lanes) > 1
}
