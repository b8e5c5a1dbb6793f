package api

import (
	"fmt"
	"time"

	"screentest/shared/money"
	"screentest/shared/wire"
)

// checkLimits says what is wrong with limits that were sent as field.
func checkLimits(field string, l wire.Limits) error {
	bad := func(part, message, hint string) error {
		return &wire.Problem{Code: "invalid_limits", Field: field + "." + part, Message: message, Hint: hint}
	}
	for _, sum := range []struct {
		name string
		n    int64
	}{{"day_nano_usd", l.DayNanoUSD}, {"month_nano_usd", l.MonthNanoUSD}} {
		if sum.n < 0 || sum.n > wire.MaxBudgetNanoUSD {
			return bad(sum.name, "A limit is from $0, which is none, to "+money.NanoUSD(wire.MaxBudgetNanoUSD).String()+".", "Give it in nano-dollars.")
		}
	}
	if l.WarnPercent < 0 || l.WarnPercent > 100 {
		return bad("warn_percent", "A warning comes at 1 to 100 percent of a limit.", fmt.Sprintf("0 is the usual %d.", wire.DefaultWarnPercent))
	}
	if _, err := time.LoadLocation(l.Zone); err != nil || l.Zone == "Local" || len(l.Zone) > 64 {
		return bad("zone", "The time zone is not known.", "It is named like Europe/Berlin.")
	}
	return nil
}

func limitsDetail(l wire.Limits) map[string]any {
	return map[string]any{"day_nano_usd": l.DayNanoUSD, "month_nano_usd": l.MonthNanoUSD}
}
