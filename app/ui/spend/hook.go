//go:build js && wasm

package spend

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/spend"
	"screentest/app/ui/kit"
)

// hook is the form of the web hook.
func (c *Budgets) hook() app.UI {
	h, k := c.s.host, &c.s.desk.Hook
	if h.Guest || k.Now == nil && k.Problem == nil {
		return kit.Nothing()
	}
	set := k.Now != nil && k.Now.Host != ""
	words, bad := k.Last()
	tone := "good"
	if bad {
		tone = "bad"
	}
	wrong := ""
	if k.Problem != nil {
		wrong = k.Problem.Message + " " + k.Problem.Hint
	}
	name := "Address"
	if set {
		name = "Another address"
	}
	return kit.El("form", "form-grid", kit.At{"id", "hook-form",
		"onsubmit", h.On("hook-save", func(ctx app.Context, e app.Event) {
			e.PreventDefault()
			k.Save()
			if k.Problem != nil {
				c.s.focus("#" + spend.FieldHook)
			}
		})},
		kit.Box("div", "",
			kit.Box("h3", "", "Web hook"),
			kit.Box("p", "soft", "When a budget passes its warning, this address gets a POST with the figures and a sentence that Slack, Mattermost and Discord show."),
		),
		kit.If(set, func() app.UI {
			return kit.El("p", "line", kit.At{"id", "hook-now"}, kit.Box("span", "", "Calls ", kit.Box("code", "", k.Now.Host)),
				kit.Button("", kit.At{"id", "hook-try", "disabled", k.Busy}, h.Do("hook-try", k.Try), "Test"),
				kit.Button("", kit.At{"id", "hook-remove", "disabled", k.Busy}, h.Do("hook-remove", k.Remove), "Remove"),
				kit.El("span", "outcome "+tone, kit.At{"id", "hook-last", "role", "status"}, words),
			)
		}),
		field(c.s, spend.FieldHook, name, "", k.Text, wrong, false, k.Type),
		kit.El("p", "outcome good", kit.At{"role", "status"}, k.Done),
		kit.Button("", kit.At{"id", "hook-save", "type", "submit", "disabled", k.Busy}, nil, "Save web hook"),
	)
}
