//go:build js && wasm

package spend

import (
	"syscall/js"
	"time"

	"screentest/app/spend"
	"screentest/app/ui/kit"
)

// browserClock is JavaScript's Date, which knows the viewer's time zone.
type browserClock struct{}

func (c browserClock) Today() spend.Date { return c.DateOf(time.Now().UnixMilli()) }

func (browserClock) DateOf(ms int64) spend.Date {
	y, m, d := kit.Wall(ms).Date()
	return spend.Date{Year: y, Month: m, Day: d}
}

func (browserClock) Midnight(d spend.Date) int64 {
	return int64(js.Global().Get("Date").New(d.Year, int(d.Month)-1, d.Day).Call("getTime").Float())
}

func (browserClock) Time(ms int64) string {
	return kit.Wall(ms).Format("15:04:05")
}

func (browserClock) Zone() string {
	zone := js.Global().Get("Intl").Call("DateTimeFormat").Call("resolvedOptions").Get("timeZone")
	if zone.Type() != js.TypeString {
		return ""
	}
	return zone.String()
}
