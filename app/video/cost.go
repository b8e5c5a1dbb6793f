package video

import (
	"strings"

	"screentest/shared/money"
	"screentest/shared/wire"
)

// Cost is what a task costs, as a person reads it.
type Cost struct {
	Amount   string // "$0.40"; "" where no price is known
	Returned string // "returned $0.40", "" where nothing was
	Held     string // what is not sure about it: "held until it is settled"
	Free     bool   // nothing was charged
	Basis    string // for the tooltip
}

// CostOf is a task's cost.
func CostOf(t *wire.VideoTask) Cost {
	if t.PriceNanoUSD == 0 {
		return Cost{Basis: t.Basis}
	}
	c := Cost{Amount: money.NanoUSD(t.PriceNanoUSD).String(), Basis: t.Basis}
	var notes []string
	if t.Basis != "" {
		notes = append(notes, t.Basis+" = "+c.Amount)
	}
	notes = append(notes, "computed: rate × seconds")
	switch {
	case t.Returned:
		c.Returned = "returned"
		notes = append(notes, "charged, then returned because it failed")
	case t.State == wire.VideoUnknown:
		c.Held = "may have been billed"
		notes = append(notes, "reserved until it is settled")
	case t.State == wire.VideoRefused:
		c.Free = true
		notes = append(notes, "nothing was charged")
	case t.Charged:
		notes = append(notes, "charged when the task was created")
	}
	if t.SamplePrice {
		notes = append(notes, "sample price")
	}
	c.Basis = strings.Join(notes, "; ")
	return c
}
