//go:build js && wasm

package video

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
)

// gated is a button that may be there without being of use: it then says why,
// on pointing, on focus and to screen readers, and does nothing.
func (s *Section) gated(id, name, why string, do func(app.Context)) app.UI {
	return s.gatedAs(id, name, name, why, do)
}

// gatedAs is gated with more to say in the tooltip: full, which is the name for
// screen readers too if the button's own is in it, and else describes it.
func (s *Section) gatedAs(id, name, full, why string, do func(app.Context)) app.UI {
	return s.gatedSign(id, "", name, full, why, do)
}

// gatedSign is gatedAs with an icon before the name; "" is none.
func (s *Section) gatedSign(id string, icon kit.IconPath, name, full, why string, do func(app.Context)) app.UI {
	sign := kit.If(icon != "", func() app.UI { return kit.Icon(icon, "icon small") })
	at := kit.At{"id", id}
	tip := ""
	if full != name {
		tip = full
	}
	named := strings.Contains(full, name)
	if named && tip != "" {
		at = append(at, "aria-label", full)
	}
	if why != "" {
		return kit.Box("span", "gate",
			kit.Button("", append(at, "aria-disabled", true, "aria-describedby", id+"-why"),
				s.On("why "+id, func(ctx app.Context, _ app.Event) { ctx.PreventUpdate() }), sign, name),
			kit.El("span", "tip", kit.At{"id", id + "-why", "role", "tooltip"}, why),
		)
	}
	return kit.Box("span", "gate",
		kit.Button("", append(at, "aria-describedby", kit.When(!named, id+"-tip")),
			s.On("do "+id, func(ctx app.Context, _ app.Event) { do(ctx) }), sign, name),
		kit.El("span", "tip", kit.At{"id", id + "-tip", "role", "tooltip", "aria-hidden", named, "hidden", tip == ""}, tip),
	)
}
