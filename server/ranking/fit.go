package ranking

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// The strengths are those of the Bradley–Terry model in Luce's form for choices among
// several: of the answers to a question, each is chosen with a chance in proportion
// to exp(strength of its model). Of two that is Bradley and Terry's (Biometrika 39,
// 1952). A tie is a share of a win for each, of two a half (see Hunter, MM algorithms
// for generalized Bradley–Terry models, Annals of Statistics 32, 2004).
//
// So that a model which always wins, or never, has a strength too, each has half a win
// and half a loss against one of the strength 0. The strengths are where the
// likelihood of that is the greatest. It has one top: Newton's method finds it.
//
// The intervals are of the Fisher information, which is the likelihood's curvature at
// the top. A sandwich or a bootstrap takes the spread from the votes themselves: a few
// that agree have none, and would leave an interval of nothing where the least is
// known. Ties count as if they had been cast by lot, which errs on the wide side.

// Of the scale: so many points for ten times the chance, about the mean; and 95 % of a
// normal distribution.
const (
	meanScore = 1000
	perTen    = 400 / math.Ln10
	within    = 1.959963984540054
)

// A score is a model's, with its bounds.
type score struct{ score, low, high float64 }

// contests are votes that chose, put together where they compared the same models: by
// those, sorted, one that was there twice stands there twice.
type contests map[string]*contest

// A contest is several votes on the same models.
type contest struct {
	models []string // each once, sorted
	lanes  []int    // of each
	wins   []int    // of each
	ties   int
}

// add takes a vote; won is the place of the winner, -1 for a tie.
func (c contests) add(models []string, won int) {
	sorted := slices.Sorted(slices.Values(models))
	key := strings.Join(sorted, "\x00")
	of := c[key]
	if of == nil {
		of = &contest{models: slices.Compact(slices.Clone(sorted))}
		for _, m := range of.models {
			of.lanes = append(of.lanes, count1(sorted, m))
		}
		of.wins = make([]int, len(of.models))
		c[key] = of
	}
	if won < 0 {
		of.ties++
		return
	}
	of.wins[slices.Index(of.models, models[won])]++
}

func count1(all []string, one string) (n int) {
	for _, a := range all {
		n += number(a == one)
	}
	return n
}

// n is how many votes it is.
func (c *contest) n() (n int) {
	for _, w := range c.wins {
		n += w
	}
	return n + c.ties
}

// scores are those of the models that votes connect with each other: where that makes
// several groups, of the one with the most votes.
func (c contests) scores() map[string]score {
	all := make([]*contest, 0, len(c))
	for _, key := range slices.Sorted(maps.Keys(c)) {
		if len(c[key].models) > 1 {
			all = append(all, c[key])
		}
	}
	models, all := connected(all)
	if len(models) == 0 {
		return nil
	}
	return newFit(models, all).scores()
}

// connected gives the largest group of models that contests connect, sorted, and its
// contests.
func connected(all []*contest) (models []string, of []*contest) {
	group := map[string]string{} // by model, the one that stands for its group
	var find func(m string) string
	find = func(m string) string {
		to, is := group[m]
		if !is || to == m {
			return m
		}
		to = find(to)
		group[m] = to
		return to
	}
	for _, c := range all {
		for _, m := range c.models {
			a, b := find(c.models[0]), find(m)
			group[max(a, b)], group[min(a, b)] = min(a, b), min(a, b)
		}
	}
	votes := map[string]int{}
	for _, c := range all {
		votes[find(c.models[0])] += c.n()
	}
	most := slices.SortedFunc(maps.Keys(votes), func(a, b string) int { return cmp.Or(votes[b]-votes[a], cmp.Compare(a, b)) })
	if len(most) == 0 {
		return nil, nil
	}
	for m := range group {
		if find(m) == most[0] {
			models = append(models, m)
		}
	}
	slices.Sort(models)
	for _, c := range all {
		if find(c.models[0]) == most[0] {
			of = append(of, c)
		}
	}
	return models, of
}

// A fit seeks the strengths of some models.
type fit struct {
	names    []string
	contests []fitted
	at       []float64 // the strengths
}

// fitted is a contest by places among the names.
type fitted struct {
	place       []int
	lanes, wins []float64 // a tie is wins in proportion to the lanes
	n           float64
}

func newFit(names []string, all []*contest) *fit {
	f := &fit{names: names, at: make([]float64, len(names))}
	for _, c := range all {
		var of fitted
		lanes := 0
		for _, n := range c.lanes {
			lanes += n
		}
		for i, m := range c.models {
			place, _ := slices.BinarySearch(names, m)
			of.place = append(of.place, place)
			of.lanes = append(of.lanes, float64(c.lanes[i]))
			of.wins = append(of.wins, float64(c.wins[i])+float64(c.ties*c.lanes[i])/float64(lanes))
		}
		of.n = float64(c.n())
		f.contests = append(f.contests, of)
	}
	return f
}

// likelihood is its logarithm at some strengths, but for a constant.
func (f *fit) likelihood(at []float64) (l float64) {
	for _, s := range at {
		l += s/2 - log1pExp(s)
	}
	for _, c := range f.contests {
		top, sum := math.Inf(-1), 0.0
		for _, p := range c.place {
			top = max(top, at[p])
		}
		for i, p := range c.place {
			sum += c.lanes[i] * math.Exp(at[p]-top)
		}
		for i, p := range c.place {
			l += c.wins[i] * at[p]
		}
		l -= c.n * (top + math.Log(sum))
	}
	return l
}

// slope is the likelihood's, with its curvature: what is to be added to the strengths
// is the slope by that.
func (f *fit) slope() (slope *mat.VecDense, curvature *mat.SymDense) {
	n := len(f.at)
	slope, curvature = mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
	bend := func(i, j int, by float64) { curvature.SetSym(i, j, curvature.At(i, j)+by) }
	for i, s := range f.at {
		p := 1 / (1 + math.Exp(-s))
		slope.SetVec(i, 0.5-p)
		bend(i, i, p*(1-p))
	}
	chance := []float64{}
	for _, c := range f.contests {
		chance = chance[:0]
		top, sum := math.Inf(-1), 0.0
		for _, p := range c.place {
			top = max(top, f.at[p])
		}
		for i, p := range c.place {
			e := c.lanes[i] * math.Exp(f.at[p]-top)
			chance = append(chance, e)
			sum += e
		}
		for i, p := range c.place {
			chance[i] /= sum
			slope.SetVec(p, slope.AtVec(p)+c.wins[i]-c.n*chance[i])
			bend(p, p, c.n*chance[i]*(1-chance[i]))
			for j := range i {
				bend(p, c.place[j], -c.n*chance[i]*chance[j])
			}
		}
	}
	return slope, curvature
}

// top goes to where the likelihood is the greatest, and gives the curvature there.
func (f *fit) top() *mat.Cholesky {
	const most, close = 100, 1e-10
	var step mat.VecDense
	var by mat.Cholesky
	for range most {
		slope, curvature := f.slope()
		if !by.Factorize(curvature) || by.SolveVecTo(&step, slope) != nil {
			break // can't be: each model's half a win and loss bend it
		}
		if mat.Norm(&step, math.Inf(1)) < close || !f.climb(&step) {
			break
		}
	}
	return &by
}

// climb takes a step, or as much of it as leads up; false where none does.
func (f *fit) climb(step *mat.VecDense) bool {
	now, next := f.likelihood(f.at), make([]float64, len(f.at))
	for part := 1.0; part > 1e-9; part /= 2 {
		for i := range next {
			next[i] = f.at[i] + part*step.AtVec(i)
		}
		if f.likelihood(next) >= now {
			copy(f.at, next)
			return true
		}
	}
	return false
}

// scores are about the mean of all, and so are their intervals.
func (f *fit) scores() map[string]score {
	var spread mat.SymDense
	n := float64(len(f.names))
	if err := f.top().InverseTo(&spread); err != nil {
		return nil // likewise
	}
	mean, all, rows := 0.0, 0.0, make([]float64, len(f.names))
	for i, s := range f.at {
		mean += s / n
		for j := range f.at {
			rows[i] += spread.At(i, j) / n
		}
		all += rows[i] / n
	}
	out := map[string]score{}
	for i, name := range f.names {
		s := meanScore + perTen*(f.at[i]-mean)
		about := within * perTen * math.Sqrt(max(0, spread.At(i, i)-2*rows[i]+all))
		out[name] = score{s, s - about, s + about}
	}
	return out
}

// log1pExp is log(1 + exp(x)).
func log1pExp(x float64) float64 {
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}
