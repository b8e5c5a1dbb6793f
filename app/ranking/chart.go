package ranking

import (
	"math"
	"strconv"
	"strings"

	"screentest/app/figure"
	"screentest/shared/wire"
)

// Chart is the intervals of all models that have a score, on one scale.
type Chart struct {
	Rows  []Row
	Ticks []string // at equal distances, from one end to the other
	Mean  int      // where the mean of all is, as the places of a Row
}

// Row is a model's. The places are thousandths of the width.
type Row struct {
	Model            string
	Low, Score, High int
	Points           string // of the score
	Words            string // "1084, between 1010 and 1158"
}

// NewChart draws a ranking; nil where no model has a score.
func NewChart(r *wire.Ranking) *Chart {
	low, high := math.Inf(1), math.Inf(-1)
	for _, m := range r.Models {
		if !m.Loose {
			low, high = min(low, m.Low), max(high, m.High)
		}
	}
	if math.IsInf(low, 0) {
		return nil
	}
	step := stepOf(high - low)
	low, high = math.Floor(low/step)*step, math.Ceil(high/step)*step
	at := func(score float64) int { return int(math.Round(1000 * (score - low) / (high - low))) }
	c := &Chart{Mean: at(1000)}
	for _, m := range r.Models {
		if !m.Loose {
			c.Rows = append(c.Rows, Row{m.Model, at(m.Low), at(m.Score), at(m.High), Points(m.Score), Points(m.Score) + ", between " + Points(m.Low) + " and " + Points(m.High)})
		}
	}
	for t := low; t <= high+step/2; t += step {
		c.Ticks = append(c.Ticks, Points(t))
	}
	return c
}

// stepOf is the distance of ticks, so that there are three to seven of a width.
func stepOf(width float64) float64 {
	step := 10.0
	for _, by := range []float64{2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2} { // 20, 50, 100, 200, 500, …
		if width/step <= 5 {
			break
		}
		step *= by
	}
	return step
}

// Points writes a score.
func Points(score float64) string { return strconv.Itoa(int(math.Round(score))) }

// Share writes n as a share of all.
func Share(n, of int) string {
	if of == 0 {
		return "0 %"
	}
	return strconv.Itoa(int(math.Round(100*float64(n)/float64(of)))) + " %"
}

// Basis says what a ranking is based on.
func Basis(r *wire.Ranking, team string, v View) string {
	words := "Based on " + figure.Plural(r.Votes, "vote", "votes") + " by " + team + ", blind"
	if v.Tag != "" {
		words += ", on #" + v.Tag
	}
	if v.Time != Ever {
		words += ", in the last " + v.Time.Name()
	}
	words += "."
	if r.Ties > 0 || r.Bad > 0 {
		words += " Of these " + figure.Plural(r.Ties, "was a tie", "were ties") + "; by " + figure.Count(int64(r.Bad)) + " (" + Share(r.Bad, r.Votes) + ") no answer was good enough."
	}
	return words
}

// Unclear says whether the votes don't tell the first two models apart: each one's
// interval reaches into the other's.
func Unclear(r *wire.Ranking) bool {
	return len(r.Models) > 1 && !r.Models[1].Loose && r.Models[1].High >= r.Models[0].Low
}

// CSV is a ranking as a table for other programs.
func CSV(r *wire.Ranking) string {
	var b strings.Builder
	b.WriteString("model,score,low,high,votes,wins,ties,bad,cost_nano_usd,first_token_ms,duration_ms,tokens_a_second\r\n")
	for _, m := range r.Models {
		points := func(score float64) string {
			if m.Loose {
				return ""
			}
			return strconv.FormatFloat(score, 'f', 1, 64)
		}
		row := []string{quoted(m.Model), points(m.Score), points(m.Low), points(m.High)}
		for _, n := range []int64{int64(m.Votes), int64(m.Wins), int64(m.Ties), int64(m.Bad), m.Answer.CostNanoUSD, m.Answer.FirstTokenMS, m.Answer.DurationMS, m.Answer.TokensASec} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		b.WriteString(strings.Join(row, ",") + "\r\n")
	}
	return b.String()
}

// quoted is a text as a field that no program takes for a formula.
func quoted(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		text = "'" + text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}
