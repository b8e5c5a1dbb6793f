//go:build js && wasm

package videodesk

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// gated is a button that may be there without being of use: it then says why,
// on pointing, on focus and to screen readers, and does nothing.
func (s *Section) gated(id, name, why string, do func(app.Context)) app.UI {
	return s.gatedAs(id, name, name, why, do)
}

// gatedAs is gated with more to say in the tooltip: full, which is the name for
// screen readers too if the button's own is in it, and else describes it.
func (s *Section) gatedAs(id, name, full, why string, do func(app.Context)) app.UI {
	b := elem("button", "button gated", at{"id", id, "type", "button"}, app.Text(name))
	tip := ""
	if full != name {
		tip = full
	}
	named := strings.Contains(full, name)
	if named && tip != "" {
		b = b.Aria("label", full)
	}
	if why != "" {
		return box("span", "gate",
			b.Aria("disabled", true).Aria("describedby", id+"-why").
				OnClick(s.On("why "+id, func(ctx app.Context, _ app.Event) { ctx.PreventUpdate() })),
			el("span", "tip", at{"id", id + "-why", "role", "tooltip"}, app.Text(why)),
		)
	}
	b = b.OnClick(s.On("do "+id, func(ctx app.Context, _ app.Event) { do(ctx) }))
	if !named {
		b = b.Aria("describedby", id+"-tip")
	}
	return box("span", "gate", b,
		el("span", "tip", at{"id", id + "-tip", "role", "tooltip", "aria-hidden", yes(named), "hidden", no(tip == "")}, app.Text(tip)),
	)
}
