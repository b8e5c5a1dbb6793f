//go:build js && wasm

package kit

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/fuzzy"
)

// Marked draws a text with its marks, pairs of byte offsets. It is text and stays
// text, whatever it looks like.
func Marked(text string, marks []int) []app.UI {
	var out []app.UI
	for _, piece := range fuzzy.Pieces(text, marks) {
		if piece.Marked {
			out = append(out, Box("mark", "", piece.Text))
		} else {
			out = append(out, Box("span", "", piece.Text))
		}
	}
	return out
}
