//go:build js && wasm

package spenddesk

import (
	"syscall/js"
	"time"

	"screentest/app/spend"
)

// browserClock is JavaScript's Date, which knows the viewer's time zone.
type browserClock struct{}

func date(args ...any) js.Value { return js.Global().Get("Date").New(args...) }

func (browserClock) Today() spend.Date { return dateOf(date()) }

func (browserClock) DateOf(ms int64) spend.Date { return dateOf(date(float64(ms))) }

func dateOf(d js.Value) spend.Date {
	return spend.Date{
		Year: d.Call("getFullYear").Int(), Month: time.Month(d.Call("getMonth").Int() + 1), Day: d.Call("getDate").Int(),
	}
}

func (browserClock) Midnight(d spend.Date) int64 {
	return int64(date(d.Year, int(d.Month)-1, d.Day).Call("getTime").Float())
}

func (browserClock) Time(ms int64) string {
	return date(float64(ms)).Call("toTimeString").String()[:len("15:04:05")]
}

func (browserClock) Zone() string {
	zone := js.Global().Get("Intl").Call("DateTimeFormat").Call("resolvedOptions").Get("timeZone")
	if zone.Type() != js.TypeString {
		return ""
	}
	return zone.String()
}
