package bff

import (
	"testing"

	"screentest/shared/wire"
)

// The minus sign of a return is a number's, not a formula's.
func TestAReturnIsANumber(t *testing.T) {
	line := csvLine(wire.LedgerRow{Kind: wire.KindReturn, What: wire.WhatVideo, Model: "-x", CostNanoUSD: -300_000_000})
	if line[3] != "'-x" || line[4] != "-0.30" || line[5] != "-300000000" {
		t.Errorf("%q", line)
	}
}
