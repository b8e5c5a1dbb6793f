package chat_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// Whether a vote is blind, and which team it counts for, is not for the voter to
// say: it is told by the lanes and by who paid.
func TestTheStoreSaysWhatAVoteIs(t *testing.T) {
	ctx := context.Background()
	db, _ := storetest.OpenLocal(t)
	ann, annID := storetest.Join(t, db, "ann", wire.RoleMember)
	red, blue := storetest.Team(t, db, "red", wire.Limits{}, annID), storetest.Team(t, db, "blue", wire.Limits{}, annID)
	failed := func(v wire.Vote, place int) {
		t.Helper()
		id, _ := engine.ParseID(v.Answers[place])
		storetest.Must(t, db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
			_, err := w.Exec("UPDATE runs SET state = 'failed' WHERE message = (SELECT n FROM messages WHERE id = ?)", id)
			return err
		}))
	}
	for _, tt := range []struct {
		name  string
		vote  func() wire.Vote
		blind bool
		team  string
	}{
		{"blind", func() wire.Vote { return storetest.Compared(t, db, ann, red, true, "a", "b") }, true, red},
		{"with the names shown", func() wire.Vote { return storetest.Compared(t, db, ann, red, false, "a", "b") }, false, red},
		{"by a personal key", func() wire.Vote { return storetest.Compared(t, db, ann, "", true, "a", "b") }, true, ""},
		{"that says it is another team's", func() wire.Vote {
			v := storetest.Compared(t, db, ann, red, false, "a", "b")
			v.Blind, v.Team = true, blue
			return v
		}, false, red},
		{"of answers that two teams paid for", func() wire.Vote {
			v := storetest.Compared(t, db, ann, red, true, "a", "b")
			id, _ := engine.ParseID(v.Answers[1])
			storetest.Must(t, db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
				_, err := w.Exec("UPDATE runs SET team = (SELECT n FROM teams WHERE name = 'blue') WHERE message = (SELECT n FROM messages WHERE id = ?)", id)
				return err
			}))
			return v
		}, true, ""},
		{"that doesn't name the answers", func() wire.Vote {
			v := storetest.Compared(t, db, ann, red, true, "a", "b")
			v.Answers = nil
			return v
		}, true, ""},
		{"of answers to another question", func() wire.Vote {
			v := storetest.Compared(t, db, ann, red, true, "a", "b")
			s := storetest.NewStart(v.Conversation, "and another question, that nobody answered")
			s.User.Parent = v.Answers[0]
			storetest.Must(t, storetest.StartTurn(db, ann, s))
			v.Message = s.User.ID
			return v
		}, true, ""},
		{"of one model with itself", func() wire.Vote { return storetest.Compared(t, db, ann, red, true, "a", "a") }, true, ""},
		{"of two, one of which failed", func() wire.Vote {
			v := storetest.Compared(t, db, ann, red, true, "a", "b")
			failed(v, 1)
			return v
		}, true, ""},
		{"of three, one of which failed", func() wire.Vote {
			v := storetest.Compared(t, db, ann, red, true, "a", "b", "c")
			failed(v, 1)
			return v
		}, true, red},
		{"for one that failed", func() wire.Vote {
			v := storetest.Compared(t, db, ann, red, true, "a", "b", "c")
			failed(v, 1)
			v.Winner = v.Answers[1]
			return v
		}, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := tt.vote()
			kept, err := db.SetVote(ctx, ann, v)
			storetest.Must(t, err)
			if kept.Blind != tt.blind || kept.Team != tt.team {
				t.Errorf("blind %v, team %q; want %v, %q", kept.Blind, kept.Team, tt.blind, tt.team)
			}
			opened, err := db.OpenConversation(ctx, ann, wire.Page{Conversation: v.Conversation})
			if err != nil || !reflect.DeepEqual(opened.Votes, []wire.Vote{kept}) {
				t.Errorf("%+v, %v; want %+v", opened.Votes, err, kept)
			}
		})
	}
}

// With the first vote the names are told: one that is changed afterwards is not
// blind, whatever the lanes say then. The same one sent once more is.
func TestAVoteThatIsChangedIsNotBlind(t *testing.T) {
	ctx := context.Background()
	db, _ := storetest.OpenLocal(t)
	ann, annID := storetest.Join(t, db, "ann", wire.RoleMember)
	red := storetest.Team(t, db, "red", wire.Limits{}, annID)
	for name, change := range map[string]func(*wire.Vote){
		"another winner":  func(v *wire.Vote) { v.Winner = v.Answers[1] },
		"a tie":           func(v *wire.Vote) { v.Winner = "" },
		"none was good":   func(v *wire.Vote) { v.Winner, v.Bad = "", true },
		"the same":        nil,
		"with other tags": func(v *wire.Vote) { v.Tags = []string{"code"} },
	} {
		v := storetest.Compared(t, db, ann, red, true, "a", "b")
		v.Winner = v.Answers[0]
		first, err := db.SetVote(ctx, ann, v)
		storetest.Must(t, err)
		same := change == nil || name == "with other tags"
		if change != nil {
			change(&v)
		}
		second, err := db.SetVote(ctx, ann, v)
		storetest.Must(t, err)
		if !first.Blind || second.Blind != same {
			t.Errorf("%s: blind %v, then %v", name, first.Blind, second.Blind)
		}
	}
}

func TestVotesHaveTags(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	v := storetest.Compared(t, db, owner, "", true, "a", "b")
	v.Tags, v.Bad = []string{"  Hard\nmaths ", "code", "CODE", ""}, true
	kept, err := db.SetVote(ctx, owner, v)
	if err != nil || !reflect.DeepEqual(kept.Tags, []string{"code", "hard maths"}) || !kept.Bad {
		t.Errorf("%+v, %v", kept, err)
	}
	for name, change := range map[string]func(*wire.Vote){
		"six tags":                 func(v *wire.Vote) { v.Tags = strings.Split("a b c d e f", " ") },
		"a long tag":               func(v *wire.Vote) { v.Tags = []string{strings.Repeat("ä", 31)} },
		"a winner that is bad":     func(v *wire.Vote) { v.Winner = v.Answers[0] },
		"fewer answers":            func(v *wire.Vote) { v.Answers = v.Answers[:1] },
		"an answer twice":          func(v *wire.Vote) { v.Answers = []string{v.Answers[0], v.Answers[0]} },
		"an answer of nobody's":    func(v *wire.Vote) { v.Answers = []string{v.Answers[0], storetest.NewID()} },
		"a question for an answer": func(v *wire.Vote) { v.Answers = []string{v.Answers[0], v.Message} },
	} {
		bad := v
		change(&bad)
		if _, err := db.SetVote(ctx, owner, bad); storetest.Problem(err).Message == "" {
			t.Errorf("%s: %v, want a problem", name, err)
		}
	}
	v.Tags = []string{strings.Repeat("ä", 30), "b", "c", "d", "e"}
	storetest.Must(t, storetest.Second(db.SetVote(ctx, owner, v)))
}
