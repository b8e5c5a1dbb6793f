//go:build js && wasm

package kit

import (
	"syscall/js"
	"time"
)

// Midnight is the first moment of the viewer's day that is so many days back: 0
// is today. JavaScript's Date knows it: Go's local zone in the browser is the
// offset that held when the page was loaded, and where clocks change at midnight,
// as in Santiago, that is an hour too early for the day on which they do.
func Midnight(back int) time.Time {
	date := js.Global().Get("Date")
	now := date.New()
	day := date.New(now.Call("getFullYear"), now.Call("getMonth"), now.Call("getDate").Int()-back)
	return time.UnixMilli(int64(day.Call("getTime").Float()))
}

// Wall is what the viewer's clock and calendar showed at a time, for its Format
// and its Date: what Go calls the zone means nothing.
func Wall(ms int64) time.Time {
	d := js.Global().Get("Date").New(float64(ms))
	part := func(name string) int { return d.Call("get" + name).Int() }
	return time.Date(part("FullYear"), time.Month(part("Month")+1), part("Date"), part("Hours"), part("Minutes"), part("Seconds"), 0, time.UTC)
}
