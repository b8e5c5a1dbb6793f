package ranking_test

import (
	"context"
	"errors"
	"io/fs"
	"reflect"
	"sync"
	"testing"

	"screentest/server/ranking"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// watched is a store that counts how often all votes are read.
type watched struct {
	ranking.Store
	mu    sync.Mutex
	reads int
}

func (w *watched) Votes(ctx context.Context, owner string, q wire.RankingQuery, each func([]string, int, bool, []wire.Figures)) (string, []string, error) {
	w.mu.Lock()
	w.reads++
	w.mu.Unlock()
	return w.Store.Votes(ctx, owner, q, each)
}

type office struct {
	db        *store.DB
	ann, bob  string
	red, blue string
	watched   *watched
	*ranking.Keeper
}

func newOffice(t *testing.T) *office {
	db, _ := storetest.OpenLocal(t)
	o := &office{db: db}
	var ann, bob string
	o.ann, ann = storetest.Join(t, db, "ann", wire.RoleMember)
	o.bob, bob = storetest.Join(t, db, "bob", wire.RoleMember)
	o.red, o.blue = storetest.Team(t, db, "red", wire.Limits{}, ann, bob), storetest.Team(t, db, "blue", wire.Limits{}, bob)
	o.watched = &watched{Store: db.Rankings()}
	o.Keeper = ranking.New(o.watched)
	return o
}

// What was made is given to all in the team until there is another vote, and to
// nobody else at any time.
func TestARankingIsKeptUntilTheNextVote(t *testing.T) {
	o := newOffice(t)
	ctx := t.Context()
	v := storetest.Voted(t, o.db, o.ann, o.red, 0, []string{"code"}, "a", "b")
	of := wire.RankingQuery{Team: o.red}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, who := range []string{o.ann, o.bob} {
				if r, err := o.Ranking(ctx, who, of); err != nil || r.Votes != 1 {
					t.Errorf("%+v, %v", r, err)
				}
			}
		})
	}
	all.Wait()
	if o.watched.reads != 1 {
		t.Errorf("the votes were read %d times", o.watched.reads)
	}
	if _, err := o.Ranking(ctx, o.ann, wire.RankingQuery{Team: o.blue}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a team that she isn't in: %v", err)
	}
	stranger := storetest.AddUser(t, o.db, "stranger")
	if _, err := o.Ranking(ctx, stranger, of); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is kept is given to a stranger: %v", err)
	}

	for name, change := range map[string]func(){
		"another vote": func() { storetest.Voted(t, o.db, o.bob, o.red, -1, nil, "b", "c") },
		"a deletion":   func() { storetest.Must(t, o.db.DeleteConversation(ctx, o.ann, v.Conversation)) },
	} {
		before, err := o.Ranking(ctx, o.ann, of)
		storetest.Must(t, err)
		change()
		after, err := o.Ranking(ctx, o.ann, of)
		storetest.Must(t, err)
		if reflect.DeepEqual(before, after) || after.Votes == before.Votes {
			t.Errorf("after %s: %+v", name, after)
		}
	}
}

func TestWhatIsCounted(t *testing.T) {
	o := newOffice(t)
	storetest.Voted(t, o.db, o.ann, o.red, 1, nil, "a", "b", "a")
	storetest.Voted(t, o.db, o.bob, o.red, -1, nil, "b", "a")
	storetest.Voted(t, o.db, o.bob, o.red, -2, nil, "b", "c")
	r, err := o.Ranking(t.Context(), o.ann, wire.RankingQuery{Team: o.red})
	storetest.Must(t, err)
	if r.Votes != 3 || r.Ties != 1 || r.Bad != 1 || len(r.Models) != 3 {
		t.Fatalf("%+v", r)
	}
	for i, want := range []wire.Ranked{
		{Model: "b", Votes: 3, Wins: 1, Ties: 1, Bad: 1},
		{Model: "a", Votes: 2, Ties: 1},
		{Model: "c", Votes: 1, Bad: 1, Loose: true}, // no vote chose between it and another
	} {
		got := r.Models[i]
		if got.Loose != (got.Score == 0) {
			t.Errorf("%+v", got)
		}
		got.Score, got.Low, got.High, got.Answer = 0, 0, 0, wire.Figures{}
		if got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	// Of a: 1000, 2000 and 3000 nano-dollars.
	if got, want := r.Models[1].Answer, (wire.Figures{CostNanoUSD: 2000, FirstTokenMS: 12, DurationMS: 340, TokensASec: 359}); got != want {
		t.Errorf("medians %+v, want %+v", got, want)
	}
}

// Of blind votes none is left where all of them were bad: no model has a score then.
func TestOnlyBadVotesScoreNobody(t *testing.T) {
	o := newOffice(t)
	storetest.Voted(t, o.db, o.ann, o.red, -2, nil, "a", "b")
	r, err := o.Ranking(t.Context(), o.ann, wire.RankingQuery{Team: o.red})
	storetest.Must(t, err)
	if r.Votes != 1 || r.Bad != 1 || len(r.Models) != 2 || !r.Models[0].Loose || !r.Models[1].Loose || r.Models[0].Model != "a" {
		t.Errorf("%+v", r)
	}
}
