package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// compares has somebody ask two models something that a team pays, without their names,
// and gives a vote on it for nobody.
func (w *instance) compares(p *someone, team string, models ...string) wire.Vote {
	w.t.Helper()
	v := wire.Vote{Conversation: uuid.NewString(), Message: uuid.NewString(), Models: models}
	lanes := wire.Lanes{Conversation: v.Conversation, Blind: true}
	var all []wire.Start
	for i, m := range models {
		s := turn(gateway.Chat, "which is best?")
		s.Conversation, s.User.ID, s.Lane, s.Charge = v.Conversation, v.Message, i, team
		s.Body = json.RawMessage(strings.Replace(string(s.Body), "vendor/model-a", m, 1))
		play(w.t, p.tab, s)
		all = append(all, s)
		v.Answers = append(v.Answers, s.Answer)
		lanes.Lanes = append(lanes.Lanes, wire.Lane{Model: m, Leaf: s.Answer})
	}
	for i, s := range all {
		if r, _ := end(w.t, p.tab, s); r.Model != models[i] || r.State != wire.Done {
			w.t.Fatalf("%+v", r)
		}
	}
	w.must(p.tab.Call(w.t.Context(), wire.OpLanes, lanes, nil))
	return v
}

// A team's ranking is made of what its people voted blindly; those who aren't in it
// learn nothing, not even that there are votes.
func TestATeamHasItsOwnRanking(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	ctx := t.Context()
	w.must(w.store.SetTeamKey(ctx, w.people.Owner, w.red, "sk-red-0123456789", "6789", ""))
	const a, b, c = "vendor/model-a", "vendor/model-b", "zeta-1"
	votes := func(p *someone, winner int, bad bool, tags []string, models ...string) {
		t.Helper()
		v := w.compares(p, w.red, models...)
		if v.Bad, v.Tags = bad, tags; winner >= 0 {
			v.Winner = v.Answers[winner]
		}
		var kept wire.Vote
		w.must(p.tab.Call(ctx, wire.OpVote, v, &kept))
		if !kept.Blind || kept.Team != w.red {
			t.Fatalf("%+v", kept)
		}
	}
	ranking := func(p *someone, q wire.RankingQuery) (r wire.Ranking, err error) {
		err = p.tab.Call(ctx, wire.OpRanking, q, &r)
		return r, err
	}
	if r, err := ranking(w.member, wire.RankingQuery{Team: w.red}); err != nil || r.Votes != 0 || r.Models == nil || r.Tags == nil {
		t.Errorf("before the first: %+v, %v", r, err)
	}
	votes(w.member, 0, false, []string{"Code"}, a, b)
	// The others of the team are told, and nobody else.
	told, err := wiretest.News(ctx, w.mate.tab, wire.EventRanking, func(r wire.RankingChanged) bool { return r.Team == w.red })
	if err != nil {
		t.Fatalf("a team mate isn't told: %v, %v", told, err)
	}
	votes(w.mate, 0, false, []string{"code", "mail"}, a, b, c)
	votes(w.lead, -1, true, nil, b, c)
	votes(w.lead, -1, false, nil, a, c)

	got, err := ranking(w.mate, wire.RankingQuery{Team: w.red})
	w.must(err)
	if got.Votes != 4 || got.Ties != 1 || got.Bad != 1 || !slices.Equal(got.Tags, []string{"code", "mail"}) || len(got.Models) != 3 {
		t.Fatalf("%+v", got)
	}
	first, last := got.Models[0], got.Models[2]
	if first.Model != a || first.Votes != 3 || first.Wins != 2 || first.Ties != 1 || first.Bad != 0 || last.Model != b || last.Votes != 3 || last.Bad != 1 ||
		!(first.Low < first.Score && first.Score < first.High && first.Score > 1000 && last.Score < 1000) {
		t.Errorf("%+v", got.Models)
	}
	if f := first.Answer; f.CostNanoUSD <= 0 || f.DurationMS <= 0 {
		t.Errorf("its answers: %+v", f)
	}
	if r, err := ranking(w.member, wire.RankingQuery{Team: w.red, Tag: "mail"}); err != nil || r.Votes != 1 || !slices.Equal(r.Tags, got.Tags) {
		t.Errorf("of a tag: %+v, %v", r, err)
	}
	if r, err := ranking(w.member, wire.RankingQuery{Team: w.red, To: 1}); err != nil || r.Votes != 0 {
		t.Errorf("of another time: %+v, %v", r, err)
	}
	if _, err := ranking(w.member, wire.RankingQuery{Team: w.red, From: 5, To: 1}); codeOf(err) != "bad_time" {
		t.Errorf("of a time that ends before it begins: %v", err)
	}

	// Nobody is named, and nothing of what was asked is told.
	var raw json.RawMessage
	w.must(w.lead.tab.Call(ctx, wire.OpRanking, wire.RankingQuery{Team: w.red}, &raw))
	for _, no := range []string{"which is best", w.mate.id(), w.member.id(), "mate"} {
		if strings.Contains(string(raw), no) {
			t.Errorf("it has %q: %s", no, raw)
		}
	}

	// Another team's people and admins who aren't in it find nothing, as of no team.
	for _, team := range []string{w.red, uuid.NewString(), ""} {
		if _, err := ranking(w.stranger, wire.RankingQuery{Team: team}); codeOf(err) != wire.CodeNotFound {
			t.Errorf("a stranger asks for %q: %v", team, err)
		}
	}
	within, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	if told, err := wiretest.News(within, w.stranger.tab, wire.EventRanking, func(wire.RankingChanged) bool { return true }); err == nil {
		t.Errorf("a stranger is told of %+v", told)
	}
	w.must(w.store.TakeFromTeam(ctx, w.red, w.mate.id()), w.people.Changed(ctx))
	if _, err := ranking(w.mate, wire.RankingQuery{Team: w.red}); codeOf(err) != wire.CodeNotFound {
		t.Errorf("who was taken out of it: %v", err)
	}
	if r, err := ranking(w.lead, wire.RankingQuery{Team: w.red}); err != nil || r.Votes != 4 {
		t.Errorf("their votes went with them: %+v, %v", r, err)
	}
	guest := wire.RoleGuest
	w.must(w.store.ChangePerson(ctx, w.member.who.Owner, wire.PersonChange{Role: &guest}), w.people.Changed(ctx))
	if r, err := ranking(w.member, wire.RankingQuery{Team: w.red}); err != nil || r.Votes != 4 {
		t.Errorf("a guest in the team: %+v, %v", r, err)
	}
}
