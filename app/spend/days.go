package spend

import (
	"time"

	"screentest/shared/wire"
)

// Clock is the viewer's own clock and time zone. In the browser it is
// JavaScript's Date: Go's own local zone there is a fixed offset, which is
// wrong for the other half of the year.
type Clock interface {
	// Today is the viewer's date.
	Today() Date
	// Midnight is when a date begins, in Unix milliseconds. Days beyond the
	// month's are those of the next or the one before.
	Midnight(Date) int64
	// DateOf is the viewer's date at a time in Unix milliseconds.
	DateOf(ms int64) Date
	// Time writes a time of day: "14:02:11".
	Time(ms int64) string
	// Zone is the zone's IANA name, "" where it is not known.
	Zone() string
}

// Date is a day of the calendar.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ParseDate reads "2026-11-20".
func ParseDate(s string) (Date, bool) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return Date{}, false
	}
	return Date{t.Year(), t.Month(), t.Day()}, true
}

func (d Date) utc() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// Plus is n days later.
func (d Date) Plus(n int) Date {
	t := d.utc().AddDate(0, 0, n)
	return Date{t.Year(), t.Month(), t.Day()}
}

// until is how many days there are from d to e.
func (d Date) until(e Date) int { return int(e.utc().Sub(d.utc()) / (24 * time.Hour)) }

// String writes "2026-11-20".
func (d Date) String() string { return d.utc().Format(time.DateOnly) }

// Words writes "Fri 20 Nov", and the year where it is not that of today.
func (d Date) Words(today Date) string {
	if d.Year != today.Year {
		return d.utc().Format("Mon 2 Jan 2006")
	}
	return d.utc().Format("Mon 2 Jan")
}

// Short writes "20 Nov".
func (d Date) Short() string { return d.utc().Format("2 Jan") }

// Range is which days the page shows.
type Range string

// The ranges.
const (
	Week   Range = "7"
	Days30 Range = "30"
	Month  Range = "month"
	Custom Range = "custom"
)

// Ranges are all of them, as they stand beside each other.
func Ranges() []Range { return []Range{Week, Days30, Month, Custom} }

// Name is a range in words.
func (r Range) Name() string {
	switch r {
	case Week:
		return "7 days"
	case Month:
		return "This month"
	case Custom:
		return "Custom"
	}
	return "30 days"
}

// days returns the first and the last day that a view shows.
func (v View) days(today Date) (from, to Date) {
	switch v.Range {
	case Week:
		return today.Plus(-6), today
	case Month:
		return Date{today.Year, today.Month, 1}, today
	case Custom:
		return v.From, v.To
	}
	return today.Plus(-29), today
}

// query is what the server is asked for.
func (v View) query(c Clock) wire.SpendQuery {
	today := c.Today()
	from, to := v.days(today)
	q := wire.SpendQuery{
		Today: c.Midnight(today), Week: c.Midnight(today.Plus(-6)), Month: c.Midnight(Date{today.Year, today.Month, 1}),
		Tomorrow: c.Midnight(today.Plus(1)), Split: v.Split, Of: v.of(),
	}
	before, last := v.prior(today)
	q.PriorFrom, q.PriorTo = max(c.Midnight(before), 0), c.Midnight(last.Plus(1))
	for n := range from.until(to) + 2 {
		q.Days = append(q.Days, c.Midnight(from.Plus(n)))
	}
	return q
}

// check returns why custom days can't be shown, or "".
func (v View) check() string {
	switch n := v.From.until(v.To) + 1; {
	case v.Range != Custom:
	case v.From == Date{} || v.To == Date{}:
		return "Enter both days."
	case v.From.Year < 1971:
		return "Nothing was spent before 1971. Choose later days."
	case n < 1:
		return "The first day is after the last one."
	case n > wire.MaxSpendDays:
		return "These are more than 400 days, which the page doesn’t show. Choose fewer, or download the entries of all of them."
	}
	return ""
}

// Downloadable says that the days, though they can't be shown, are days.
func (v View) Downloadable() bool { return v.From.Year >= 1971 && v.From.until(v.To) >= 0 }
