// Package ranking ranks models by the blind votes of a team. Ask a [Keeper], which
// reads the votes, counts them, has the strengths fitted (fit.go), and keeps what
// came of it until there is another vote.
package ranking

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"screentest/shared/wire"
)

// Store is what a Keeper wants of the store.
type Store interface {
	// Mark stands for the votes that are asked for: with equal marks they are equal.
	Mark(ctx context.Context, owner string, q wire.RankingQuery) (mark string, err error)
	// Votes gives each of them: the models that were compared, the place of the
	// winner, -1 without one, whether that is because no answer was good enough, and
	// figures of the answers. The slices are to be read before it returns.
	Votes(ctx context.Context, owner string, q wire.RankingQuery, each func(models []string, won int, bad bool, answers []wire.Figures)) (mark string, tags []string, err error)
}

// maxKept bounds how many rankings are kept: one for each team, tag and time that
// people look at.
const maxKept = 64

// A Keeper makes rankings. It may be asked from any goroutine.
type Keeper struct {
	store Store
	turn  chan struct{} // holds one while a ranking is made: who waits finds it made
	kept  map[wire.RankingQuery]kept
}

type kept struct {
	mark    string
	ranking wire.Ranking
}

// New returns a Keeper of the votes in a store.
func New(s Store) *Keeper {
	return &Keeper{store: s, turn: make(chan struct{}, 1), kept: map[wire.RankingQuery]kept{}}
}

// Ranking is the ranking that a person asks for. What is given is not to be changed.
// The store refuses who isn't in the team.
func (k *Keeper) Ranking(ctx context.Context, owner string, q wire.RankingQuery) (wire.Ranking, error) {
	if q.From < 0 || q.To < 0 || q.To != 0 && q.To < q.From {
		return wire.Ranking{}, &wire.Problem{Code: "bad_time", Field: "to", Message: "A ranking's time begins before it ends, and not before 1970."}
	}
	mark, err := k.store.Mark(ctx, owner, q)
	if err != nil {
		return wire.Ranking{}, err
	}
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return wire.Ranking{}, ctx.Err()
	}
	if was, is := k.kept[q]; is && was.mark == mark {
		return was.ranking, nil
	}
	var c count
	mark, tags, err := k.store.Votes(ctx, owner, q, c.add)
	if err != nil {
		return wire.Ranking{}, err
	}
	ranking := c.ranking(tags)
	if len(k.kept) >= maxKept {
		clear(k.kept)
	}
	k.kept[q] = kept{mark, ranking}
	return ranking, nil
}

// A count takes votes.
type count struct {
	votes, ties, bad int
	models           map[string]*tally
	contests         contests
}

// A tally is a model's.
type tally struct {
	votes, wins, ties, bad              int
	costs, firstTokens, durations, fast []int64
}

func (c *count) add(models []string, won int, bad bool, answers []wire.Figures) {
	if c.models == nil {
		c.models, c.contests = map[string]*tally{}, contests{}
	}
	tie := won < 0 && !bad
	c.votes++
	c.ties += number(tie)
	c.bad += number(bad)
	for i, m := range models {
		t := c.models[m]
		if t == nil {
			t = &tally{}
			c.models[m] = t
		}
		t.wins += number(i == won)
		t.figures(answers[i])
		if slices.Contains(models[:i], m) {
			continue // twice in one vote
		}
		t.votes++
		t.ties += number(tie)
		t.bad += number(bad)
	}
	if !bad {
		c.contests.add(models, won)
	}
}

func (t *tally) figures(f wire.Figures) {
	t.costs = append(t.costs, f.CostNanoUSD)
	for _, of := range []struct {
		to *[]int64
		n  int64
	}{{&t.firstTokens, f.FirstTokenMS}, {&t.durations, f.DurationMS}, {&t.fast, f.TokensASec}} {
		if of.n > 0 {
			*of.to = append(*of.to, of.n)
		}
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c *count) ranking(tags []string) wire.Ranking {
	r := wire.Ranking{Votes: c.votes, Ties: c.ties, Bad: c.bad, Tags: append([]string{}, tags...), Models: []wire.Ranked{}}
	scores := c.contests.scores()
	for _, name := range slices.Sorted(maps.Keys(c.models)) {
		t := c.models[name]
		m := wire.Ranked{
			Model: name, Votes: t.votes, Wins: t.wins, Ties: t.ties, Bad: t.bad,
			Answer: wire.Figures{CostNanoUSD: median(t.costs), FirstTokenMS: median(t.firstTokens), DurationMS: median(t.durations), TokensASec: median(t.fast)},
		}
		s, is := scores[name]
		m.Score, m.Low, m.High, m.Loose = s.score, s.low, s.high, !is
		r.Models = append(r.Models, m)
	}
	slices.SortStableFunc(r.Models, func(a, b wire.Ranked) int {
		if a.Loose != b.Loose {
			return number(a.Loose) - number(b.Loose)
		}
		return cmp.Compare(b.Score, a.Score)
	})
	return r
}

// median of all, which it sorts; 0 for none. Of an even number it is the mean of the
// two in the middle.
func median(all []int64) int64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	n := len(all)
	a, b := all[(n-1)/2], all[n/2]
	return a + (b-a)/2
}
