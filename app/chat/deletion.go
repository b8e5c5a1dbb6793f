package chat

import (
	"encoding/json"
	"time"

	"screentest/shared/wire"
)

// undoFor is how long a deleted conversation, or a closed lane, can be had back.
const undoFor = 7 * time.Second

// Delete hides a conversation at once and deletes it when the time to undo
// that has passed.
func (l *List) Delete(id string) {
	l.Commit()
	s := wire.Summary{ID: id}
	if row := l.find(id); row != nil {
		s = *row
	}
	l.Deleted = &s
	l.drop(id)
	l.forget = l.chat.o.After(undoFor, l.Commit)
	if l.chat.currentID() == id {
		l.chat.Current = nil
	}
	l.chat.o.Changed(PartAll)
}

// deleting says that a conversation is the one that can still be had back.
func (l *List) deleting(id string) bool { return l.Deleted != nil && l.Deleted.ID == id }

// Undo brings the conversation last deleted back, and returns its id.
func (l *List) Undo() string {
	if l.Deleted == nil {
		return ""
	}
	s := l.endUndo()
	l.put(s)
	l.chat.o.Changed(PartList | PartUndo)
	return s.ID
}

// Commit deletes for good what was to be deleted: when the time is over, and
// when the page goes away.
func (l *List) Commit() {
	if l.Deleted == nil {
		return
	}
	s := l.endUndo()
	l.chat.forget(s.ID)
	l.chat.o.Server.Call(wire.OpDelete, wire.Target{ID: s.ID}, func(_ json.RawMessage, p *wire.Problem) {
		if p != nil && p.Code != "not_found" {
			l.put(s)
			l.chat.o.Changed(PartList)
			l.chat.o.Tell("The conversation wasn’t deleted. " + p.Message + " " + p.Hint)
		}
	})
	l.chat.o.Changed(PartUndo)
}

func (l *List) endUndo() wire.Summary {
	s := *l.Deleted
	l.forget()
	l.Deleted, l.forget = nil, nil
	return s
}
