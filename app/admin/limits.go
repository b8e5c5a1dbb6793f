package admin

import (
	"strconv"
	"strings"

	"screentest/app/figure"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// The fields of limits in a Form.
const (
	Day   = "day"
	Month = "month"
	Warn  = "warn"
	Zone  = "zone"
)

// LimitTexts are limits as one types them. Where none is set the days are those
// of the viewer's own zone, as a suggestion.
func LimitTexts(l wire.Limits, own string) map[string]string {
	warn := l.WarnPercent
	if warn == 0 {
		warn = wire.DefaultWarnPercent
	}
	zone := l.Zone
	switch {
	case zone != "":
	case own == "" || l.DayNanoUSD != 0 || l.MonthNanoUSD != 0:
		zone = "UTC"
	default:
		zone = own
	}
	return map[string]string{Day: dollars(l.DayNanoUSD), Month: dollars(l.MonthNanoUSD), Warn: strconv.Itoa(warn), Zone: zone}
}

func dollars(nano int64) string {
	if nano == 0 {
		return ""
	}
	return money.NanoUSD(nano).Decimal()
}

// limits reads what a form has of limits, and notes what is wrong.
func (f *Form) limits(set wire.Limits, own string) wire.Limits {
	texts := LimitTexts(set, own)
	amount := func(field string) int64 {
		nano, wrong := figure.Typed(f.Value(field, texts[field]), "limit", wire.MaxBudgetNanoUSD)
		f.wrong(field, wrong)
		return nano
	}
	l := wire.Limits{DayNanoUSD: amount(Day), MonthNanoUSD: amount(Month), Zone: strings.TrimSpace(f.Value(Zone, texts[Zone]))}
	warn, err := strconv.Atoi(strings.TrimSpace(f.Value(Warn, texts[Warn])))
	if err != nil || warn < 1 || warn > 100 {
		f.wrong(Warn, "Enter a share in percent, from 1 to 100.")
	}
	l.WarnPercent = warn
	return l
}

// limited says whether a form changes limits.
func (f *Form) limited() bool {
	return f.Changed(Day) || f.Changed(Month) || f.Changed(Warn) || f.Changed(Zone)
}

// LimitWords are limits in words; "" is none.
func LimitWords(l wire.Limits) string {
	var parts []string
	if l.DayNanoUSD != 0 {
		parts = append(parts, figure.Dollars(l.DayNanoUSD)+" a day")
	}
	if l.MonthNanoUSD != 0 {
		parts = append(parts, figure.Dollars(l.MonthNanoUSD)+" a month")
	}
	return strings.Join(parts, ", ")
}
