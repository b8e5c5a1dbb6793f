package ranking_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"testing"

	"screentest/server/account"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// voted are the votes that somebody sees of a team, in words.
func voted(t *testing.T, db *store.DB, owner string, q wire.RankingQuery) (all, tags []string) {
	t.Helper()
	mark, tags, err := db.Rankings().Votes(t.Context(), owner, q, func(models []string, won int, bad bool, answers []wire.Figures) {
		all = append(all, fmt.Sprint(models, won, bad))
		if len(answers) != len(models) {
			t.Errorf("%q have the answers %+v", models, answers)
		}
		for i, a := range answers {
			if want := (wire.Figures{CostNanoUSD: int64(1000 * (i + 1)), FirstTokenMS: 12, DurationMS: 340, TokensASec: 118 * 1000 / 328}); a != want {
				t.Errorf("%+v, want %+v", a, want)
			}
		}
	})
	storetest.Must(t, err)
	if again, err := db.Rankings().Mark(t.Context(), owner, q); err != nil || again != mark {
		t.Errorf("the mark is %q, and %q: %v", mark, again, err)
	}
	return all, tags
}

func TestVotesOfATeam(t *testing.T) {
	db, _ := storetest.OpenLocal(t)
	ann, annID := storetest.Join(t, db, "ann", wire.RoleMember)
	bob, bobID := storetest.Join(t, db, "bob", wire.RoleGuest)
	eve, eveID := storetest.Join(t, db, "eve", wire.RoleAdmin)
	red, blue := storetest.Team(t, db, "red", wire.Limits{}, annID, bobID), storetest.Team(t, db, "blue", wire.Limits{}, annID, eveID)

	storetest.Voted(t, db, ann, red, 1, []string{"code", "mail"}, "a", "b")
	storetest.Voted(t, db, ann, red, -1, []string{"code"}, "b", "c", "a")
	gone := storetest.Voted(t, db, ann, red, -2, nil, "a", "c")
	storetest.Voted(t, db, ann, blue, 0, []string{"of blue"}, "x", "y")
	storetest.Voted(t, db, ann, "", 0, []string{"of hers"}, "x", "y")
	seen := storetest.Compared(t, db, ann, red, false, "a", "b")
	storetest.Must(t, storetest.Second(db.SetVote(t.Context(), ann, seen)))

	all := []string{"[a b] 1 false", "[b c a] -1 false", "[a c] -1 true"}
	for _, who := range []string{ann, bob} {
		if got, tags := voted(t, db, who, wire.RankingQuery{Team: red}); !slices.Equal(got, all) || !slices.Equal(tags, []string{"code", "mail"}) {
			t.Errorf("%q, %q", got, tags)
		}
	}
	for name, tt := range map[string]struct {
		q          wire.RankingQuery
		want, tags []string
	}{
		"a tag":            {wire.RankingQuery{Team: red, Tag: "code"}, all[:2], []string{"code", "mail"}},
		"a part of a tag":  {wire.RankingQuery{Team: red, Tag: "cod"}, nil, []string{"code", "mail"}},
		"a tag of another": {wire.RankingQuery{Team: red, Tag: "of blue"}, nil, []string{"code", "mail"}},
		"before all":       {wire.RankingQuery{Team: red, To: gone.VoteMS - 1_000_000}, nil, nil},
		"since the last":   {wire.RankingQuery{Team: red, From: gone.VoteMS + 1_000_000}, nil, nil},
		"the other team":   {wire.RankingQuery{Team: blue}, []string{"[x y] 0 false"}, []string{"of blue"}},
	} {
		if got, tags := voted(t, db, ann, tt.q); !slices.Equal(got, tt.want) || !slices.Equal(tags, tt.tags) {
			t.Errorf("%s: %q, %q", name, got, tags)
		}
	}
	for _, who := range []string{eve, "", "0", "x"} {
		_, err := db.Rankings().Mark(t.Context(), who, wire.RankingQuery{Team: red})
		_, nobodys := db.Rankings().Mark(t.Context(), who, wire.RankingQuery{Team: storetest.NewID()})
		if !errors.Is(err, fs.ErrNotExist) || err.Error() != nobodys.Error() {
			t.Errorf("%q asks: %v; of no team: %v", who, err, nobodys)
		}
	}

	// A vote that is given anew stands in its own place, and is not blind any more.
	before, _ := db.Rankings().Mark(t.Context(), ann, wire.RankingQuery{Team: red})
	gone.Bad = false
	again(t, db, ann, gone)
	if after, _ := db.Rankings().Mark(t.Context(), ann, wire.RankingQuery{Team: red}); after == before {
		t.Error("the mark of votes that have changed is the same")
	}
	if got, _ := voted(t, db, ann, wire.RankingQuery{Team: red}); !slices.Equal(got, all[:2]) {
		t.Errorf("after one was changed: %q", got)
	}

	// What is handed over counts on, for the same figures; what is deleted doesn't.
	storetest.Must(t, db.ChangePerson(t.Context(), ann, wire.PersonChange{Active: new(bool)}))
	member := wire.RoleMember
	storetest.Must(t, db.ChangePerson(t.Context(), bob, wire.PersonChange{Role: &member}))
	v := account.Leaving{Person: ann, Heir: bob}
	_, err := db.Leavings().Begin(t.Context(), v, "")
	storetest.Must(t, err)
	for more := true; more; {
		_, _, more, err = db.Leavings().Step(t.Context(), v)
		storetest.Must(t, err)
	}
	if got, _ := voted(t, db, bob, wire.RankingQuery{Team: red}); !slices.Equal(got, all[:2]) {
		t.Errorf("handed over: %q", got)
	}
	page, err := db.Conversations(t.Context(), bob, wire.Page{})
	storetest.Must(t, err)
	for _, c := range page.Conversations {
		storetest.Must(t, db.DeleteConversation(t.Context(), bob, c.ID))
	}
	if got, _ := voted(t, db, bob, wire.RankingQuery{Team: red}); len(got) != 0 {
		t.Errorf("deleted: %q", got)
	}
	var left int
	storetest.Must(t, db.Engine().At(t.Context()).Scan("SELECT count(*) FROM vote_answers", nil, &left))
	if left != 0 {
		t.Errorf("%d answers of votes are left", left)
	}
}

// again votes anew, as a tie.
func again(t *testing.T, db *store.DB, owner string, v wire.Vote) {
	t.Helper()
	opened, err := db.OpenConversation(t.Context(), owner, wire.Page{Conversation: v.Conversation})
	storetest.Must(t, err)
	v.Winner = ""
	for _, l := range opened.Lanes.Lanes {
		v.Answers = append(v.Answers, l.Leaf)
	}
	storetest.Must(t, storetest.Second(db.SetVote(t.Context(), owner, v)))
}

// A vote of a file counts for no team: whoever writes it could have made it up.
func TestAnImportedVoteIsNoTeams(t *testing.T) {
	db, _ := storetest.OpenLocal(t)
	ann, id := storetest.Join(t, db, "ann", wire.RoleMember)
	red := storetest.Team(t, db, "red", wire.Limits{}, id)
	v := storetest.Voted(t, db, ann, red, 0, []string{"code"}, "a", "b")
	var file bytes.Buffer
	storetest.Must(t, db.Export(t.Context(), ann, v.Conversation, &file))
	done, err := db.Import(t.Context(), ann, &file)
	storetest.Must(t, err)
	opened, err := db.OpenConversation(t.Context(), ann, wire.Page{Conversation: done.Open})
	storetest.Must(t, err)
	got := opened.Votes[0]
	if !got.Blind || got.Team != "" || !reflect.DeepEqual(got.Tags, v.Tags) {
		t.Errorf("imported as %+v", got)
	}
	if all, _ := voted(t, db, ann, wire.RankingQuery{Team: red}); len(all) != 1 {
		t.Errorf("%q count", all)
	}
}

// BenchmarkVotes reads the votes of a team that has a hundred thousand.
func BenchmarkVotes(b *testing.B) {
	db, _ := storetest.OpenLocal(b)
	owner, id := storetest.Join(b, db, "ann", wire.RoleMember)
	team := storetest.Team(b, db, "red", wire.Limits{}, id)
	v := storetest.Voted(b, db, owner, team, 0, []string{"code"}, "m-0", "m-1", "m-2")
	many(b, db, v)
	q := wire.RankingQuery{Team: team}
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			n := 0
			_, _, err := db.Rankings().Votes(b.Context(), owner, q, func([]string, int, bool, []wire.Figures) { n++ })
			if storetest.Must(b, err); n != votes {
				b.Fatalf("%d votes", n)
			}
		}
	})
	b.Run("mark", func(b *testing.B) {
		for b.Loop() {
			storetest.Must(b, storetest.Second(db.Rankings().Mark(b.Context(), owner, q)))
		}
	})
}

const votes = 100_000

// many stores as many votes as v has answers.
func many(b *testing.B, db *store.DB, v wire.Vote) {
	b.Helper()
	message, _ := engine.ParseID(v.Message)
	storetest.Must(b, db.Engine().Write(b.Context(), 0, func(w *engine.Tx) error {
		var n int64
		if err := w.Scan("SELECT n FROM messages WHERE id = ?", []any{message}, &n); err != nil {
			return err
		}
		for _, query := range []string{
			`INSERT INTO messages (n, owner, conversation, id, role, text, created_ms)
				WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?2)
				SELECT 1000000 + i, owner, conversation, randomblob(16), 'user', '', i FROM c, messages WHERE n = ?1`,
			`INSERT INTO votes (message, owner, conversation, winner, models, bad, tags, blind, team, vote_ms)
				SELECT m.n, v.owner, v.conversation, v.winner, v.models, m.n % 20 = 0, v.tags, 1, v.team, v.vote_ms + m.n FROM messages m, votes v WHERE v.message = ?1 AND m.n BETWEEN 1000000 AND 1000000 + ?2`,
			`INSERT INTO vote_answers SELECT m.n, a.place, 'm-' || ((m.n * 7 + a.place * 5) % 12), a.won AND m.n % 20 <> 0, a.cost_nano_usd + m.n, a.first_token_ms, a.duration_ms, a.output_tokens
				FROM messages m, vote_answers a WHERE a.vote = ?1 AND m.n BETWEEN 1000000 AND 1000000 + ?2`,
		} {
			if _, err := w.Exec(query, n, votes-1); err != nil {
				return err
			}
		}
		return nil
	}))
}
