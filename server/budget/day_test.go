package budget

import (
	"testing"
	"time"
)

func TestDayStart(t *testing.T) {
	for _, c := range []struct{ zone, day, want string }{
		{"UTC", "2026-01-01", "2026-01-01T00:00:00Z"},
		{"Europe/Berlin", "2026-03-29", "2026-03-29T00:00:00+01:00"},
		{"America/Santiago", "2026-09-05", "2026-09-05T00:00:00-04:00"},
		{"America/Santiago", "2026-09-06", "2026-09-06T01:00:00-03:00"}, // there is no 0:00
		{"America/Santiago", "2026-04-05", "2026-04-05T00:00:00-04:00"}, // 23:00 comes twice the day before
		{"America/Havana", "2026-03-08", "2026-03-08T01:00:00-04:00"},
		{"Atlantic/Azores", "2026-03-29", "2026-03-29T01:00:00Z"},
		{"Africa/Cairo", "2026-04-24", "2026-04-24T01:00:00+03:00"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		d, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		got := dayStart(d.Year(), d.Month(), d.Day(), zone)
		if got.Format(time.RFC3339) != c.want {
			t.Errorf("%s in %s begins at %s, want %s", c.day, c.zone, got.Format(time.RFC3339), c.want)
		}
		if before := got.Add(-time.Nanosecond); before.Day() == got.Day() {
			t.Errorf("%s in %s: %s is of that day, too", c.day, c.zone, before)
		}
	}
	// Days count on over the month's end.
	if got := dayStart(2026, time.February, 29, time.UTC); got.Format(time.DateOnly) != "2026-03-01" {
		t.Errorf("29 February 2026 is %s", got)
	}
}
