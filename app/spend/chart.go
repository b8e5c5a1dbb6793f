package spend

import (
	"math"

	"screentest/app/figure"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// Chart is the bars by day, measured out. Heights are in parts of 1000 of the
// chart's, from its foot.
type Chart struct {
	Bars  []Bar
	Ticks []Tick // lines across, the lowest first
	Keys  []Key
	Days  []int  // places in Bars that the axis names, the first and the last among them
	Most  string // of the dearest day; "" where nothing was spent
}

// Bar is a day.
type Bar struct {
	Date  Date
	Label string // all it says, for a screen reader and as a tooltip
	Parts []Part // from the foot up
	Net   int64  // nano-USD
}

// Part is a piece of a bar.
type Part struct {
	Key    int // of Chart.Keys
	Bottom int
	Height int
}

// Tick is a line across the chart.
type Tick struct {
	At    int
	Label string
}

// Key is one of what the bars are split by.
type Key struct {
	Value  string // as the server names it
	Name   string
	Series int // its colour: text and video keep theirs whichever is the dearer
}

// scale is how high the chart is.
const scale = 1000

// Chart measures out the days that the server told of; nil before it did.
func (d *Desk) Chart() *Chart {
	s := d.Spend
	if s == nil || len(s.Days) == 0 {
		return nil
	}
	c := &Chart{}
	for i, k := range s.Keys {
		key := Key{Value: k, Name: KeyName(k), Series: i}
		switch {
		case d.View.Split != wire.SplitByKind && k == wire.OtherKey:
			key.Name, key.Series = otherName(d.View.Split), wire.MaxSplit
		case d.View.Split != wire.SplitByKind && k == wire.NoPayer:
			key.Name = nonePaid(d.View.Split)
		case d.View.Split != wire.SplitByKind:
		case k == wire.WhatVideo:
			key.Series = 0
		case k == wire.WhatText:
			key.Series = 1
		}
		c.Keys = append(c.Keys, key)
	}
	var most, least int64 // of a day's positive and of its negative parts
	for _, day := range s.Days {
		var up, down int64
		for _, n := range day.Parts {
			if n > 0 {
				up += n
			} else {
				down += n
			}
		}
		most, least = max(most, up), min(least, down)
	}
	step := tickStep(most, least)
	if most == least {
		step = int64(money.USD) / 100 // nothing was spent: a cent is as good as any
	}
	top, foot := ceil(most, step)*step, -ceil(-least, step)*step
	if top == foot {
		top = step
	}
	at := func(nano int64) int { return int(math.Round(float64(nano-foot) / float64(top-foot) * scale)) }
	for n := foot; n <= top; n += step {
		c.Ticks = append(c.Ticks, Tick{At: at(n), Label: tickLabel(n)})
	}
	today := d.Clock.Today()
	var dearest int64
	for _, day := range s.Days {
		b := Bar{Date: d.Clock.DateOf(day.FromMS), Net: day.NanoUSD}
		b.Label = b.Date.Words(today) + ": " + figure.Dollars(day.NanoUSD)
		var up, down int64
		for i, n := range day.Parts {
			if n == 0 {
				continue
			}
			b.Label += ", " + c.Keys[i].Name + " " + figure.Dollars(n)
			p := Part{Key: i}
			if n > 0 {
				p.Bottom, p.Height = at(up), at(up+n)-at(up)
				up += n
			} else {
				p.Bottom, p.Height = at(down+n), at(down)-at(down+n)
				down += n
			}
			p.Height = max(p.Height, 4) // what cost anything can be seen
			b.Parts = append(b.Parts, p)
		}
		if b.Net > dearest {
			dearest, c.Most = b.Net, "Most on "+b.Label
		}
		c.Bars = append(c.Bars, b)
	}
	c.Days = named(len(c.Bars))
	return c
}

// named are the places of n days that the axis names: the first and the last, and
// some between them, as far apart.
func named(n int) []int {
	gaps := min(n-1, 5)
	days := []int{0}
	for i := 1; i <= gaps; i++ {
		days = append(days, (n-1)*i/gaps)
	}
	return days
}

// tickLabel is exact and short: the steps are round.
func tickLabel(nano int64) string {
	switch {
	case nano == 0:
		return "$0"
	case nano < 0:
		return "−" + money.NanoUSD(-nano).String()
	case nano >= 1000*int64(money.USD):
		return figure.Dollars(nano)
	}
	return money.NanoUSD(nano).String()
}

func ceil(n, step int64) int64 { return (n + step - 1) / step }

// tickStep is 1, 2 or 5 times a power of ten, so that there are some four.
func tickStep(most, least int64) int64 {
	want := (most - least + 3) / 4
	step := int64(1)
	for {
		for _, m := range []int64{1, 2, 5} {
			if step*m >= want {
				return max(step*m, 1)
			}
		}
		step *= 10
	}
}

// KeyName is what a key of the bars is called.
func KeyName(k string) string {
	switch k {
	case wire.WhatText:
		return "text"
	case wire.WhatVideo:
		return "video"
	}
	return k
}

// otherName is what the last of the keys is called, which joins all others.
func otherName(split string) string {
	switch split {
	case wire.SplitByPerson:
		return "other people"
	case wire.SplitByTeam:
		return "other teams"
	case wire.SplitByPaidBy:
		return "other keys"
	}
	return "other models"
}

// nonePaid is what is called what no team, or no key that is known, paid for.
func nonePaid(split string) string {
	if split == wire.SplitByTeam {
		return "no team"
	}
	return "no key"
}
