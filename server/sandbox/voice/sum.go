package voice

import (
	"fmt"
	"math/big"
	"regexp"
)

// sumPattern is a small sum in a prompt: it is worked out, exactly.
//
// Minus, slash and words need spaces, so that dates and ranges are none.
var sumPattern = regexp.MustCompile(`(-?\d{1,18}(?:\.\d{1,9})?)(?:\s*([+*×÷·])\s*|\s+(-|/|x|times|plus|minus|divided by)\s+)(-?\d{1,18}(?:\.\d{1,9})?)`)

func (w *writer) sum() {
	m := sumPattern.FindStringSubmatch(cut(w.r.Prompt, 2000))
	a, ok1 := new(big.Rat).SetString(m[1])
	b, ok2 := new(big.Rat).SetString(m[4])
	if !ok1 || !ok2 {
		return
	}
	z, sign := new(big.Rat), m[2]+m[3]
	switch sign {
	case "+", "plus":
		z, sign = z.Add(a, b), "+"
	case "-", "minus":
		z, sign = z.Sub(a, b), "-"
	case "/", "÷", "divided by":
		if b.Sign() == 0 {
			w.block("There is no answer: nothing can be divided by zero. If $b \\to 0$, then $\\frac{a}{b}$ grows without bound.")
			return
		}
		z, sign = z.Quo(a, b), "\\div"
	default:
		z, sign = z.Mul(a, b), "\\times"
	}
	result, equals := z.FloatString(6), "\\approx"
	if z.IsInt() {
		result, equals = z.Num().String(), "="
	} else if exact, ok := exactDecimal(z); ok {
		result, equals = exact, "="
	}
	w.block(fmt.Sprintf("**%s**", result))
	w.block(fmt.Sprintf("$$%s %s %s %s %s$$", m[1], sign, m[4], equals, result))
	w.block(w.pick([]string{
		"Worked out exactly, with whole fractions, and rounded only to be written down.",
		"To check it, go the other way: undo the operation and you are back at " + m[1] + ".",
		"I carried the digits twice. It came out the same both times.",
	}))
}

// exactDecimal writes z with up to 12 decimals, if that is exact.
func exactDecimal(z *big.Rat) (string, bool) {
	for n := 1; n <= 12; n++ {
		s := z.FloatString(n)
		if back, ok := new(big.Rat).SetString(s); ok && back.Cmp(z) == 0 {
			return s, true
		}
	}
	return "", false
}
