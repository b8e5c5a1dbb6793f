package video

import (
	"encoding/json"
	"slices"

	"screentest/shared/wire"
)

// Tasks are the clips that were made, as far as the tab has asked for them.
type Tasks struct {
	d *Desk

	List    []wire.VideoTask // newest first
	Ready   bool             // the first page has come
	Problem *wire.Problem    // why it has not
}

func newTasks(d *Desk) *Tasks { return &Tasks{d: d} }

// Task returns the task with this id, if it is known.
func (t *Tasks) Task(id string) (wire.VideoTask, bool) {
	for _, v := range t.List {
		if v.ID == id {
			return v, true
		}
	}
	return wire.VideoTask{}, false
}

// Put takes a task as the server tells it: of two the newer version stays.
func (t *Tasks) Put(v wire.VideoTask) {
	if v.ID == "" {
		return
	}
	for i, old := range t.List {
		if old.ID == v.ID {
			if v.Version >= old.Version {
				t.List[i] = v
			}
			t.d.o.Changed(PartGallery)
			return
		}
	}
	t.List = append(t.List, v)
	slices.SortStableFunc(t.List, func(a, b wire.VideoTask) int { return int(b.CreatedMS - a.CreatedMS) })
	t.d.o.Changed(PartGallery)
}

// news takes a push of the server that answers no call.
func (t *Tasks) news(p wire.Push) {
	switch p.Event {
	case wire.EventHello:
		t.fetch() // whatever was missed while the line was down
	case wire.EventTask:
		var v wire.VideoTask
		if json.Unmarshal(p.Data, &v) == nil {
			t.Put(v)
		}
	case wire.EventTaskDeleted:
		var gone wire.Target
		if json.Unmarshal(p.Data, &gone) == nil {
			t.List = slices.DeleteFunc(t.List, func(v wire.VideoTask) bool { return v.ID == gone.ID })
			t.d.o.Changed(PartGallery)
		}
	}
}

func (t *Tasks) fetch() {
	t.d.o.Line.Call(wire.OpVideoTasks, wire.VideoQuery{}, func(data json.RawMessage, p *wire.Problem) {
		var page wire.VideoPage
		t.Problem = answered(data, p, &page)
		t.Ready = t.Ready || t.Problem == nil
		for _, v := range page.Tasks {
			t.Put(v)
		}
		t.d.o.Changed(PartGallery)
	})
}
