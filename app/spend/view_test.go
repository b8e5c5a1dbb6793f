package spend

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestDaysAreTheViewersOwn(t *testing.T) {
	for _, c := range []struct {
		name, place, now, query string
		days                    int
		first, end              string
		hours                   int // of all days shown
	}{
		{"the night in which the clock goes back is longer", "Europe/Berlin", "2026-10-26 09:00:00", "range=7", 7, "2026-10-20", "2026-10-27", 7*24 + 1},
		{"the night in which it goes forward is shorter", "America/New_York", "2026-03-08 23:59:59", "range=7", 7, "2026-03-02", "2026-03-09", 7*24 - 1},
		{"a zone of a quarter of an hour", "Asia/Kathmandu", "2026-11-21 00:00:01", "", 30, "2026-10-23", "2026-11-22", 30 * 24},
		{"the month so far", "Pacific/Auckland", "2026-11-03 12:00:00", "range=month", 3, "2026-11-01", "2026-11-04", 72},
		{"days of one's own", "UTC", "2026-11-21 12:00:00", "range=custom&from=2024-02-28&to=2024-03-01", 3, "2024-02-28", "2024-03-02", 72},
		{"days that are none are not taken", "UTC", "2026-11-21 12:00:00", "range=custom&from=2024-02-30&to=x", 30, "2026-10-23", "2026-11-22", 720},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := at(t, c.place, c.now)
			q, err := url.ParseQuery(c.query)
			if err != nil {
				t.Fatal(err)
			}
			got := ParseView(q).query(clock)
			if n := len(got.Days) - 1; n != c.days {
				t.Fatalf("%d days, want %d", n, c.days)
			}
			if first, end := clock.DateOf(got.Days[0]).String(), clock.DateOf(got.Days[c.days]).String(); first != c.first || end != c.end {
				t.Errorf("from %s to before %s, want %s and %s", first, end, c.first, c.end)
			}
			if hours := (got.Days[c.days] - got.Days[0]) / time.Hour.Milliseconds(); hours != int64(c.hours) {
				t.Errorf("%d hours, want %d", hours, c.hours)
			}
			// The tiles end with today, whatever days are shown.
			if tomorrow := clock.DateOf(got.Tomorrow); tomorrow != clock.Today().Plus(1) || got.Tomorrow != clock.Midnight(tomorrow) {
				t.Errorf("the tiles end on %v", tomorrow)
			}
			for _, ms := range append(got.Days, got.Today, got.Week, got.Month, got.Tomorrow) {
				if ms%(15*time.Minute).Milliseconds() != 0 {
					t.Errorf("%d does not lie on a quarter of an hour", ms)
				}
			}
		})
	}
}

func TestTheAddressHoldsTheView(t *testing.T) {
	for _, query := range []string{
		"", "range=7", "range=month&split=model", "from=2026-01-31&range=custom&to=2026-02-01",
		"exact=1&q=a+paper+boat&sort=dearest",
		"day=2026-11-20&kind=return&model=vendor%2Fmodel-a&source=estimated&what=text&who=everybody",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		want := Path
		if query != "" {
			want += "?" + query
		}
		u, err := url.Parse(ParseView(q).Address())
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Path + "?" + u.Query().Encode(); strings.TrimSuffix(got, "?") != want {
			t.Errorf("%q became %q", want, got)
		}
	}
	q, _ := url.ParseQuery("range=9&split=x&day=soon&kind=theft&what=audio&source=guess")
	if got := ParseView(q).Address(); got != Path {
		t.Errorf("nonsense became %q", got)
	}
}

func TestCustomDaysThatCannotBeShownSayWhy(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	for query, want := range map[string]string{
		"range=custom&from=2026-02-02&to=2026-02-01": "after the last",
		"range=custom&from=2020-01-01&to=2026-02-01": "400 days",
		"range=custom&from=1960-01-01&to=1960-01-31": "before 1971",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		d.Go(ParseView(q))
		if !strings.Contains(d.Trouble, want) {
			t.Errorf("%s: %q, want %q in it", query, d.Trouble, want)
		}
		if d.View.Downloadable() != (want == "400 days") {
			t.Errorf("%s: can be downloaded: %v", query, d.View.Downloadable())
		}
	}
	if len(s.calls) != 0 {
		t.Errorf("the server was asked all the same: %v", s.calls)
	}
}
