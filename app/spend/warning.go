package spend

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"screentest/app/figure"
	"screentest/shared/wire"
)

// Warned are the budgets whose share to be warned of is spent, that with the
// least left first. They are known on every page, also after a reload.
func (b *Budgets) Warned() []wire.BudgetState {
	var list []wire.BudgetState
	if b.Now != nil {
		for _, s := range b.Now.States {
			if !s.Warn {
				continue
			}
			if list = append(list, s); left(s) < left(list[0]) {
				list[0], list[len(list)-1] = s, list[0]
			}
		}
	}
	return list
}

func left(s wire.BudgetState) int64 { return s.LimitNanoUSD - s.SpentNanoUSD }

// Percent is how much of a budget is spent.
func Percent(s wire.BudgetState) string {
	return strconv.FormatInt(s.SpentNanoUSD*100/max(s.LimitNanoUSD, 1), 10) + "\u202f%"
}

// Mark says how a budget stands in two words.
func Mark(s wire.BudgetState) string {
	if s.SpentNanoUSD >= s.LimitNanoUSD {
		return "used up"
	}
	return Percent(s)
}

// Words say how a budget stands: which one, how much of it is used, and when it
// begins anew by the viewer's clock.
func Words(s wire.BudgetState, c Clock) string {
	words := Name(s) + " is used up: "
	if s.SpentNanoUSD < s.LimitNanoUSD {
		words = Percent(s) + " of " + within(s) + " is used: "
	}
	words += figure.Dollars(s.SpentNanoUSD) + " of " + figure.Dollars(s.LimitNanoUSD)
	if s.ReservedNanoUSD > 0 {
		words += ", and " + figure.Dollars(s.ReservedNanoUSD) + " is reserved"
	}
	return words + ". " + Anew(s, c)
}

// Anew says when a budget begins anew, by the viewer's clock.
func Anew(s wire.BudgetState, c Clock) string {
	words := "It resets on " + c.DateOf(s.ToMS).Words(c.Today()) + " at " + c.Time(s.ToMS)[:len("15:04")]
	if zone := OtherZone(s, c); zone != "" {
		words += ", midnight in " + zone
	}
	return words + "."
}

// within is a budget's name within a sentence.
func within(s wire.BudgetState) string {
	name := Name(s)
	if s.Scope == wire.ScopeTeam {
		return name
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// OtherZone is the zone of a budget whose days are not the viewer's own, so that
// it counts other hours than the figures of the page; "" where they are the
// same.
func OtherZone(s wire.BudgetState, c Clock) string {
	from := c.DateOf(s.FromMS)
	to := from.Plus(1)
	if s.Period == wire.PeriodMonth {
		from.Day = 1
		to = Date{from.Year, from.Month + 1, 1}
	}
	if c.Midnight(from) == s.FromMS && c.Midnight(to) == s.ToMS {
		return ""
	}
	return s.Zone
}

// ZoneOfDays is the viewer's zone where a budget goes by another one, for the
// figures beside it; "" else.
func (d *Desk) ZoneOfDays() string {
	if d.Spend != nil {
		for _, s := range d.Spend.Budgets {
			if OtherZone(s, d.Clock) != "" {
				return cmp.Or(d.Clock.Zone(), "your time zone")
			}
		}
	}
	return ""
}

// The warnings end with their day: they are asked for again then, and at the
// latest after refreshAfter.
const refreshAfter = 12 * time.Hour

// watch plans to look at the budgets again when a warning ends.
func (b *Budgets) watch() {
	if b.watching != nil {
		b.watching()
		b.watching = nil
	}
	wait := refreshAfter
	list := b.Warned()
	for _, s := range list {
		wait = min(wait, max(time.UnixMilli(s.ToMS).Sub(b.desk.Now()), 0)+time.Second)
	}
	if len(list) > 0 {
		b.watching = b.desk.After(wait, b.refresh)
	}
}

// refresh asks again how the budgets stand, if there are any.
func (b *Budgets) refresh() {
	if b.Now != nil && len(b.Now.States) > 0 {
		b.desk.Server.Call(wire.OpBudgets, struct{}{}, func(data json.RawMessage, p *wire.Problem) { b.read(data, p) })
	}
}
