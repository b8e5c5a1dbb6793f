package spend

import (
	"testing"

	"screentest/shared/wire"
)

func TestBarsAddUp(t *testing.T) {
	clock := at(t, "UTC", "2026-11-21 12:00:00")
	d, _, _ := desk(t, clock)
	d.Spend = &wire.Spend{
		Keys: []string{wire.WhatVideo, wire.WhatText},
		Days: []wire.SpendDay{
			{FromMS: clock.Midnight(Date{2026, 11, 19}), NanoUSD: 7_500_000_000, Parts: []int64{5_000_000_000, 2_500_000_000}},
			{FromMS: clock.Midnight(Date{2026, 11, 20}), NanoUSD: -1_900_000_000, Parts: []int64{-2_000_000_000, 100_000_000}},
			{FromMS: clock.Midnight(Date{2026, 11, 21}), Parts: []int64{0, 0}},
		},
	}
	c := d.Chart()
	if low, high := c.Ticks[0], c.Ticks[len(c.Ticks)-1]; low.At != 0 || high.At != scale || low.Label != "−$5.00" || high.Label != "$10.00" {
		t.Errorf("the lines go from %+v to %+v", low, high)
	}
	zero := scale / 3 // between −5 and 10
	up := c.Bars[0].Parts
	if len(up) != 2 || up[0].Bottom != zero || up[0].Bottom+up[0].Height != up[1].Bottom || up[1].Bottom+up[1].Height != 833 {
		t.Errorf("the first day's parts are %+v", up)
	}
	if down := c.Bars[1].Parts[0]; down.Bottom+down.Height != zero || down.Height != 133 {
		t.Errorf("a return hangs from the line of nothing: %+v", down)
	}
	if len(c.Bars[2].Parts) != 0 {
		t.Errorf("a day of nothing has parts: %+v", c.Bars[2].Parts)
	}
	if want := "Thu 19 Nov: $7.50, video $5.00, text $2.50"; c.Bars[0].Label != want {
		t.Errorf("the first day says %q, want %q", c.Bars[0].Label, want)
	}
}

func TestChartsOfAnyAmountHaveAFewLines(t *testing.T) {
	clock := at(t, "UTC", "2026-11-21 12:00:00")
	d, _, _ := desk(t, clock)
	for _, most := range []int64{0, 1, 7, 999, 1_300_000, 86_410_000_000, 1 << 60} {
		d.Spend = &wire.Spend{Keys: []string{"text"}, Days: []wire.SpendDay{{FromMS: clock.Midnight(Date{2026, 11, 21}), NanoUSD: most, Parts: []int64{most}}}}
		if n := len(d.Chart().Ticks); n < 2 || n > 7 {
			t.Errorf("%d lines for %d nano-dollars", n, most)
		}
	}
	// Nobody counts in billionths of a dollar where nothing was spent.
	d.Spend = &wire.Spend{Keys: []string{"text"}, Days: []wire.SpendDay{{FromMS: clock.Midnight(Date{2026, 11, 21}), Parts: []int64{0}}}}
	if ticks := d.Chart().Ticks; len(ticks) != 2 || ticks[0].Label != "$0" || ticks[1].Label != "$0.01" || ticks[1].At != scale {
		t.Errorf("the lines of nothing are %+v", ticks)
	}
}
