// Package figure writes amounts, counts and spans as people read them on every
// page: short, with the exact amount left to a tooltip.
package figure

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Milliseconds writes a span as "212 ms", "1.4 s", "2 min 5 s".
func Milliseconds(ms int64) string {
	switch d := time.Duration(ms) * time.Millisecond; {
	case ms < 1000:
		return strconv.FormatInt(max(ms, 0), 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	default:
		d = d.Round(time.Second)
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
}

// Count writes a number with narrow spaces between the thousands.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// Plural writes how many there are of something: "1 clip", "3 clips".
func Plural[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(int64(n)) + " " + many
}

// Dollars writes nano-dollars short: cents, and of less than a cent the first two
// figures. The exact amount is in the tooltip.
func Dollars(nano int64) string {
	v := float64(nano) / 1e9
	switch {
	case nano == 0:
		return "$0"
	case nano < 0:
		return "−" + Dollars(-nano)
	case v >= 1000:
		return "$" + Count(int64(v+0.5))
	case v >= 0.01:
		return "$" + strconv.FormatFloat(v, 'f', 2, 64)
	case v >= 0.001:
		return "$" + strconv.FormatFloat(v, 'f', 4, 64)
	}
	places := 4
	for x := v * 1e4; x < 10 && places < 9; x *= 10 {
		places++
	}
	return "$" + strings.TrimRight(strconv.FormatFloat(v, 'f', places, 64), "0")
}

// Bytes writes a size: "12 KB", "3.4 MB", "10 GB". A KB is 1024 bytes, as
// in the archive's quota.
func Bytes(n int64) string {
	units := []string{"bytes", "KB", "MB", "GB", "TB"}
	v, u := float64(n), 0
	for v >= 1000 && u < len(units)-1 {
		v /= 1024
		u++
	}
	if u == 0 || v >= 100 || v == float64(int64(v)) {
		return Count(int64(v+0.5)) + " " + units[u]
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " " + units[u]
}
