package money

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestString(t *testing.T) {
	for _, c := range []struct {
		n            NanoUSD
		text, rate   string
		plainDecimal string
	}{
		{0, "$0.00", "$0", "0"},
		{1, "$0.000000001", "$0.000000001", "0.000000001"},
		{1_300_000, "$0.0013", "$0.0013", "0.0013"},
		{300_000_000, "$0.30", "$0.30", "0.3"},
		{1_250_000_000, "$1.25", "$1.25", "1.25"},
		{10 * USD, "$10.00", "$10", "10"},
		{-50_000_000, "-$0.05", "-$0.05", "-0.05"},
		{math.MaxInt64, "$9223372036.854775807", "$9223372036.854775807", "9223372036.854775807"},
		{math.MinInt64, "-$9223372036.854775808", "-$9223372036.854775808", "-9223372036.854775808"},
	} {
		if got := c.n.String(); got != c.text {
			t.Errorf("%d: String %s, want %s", int64(c.n), got, c.text)
		}
		if got := c.n.Rate(); got != c.rate {
			t.Errorf("%d: Rate %s, want %s", int64(c.n), got, c.rate)
		}
		if got := c.n.Decimal(); got != c.plainDecimal {
			t.Errorf("%d: Decimal %s, want %s", int64(c.n), got, c.plainDecimal)
		}
	}
}

func TestParseUSD(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     NanoUSD
		err      string // part of it; "" for none
	}{
		{"a decimal", "0.05", 50_000_000, ""},
		{"with a dollar sign", "$10", 10 * USD, ""},
		{"negative", "-$1.5", -1_500_000_000, ""},
		{"nine decimals", "0.000000001", 1, ""},
		{"zeros after the ninth decimal", "0.10000000000000", 100_000_000, ""},
		{"zeros before", "007", 7 * USD, ""},
		{"the largest", "9223372036.854775807", math.MaxInt64, ""},
		{"the smallest", "-9223372036.854775808", math.MinInt64, ""},
		{"one more than the largest", "9223372036.854775808", 0, "too large"},
		{"far too large", strings.Repeat("9", 1000), 0, "too large"},
		{"a tenth decimal", "0.0000000001", 0, "at most 9 decimals"},
		{"an exponent", "1e-3", 0, "plain decimal"},
		{"empty", "", 0, "plain decimal"},
		{"only a point", ".", 0, "plain decimal"},
		{"nothing before the point", ".5", 0, "plain decimal"},
		{"nothing after the point", "5.", 0, "plain decimal"},
		{"two signs", "--1", 0, "plain decimal"},
		{"a space", " 1", 0, "plain decimal"},
		{"other digits", "٥", 0, "plain decimal"},
		{"a comma", "1,50", 0, "plain decimal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseUSD(c.in)
			switch {
			case c.err == "" && (err != nil || got != c.want):
				t.Fatalf("ParseUSD(%q) = %d, %v; want %d", c.in, got, err, c.want)
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
				t.Fatalf("ParseUSD(%q) = %d, %v; want an error with %q", c.in, got, err, c.err)
			}
		})
	}
}

func TestWrittenAmountsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := NanoUSD(rapid.Int64().Draw(t, "n"))
		for _, text := range []string{n.String(), n.Rate(), n.Decimal()} {
			if got, err := ParseUSD(text); err != nil || got != n {
				t.Fatalf("%q reads as %d, %v; want %d", text, got, err, n)
			}
		}
	})
}

func TestPerMillion(t *testing.T) {
	for _, c := range []struct {
		name  string
		terms []Term
		want  NanoUSD
		err   error
	}{
		{"G39 nothing", nil, 0, nil},
		{"G39 31 in at $1.25 and 2204 out at $10", []Term{{31, 1_250_000_000}, {2204, 10 * USD}}, 22_078_750, nil},
		{"G39 half a nano-dollar rounds up", []Term{{1, 500_000}}, 1, nil},
		{"G39 less than half rounds down", []Term{{1, 499_999}}, 0, nil},
		{"G39 rounded once: two halves of a half stay one", []Term{{1, 250_000}, {1, 250_000}}, 1, nil},
		{"the largest amount", []Term{{math.MaxInt64, 1_000_000}}, math.MaxInt64, nil},
		{"more than fits", []Term{{math.MaxInt64, 1_000_001}}, 0, ErrOverflow},
		{"far more than fits", []Term{{math.MaxInt64, math.MaxInt64}, {math.MaxInt64, math.MaxInt64}, {math.MaxInt64, math.MaxInt64}, {math.MaxInt64, math.MaxInt64}, {math.MaxInt64, math.MaxInt64}}, 0, ErrOverflow},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := PerMillion(c.terms...)
			if got != c.want || !errors.Is(err, c.err) {
				t.Fatalf("got %d, %v; want %d, %v", got, err, c.want, c.err)
			}
		})
	}
	if _, err := PerMillion(Term{-1, 1}); err == nil {
		t.Error("a negative count was priced")
	}
	if _, err := Times(Term{1, -1}); err == nil {
		t.Error("a negative rate was priced")
	}
}

// The charge is what exact arithmetic gives, rounded half up once, or an error
// where that does not fit.
func TestChargesAgreeWithExactArithmetic(t *testing.T) {
	amount := rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, 1_000_000_000), rapid.Int64Range(0, math.MaxInt64))
	rapid.Check(t, func(t *rapid.T) {
		terms := make([]Term, rapid.IntRange(0, 4).Draw(t, "terms"))
		sum := new(big.Int)
		for i := range terms {
			terms[i] = Term{amount.Draw(t, "count"), NanoUSD(amount.Draw(t, "rate"))}
			sum.Add(sum, new(big.Int).Mul(big.NewInt(terms[i].Count), big.NewInt(int64(terms[i].Rate))))
		}
		want := new(big.Int).Add(sum, big.NewInt(500_000))
		want.Div(want, big.NewInt(1_000_000))
		got, err := PerMillion(terms...)
		if fits := want.IsInt64(); fits != (err == nil) {
			t.Fatalf("%v: error %v, and the exact charge is %v", terms, err, want)
		}
		if err == nil && int64(got) != want.Int64() {
			t.Fatalf("%v: %d, want %v", terms, got, want)
		}
		if len(terms) == 1 {
			product, err := Times(terms[0])
			if fits := sum.IsInt64(); fits != (err == nil) || fits && int64(product) != sum.Int64() {
				t.Fatalf("Times(%v) = %d, %v; want %v", terms[0], product, err, sum)
			}
		}
	})
}

func FuzzParseUSD(f *testing.F) {
	for _, s := range []string{"0.05", "$10", "-1.5", "1e9", "9223372036.854775807", ".", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseUSD(s)
		if err != nil {
			return
		}
		want, ok := new(big.Rat).SetString(strings.Replace(s, "$", "", 1))
		if !ok || want.Mul(want, big.NewRat(int64(USD), 1)).Cmp(new(big.Rat).SetInt64(int64(n))) != 0 {
			t.Fatalf("%q reads as %d", s, n)
		}
	})
}
