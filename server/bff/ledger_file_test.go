package bff

import (
	"testing"
	"time"

	"screentest/shared/wire"
)

// The minus sign of a return is a number's, not a formula's.
func TestAReturnIsANumber(t *testing.T) {
	line := csvLine(wire.LedgerRow{Kind: wire.KindReturn, What: wire.WhatVideo, Model: "-x", CostNanoUSD: -300_000_000}, time.UTC)
	if line[6] != "'-x" || line[8] != "-0.30" || line[9] != "-300000000" {
		t.Errorf("%q", line)
	}
}

// Whatever a model is called, a spreadsheet takes it for text. Some read the
// wide signs of East Asian keyboards as the narrow ones.
func TestNothingIsAFormula(t *testing.T) {
	for _, sign := range []string{"=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"} {
		name := sign + `HYPERLINK("https://evil.example")`
		line := csvLine(wire.LedgerRow{Model: name, Basis: name, Prices: []byte(name)}, time.UTC)
		for _, column := range []int{6, 11, 17} {
			if line[column] != "'"+name {
				t.Errorf("%s: %q", csvColumns[column], line[column])
			}
		}
	}
	if line := csvLine(wire.LedgerRow{Title: " \n=1+1\nsecond line"}, time.UTC); line[5] != "'=1+1 second line" {
		t.Errorf("title %q", line[5])
	}
	for _, name := range []string{"", "vendor/model-a", "模型=1", "a=b"} {
		if got := csvText(name); got != name {
			t.Errorf("%q becomes %q", name, got)
		}
	}
}
