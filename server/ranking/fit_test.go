package ranking

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// A ballot is one vote: what it compared, and the place of the winner, -1 for a tie.
type ballot struct {
	models []string
	won    int
}

func scored(all []ballot) map[string]score {
	c := contests{}
	for _, b := range all {
		c.add(b.models, b.won)
	}
	return c.scores()
}

// Votes that are cast by known strengths give those again: 95 % of the intervals have
// the true score in them, of comparisons of two and of several.
func TestIntervalsHoldTheTrueStrengths(t *testing.T) {
	t.Parallel()
	strength := map[string]float64{"a": 1.2, "b": 0.5, "c": 0.1, "d": -0.1, "e": -0.6, "f": -1.1} // their mean is 0
	names := []string{"a", "b", "c", "d", "e", "f"}
	for _, lanes := range []int{2, 4} {
		t.Run(strconv.Itoa(lanes)+" lanes", func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(7, uint64(lanes)))
			const worlds, votes = 300, 150
			held, wide := 0, 0.0
			for range worlds {
				var all []ballot
				for range votes {
					rnd.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
					all = append(all, cast(rnd, strength, slices.Clone(names[:lanes])))
				}
				for name, s := range scored(all) {
					if truth := meanScore + perTen*strength[name]; s.low <= truth && truth <= s.high {
						held++
					}
					wide = max(wide, s.high-s.low)
				}
			}
			if share := float64(held) / worlds / float64(len(names)); share < 0.935 || share > 0.975 {
				t.Errorf("%.1f %% of the intervals hold the true score", 100*share)
			}
			if wide > 600 {
				t.Errorf("an interval of %d votes is %.0f wide", votes, wide)
			}
		})
	}
}

func cast(rnd *rand.Rand, strength map[string]float64, models []string) ballot {
	sum := 0.0
	for _, m := range models {
		sum += math.Exp(strength[m])
	}
	at := rnd.Float64() * sum
	for i, m := range models {
		if at -= math.Exp(strength[m]); at < 0 {
			return ballot{models, i}
		}
	}
	return ballot{models, len(models) - 1}
}

// Of two models the strengths are where the likelihood is level, which is known.
func TestTwoModels(t *testing.T) {
	for _, tt := range []struct{ a, b, ties int }{{3, 1, 0}, {3, 1, 4}, {1, 1, 0}, {10, 0, 0}, {1000, 0, 0}, {0, 0, 7}} {
		var all []ballot
		for range tt.a {
			all = append(all, ballot{[]string{"a", "b"}, 0})
		}
		for range tt.b {
			all = append(all, ballot{[]string{"b", "a"}, 0})
		}
		for range tt.ties {
			all = append(all, ballot{[]string{"a", "b"}, -1})
		}
		got := scored(all)
		x := (got["a"].score - meanScore) / perTen
		n := float64(tt.a + tt.b + tt.ties)
		chance := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
		level := 0.5 - chance(x) + float64(tt.a) + float64(tt.ties)/2 - n*chance(2*x)
		if math.Abs(level) > 1e-6 || math.Abs(got["a"].score+got["b"].score-2*meanScore) > 1e-6 {
			t.Errorf("%+v: %+v; the slope there is %g", tt, got, level)
		}
		if got["a"].low >= got["a"].score || math.IsInf(got["a"].high, 0) || math.IsNaN(got["a"].high) {
			t.Errorf("%+v: bounds %+v", tt, got["a"])
		}
	}
}

// A thousand wins without a loss are more than ten, and both are a number.
func TestMoreVotesTellMore(t *testing.T) {
	wins := func(n int) score { return scored(slices.Repeat([]ballot{{[]string{"a", "b"}, 0}}, n))["a"] }
	few, many := wins(10), wins(1000)
	if few.score >= many.score || few.score < 1100 || many.score > 2500 {
		t.Errorf("10 wins: %+v, 1000: %+v", few, many)
	}
	ties := func(n int) score { return scored(slices.Repeat([]ballot{{[]string{"a", "b"}, -1}}, n))["a"] }
	if few, many := ties(2), ties(200); math.Abs(few.score-meanScore) > 1e-6 || few.high-few.low <= many.high-many.low || many.high-many.low < 1 {
		t.Errorf("2 ties: %+v, 200: %+v", few, many)
	}
}

// Models that no vote connects have no score beside each other: those of the group
// with the most votes have.
func TestWhatIsNotConnectedIsNotScored(t *testing.T) {
	for name, tt := range map[string]struct {
		all  []ballot
		want []string
	}{
		"two groups":  {[]ballot{{[]string{"a", "b"}, 0}, {[]string{"z", "y"}, 0}, {[]string{"y", "z"}, 0}}, []string{"y", "z"}},
		"a bridge":    {[]ballot{{[]string{"a", "b"}, 0}, {[]string{"z", "y"}, 0}, {[]string{"y", "a"}, -1}}, []string{"a", "b", "y", "z"}},
		"a chain":     {[]ballot{{[]string{"d", "c"}, 0}, {[]string{"b", "a"}, 0}, {[]string{"c", "b"}, 0}}, []string{"a", "b", "c", "d"}},
		"equal":       {[]ballot{{[]string{"y", "z"}, 0}, {[]string{"b", "a"}, 0}}, []string{"a", "b"}},
		"nothing":     {nil, nil},
		"with itself": {[]ballot{{[]string{"a", "a"}, 0}}, nil},
	} {
		var got []string
		for m := range scored(tt.all) {
			got = append(got, m)
		}
		if slices.Sort(got); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// anyBallots are votes on models that are all connected.
func anyBallots(t *rapid.T) []ballot {
	names := []string{"a", "b", "c", "d", "e"}
	all := []ballot{{names, -1}}
	return append(all, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ballot {
		models := rapid.SliceOfN(rapid.SampledFrom(names), 2, 4).Draw(t, "models")
		return ballot{models, rapid.IntRange(-1, len(models)-1).Draw(t, "won")}
	}), 0, 30).Draw(t, "votes")...)
}

// Neither the order of the votes nor that of the lanes changes anything, to the last bit.
func TestTheOrderOfVotesDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := anyBallots(t)
		other := rapid.Permutation(all).Draw(t, "order")
		for i, b := range other {
			by := rapid.IntRange(0, len(b.models)-1).Draw(t, "turn")
			turned := append(slices.Clone(b.models[by:]), b.models[:by]...)
			if b.won >= 0 {
				b.won = (b.won - by + len(turned)) % len(turned)
			}
			other[i] = ballot{turned, b.won}
		}
		if a, b := scored(all), scored(other); !reflect.DeepEqual(a, b) {
			t.Fatalf("%v\n%v", a, b)
		}
	})
}

// A vote for a model never lowers its score, nor puts another above it.
func TestAVoteForAModelNeverLowersIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := anyBallots(t)
		models := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 2, 5, rapid.ID).Draw(t, "models")
		before, after := scored(all), scored(append(all, ballot{models, 0}))
		const little = 1e-6
		if after[models[0]].score < before[models[0]].score-little {
			t.Fatalf("%s had %v, and has %v", models[0], before[models[0]], after[models[0]])
		}
		for m := range before {
			if before[models[0]].score > before[m].score+little && after[models[0]].score < after[m].score-little {
				t.Fatalf("%s is above %s now", m, models[0])
			}
		}
	})
}
