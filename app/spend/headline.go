package spend

import (
	"strconv"

	"screentest/app/figure"
	"screentest/shared/wire"
)

// Headline is what the days shown come to, in one figure and a sentence or two.
type Headline struct {
	Name     string // of the days
	NanoUSD  int64
	Change   string // against the days before; "" where nothing was spent in either
	Forecast string // for the month; "" where there is none
}

// Headline says it; nil before the server did.
func (d *Desk) Headline() *Headline {
	s := d.Spend
	if s == nil {
		return nil
	}
	today := d.Clock.Today()
	h := &Headline{Name: d.View.daysName(today), NanoUSD: s.Range.NanoUSD, Forecast: d.forecast(today)}
	if s.Prior != nil {
		h.Change = change(s.Range.NanoUSD, s.Prior.NanoUSD, d.View.priorName(today))
	}
	return h
}

// change says how much more or less now is than before was.
func change(now, before int64, name string) string {
	switch {
	case before <= 0 && now <= 0:
		return ""
	case before <= 0:
		return "Nothing in " + name
	case now == before:
		return "As much as in " + name
	}
	against := " than in " + name + " (" + figure.Dollars(before) + ")"
	most := before * 10
	switch {
	case now >= most && most > 0:
		return figure.Count(now/before) + " times as much as in " + name + " (" + figure.Dollars(before) + ")"
	case now > before:
		return percentOf(now-before, before) + " more" + against
	}
	return percentOf(before-max(now, 0), before) + " less" + against
}

// percentOf is a share in words. What is less than one percent is not none.
func percentOf(part, whole int64) string {
	p := int64(float64(part)/float64(whole)*100 + 0.5)
	if p == 0 {
		return "Less than 1\u202f%"
	}
	return strconv.FormatInt(p, 10) + "\u202f%"
}

// forecast is what the month comes to if its other days are like the last seven.
func (d *Desk) forecast(today Date) string {
	s := d.Spend
	next := Date{today.Year, today.Month + 1, 1}.normal()
	left := today.until(next) - 1 // days after today
	if s.Week.NanoUSD <= 0 || left == 0 {
		return ""
	}
	sum := s.Month.NanoUSD + s.Week.NanoUSD*int64(left)/7
	return today.Month.String() + " comes to about " + figure.Dollars(sum) + " at the pace of the last 7 days."
}

// normal is the day with its month and day within their bounds.
func (d Date) normal() Date { return d.Plus(0) }

// prior returns the first and the last day that those shown are compared with: as
// many right before them, for the month so far the same days of the month before.
func (v View) prior(today Date) (from, to Date) {
	first, last := v.days(today)
	if v.Range == Month {
		from = Date{first.Year, first.Month - 1, 1}.normal()
		to = from.Plus(today.Day - 1)
		if before := first.Plus(-1); before.until(to) > 0 { // a shorter month
			to = before
		}
		return from, to
	}
	return first.Plus(-first.until(last) - 1), first.Plus(-1)
}

// daysName is what the days shown are called.
func (v View) daysName(today Date) string {
	switch v.Range {
	case Week:
		return "The last 7 days"
	case Month:
		return today.Month.String()
	case Custom:
		return v.From.Words(today) + " to " + v.To.Words(today)
	}
	return "The last 30 days"
}

// priorName is what the days that those shown are compared with are called.
func (v View) priorName(today Date) string {
	from, to := v.prior(today)
	if v.Range == Month {
		if to.Day == 1 {
			return "the first of " + from.Month.String()
		}
		return from.Month.String() + " up to the " + ordinal(to.Day)
	}
	if n := from.until(to) + 1; n > 1 {
		return "the " + strconv.Itoa(n) + " days before"
	}
	return "the day before"
}

func ordinal(n int) string {
	suffix := "th"
	if n/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// sortNames are the orders of the rows, with what a person calls them.
var sortNames = []string{wire.SortNewest, "Newest first", wire.SortOldest, "Oldest first", wire.SortDearest, "Dearest first", wire.SortCheapest, "Cheapest first"}

// SortNames are pairs of an order and its name.
func SortNames() []string { return append([]string{"", sortNames[1]}, sortNames[2:]...) }
