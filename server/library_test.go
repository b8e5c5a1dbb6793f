package main

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// teamEntry is a version of a prompt in a team's library.
func teamEntry(team, id string, rev int64) wire.TeamEntry {
	return wire.TeamEntry{Team: team, Rev: rev, LibraryEntry: wire.LibraryEntry{ID: id, Kind: wire.LibraryPrompt, Name: "shared", Text: "by all"}}
}

// Everybody in a team is told of a change of its library, and nobody else.
func TestATeamsLibraryIsToldToTheTeam(t *testing.T) {
	w := newInstance(t, serveConfig{})
	ctx := t.Context()
	e := teamEntry(w.red, uuid.NewString(), 0)
	var kept wire.TeamEntry
	w.must(w.member.tab.Call(ctx, wire.OpTeamLibraryPut, e, &kept))
	if kept.Rev != 1 || kept.By != "member" || !kept.May {
		t.Errorf("%+v", kept)
	}
	told := func(p *someone, what string, matches func(wire.TeamEntry) bool) {
		t.Helper()
		if _, err := wiretest.News(ctx, p.tab, wire.EventTeamEntry, matches); err != nil {
			t.Fatalf("%s isn't told of %s: %v", p.name, what, err)
		}
	}
	team := []*someone{w.member, w.guest, w.mate, w.lead, w.admin}
	for _, p := range team {
		told(p, "a new entry", func(n wire.TeamEntry) bool { return n.ID == e.ID && n.Rev == 1 && n.By == "member" && !n.May })
	}
	e.Rev, e.Text = 1, "by the mate"
	w.must(w.mate.tab.Call(ctx, wire.OpTeamLibraryPut, e, nil))
	var p *wire.Problem
	e.Text = "by the member"
	if err := w.member.tab.Call(ctx, wire.OpTeamLibraryPut, e, nil); !errors.As(err, &p) || p.Code != wire.CodeChangedSince {
		t.Errorf("upon a version that isn't the last: %v", err)
	}
	w.must(w.lead.tab.Call(ctx, wire.OpTeamLibraryDrop, wire.TeamTarget{Team: w.red, ID: e.ID}, nil))
	for _, p := range team {
		told(p, "a deletion", func(n wire.TeamEntry) bool { return n.ID == e.ID && n.Deleted && n.Rev == 2 })
	}
	// News come in their order: by now the stranger would have been told.
	w.must(w.stranger.tab.Call(ctx, wire.OpTeamLibraryPut, teamEntry(w.blue, e.ID, 0), nil))
	told(w.stranger, "their own", func(n wire.TeamEntry) bool {
		if n.Team != w.blue {
			t.Errorf("a stranger is told of %+v", n)
		}
		return n.Team == w.blue
	})
}
