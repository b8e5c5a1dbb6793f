package video

import (
	"strings"
	"testing"

	"screentest/shared/wire"
)

func TestCostOf(t *testing.T) {
	base := wire.VideoTask{PriceNanoUSD: 400_000_000, Basis: "8 s × $0.05", SamplePrice: true}
	with := func(f func(*wire.VideoTask)) wire.VideoTask { t := base; f(&t); return t }
	for _, c := range []struct {
		name string
		t    wire.VideoTask
		ok   func(Cost) bool
	}{
		{"charged", with(func(t *wire.VideoTask) { t.Charged = true }), func(c Cost) bool {
			return c.Amount == "$0.40" && c.Returned == "" && strings.Contains(c.Basis, "charged when") && strings.Contains(c.Basis, "sample price")
		}},
		{"F112 returned", with(func(t *wire.VideoTask) { t.Charged, t.Returned, t.State = true, true, wire.VideoFailed }), func(c Cost) bool { return c.Returned != "" }},
		{"G35 unknown is held", with(func(t *wire.VideoTask) { t.State = wire.VideoUnknown }), func(c Cost) bool { return c.Held != "" && !c.Free }},
		{"F109 refused costs nothing", with(func(t *wire.VideoTask) { t.State = wire.VideoRefused }), func(c Cost) bool { return c.Free }},
		{"no price is known", wire.VideoTask{Basis: "no price is known for x"}, func(c Cost) bool { return c.Amount == "" && c.Basis != "" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := CostOf(&c.t); !c.ok(got) {
				t.Errorf("%+v", got)
			}
		})
	}
}
