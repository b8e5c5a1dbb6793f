package storetest

import (
	"context"
	"testing"

	"screentest/server/store"
	"screentest/shared/wire"
)

// Compared stores a question that several models answer, each in a lane, and a team
// pays for; "" is none. The names are hidden if blind. What is given is a vote on it
// for nobody.
func Compared(t testing.TB, db *store.DB, owner, team string, blind bool, models ...string) wire.Vote {
	t.Helper()
	v := wire.Vote{Conversation: NewID(), Message: NewID(), Models: models}
	lanes := wire.Lanes{Conversation: v.Conversation, Blind: blind}
	for i, m := range models {
		s := NewStart(v.Conversation, "which is best?")
		s.User.ID, s.Lane = v.Message, i
		r := RunOf(s)
		r.Model, r.Team = m, team
		Must(t, Wait(func(done func(error)) { db.StartTurn(owner, s, r, "which is best?", "", done) }),
			db.FinishRun(context.Background(), owner, Ended(r, int64(1000*(i+1))), "answer", nil, nil, nil))
		v.Answers = append(v.Answers, s.Answer)
		lanes.Lanes = append(lanes.Lanes, wire.Lane{Model: m, Leaf: s.Answer})
	}
	Must(t, Second(db.SetLanes(context.Background(), owner, lanes)))
	return v
}

// Voted stores such a comparison that was blind, with a vote for the one at a place;
// -1 is a tie, -2 that none was good enough.
func Voted(t testing.TB, db *store.DB, owner, team string, winner int, tags []string, models ...string) wire.Vote {
	t.Helper()
	v := Compared(t, db, owner, team, true, models...)
	v.Tags, v.Bad = tags, winner == -2
	if winner >= 0 {
		v.Winner = v.Answers[winner]
	}
	v, err := db.SetVote(context.Background(), owner, v)
	Must(t, err)
	return v
}
