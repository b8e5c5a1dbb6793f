package figure

import (
	"fmt"
	"strings"
)

// Column is how the amounts of a column are written, one under the other with
// their points aligned: short as [Dollars] writes them, but never without the
// cents, or exactly.
type Column struct {
	exact  bool
	places int // of the amount that has the most
}

// NewColumn is the column of some amounts, in nano-dollars.
func NewColumn(nanos []int64, exact bool) Column {
	c := Column{exact: exact, places: cents}
	for _, n := range nanos {
		c.places = max(c.places, c.decimals(n))
	}
	return c
}

// cents are the decimals that each amount has at least.
const cents = 2

// Text is an amount of the column.
func (c Column) Text(nano int64) string { return fixed(nano, c.decimals(nano)) }

// Pad is what an amount lacks behind it to be as wide as the widest, in digits
// that are not to be seen.
func (c Column) Pad(nano int64) string { return strings.Repeat("0", c.places-c.decimals(nano)) }

// decimals is how many an amount has.
func (c Column) decimals(nano int64) int {
	if c.exact {
		places := 9
		for places > cents && nano%unit(places-1) == 0 {
			places--
		}
		return places
	}
	_, decimals, _ := strings.Cut(Dollars(nano), ".")
	return max(cents, len(decimals))
}

// unit is the nano-dollars of the last of so many decimals.
func unit(places int) int64 {
	n := int64(1)
	for range 9 - places {
		n *= 10
	}
	return n
}

func fixed(nano int64, places int) string {
	if nano < 0 {
		return "−" + fixed(-nano, places)
	}
	last := unit(places)
	nano = (nano + last/2) / last * last
	return "$" + Count(nano/1e9) + "." + fmt.Sprintf("%09d", nano%1e9)[:places]
}

// Exact writes an amount to the nano-dollar.
func Exact(nano int64) string { return NewColumn(nil, true).Text(nano) }
