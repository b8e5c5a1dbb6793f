package wire

// OpRanking asks for a team's ranking: RankingQuery → Ranking.
const OpRanking Op = "ranking"

// RankingQuery asks for a team's ranking of models.
type RankingQuery struct {
	Team string `json:"team"`
	Tag  string `json:"tag,omitempty"`
	From int64  `json:"from,omitempty"` // Unix milliseconds; 0: since ever
	To   int64  `json:"to,omitempty"`   // exclusive
}

// Ranking is by the Bradley–Terry model over blind votes: of two models the chance
// that a is chosen over b is 1 / (1 + 10^((b − a) / 400)).
type Ranking struct {
	Votes  int      `json:"votes"`
	Tags   []string `json:"tags"`
	Models []Ranked `json:"models"` // the best first
}

// Ranked is a model in a ranking.
type Ranked struct {
	Model string `json:"model"`
	// Score is 1000 for the mean of all; Low and High bound it with 95 %. Loose says
	// that the votes don't connect it with the others.
	Score  float64 `json:"score"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Loose  bool    `json:"loose,omitempty"`
	Votes  int     `json:"votes"`
	Wins   int     `json:"wins"`
	Ties   int     `json:"ties"`
	Bad    int     `json:"bad"` // votes by which no answer was good
	Answer Figures `json:"answer"`
}

// Figures are the medians over a model's answers that were voted on.
type Figures struct {
	CostNanoUSD  int64 `json:"cost_nano_usd"`
	FirstTokenMS int64 `json:"first_token_ms"`
	DurationMS   int64 `json:"duration_ms"`
	TokensASec   int64 `json:"tokens_a_second"`
}
