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

// charsPerToken is the estimate where a gateway reports no usage (G9): a rule
// of thumb for English, and said to be one wherever the figure is shown.
const charsPerToken = 4

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
	if !q.Known {
		r.Basis = "no price is known for this model"
		return r, nil
	}
	r.CostNanoUSD, r.Basis, r.CostSource = int64(q.Cost), q.Basis, costReported
	if !usage.Reported {
		r.CostSource = costEstimated
		r.Basis += ", tokens estimated at 4 characters each"
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

// estimate guesses the usage that a gateway did not report.
func (m *Manager) estimate(ctx context.Context, owner, run string, a *reply.Answer) *gateway.Usage {
	body, err := m.Store.RunRequest(ctx, owner, run)
	if err != nil {
		m.Logger.Error("request not read for an estimate of its tokens", "run", run, "err", err)
	}
	out := utf8.RuneCountInString(a.Text()) + utf8.RuneCountInString(a.Reasoning())
	for _, c := range a.ToolCalls {
		out += utf8.RuneCountInString(c.Name) + utf8.RuneCountInString(c.Arguments())
	}
	return &gateway.Usage{InputTokens: tokens(inputChars(body)), OutputTokens: tokens(int64(out))}
}

func tokens(chars int64) int64 { return (chars + charsPerToken - 1) / charsPerToken }

// inputChars counts the characters of a request that a model reads: the string
// values at any depth, but for the model's own name and the roles.
func inputChars(body []byte) int64 {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return 0
	}
	return chars(v)
}

func chars(v any) (n int64) {
	switch v := v.(type) {
	case string:
		return int64(utf8.RuneCountInString(v))
	case []any:
		for _, x := range v {
			n += chars(x)
		}
	case map[string]any:
		for name, x := range v {
			if name != "model" && name != "role" && name != "user" {
				n += chars(x)
			}
		}
	}
	return n
}
