package model

import (
	"cmp"
	"slices"
	"time"

	"screentest/shared/wire"
)

// Group is a stretch of the conversation list under one heading.
type Group struct {
	Name string
	Rows []wire.Summary
}

// Groups sorts conversations, newest first, under Today, Yesterday and
// Earlier, by the days of now's time zone. Headings without rows are left out.
func Groups(list []wire.Summary, now time.Time) []Group {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b wire.Summary) int { return cmp.Compare(b.UpdatedMS, a.UpdatedMS) })
	y, m, d := now.Date()
	today := time.Date(y, m, d, 0, 0, 0, 0, now.Location())
	yesterday := time.Date(y, m, d-1, 0, 0, 0, 0, now.Location())
	groups := []Group{{Name: "Today"}, {Name: "Yesterday"}, {Name: "Earlier"}}
	for _, s := range list {
		at := time.UnixMilli(s.UpdatedMS)
		switch {
		case !at.Before(today):
			groups[0].Rows = append(groups[0].Rows, s)
		case !at.Before(yesterday):
			groups[1].Rows = append(groups[1].Rows, s)
		default:
			groups[2].Rows = append(groups[2].Rows, s)
		}
	}
	return slices.DeleteFunc(groups, func(g Group) bool { return len(g.Rows) == 0 })
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
