package model

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"screentest/app/session"
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

// FetchList asks for the newest conversations; FetchMore for older ones.
func (d *Desk) FetchList() { d.list("") }

// FetchMore asks for the conversations after the oldest that is there.
func (d *Desk) FetchMore() {
	if d.ListMore && !d.listing {
		d.list(d.before)
	}
}

func (d *Desk) list(before string) {
	d.listing = true
	had := slices.DeleteFunc(slices.Clone(d.List), d.unborn)
	d.server.Call(wire.OpConversations, wire.Page{Before: before}, func(data json.RawMessage, p *wire.Problem) {
		d.listing = false
		var page wire.ConversationPage
		if session.Read(data, p, &page) != nil {
			d.changed(PartList)
			return
		}
		if before != "" || !d.ListReady {
			d.before, d.ListMore = page.Before, page.Before != ""
			d.reach = oldest(page)
		}
		first := !d.ListReady
		d.ListReady = true
		if before == "" {
			d.dropDeleted(page, had)
		}
		d.takePage(page, before == "")
		if first {
			d.recallLost()
		}
		d.changed(PartList | PartBar)
	})
}

// dropDeleted takes out of the list what is in it no more by its first page:
// deleted elsewhere while this tab could not hear of it. Of had, which the server
// knew when the page was asked for, the page has all that changed last, and all
// that is pinned. What is older than it is not known; opening it will tell.
func (d *Desk) dropDeleted(page wire.ConversationPage, had []wire.Summary) {
	there := map[string]bool{}
	for _, s := range append(page.Conversations, page.Pinned...) {
		there[s.ID] = true
	}
	for _, s := range had {
		covered := s.UpdatedMS > oldest(page)
		// One that was listed for its pin alone is so no more.
		unpinned := s.Pinned && s.UpdatedMS < d.reach
		if (covered || unpinned) && !there[s.ID] {
			d.List = dropSummary(d.List, s.ID)
		}
	}
}

// unborn says that the server may not know a conversation yet.
func (d *Desk) unborn(s wire.Summary) bool {
	c := d.conversations[s.ID]
	return c != nil && c.kept.unborn
}

// oldest is when the last conversation of a page changed; every one that changed
// later is in that page or in one before it.
func oldest(page wire.ConversationPage) int64 {
	if page.Before == "" || len(page.Conversations) == 0 {
		return math.MinInt64 // it goes to the list's end
	}
	return page.Conversations[len(page.Conversations)-1].UpdatedMS
}

// takePage takes a stretch of the list. The first one says which are pinned.
func (d *Desk) takePage(page wire.ConversationPage, first bool) {
	if first {
		for i := range d.List {
			d.List[i].Pinned = false
		}
	}
	for _, s := range append(page.Conversations, page.Pinned...) {
		if d.Deleted == nil || d.Deleted.ID != s.ID {
			d.List = putSummary(d.List, s)
		}
	}
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
	d.server.Call(wire.OpPin, wire.Pin{ID: id, Pinned: pinned}, func(data json.RawMessage, p *wire.Problem) {
		var s wire.Summary
		if p = session.Read(data, p, &s); p != nil {
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
	d.server.Call(wire.OpRename, wire.Rename{ID: id, Title: title}, func(_ json.RawMessage, p *wire.Problem) {
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
