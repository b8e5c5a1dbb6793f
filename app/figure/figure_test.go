package figure

import "testing"

func TestDollars(t *testing.T) {
	for nano, want := range map[int64]string{
		0: "$0", 1: "$0.000000001", 42_000: "$0.000042", 130_000: "$0.00013", 999_000: "$0.001",
		1_179_500: "$0.0012", 9_990_000: "$0.0100", 31_200_000: "$0.03", 500_000_000: "$0.50", 86_410_000_000: "$86.41",
		1_234_567_000_000_000: "$1\u202f234\u202f567", -1_300_000: "−$0.0013",
	} {
		if got := Dollars(nano); got != want {
			t.Errorf("%d nano-dollars are written %q, want %q", nano, got, want)
		}
	}
}

func TestAColumnIsAlignedOnThePoint(t *testing.T) {
	for _, c := range []struct {
		name  string
		nanos []int64
		short []string // a | before what is not to be seen
		exact []string
	}{
		{"of cents", []int64{180_000_000, -300_000_000, 0}, []string{"$0.18|", "−$0.30|", "$0.00|"}, []string{"$0.18|", "−$0.30|", "$0.00|"}},
		{"with a small one", []int64{960_000_000, 91_000, 4_930_000}, []string{"$0.96|0000", "$0.000091|", "$0.0049|00"}, []string{"$0.96|0000", "$0.000091|", "$0.00493|0"}},
		{"with a large one", []int64{1_234_567_500_000, 1_250_000_000}, []string{"$1\u202f234.57|", "$1.25|"}, []string{"$1\u202f234.5675|", "$1.25|00"}},
		{"to the nano-dollar", []int64{1, 1_000_000_000}, []string{"$0.000000001|", "$1.00|0000000"}, []string{"$0.000000001|", "$1.00|0000000"}},
		{"of nothing", []int64{0}, []string{"$0.00|"}, []string{"$0.00|"}},
	} {
		short, exact := NewColumn(c.nanos, false), NewColumn(c.nanos, true)
		for i, n := range c.nanos {
			if got := short.Text(n) + "|" + short.Pad(n); got != c.short[i] {
				t.Errorf("%s: %d is written %q, want %q", c.name, n, got, c.short[i])
			}
			if got := exact.Text(n) + "|" + exact.Pad(n); got != c.exact[i] {
				t.Errorf("%s: %d is written %q exactly, want %q", c.name, n, got, c.exact[i])
			}
		}
	}
}

func TestMilliseconds(t *testing.T) {
	for ms, want := range map[int64]string{0: "0 ms", -5: "0 ms", 999: "999 ms", 1400: "1.4 s", 65_000: "1 min 5 s"} {
		if got := Milliseconds(ms); got != want {
			t.Errorf("%d ms is written %q, want %q", ms, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 999: "999 bytes", 12 << 10: "12 KB", 3<<20 + 400<<10: "3.4 MB", 10 << 30: "10 GB", 79_920_000_000: "74.4 GB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("%d bytes are written %q, want %q", n, got, want)
		}
	}
}
