package chat

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// List is the list of conversations.
type List struct {
	chat *Chat

	Rows  []wire.Summary // in no order; see Groups
	Ready bool
	More  bool // there are older ones
	// Deleted is the conversation that can still be had back; nil if none.
	Deleted *wire.Summary

	before   string
	reach    int64 // when the oldest changed that is listed for its age, Unix ms
	fetching bool
	forget   func() // ends the time for Deleted
}

// Group is a stretch of the list under one heading.
type Group struct {
	Name string
	Rows []wire.Summary
}

// Groups sorts the conversations of the list, newest first, under Pinned, Today,
// Yesterday and Earlier. Headings without rows are left out.
func (l *List) Groups() []Group {
	rows := slices.Clone(l.Rows)
	slices.SortStableFunc(rows, func(a, b wire.Summary) int { return cmp.Compare(b.UpdatedMS, a.UpdatedMS) })
	today, yesterday := l.chat.o.Midnight(0), l.chat.o.Midnight(1)
	groups := []Group{{Name: "Pinned"}, {Name: "Today"}, {Name: "Yesterday"}, {Name: "Earlier"}}
	for _, s := range rows {
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

// Models are the models of a conversation in the list: none while its names are
// hidden.
func (l *List) Models(s wire.Summary) string {
	if c := l.chat.conversations[s.ID]; c != nil && c.Phase == Ready {
		s.Blind = c.Blind
		if many := c.wireLanes(); len(many.Lanes) > 1 {
			s.Models = many.Models()
		}
	}
	if s.Blind {
		return "blind comparison"
	}
	if n := strings.Count(s.Models, ", ") + 1; n > 2 {
		return strconv.Itoa(n) + " models"
	}
	return s.Models
}

// Fetch asks for the newest conversations; FetchMore for older ones.
func (l *List) Fetch() { l.fetch("") }

// FetchMore asks for the conversations after the oldest that is there.
func (l *List) FetchMore() {
	if l.More && !l.fetching {
		l.fetch(l.before)
	}
}

func (l *List) fetch(before string) {
	l.fetching = true
	had := slices.DeleteFunc(slices.Clone(l.Rows), l.unborn)
	l.chat.o.Server.Call(wire.OpConversations, wire.Page{Before: before}, func(data json.RawMessage, p *wire.Problem) {
		l.fetching = false
		var page wire.ConversationPage
		if session.Read(data, p, &page) != nil {
			l.changed()
			return
		}
		if before != "" || !l.Ready {
			l.before, l.More = page.Before, page.Before != ""
			l.reach = oldest(page)
		}
		first := !l.Ready
		l.Ready = true
		if before == "" {
			l.dropDeleted(page, had)
		}
		l.putPage(page, before == "")
		if first {
			l.chat.recallLost()
		}
		l.changed()
	})
}

func (l *List) changed() { l.chat.o.Changed(PartList | PartBar) }

// dropDeleted takes out of the list what is in it no more by its first page:
// deleted elsewhere while this tab could not hear of it. Of had, which the server
// knew when the page was asked for, the page has all that changed last, and all
// that is pinned. What is older than it is not known; opening it will tell.
func (l *List) dropDeleted(page wire.ConversationPage, had []wire.Summary) {
	there := map[string]bool{}
	for _, s := range append(page.Conversations, page.Pinned...) {
		there[s.ID] = true
	}
	for _, s := range had {
		covered := s.UpdatedMS > oldest(page)
		// One that was listed for its pin alone is so no more.
		unpinned := s.Pinned && s.UpdatedMS < l.reach
		if (covered || unpinned) && !there[s.ID] {
			l.drop(s.ID)
		}
	}
}

// unborn says that the server may not know a conversation yet.
func (l *List) unborn(s wire.Summary) bool {
	c := l.chat.conversations[s.ID]
	return c != nil && c.lanes.unborn
}

// oldest is when the last conversation of a page changed; every one that changed
// later is in that page or in one before it.
func oldest(page wire.ConversationPage) int64 {
	if page.Before == "" || len(page.Conversations) == 0 {
		return math.MinInt64 // it goes to the list's end
	}
	return page.Conversations[len(page.Conversations)-1].UpdatedMS
}

// putPage puts in a stretch of the list. The first one says which are pinned.
func (l *List) putPage(page wire.ConversationPage, first bool) {
	if first {
		for i := range l.Rows {
			l.Rows[i].Pinned = false
		}
	}
	for _, s := range append(page.Conversations, page.Pinned...) {
		if !l.deleting(s.ID) {
			l.put(s)
		}
	}
}

// Pin keeps a conversation above the others, or lets it go. It is shown at
// once; a refusal takes it back.
func (l *List) Pin(id string, pinned bool) {
	l.edit(id, func(s *wire.Summary) { s.Pinned = pinned })
	l.chat.o.Server.Call(wire.OpPin, wire.Pin{ID: id, Pinned: pinned}, func(data json.RawMessage, p *wire.Problem) {
		var s wire.Summary
		if p = session.Read(data, p, &s); p != nil {
			l.edit(id, func(s *wire.Summary) { s.Pinned = !pinned })
			l.chat.o.Tell(p.Message + " " + p.Hint)
			return
		}
		l.chat.summary(s)
	})
}

// Rename gives a conversation another title. It is shown at once; a refusal
// takes it back.
func (l *List) Rename(id, title string) {
	var before string
	l.edit(id, func(s *wire.Summary) { before, s.Title = s.Title, title })
	l.chat.o.Server.Call(wire.OpRename, wire.Rename{ID: id, Title: title}, func(_ json.RawMessage, p *wire.Problem) {
		if p != nil {
			l.edit(id, func(s *wire.Summary) { s.Title = before })
			l.chat.o.Tell("The title wasn’t changed. " + p.Message + " " + p.Hint)
		}
	})
}

// edit changes a conversation wherever it is shown: in its row, then in the bar.
func (l *List) edit(id string, change func(*wire.Summary)) {
	if s := l.find(id); s != nil {
		change(s)
		if c := l.chat.conversations[id]; c != nil {
			c.Summary.Title, c.Summary.Pinned = s.Title, s.Pinned
		}
	} else if c := l.chat.conversations[id]; c != nil {
		change(&c.Summary)
	}
	l.changed()
}

// Neighbour returns the conversation that stands by places further down in the
// list than the one shown; "" where there is none.
func (l *List) Neighbour(by int) string {
	var all []string
	at := -1
	for _, g := range l.Groups() {
		for _, s := range g.Rows {
			if s.ID == l.chat.currentID() {
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

// find returns a conversation's row, or nil.
func (l *List) find(id string) *wire.Summary {
	for i := range l.Rows {
		if l.Rows[i].ID == id {
			return &l.Rows[i]
		}
	}
	return nil
}

// put puts a conversation into the list, or renews it there.
func (l *List) put(s wire.Summary) {
	if row := l.find(s.ID); row != nil {
		*row = s
		return
	}
	l.Rows = append(l.Rows, s)
}

func (l *List) drop(id string) {
	l.Rows = slices.DeleteFunc(l.Rows, func(s wire.Summary) bool { return s.ID == id })
}
