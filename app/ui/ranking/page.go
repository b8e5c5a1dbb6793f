//go:build js && wasm

package ranking

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/ranking"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Page is the Ranking page.
type Page struct {
	app.Compo
	s   *Section
	Rev int
}

// Render implements app.Composer.
func (p *Page) Render() (ui app.UI) {
	defer p.s.host.Drawing("the ranking", &ui)
	return kit.Box("div", "ranking",
		kit.Box("div", "ranking-inner", p.controls(), p.body()),
	)
}

// body is the ranking, or what stands in its place.
func (p *Page) body() app.UI {
	h, d := p.s.host, p.s.desk
	switch r := d.Ranking; {
	case d.Problem != nil:
		return kit.Notice(kit.Bad, "", kit.At{"role", "alert"},
			kit.Box("p", "", d.Problem.Message),
			kit.SayIf("p", "todo", d.Problem.Hint),
			kit.Button("", nil, h.Do("retry", d.Retry), "Try again"),
		)
	case r == nil && d.Team().ID == "":
		return kit.Empty("page", kit.Box("p", "", "You aren’t in a team. Rankings come from a team’s blind votes."))
	case r == nil:
		return kit.El("p", "soft", kit.At{"role", "status"}, "Loading…")
	case r.Votes == 0:
		return p.empty()
	default:
		return p.ranking(r)
	}
}

// controls choose whose votes are counted, and which.
func (p *Page) controls() app.UI {
	h, d := p.s.host, p.s.desk
	v := d.View
	show := func(v ranking.View) { h.Context().Navigate(v.Address()) }
	var teams, tags []kit.Option
	for _, t := range d.Teams() {
		teams = append(teams, kit.Option{Value: t.ID, Name: t.Name})
	}
	if team := d.Team(); team.ID != "" && team.Name == "" {
		teams = append(teams, kit.Option{Value: team.ID, Name: "Another team"})
	}
	tags = append(tags, kit.Option{Name: "All tags"})
	for _, t := range d.Tags {
		tags = append(tags, kit.Option{Value: t, Name: "#" + t})
	}
	var times []kit.Choice
	for _, t := range ranking.Times() {
		to := v
		to.Time = t
		times = append(times, kit.Choice{ID: "time-" + string(t), Name: t.Name(), To: to.Address(), On: v.Time == t})
	}
	return kit.Box("div", "line ranking-controls",
		kit.Either(len(teams) > 1, func() app.UI {
			return h.Select("ranking-team", "Team", "field fits", nil, d.Team().ID, teams, func(id string) {
				show(ranking.View{Team: id, Time: v.Time}) // tags are a team's own
			})
		}, kit.Nothing),
		kit.Segments("Votes of", "", times),
		kit.Either(len(tags) > 1, func() app.UI {
			return h.Select("ranking-tag", "Tag", "field fits", nil, v.Tag, tags, func(tag string) {
				to := v
				to.Tag = tag
				show(to)
			})
		}, kit.Nothing),
		kit.Box("div", "push"),
		kit.If(d.Ranking != nil && len(d.Ranking.Models) > 0, func() app.UI {
			return kit.Button("", kit.At{"id", "ranking-csv"}, h.Do("csv", func() { h.Save("ranking.csv", ranking.CSV(p.s.desk.Ranking)) }), kit.Icon(kit.IconExport, "icon small"), "CSV")
		}),
	)
}

// empty says how there come to be votes.
func (p *Page) empty() app.UI {
	d := p.s.desk
	if d.View.Tag != "" || d.View.Time != ranking.Ever {
		wide := ranking.View{Team: d.View.Team, Time: ranking.Ever}
		return kit.Empty("page",
			kit.Box("p", "", "No votes match this period and tag."),
			kit.El("a", "button", kit.At{"href", wide.Address()}, "Show all votes"),
		)
	}
	return kit.Empty("page",
		kit.Box("p", "", "Nobody of "+teamName(d.Team())+" has voted blind yet. Ask several models at once, hide their names with Blind and pick the best answer. The team’s votes make its ranking."),
		kit.If(!d.Guest(), func() app.UI {
			return kit.El("a", "button primary", kit.At{"href", "/"}, "Compare models")
		}),
	)
}

func teamName(t wire.MyTeam) string {
	if t.Name == "" {
		return "the team"
	}
	return t.Name
}

// ranking is the chart, and the table beside it.
func (p *Page) ranking(r *wire.Ranking) app.UI {
	d := p.s.desk
	chart := ranking.NewChart(r)
	unclear := ""
	if ranking.Unclear(r) {
		unclear = "First and second are too close to call: their intervals overlap."
	}
	return kit.Box("div", "ranking-inner",
		kit.El("p", "ranking-basis", kit.At{"id", "ranking-basis"}, ranking.Basis(r, teamName(d.Team()), d.View), " ", kit.SayIf("span", "soft", unclear)),
		kit.Box("div", "ranking-row",
			kit.Either(chart != nil, func() app.UI { return drawn(chart) }, func() app.UI {
				return kit.Box("section", "card", kit.Box("h2", "", "Scores"),
					kit.Box("p", "soft", "No vote preferred one answer or called a tie yet, so there’s nothing to score."))
			}),
			p.table(r),
		),
		kit.Box("p", "soft ranking-method", "How scores work: a blind vote is a win over each other model compared; a tie is shared; “none was good enough” changes no score. "+
			"Scores are fitted to the votes (Bradley–Terry): 1000 is average, and 400 more points mean ten times the odds of being chosen. "+
			"Lines are 95 % intervals. Only votes on answers the team paid for count; voters aren’t shown."),
	)
}

// drawn is the chart: a line for each model, and a dot for its score. The words beside
// them say the same.
func drawn(c *ranking.Chart) app.UI {
	return kit.El("section", "card", kit.At{"id", "ranking-chart", "aria-labelledby", "ranking-scores"},
		kit.El("h2", "", kit.At{"id", "ranking-scores"}, "Scores"),
		kit.Box("ol", "intervals", kit.Times(len(c.Rows), func(i int) app.UI {
			row := c.Rows[i]
			return kit.El("li", "interval", kit.At{"title", row.Model + ": " + row.Words},
				kit.Box("span", "interval-model mono", row.Model),
				kit.SVG("svg", kit.At{"class", "interval-plot", "viewBox", "0 0 1000 1", "preserveAspectRatio", "none", "aria-hidden", true},
					upright(c.Mean, "mean"),
					level(row.Low, row.High, "range"),
					level(row.Score, row.Score, "score"),
				),
				kit.El("span", "interval-score figure", kit.At{"aria-hidden", true}, row.Points),
				kit.Box("span", "sr-only", row.Words),
			)
		}),
			kit.El("li", "interval", kit.At{"role", "presentation", "aria-hidden", true},
				kit.Box("span", "faint figure interval-ticks", kit.Times(len(c.Ticks), func(i int) app.UI { return kit.Box("span", "", c.Ticks[i]) })))),
	)
}

// level is a line of the chart along its scale, upright one across.
func level(from, to int, class string) app.UI {
	return kit.SVG("line", kit.At{"class", "interval-" + class, "x1", strconv.Itoa(from), "x2", strconv.Itoa(to), "y1", "0.5", "y2", "0.5"})
}

func upright(at int, class string) app.UI {
	return kit.SVG("line", kit.At{"class", "interval-" + class, "x1", strconv.Itoa(at), "x2", strconv.Itoa(at), "y1", "0", "y2", "1"})
}

// table has all figures of the models.
func (p *Page) table(r *wire.Ranking) app.UI {
	costs := make([]int64, len(r.Models))
	loose := 0
	for i, m := range r.Models {
		costs[i] = m.Answer.CostNanoUSD
		if m.Loose {
			loose++
		}
	}
	dollars := figure.NewColumn(costs, false)
	var heads []app.UI
	for _, head := range []struct{ name, what string }{
		{"Score", "With its 95 % interval"}, {"Votes", "Votes on an answer of this model"},
		{"Won", "Votes for this model"}, {"Tied", "Votes that found the answers equally good"}, {"Bad", "Votes that no answer was good enough"},
		{"Cost", "Median per answer"}, {"First token", "Median time to it"}, {"Whole answer", "Median time to its end"}, {"Tokens/s", "Median, after the first token"},
	} {
		heads = append(heads, kit.El("th", "num", kit.At{"scope", "col", "title", head.what}, head.name))
	}
	return kit.Box("section", "card",
		kit.El("h2", "", kit.At{"id", "ranking-figures"}, "Votes and answers"),
		kit.El("div", "scroll", kit.At{"tabindex", 0, "role", "region", "aria-labelledby", "ranking-figures"},
			kit.El("table", "figures", kit.At{"id", "ranking-table"},
				kit.Box("thead", "", kit.Box("tr", "", kit.El("th", "", kit.At{"scope", "col"}, "Model"), heads)),
				kit.Box("tbody", "", kit.Times(len(r.Models), func(i int) app.UI {
					m := r.Models[i]
					score := "–"
					if !m.Loose {
						score = ranking.Points(m.Score) + " ± " + ranking.Points((m.High-m.Low)/2)
					}
					return kit.Box("tr", "",
						kit.El("th", "mono", kit.At{"scope", "row"}, m.Model),
						kit.Box("td", "num", score),
						kit.Box("td", "num", figure.Count(int64(m.Votes))),
						share(m.Wins, m.Votes), share(m.Ties, m.Votes), share(m.Bad, m.Votes),
						kit.Amount("", dollars, m.Answer.CostNanoUSD, ""),
						span(m.Answer.FirstTokenMS), span(m.Answer.DurationMS),
						kit.Box("td", "num", known(m.Answer.TokensASec, figure.Count)),
					)
				})),
			),
		),
		kit.SayIf("p", "soft", looseWords(loose)),
	)
}

// share is a count, with what part of the votes it is for who points at it.
func share(n, of int) app.UI {
	return kit.El("td", "num", kit.At{"title", ranking.Share(n, of) + " of this model’s votes"}, figure.Count(int64(n)))
}

func span(ms int64) app.UI { return kit.Box("td", "num", known(ms, figure.Milliseconds)) }

// known is a figure, or a dash where no answer has it.
func known(n int64, write func(int64) string) string {
	if n == 0 {
		return "–"
	}
	return write(n)
}

func looseWords(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "One model has no score: no votes connect it with the others."
	}
	return figure.Count(int64(n)) + " models have no score: no votes connect them with the others."
}
