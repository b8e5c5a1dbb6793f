package model

import (
	"encoding/json"
	"time"

	"screentest/shared/wire"
)

// undoFor is how long a deleted conversation can be had back.
const undoFor = 7 * time.Second

// Delete hides a conversation at once and deletes it when the time to undo
// that has passed.
func (d *Desk) Delete(id string) {
	d.Commit()
	s := wire.Summary{ID: id}
	for _, o := range d.List {
		if o.ID == id {
			s = o
		}
	}
	d.Deleted = &s
	d.List = dropSummary(d.List, id)
	d.forget = d.after(undoFor, d.Commit)
	if d.currentID() == id {
		d.Current = nil
	}
	d.changed(PartAll)
}

// Undo brings the conversation last deleted back, and returns its id.
func (d *Desk) Undo() string {
	if d.Deleted == nil {
		return ""
	}
	d.forget()
	s := *d.Deleted
	d.Deleted, d.forget = nil, nil
	d.List = putSummary(d.List, s)
	d.changed(PartList | PartNotice)
	return s.ID
}

// Commit deletes for good what was to be deleted: when the time is over, and
// when the page goes away.
func (d *Desk) Commit() {
	if d.Deleted == nil {
		return
	}
	s := *d.Deleted
	d.forget()
	d.Deleted, d.forget = nil, nil
	d.gone(s.ID)
	d.server.Call(wire.OpDelete, wire.Target{ID: s.ID}, func(_ json.RawMessage, p *wire.Problem) {
		if p != nil && p.Code != "not_found" {
			d.List = putSummary(d.List, s)
			d.changed(PartList)
			d.Tell("The conversation was not deleted. " + p.Message + " " + p.Hint)
		}
	})
	d.changed(PartNotice)
}

// gone forgets a deleted conversation.
func (d *Desk) gone(id string) {
	d.List = dropSummary(d.List, id)
	d.storage.Remove(draftName + id)
	d.storage.Remove(rawName + id)
	if c := d.conversations[id]; c != nil {
		c.Phase = Missing
		delete(d.conversations, id)
		for _, m := range c.messages {
			if m.Run == nil {
				continue
			}
			for _, call := range m.Run.Calls {
				d.storage.Remove(callKey{m.ID, call.ID}.stored())
			}
		}
		for run, s := range d.streams {
			if s.conversation == c {
				delete(d.streams, run)
			}
		}
	}
}

// foundGone takes it that a conversation was deleted while this tab could not
// hear of it. What was written for the one that is shown is not lost with it.
func (d *Desk) foundGone(id string) {
	draft := d.storage.Get(draftName + id)
	d.gone(id)
	if draft != "" && id == d.currentID() {
		d.restore("", draft, "This conversation was deleted elsewhere. What you were writing stands in the composer of a new one.")
	}
}
