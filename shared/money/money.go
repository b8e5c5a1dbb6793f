// Package money counts US dollars exactly: use [NanoUSD] for every amount and
// every rate, [ParseUSD] to read one, and [PerMillion] or [Times] to work out a
// charge.
//
// A nano-dollar is 1e-9 USD. Amounts are integers, so sums are exact; the only
// rounding is one half up at the end of a charge (G39). What does not fit is an
// error, never a wrong number.
package money

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// NanoUSD is an amount or a rate in billionths of a US dollar. The range is
// about ± 9.2 thousand million dollars.
type NanoUSD int64

// USD is one dollar.
const USD NanoUSD = 1_000_000_000

// decimals is how many digits of a dollar a NanoUSD holds.
const decimals = 9

// ErrOverflow is returned where an amount does not fit a NanoUSD.
var ErrOverflow = errors.New("amount too large: the limit is about $9.2 thousand million")

// String gives the exact amount with at least two decimals and no needless
// zeros after them: "$0.0013", "$10.00", "-$0.05".
func (n NanoUSD) String() string { return n.format(2) }

// Rate gives the amount as prices are written: whole dollars without decimals
// ("$10"), else as String ("$1.25", "$0.50").
func (n NanoUSD) Rate() string {
	if n%USD == 0 {
		return n.format(0)
	}
	return n.format(2)
}

// Decimal gives the amount as a plain decimal number, as ParseUSD and JSON
// read it: "0.05", "10", "-0.000000001".
func (n NanoUSD) Decimal() string {
	return strings.Replace(n.format(0), "$", "", 1)
}

// format writes n with at least least decimals.
func (n NanoUSD) format(least int) string {
	sign := ""
	magnitude := uint64(n)
	if n < 0 {
		sign, magnitude = "-", -magnitude
	}
	frac := strconv.FormatUint(uint64(USD)+magnitude%uint64(USD), 10)[1:] // nine digits
	keep := len(strings.TrimRight(frac, "0"))
	if keep < least {
		keep = least
	}
	s := sign + "$" + strconv.FormatUint(magnitude/uint64(USD), 10)
	if keep > 0 {
		s += "." + frac[:keep]
	}
	return s
}

// ParseUSD reads an exact decimal amount in dollars: "0.05", "$10", "-1.5".
// It refuses an exponent, more than nine decimals that are not zero, and what
// does not fit.
func ParseUSD(s string) (NanoUSD, error) {
	text, negative := strings.CutPrefix(s, "-")
	text = strings.TrimPrefix(text, "$")
	whole, frac, point := strings.Cut(text, ".")
	if !digits(whole) || point && !digits(frac) {
		return 0, fmt.Errorf("amount %s: write dollars as a plain decimal number, such as 0.05", quote(s))
	}
	if len(frac) > decimals {
		if strings.Trim(frac[decimals:], "0") != "" {
			return 0, fmt.Errorf("amount %s: at most %d decimals are kept", quote(s), decimals)
		}
		frac = frac[:decimals]
	}
	frac += strings.Repeat("0", decimals-len(frac))
	limit := uint64(1<<63 - 1)
	if negative {
		limit++
	}
	n, err := strconv.ParseUint(whole+frac, 10, 64)
	if err != nil || n > limit {
		return 0, fmt.Errorf("amount %s: %w", quote(s), ErrOverflow)
	}
	if negative {
		return NanoUSD(-n), nil
	}
	return NanoUSD(n), nil
}

// A Term is a count of units at a rate.
type Term struct {
	Count int64   // not negative
	Rate  NanoUSD // for a million units in PerMillion, for one in Times; not negative
}

// PerMillion returns the sum of the terms with rates per million units,
// rounded half up once at the end (F165, G39).
func PerMillion(terms ...Term) (NanoUSD, error) {
	const million = 1_000_000
	var hi, lo uint64
	for _, t := range terms {
		if t.Count < 0 || t.Rate < 0 {
			return 0, fmt.Errorf("charge of %d units at %v per million: neither may be negative", t.Count, t.Rate)
		}
		h, l := bits.Mul64(uint64(t.Count), uint64(t.Rate))
		var carry uint64
		lo, carry = bits.Add64(lo, l, 0)
		if hi, carry = bits.Add64(hi, h, carry); carry != 0 {
			return 0, ErrOverflow
		}
	}
	var carry uint64
	lo, carry = bits.Add64(lo, million/2, 0)
	if hi, carry = bits.Add64(hi, 0, carry); carry != 0 || hi >= million {
		return 0, ErrOverflow
	}
	q, _ := bits.Div64(hi, lo, million)
	if q > 1<<63-1 {
		return 0, ErrOverflow
	}
	return NanoUSD(q), nil
}

// Times returns count × rate (F167).
func Times(t Term) (NanoUSD, error) {
	if t.Count < 0 || t.Rate < 0 {
		return 0, fmt.Errorf("charge of %d units at %v: neither may be negative", t.Count, t.Rate)
	}
	hi, lo := bits.Mul64(uint64(t.Count), uint64(t.Rate))
	if hi != 0 || lo > 1<<63-1 {
		return 0, ErrOverflow
	}
	return NanoUSD(lo), nil
}

// digits says whether s is one decimal digit or more.
func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// quote shows s in an error, cut where it is long.
func quote(s string) string {
	if len(s) > 40 {
		return strconv.Quote(s[:40]) + "…"
	}
	return strconv.Quote(s)
}
