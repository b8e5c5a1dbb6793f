package reply

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// MaxRetryAfter bounds what is believed of a Retry-After: nobody means a year.
const MaxRetryAfter = 24 * time.Hour

// RetryAfter is how long the gateway asks to wait: Retry-After-Ms, else
// Retry-After in seconds or as a date. A date counts from the reply's own Date
// where it has one, because clocks differ. ok is false when it asks for
// nothing that can be read; a time that has passed is 0.
func RetryAfter(header func(string) string, now time.Time) (d time.Duration, ok bool) {
	if ms, ok := number(header("Retry-After-Ms")); ok {
		return wait(ms), true
	}
	after := strings.TrimSpace(header("Retry-After"))
	if s, ok := number(after); ok {
		return wait(s * 1000), true
	}
	when, ok := httpDate(after)
	if !ok {
		return 0, false
	}
	if date, ok := httpDate(header("Date")); ok {
		now = date
	}
	return wait(float64(when.Sub(now).Milliseconds())), true
}

func number(s string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return f, err == nil && f >= 0 && !math.IsInf(f, 0)
}

func wait(ms float64) time.Duration {
	return time.Duration(max(0, min(ms, float64(MaxRetryAfter.Milliseconds())))) * time.Millisecond
}

// httpDate reads the three forms of a date in HTTP, as http.ParseTime does:
// net/http is not for the page.
func httpDate(s string) (time.Time, bool) {
	for _, layout := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
