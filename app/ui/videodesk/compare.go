//go:build js && wasm

package videodesk

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/shared/wire"
)

// Compare shows two to four clips side by side.
type Compare struct {
	app.Compo
	s   *Section
	Rev int
	IDs string // comma separated
}

// Render implements app.Composer.
func (c *Compare) Render() (ui app.UI) {
	defer c.s.Drawing("the comparison", &ui)
	ids := strings.FieldsFunc(c.IDs, func(r rune) bool { return r == ',' })
	return app.Div().Class("compare").Body(
		app.Range(ids).Slice(func(i int) app.UI {
			return app.Video().Src(wire.MediaPathOf(ids[i], 0)).Controls(true)
		}),
	)
}
