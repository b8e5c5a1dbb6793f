package ranking

import (
	"net/url"
	"time"
)

// Path is where the page is.
const Path = "/ranking"

// View is what the page shows. It stands in the address, so that back, forward and a
// reload show the same.
type View struct {
	Team string // "": the one that sends are charged to, or the first
	Tag  string // "": all
	Time Time
}

// Time is since when votes count.
type Time string

// Times to choose from.
const (
	Days7  Time = "7d"
	Days30 Time = "30d"
	Days90 Time = "90d"
	Ever   Time = "ever"
)

// Times are they, in order.
func Times() []Time { return []Time{Days7, Days30, Days90, Ever} }

// Name is how the page says it.
func (t Time) Name() string {
	if n := t.days(); n > 0 {
		return map[Time]string{Days7: "7 days", Days30: "30 days", Days90: "90 days"}[t]
	}
	return "Ever"
}

// days is how many with today; 0 for no bound.
func (t Time) days() int {
	return map[Time]int{Days7: 7, Days30: 30, Days90: 90}[t]
}

// from is the time's beginning in Unix milliseconds; midnight is that of so many days
// ago.
func (t Time) from(midnight func(back int) time.Time) int64 {
	n := t.days()
	if n == 0 {
		return 0
	}
	return midnight(n - 1).UnixMilli()
}

// ParseView reads a view from an address; what makes no sense is left out.
func ParseView(q url.Values) View {
	v := View{Team: q.Get("team"), Tag: q.Get("tag"), Time: Ever}
	for _, t := range Times() {
		if string(t) == q.Get("time") {
			v.Time = t
		}
	}
	return v
}

// Address is where the view is found again.
func (v View) Address() string {
	q := url.Values{}
	if v.Team != "" {
		q.Set("team", v.Team)
	}
	if v.Tag != "" {
		q.Set("tag", v.Tag)
	}
	if v.Time != Ever {
		q.Set("time", string(v.Time))
	}
	if len(q) == 0 {
		return Path
	}
	return Path + "?" + q.Encode()
}
