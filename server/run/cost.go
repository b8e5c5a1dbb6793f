package run

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"screentest/shared/gateway"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// How a run's cost was found (F8).
const (
	costReported  = "reported"
	costEstimated = "estimated"
)

// Tokenizer counts the tokens of a text where a gateway reports no usage (G9).
// Another model's tokenizer may count otherwise: the figure is an estimate, and
// is said to be one wherever it is shown.
type Tokenizer interface {
	Name() string // as a cost's basis names it
	Count(text string) int64
}

// ruleOfThumb is the Tokenizer of a Manager that was given none.
type ruleOfThumb struct{}

func (ruleOfThumb) Name() string            { return "4 characters each" }
func (ruleOfThumb) Count(text string) int64 { return int64(utf8.RuneCountInString(text)+3) / 4 }

// priced adds tokens and cost to a run that has ended. A run that brought
// nothing is not charged for: a refused call costs nothing.
func (m *Manager) priced(ctx context.Context, owner string, r wire.Run, a *reply.Answer) (wire.Run, json.RawMessage) {
	usage := a.Usage
	if usage == nil {
		if !a.Began() {
			return r, nil
		}
		usage = m.estimate(ctx, owner, r.ID, a)
	}
	r.InputTokens, r.OutputTokens = usage.InputTokens, usage.OutputTokens
	model := m.model(r.Model)
	q := model.TextPrice(*usage)
	counted := ""
	if !usage.Reported {
		counted = ", " + wire.TokensEstimated + m.Tokenizer.Name()
	}
	if !q.Known {
		r.Basis = "no price is known for this model" + counted
		return r, nil
	}
	r.CostNanoUSD, r.Basis, r.CostSource = int64(q.Cost), q.Basis+counted, costReported
	if !usage.Reported {
		r.CostSource = costEstimated
	}
	if q.Sample {
		r.Basis += ", sample prices"
	}
	prices, err := json.Marshal(model.Price)
	if err != nil {
		m.Logger.Error("prices not kept", "model", r.Model, "err", err)
	}
	return r, prices
}

// estimate counts what a gateway did not report.
func (m *Manager) estimate(ctx context.Context, owner, run string, a *reply.Answer) *gateway.Usage {
	body, err := m.Store.RunRequest(ctx, owner, run)
	if err != nil {
		m.Logger.Error("request not read for an estimate of its tokens", "run", run, "err", err)
	}
	out := m.Tokenizer.Count(a.Text()) + m.Tokenizer.Count(a.Reasoning())
	for _, c := range a.ToolCalls {
		out += m.Tokenizer.Count(c.Name) + m.Tokenizer.Count(c.Arguments())
	}
	return &gateway.Usage{InputTokens: m.inputTokens(body), OutputTokens: out}
}

// inputTokens counts what of a request a model reads: the string values at any
// depth, but for the model's own name, the roles and addresses of images.
func (m *Manager) inputTokens(body []byte) int64 {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return 0
	}
	return m.tokensOf(v)
}

func (m *Manager) tokensOf(v any) (n int64) {
	switch v := v.(type) {
	case string:
		return m.Tokenizer.Count(v)
	case []any:
		for _, x := range v {
			n += m.tokensOf(x)
		}
	case map[string]any:
		for name, x := range v {
			if name != "model" && name != "role" && name != "user" && name != "url" && name != "image_url" {
				n += m.tokensOf(x)
			}
		}
	}
	return n
}
