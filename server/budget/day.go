package budget

import "time"

// dayStart is the first moment of a day in a time zone; months and days beyond
// their range count on, as with time.Date. It is midnight, but where clocks go
// forward at midnight the day begins with the hour after.
func dayStart(year int, month time.Month, day int, zone *time.Location) time.Time {
	start := time.Date(year, month, day, 0, 0, 0, 0, zone)
	if noon := time.Date(year, month, day, 12, 0, 0, 0, zone); start.Day() != noon.Day() {
		_, start = start.ZoneBounds()
	}
	return start.In(zone)
}
