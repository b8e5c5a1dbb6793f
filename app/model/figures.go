package model

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
	FirstToken string // "212 ms"
	Speed      string // "84 tok/s"
	Tokens     string // "31 in · 118 out"
	Cost       string // "$0.0013", or "≈ $0.0013" when it is estimated
	Basis      string // how Cost was worked out
	Answered   string // the model that answered, when it is another
}

// Figures returns an answer's figures at the time now.
func (d *Desk) Figures(m *Message) Figures {
	r := m.Run
	if r == nil {
		return Figures{}
	}
	f := Figures{State: stateWords(m)}
	if r.Answered != "" && r.Answered != r.Model {
		f.Answered = r.Answered
	}
	if !m.Ended() {
		d.running(m, &f)
		return f
	}
	if r.FirstTokenMS > 0 {
		f.FirstToken = figure.Milliseconds(r.FirstTokenMS)
	}
	if span := r.DurationMS - r.FirstTokenMS; r.OutputTokens > 0 && span > 0 && r.FirstTokenMS > 0 {
		f.Speed = speed(float64(r.OutputTokens), span)
	}
	if r.InputTokens > 0 || r.OutputTokens > 0 {
		f.Tokens = figure.Count(r.InputTokens) + " in · " + figure.Count(r.OutputTokens) + " out"
	}
	if r.CostSource != "" || r.CostNanoUSD != 0 {
		f.Cost = figure.Dollars(r.CostNanoUSD)
		if r.CostSource == "estimated" {
			f.Cost = "≈ " + f.Cost
			f.Tokens = "≈ " + f.Tokens
		}
		f.Basis = d.basis(r)
	}
	return f
}

// running fills in what this tab has measured itself of an answer that it
// sent.
func (d *Desk) running(m *Message, f *Figures) {
	if m.sent == 0 || m.firstToken == 0 {
		return
	}
	f.FirstToken = figure.Milliseconds(m.firstToken - m.sent)
	if span := d.now().UnixMilli() - m.firstToken; span > 500 && m.Reply() != nil {
		f.Speed = "≈ " + speed(float64(Tokens(m.Reply().TextLen())), span)
	}
}

// basis says where a cost comes from, for its tooltip.
func (d *Desk) basis(r *wire.Run) string {
	var parts []string
	if r.Basis != "" {
		parts = append(parts, r.Basis+" = "+money.NanoUSD(r.CostNanoUSD).String())
	} else {
		parts = append(parts, money.NanoUSD(r.CostNanoUSD).String())
	}
	switch r.CostSource {
	case "reported":
		parts = append(parts, "tokens as the gateway reported them")
	case "estimated":
		parts = append(parts, "the gateway reported no tokens: estimated")
	}
	if m, _ := d.cat.Lookup(r.Model); m.Sample {
		parts = append(parts, "sample price")
	}
	return strings.Join(parts, "; ")
}

func stateWords(m *Message) string {
	switch m.Run.State {
	case wire.Running:
		switch {
		case m.stopping:
			return "stopping"
		case m.unsent != nil:
			return "sending"
		case m.Reply() == nil || m.Reply().TextLen() == 0:
			return "waiting"
		}
		return "streaming"
	case wire.Incomplete:
		switch m.Run.Finish {
		case "length", "max_output_tokens", "max_tokens":
			return "cut at the length limit"
		case "content_filter":
			return "cut by the content filter"
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

func speed(tokens float64, ms int64) string {
	v := tokens * 1000 / float64(ms)
	if v < 10 {
		return strconv.FormatFloat(v, 'f', 1, 64) + " tok/s"
	}
	return figure.Count(int64(v+0.5)) + " tok/s"
}
