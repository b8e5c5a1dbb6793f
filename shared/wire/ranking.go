package wire

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OpRanking asks for the ranking of a team that one is in: RankingQuery → Ranking.
const OpRanking Op = "ranking"

// EventRanking says that votes of a team have changed: RankingChanged. All who are
// in the team hear of it.
const EventRanking Event = "ranking"

// Bounds of votes and of rankings.
const (
	MaxVoteTags    = 5
	MaxVoteTag     = 30  // characters
	MaxRankingTags = 100 // that a ranking lists
)

// RankingQuery asks for a team's ranking of models.
type RankingQuery struct {
	Team string `json:"team"`
	Tag  string `json:"tag,omitempty"`
	From int64  `json:"from,omitempty"` // Unix milliseconds; 0: since ever
	To   int64  `json:"to,omitempty"`   // exclusive; 0: until now
}

// RankingChanged names the team.
type RankingChanged struct {
	Team string `json:"team"`
}

// Ranking is by the Bradley–Terry model over blind votes: of two models the chance
// that a is chosen over b is 1 / (1 + 10^((b − a) / 400)). Of several, that of each
// is in proportion to 10^(its score / 400).
type Ranking struct {
	Votes  int      `json:"votes"` // all of these, with Ties and Bad
	Ties   int      `json:"ties"`
	Bad    int      `json:"bad"`    // by which no answer was good enough
	Tags   []string `json:"tags"`   // of the team's votes in this time, the commonest first
	Models []Ranked `json:"models"` // the best first, and the loose ones after them by name
}

// Ranked is a model in a ranking.
type Ranked struct {
	Model string `json:"model"`
	// Score is 1000 for the mean of all that aren't loose; Low and High bound it
	// with 95 %. Loose says that the votes don't connect the model with those: its
	// score means nothing beside theirs, and is 0.
	Score  float64 `json:"score"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Loose  bool    `json:"loose,omitempty"`
	Votes  int     `json:"votes"`
	Wins   int     `json:"wins"`
	Ties   int     `json:"ties"`
	Bad    int     `json:"bad"`
	Answer Figures `json:"answer"`
}

// Figures are the medians over a model's answers that were voted on, each over
// those that have such a figure; 0 where none has.
type Figures struct {
	CostNanoUSD  int64 `json:"cost_nano_usd"`
	FirstTokenMS int64 `json:"first_token_ms"`
	DurationMS   int64 `json:"duration_ms"`
	TokensASec   int64 `json:"tokens_a_second"`
}

// CleanTags are the tags of a vote as they are stored: in lower case, on one line,
// each once, in order. The problem says which bound was passed.
func CleanTags(tags []string) ([]string, *Problem) {
	var out []string
	for _, tag := range tags {
		tag = strings.ToLower(strings.Join(strings.FieldsFunc(tag, func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsControl(r)
		}), " "))
		switch {
		case tag == "" || slices.Contains(out, tag):
			continue
		case !utf8.ValidString(tag) || utf8.RuneCountInString(tag) > MaxVoteTag:
			return nil, &Problem{Code: "bad_tag", Field: "tags", Message: fmt.Sprintf("A tag has at most %d characters.", MaxVoteTag), Hint: "Take a shorter one."}
		}
		out = append(out, tag)
	}
	if len(out) > MaxVoteTags {
		return nil, &Problem{Code: "bad_tag", Field: "tags", Message: fmt.Sprintf("A vote has at most %d tags.", MaxVoteTags), Hint: "Leave some out."}
	}
	slices.Sort(out)
	return out, nil
}
