package gateway

import (
	"strconv"

	"screentest/shared/money"
)

// Usage is how many tokens a text call took.
type Usage struct {
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	Reported     bool  `json:"reported"` // by the gateway; else an estimate (F8, G9)
}

// Quote is a price and how it was worked out.
type Quote struct {
	Cost   money.NanoUSD `json:"nano_usd"`
	Basis  string        `json:"basis"`            // "6 s × $0.05"
	Sample bool          `json:"sample,omitempty"` // from a sample price, to be marked as one
	// Estimated: the usage is an estimate, not the gateway's report (F8, G9).
	Estimated bool `json:"estimated,omitempty"`
	Known     bool `json:"-"` // false: the model has no price, or the figure overflows; Basis says which
}

// TextPrice returns what u costs: tokens × price, rounded half up once at the
// end (F165, G39). A built-in search adds nothing (F166).
func (m Model) TextPrice(u Usage) Quote {
	if !m.Price.Known || m.Endpoint == Video {
		return Quote{Basis: "no price is known for " + cut(m.ID)}
	}
	cost, err := money.PerMillion(
		money.Term{Count: u.InputTokens, Rate: m.Price.Input},
		money.Term{Count: u.OutputTokens, Rate: m.Price.Output},
	)
	if err != nil {
		return Quote{Basis: "not a usable token count: " + err.Error()}
	}
	basis := grouped(u.InputTokens) + " in × " + m.Price.Input.Rate() + "/M + " +
		grouped(u.OutputTokens) + " out × " + m.Price.Output.Rate() + "/M"
	return Quote{Cost: cost, Basis: basis, Sample: m.Sample, Estimated: !u.Reported, Known: true}
}

// VideoPrice returns what a clip with that field seconds costs at its creation
// (F60, F167): rate × seconds, or the fixed price of a clip for beta's
// upscales (F168).
func (m Model) VideoPrice(seconds int) Quote {
	if !m.Price.Known || m.Endpoint != Video || seconds < 1 {
		return Quote{Basis: "no price is known for " + cut(m.ID)}
	}
	term, of := money.Term{Count: int64(seconds), Rate: m.Price.PerSecond}, " s × "
	if m.Price.PerClip != 0 {
		term, of = money.Term{Count: 1, Rate: m.Price.PerClip}, " clip × "
	}
	cost, err := money.Times(term)
	if err != nil {
		return Quote{Basis: "not a usable length: " + err.Error()}
	}
	return Quote{Cost: cost, Basis: grouped(term.Count) + of + term.Rate.Rate(), Sample: m.Sample, Known: true}
}

// grouped writes a count with a space between thousands: 2 204.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
