package video

import (
	"encoding/json"
	"strconv"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// NotDeleted is why nothing can be done with a deleted clip.
const NotDeleted = "It was deleted. Restore it first."

// Delete moves a task to the deleted ones. It is offered back for a while.
func (g *Tasks) Delete(id string) {
	t := g.tasks[id]
	if t == nil || t.Deleted {
		return
	}
	kept := *t
	g.Selection.drop(id)
	g.offer(&kept)
	g.setDeleted(id, true)
}

// Restore takes a task back from the deleted ones.
func (g *Tasks) Restore(id string) {
	if t := g.tasks[id]; t != nil && t.Deleted {
		g.setDeleted(id, false)
	}
}

// Undo brings the last deletion back: of one, or of several together.
func (g *Tasks) Undo() {
	if t := g.Deleted; t != nil {
		also := g.also
		g.offer(nil)
		g.Restore(t.ID)
		for _, id := range also {
			g.Restore(id)
		}
	}
}

// setDeleted shows it at once, and takes it back if the server refuses it.
func (g *Tasks) setDeleted(id string, on bool) {
	was := *g.tasks[id]
	op, at := wire.OpVideoUndelete, int64(0)
	if on {
		op, at = wire.OpVideoDelete, g.o.Now().UnixMilli()
	}
	c := g.show(id, func(t *wire.VideoTask) { t.Deleted, t.DeletedMS = on, at })
	g.o.Call(op, wire.Target{ID: id}, func(data json.RawMessage, problem *wire.Problem) {
		g.answered(id, c)
		var t wire.VideoTask
		if !on { // a deletion is answered with nothing
			problem = session.Read(data, problem, &t)
		}
		switch {
		case problem != nil:
			g.alter(id, func(t *wire.VideoTask) { t.Deleted, t.DeletedMS = was.Deleted, was.DeletedMS })
			if g.Deleted != nil && g.Deleted.ID == id {
				g.offer(nil)
			}
			g.Notices.refused(id, problem)
		case !on:
			g.Put(t)
		}
		g.recount()
		g.o.Changed()
	})
}

// wasDeleted takes it that a task was deleted, here or elsewhere. What the server has
// not answered yet is done after it, as in put: one that is being had back stays.
func (g *Tasks) wasDeleted(n session.TaskDeleted) {
	id := n.ID
	if t := g.tasks[id]; t != nil && t.Version > n.Version && n.Version > 0 {
		return // and was had back since
	}
	if g.tasks[id] == nil && g.Filter.Standing == Trashed {
		g.Start() // it belongs to what is shown
	}
	g.alter(id, func(t *wire.VideoTask) {
		if !t.Deleted {
			t.Deleted, t.DeletedMS = true, g.o.Now().UnixMilli()
		}
		t.Version = max(t.Version, n.Version)
		g.redo(t)
	})
	if t := g.tasks[id]; t == nil || t.Deleted {
		g.Selection.drop(id)
	}
	g.recount()
	g.o.Changed()
}

// Purge deletes a deleted task for good. done is called when it is gone.
func (g *Tasks) Purge(id string, done func()) {
	g.o.Call(wire.OpVideoPurge, wire.Target{ID: id}, func(_ json.RawMessage, problem *wire.Problem) {
		if problem != nil {
			g.Notices.refused(id, problem)
			return
		}
		g.drop(id)
		g.recount()
		done()
		g.o.Changed()
	})
}

func (g *Tasks) offer(t *wire.VideoTask) {
	if g.forget != nil {
		g.forget()
		g.forget = nil
	}
	g.Deleted, g.also = t, nil
	if t == nil {
		return
	}
	g.forget = g.o.After(undoFor, func() {
		g.Deleted, g.also = nil, nil
		g.o.Changed()
	})
}

// ChargedOn says what a deletion does not end; "" where there is nothing.
func ChargedOn(t *wire.VideoTask) string {
	switch {
	case !t.State.Open():
		return ""
	case t.Charged && t.PriceNanoUSD > 0:
		return "The gateway keeps making it, and it stays charged unless it fails."
	}
	return "The gateway keeps making it."
}

// KeptWords say how long a deleted task is kept.
func KeptWords(t *wire.VideoTask, now time.Time) string {
	left := time.UnixMilli(t.DeletedMS).AddDate(0, 0, wire.TrashDays).Sub(now)
	switch days := int((left + 12*time.Hour) / (24 * time.Hour)); {
	case !t.Deleted:
		return ""
	case days > 1:
		return "Deleted for good in " + strconv.Itoa(days) + " days"
	case !t.State.Final():
		return "Deleted for good once it has ended"
	}
	return "Deleted for good within a day"
}

// NotPurged says why a deleted task can't be deleted for good yet; "" if it can.
func NotPurged(t *wire.VideoTask) string {
	if t.State.Final() {
		return ""
	}
	return "It hasn’t ended yet; its price may still come back."
}
