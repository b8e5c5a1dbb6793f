package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"screentest/app/line"
	"screentest/shared/wire"
)

// Group is a stretch of the conversation list under one heading.
type Group struct {
	Name string
	Rows []wire.Summary
}

// Groups sorts the conversations of the list, newest first, under Pinned, Today,
// Yesterday and Earlier. Headings without rows are left out.
func (d *Desk) Groups() []Group {
	list := slices.Clone(d.List)
	slices.SortStableFunc(list, func(a, b wire.Summary) int { return cmp.Compare(b.UpdatedMS, a.UpdatedMS) })
	today, yesterday := d.midnight(0), d.midnight(1)
	groups := []Group{{Name: "Pinned"}, {Name: "Today"}, {Name: "Yesterday"}, {Name: "Earlier"}}
	for _, s := range list {
		at := time.UnixMilli(s.UpdatedMS)
		to := &groups[3]
		switch {
		case s.Pinned:
			to = &groups[0]
		case !at.Before(today):
			to = &groups[1]
		case !at.Before(yesterday):
			to = &groups[2]
		}
		to.Rows = append(to.Rows, s)
	}
	return slices.DeleteFunc(groups, func(g Group) bool { return len(g.Rows) == 0 })
}

// Pin keeps a conversation above the others, or lets it go. It is shown at
// once; a refusal takes it back.
func (d *Desk) Pin(id string, pinned bool) {
	set := func(pinned bool) {
		for i := range d.List {
			if d.List[i].ID == id {
				d.List[i].Pinned = pinned
			}
		}
		if c := d.conversations[id]; c != nil {
			c.Summary.Pinned = pinned
		}
		d.changed(PartList | PartBar)
	}
	set(pinned)
	d.line.Call(wire.OpPin, wire.Pin{ID: id, Pinned: pinned}, func(data json.RawMessage, p *wire.Problem) {
		var s wire.Summary
		if p = line.Answered(data, p, &s); p != nil {
			set(!pinned)
			d.Tell(p.Message + " " + p.Hint)
			return
		}
		d.summary(s)
	})
}

// Rename gives a conversation another title. It is shown at once; a refusal
// takes it back.
func (d *Desk) Rename(id, title string) {
	before := d.retitle(id, title)
	d.line.Call(wire.OpRename, wire.Rename{ID: id, Title: title}, func(_ json.RawMessage, p *wire.Problem) {
		if p != nil {
			d.retitle(id, before)
			d.Tell("The title was not changed. " + p.Message + " " + p.Hint)
		}
	})
}

// retitle shows a conversation under another title, and returns the one before.
func (d *Desk) retitle(id, title string) (before string) {
	for i := range d.List {
		if d.List[i].ID == id {
			before, d.List[i].Title = d.List[i].Title, title
		}
	}
	if c := d.conversations[id]; c != nil {
		before, c.Summary.Title = c.Summary.Title, title
	}
	d.changed(PartList | PartBar)
	return before
}

// Tell puts a sentence where the person sees it for a while.
func (d *Desk) Tell(words string) {
	if d.forgetNotice != nil {
		d.forgetNotice()
	}
	d.Notice = strings.TrimSpace(words)
	d.forgetNotice = d.after(undoFor, func() {
		d.Notice, d.forgetNotice = "", nil
		d.changed(PartNotice)
	})
	d.changed(PartNotice)
}

// Neighbour returns the conversation that stands by places further down in the
// list than the one shown; "" where there is none.
func (d *Desk) Neighbour(by int) string {
	var all []string
	at := -1
	for _, g := range d.Groups() {
		for _, s := range g.Rows {
			if s.ID == d.currentID() {
				at = len(all)
			}
			all = append(all, s.ID)
		}
	}
	if at < 0 && by < 0 {
		return ""
	}
	if at += by; at < 0 || at >= len(all) {
		return ""
	}
	return all[at]
}

// putSummary puts a conversation into the list, or renews it there.
func putSummary(list []wire.Summary, s wire.Summary) []wire.Summary {
	for i := range list {
		if list[i].ID == s.ID {
			list[i] = s
			return list
		}
	}
	return append(list, s)
}

func dropSummary(list []wire.Summary, id string) []wire.Summary {
	return slices.DeleteFunc(list, func(s wire.Summary) bool { return s.ID == id })
}
