package figure

import (
	"strings"
	"testing"
)

func TestAmountsAsTheyAreTyped(t *testing.T) {
	const most = 1_000_000e9
	for _, c := range []struct {
		text  string
		nano  int64
		wrong string
	}{
		{"", 0, ""},
		{"  ", 0, ""},
		{" 25 ", 25e9, ""},
		{"0.50", 5e8, ""},
		{"1000000", most, ""},
		{"1000000.01", 0, "at most"},
		{"much", 0, "as a number"},
		{"-1", 0, "negative"},
		{"0", 0, "would stop everything"},
	} {
		nano, wrong := Typed(c.text, "limit", most)
		if nano != c.nano || (wrong == "") != (c.wrong == "") || !strings.Contains(wrong, c.wrong) {
			t.Errorf("%q is %d, %q; want %d, …%s…", c.text, nano, wrong, c.nano, c.wrong)
		}
	}
}
