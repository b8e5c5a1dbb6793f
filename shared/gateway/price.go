package gateway

import "screentest/shared/money"

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
	Sample bool          `json:"sample,omitempty"` // from a sample price
	Known  bool          `json:"-"`                // false: the model has no price, or the figure overflows
}

// TextPrice returns what u costs: tokens × price, rounded half up once (F165, G39).
func (m Model) TextPrice(u Usage) Quote { return Quote{} }

// VideoPrice returns what a clip of the field seconds costs (F167, F168).
func (m Model) VideoPrice(seconds int) Quote { return Quote{} }
