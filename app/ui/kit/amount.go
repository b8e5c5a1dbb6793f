//go:build js && wasm

package kit

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
)

// Amount is the cell of a table with an amount of dollars, aligned on the point
// with those above and below it. before stands right before it; the exact amount
// is told where one points at it.
func Amount(class string, c figure.Column, nano int64, before string) app.UI {
	return El("td", and("num", class), At{"title", figure.Exact(nano)}, before+c.Text(nano), El("span", "pad", At{"aria-hidden", true}, c.Pad(nano)))
}
