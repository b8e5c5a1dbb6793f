package chat

import (
	"strconv"
	"strings"

	"screentest/app/figure"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// Figures are what stands under an answer. What is not known is "".
type Figures struct {
	State      string // "waiting", "streaming", "stopping", or the run's final state in words
	FirstToken string // "212 ms", or "≈ 212 ms" as this tab has measured it
	Total      string // "1.6 s", from sending to the end
	Speed      string // "84 tok/s", or "≈ 84 tok/s" when the tokens are estimated
	Tokens     string // "31 in · 118 out"
	Cost       string // "$0.0013", or "≈ $0.0013" when it is estimated
	Sample     bool   // Cost is of a sample price
	Basis      string // how Cost was worked out
	Answered   string // the model that answered, when it is another
}

// Figures returns an answer's figures at the time now.
func (ch *Chat) Figures(m *Message) Figures {
	r := m.Run
	if r == nil {
		return Figures{}
	}
	f := Figures{State: stateWords(m)}
	if r.Answered != "" && r.Answered != r.Model {
		f.Answered = r.Answered
	}
	if !m.Ended() {
		ch.running(m, &f)
		return f
	}
	if r.FirstTokenMS > 0 {
		f.FirstToken = figure.Milliseconds(r.FirstTokenMS)
	}
	if r.DurationMS > 0 {
		f.Total = figure.Milliseconds(r.DurationMS)
	}
	about := ""
	if r.Estimated() {
		about = "≈ "
	}
	if span := r.DurationMS - r.FirstTokenMS; r.OutputTokens > 0 && span > 0 && r.FirstTokenMS > 0 {
		f.Speed = about + speed(r.OutputTokens, span)
	}
	if r.InputTokens > 0 || r.OutputTokens > 0 {
		f.Tokens = about + figure.Count(r.InputTokens) + " in · " + figure.Count(r.OutputTokens) + " out"
	}
	if r.CostSource != "" || r.CostNanoUSD != 0 {
		f.Cost = about + figure.Dollars(r.CostNanoUSD)
		f.Basis, f.Sample = ch.basis(r), ch.sample(r)
	}
	return f
}

// running fills in what this tab has measured itself of an answer that it
// sent. It measures what the server will tell at the end, so that the figures
// do not jump there: from the call of the gateway to the first piece of any
// kind, then all that came since.
func (ch *Chat) running(m *Message, f *Figures) {
	if m.sent == 0 || m.firstToken == 0 {
		return
	}
	f.FirstToken = "≈ " + figure.Milliseconds(m.firstToken-m.sent)
	if span := ch.o.Now().UnixMilli() - m.firstToken; span > 500 && m.Reply() != nil {
		f.Speed = "≈ " + speed(m.Reply().Tokens(), span)
	}
}

// basis says where a cost comes from, for its tooltip.
func (ch *Chat) basis(r *wire.Run) string {
	var parts []string
	if r.Basis != "" {
		parts = append(parts, r.Basis+" = "+money.NanoUSD(r.CostNanoUSD).String())
	} else {
		parts = append(parts, money.NanoUSD(r.CostNanoUSD).String())
	}
	switch r.CostSource {
	case "reported":
		parts = append(parts, "tokens reported by the gateway")
	case "estimated":
		parts = append(parts, "tokens estimated: the gateway reported none")
	}
	if ch.sample(r) && !strings.Contains(r.Basis, samplePrices) {
		parts = append(parts, samplePrices)
	}
	return strings.Join(parts, "; ")
}

// samplePrices stands in the basis of what was worked out from them.
const samplePrices = "sample prices"

// sample says that a cost was worked out from a sample price.
func (ch *Chat) sample(r *wire.Run) bool {
	return strings.Contains(r.Basis, samplePrices) || ch.session.Model(r.Model).Sample
}

func stateWords(m *Message) string {
	switch m.Run.State {
	case wire.Running:
		switch {
		case m.stopping:
			return "stopping"
		case m.unsent != nil:
			return "sending"
		}
		switch a := m.Reply(); {
		case a == nil || !a.Began():
			return "waiting"
		case a.TextLen() == 0 && len(a.ToolCalls) == 0 && a.Reasoning() != "":
			return "reasoning"
		case a.TextLen() == 0 && len(a.ToolCalls) == 0:
			return "searching the web"
		}
		return "streaming"
	case wire.Incomplete:
		switch m.Run.Finish {
		case "length", "max_output_tokens", "max_tokens":
			return "cut off at the length limit"
		case "content_filter":
			return "cut off by the content filter"
		case "":
			return "incomplete"
		}
		return "incomplete: " + m.Run.Finish
	}
	return string(m.Run.State)
}

// Tokens estimates how many tokens a text of n bytes is: 4 bytes each, as is
// usual for English.
func Tokens(n int) int64 { return int64((n + 3) / 4) }

func speed(tokens, ms int64) string {
	v := float64(tokens) * 1000 / float64(ms)
	if v < 10 {
		return strconv.FormatFloat(v, 'f', 1, 64) + " tok/s"
	}
	return figure.Count(int64(v+0.5)) + " tok/s"
}
