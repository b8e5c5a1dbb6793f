package session

import (
	"encoding/json"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func hear(t *testing.T, s *Session, e wire.Event, v any) News {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.Hear(wire.Push{Event: e, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The events of wire, each with what it carries.
func TestEveryEventIsDecoded(t *testing.T) {
	s := New("b1")
	id := wire.Target{ID: "x"}
	for _, c := range []struct {
		event   wire.Event
		carries any
		want    News
	}{
		{wire.EventConversation, wire.Summary{ID: "x"}, wire.Summary{ID: "x"}},
		{wire.EventDeleted, id, Deleted{ID: "x"}},
		{wire.EventRun, wire.Run{ID: "x"}, wire.Run{ID: "x"}},
		{wire.EventTaskDeleted, wire.TaskGone{ID: "x", Version: 7}, TaskDeleted{ID: "x", Version: 7}},
		{wire.EventTaskPurged, wire.TaskGone{ID: "x", Version: 7}, TaskPurged{ID: "x", Version: 7}},
		{wire.EventBudget, wire.BudgetState{SpentNanoUSD: 7}, wire.BudgetState{SpentNanoUSD: 7}},
		{wire.EventKeep, wire.Retention{WireDays: 30}, wire.Retention{WireDays: 30}},
		{wire.EventArchive, wire.Archive{Bytes: 9}, wire.Archive{Bytes: 9}},
		{wire.EventComment, wire.Comment{ID: "x", Text: "a"}, wire.Comment{ID: "x", Text: "a"}},
		{wire.EventReview, wire.ReviewStep{Review: "x"}, wire.ReviewStep{Review: "x"}},
		{wire.EventVersions, id, Versions{ID: "x"}},
		{wire.EventShares, nil, SharesChanged{}},
		{wire.EventMissed, nil, Missed{}},
		{"of a later build", id, nil},
	} {
		got := hear(t, s, c.event, c.carries)
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(c.want)
		if string(g) != string(w) {
			t.Errorf("%s: %T %s, want %T %s", c.event, got, g, c.want, w)
		}
	}
	for event, is := range map[wire.Event]func(News) bool{
		wire.EventLanes:     func(n News) bool { _, ok := n.(wire.Lanes); return ok },
		wire.EventVote:      func(n News) bool { _, ok := n.(wire.Vote); return ok },
		wire.EventLibrary:   func(n News) bool { _, ok := n.(wire.LibraryEntry); return ok },
		wire.EventTeamEntry: func(n News) bool { _, ok := n.(wire.TeamEntry); return ok },
		wire.EventTask:      func(n News) bool { _, ok := n.(wire.VideoTask); return ok },
		wire.EventBudgets:   func(n News) bool { _, ok := n.(wire.Budgets); return ok },
		wire.EventRanking:   func(n News) bool { _, ok := n.(wire.RankingChanged); return ok },
	} {
		if n := hear(t, s, event, struct{}{}); !is(n) {
			t.Errorf("%s is a %T", event, n)
		}
	}
	if n, err := s.Hear(wire.Push{Event: wire.EventRun, Data: []byte(`{"id": 1}`)}); err == nil || n != nil {
		t.Errorf("what can't be read is %v, %v", n, err)
	}
}

func TestTheCatalogueIsTheSameUntilItChanges(t *testing.T) {
	s := New("b1")
	if s.Greeted || s.Stale() || len(s.Catalogue.Models) != 0 {
		t.Error("before the greeting something is known of the server")
	}
	greet := func(build string, catalogue []byte) Greeting {
		return hear(t, s, wire.EventHello, wire.Hello{Build: build, Catalogue: catalogue}).(Greeting)
	}
	first := greet("b1", gateway.SampleCatalogue().JSON())
	if !s.Greeted || s.Stale() || len(s.Models) == 0 || first.Catalogue != s.Catalogue {
		t.Fatalf("greeted %v, stale %v, %d models", s.Greeted, s.Stale(), len(s.Models))
	}
	for _, m := range s.Models {
		if !m.Family.Text() {
			t.Errorf("%s is offered for text", m.ID)
		}
	}
	if all := s.AllModels(); len(all) <= len(s.Models) || all[0] != s.Models[0].ID {
		t.Errorf("all models are %q", all)
	}
	if again := greet("b1", gateway.SampleCatalogue().JSON()); again.Catalogue != first.Catalogue {
		t.Error("a new connection parses the same catalogue again")
	}
	if broken := greet("b1", []byte(`{"models": 3}`)); broken.Catalogue != first.Catalogue {
		t.Error("a catalogue that can't be read took the place of one that can")
	}
	if other := greet("b2", []byte(`{"models":[]}`)); !s.Stale() {
		t.Errorf("a server of another build is not noticed: %+v", other)
	}
}
