// Package calendar knows when the days of a time zone begin, for the server's
// budgets. In the browser Go has no time zones: there JavaScript's Date is asked.
package calendar

import "time"

// DayStart is the first moment of a day in a time zone; months and days beyond
// their range count on, as with time.Date. It is midnight, but where clocks go
// forward at midnight the day begins with the hour after.
func DayStart(year int, month time.Month, day int, zone *time.Location) time.Time {
	start := time.Date(year, month, day, 0, 0, 0, 0, zone)
	if noon := time.Date(year, month, day, 12, 0, 0, 0, zone); start.Day() != noon.Day() {
		_, start = start.ZoneBounds()
	}
	return start.In(zone)
}
