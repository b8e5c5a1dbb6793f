//go:build js && wasm

// Package approval draws the clips that wait until a lead of their team releases
// them: above the clips, and beside a notice. What needs no browser is in
// app/approval, which the files here import under the same name.
package approval

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/approval"
	"screentest/app/figure"
	"screentest/app/session"
	"screentest/app/ui/kit"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// View is what waits, for the parts of the page that show it.
type View struct {
	*kit.Host
	desk      *approval.Desk
	listeners []func()
	rev       int

	refusing string // the id of the one that is being refused
	reason   string // as it is typed
}

// New makes the view.
func New(h *kit.Host) *View {
	v := &View{Host: h}
	v.desk = approval.NewDesk(approval.Options{Server: h.Server, Storage: kit.LocalStorage{}, Changed: v.changed})
	return v
}

// OnChange has f called when something is to be drawn again.
func (v *View) OnChange(f func()) { v.listeners = append(v.listeners, f) }

func (v *View) changed() {
	v.rev++
	for _, f := range v.listeners {
		f()
	}
	v.Redraw()
}

// Rev tells one state of what is drawn from the others.
func (v *View) Rev() int { return v.rev }

// News takes what the server tells unasked.
func (v *View) News(n session.News) { v.desk.News(n) }

// Strip are those that wait, above the clips. again puts the settings of one that
// was refused into the form.
func (v *View) Strip(again func(t *wire.VideoTask)) app.UI {
	list := v.desk.Shown()
	if len(list) == 0 {
		return kit.Nothing()
	}
	return kit.El("section", "approvals", kit.At{"id", "approvals", "aria-label", "Approval"},
		kit.Times(len(list), func(i int) app.UI { return v.card(list[i], again) }))
}

// card is one that waits or was refused.
func (v *View) card(a wire.Approval, again func(t *wire.VideoTask)) app.UI {
	head, tone := "Waiting for approval by a lead or an admin", kit.Warn
	switch {
	case a.Decides:
		head = a.Asker + " asks for approval"
	case a.State == wire.ApprovalRefused:
		head, tone = a.By+" declined it", kit.Bad
	}
	return kit.Notice(tone, "approval", kit.At{"id", "approval-" + a.ID, "role", "group", "aria-label", head},
		kit.Box("p", "approval-head", head),
		v.about(a),
		kit.If(a.Reason != "", func() app.UI { return kit.Box("p", "approval-reason", "“"+a.Reason+"”") }),
		kit.If(a.Decides, func() app.UI { return v.actions(a) }),
		kit.If(!a.Decides && a.State == wire.ApprovalAsked, func() app.UI {
			return kit.Box("div", "approval-acts",
				v.problem(a.ID),
				kit.Box("p", "faint", "Nothing has been sent or charged."),
				kit.Box("div", "line", kit.Button("small", kit.At{"id", "withdraw-" + a.ID, "disabled", v.desk.Busy(a.ID)}, v.Do("withdraw "+a.ID, func() { v.desk.Withdraw(a.ID) }), "Withdraw")))
		}),
		kit.If(!a.Decides && a.State == wire.ApprovalRefused, func() app.UI {
			return kit.Box("div", "line",
				kit.Button("small primary", kit.At{"id", "again-" + a.ID, "disabled", len(a.Clip.Body) == 0}, v.Do("again "+a.ID, func() {
					clip := a.Clip
					v.desk.Dismiss(a.ID)
					again(&clip)
				}), "Edit and ask again"),
				kit.Button("small plain", kit.At{"id", "read-" + a.ID}, v.Do("read "+a.ID, func() { v.desk.Dismiss(a.ID) }), "Dismiss"))
		}),
	)
}

// about is the clip that it would make: what it is to show, and what it costs.
func (v *View) about(a wire.Approval) []app.UI {
	meta := []string{"unknown price", a.Clip.Model, figure.Plural(a.Clip.Seconds, "second", "seconds")}
	if a.Clip.PriceNanoUSD > 0 {
		meta[0] = money.NanoUSD(a.Clip.PriceNanoUSD).String()
	}
	if len(v.Charges) > 1 || a.Decides { // else there is one team, which nobody speaks of
		meta = append(meta, "charged to "+a.TeamName)
	}
	words := a.Clip.Prompt
	if a.Clip.Title != "" {
		words = a.Clip.Title + ": " + words
	}
	return []app.UI{
		kit.El("p", "approval-words", kit.At{"title", words}, words),
		kit.Box("p", "soft figure", strings.Join(append(meta, "asked "+kit.Wall(a.AskedMS).Format("2 Jan, 15:04")), " · ")),
	}
}

// About is one that waits for who looks, by its id, with what can be done with it.
func (v *View) About(id string) app.UI {
	a, known := v.desk.Find(id)
	if !known || !a.Decides {
		return kit.Nothing()
	}
	return kit.Box("div", "approval-about", v.about(a), v.actions(a))
}

// Waits says that one, by its id, waits for who looks.
func (v *View) Waits(id string) bool {
	a, known := v.desk.Find(id)
	return known && a.Decides
}

// actions are what can be done with one that waits for who looks.
func (v *View) actions(a wire.Approval) app.UI {
	id := a.ID
	verb := "Release"
	if a.Clip.PriceNanoUSD > 0 {
		verb += " for " + money.NanoUSD(a.Clip.PriceNanoUSD).String()
	}
	busy := v.desk.Busy(id)
	if v.refusing != id {
		return kit.Box("div", "approval-acts",
			v.problem(id),
			kit.Box("div", "line",
				kit.Button("small primary", kit.At{"id", "release-" + id, "disabled", busy}, v.Do("release "+id, func() { v.desk.Release(id) }), verb),
				kit.Button("small", kit.At{"id", "refuse-" + id, "disabled", busy}, v.Do("refuse "+id, func() {
					v.refusing, v.reason = id, ""
					v.changed()
					v.focus("reason-" + id)
				}), "Refuse…")))
	}
	return kit.El("form", "approval-acts", kit.At{"onsubmit", v.On("refusal "+id, func(ctx app.Context, e app.Event) {
		e.PreventDefault()
		ctx.PreventUpdate()
		v.desk.Refuse(id, v.reason, func() { v.refusing, v.reason = "", "" })
	})},
		kit.Labelled("reason-"+id, "What should change? "+a.Asker+" reads it.", nil,
			v.Area("reason-"+id, "field", kit.At{"rows", 2, "maxlength", wire.MaxReason}, v.reason, func(text string) { v.reason = text })),
		v.problem(id),
		kit.Box("div", "line",
			kit.Button("small primary", kit.At{"id", "refuse-go-" + id, "type", "submit", "disabled", busy}, nil, "Refuse"),
			kit.Button("small plain", kit.At{"id", "refuse-cancel-" + id}, v.Do("keep "+id, func() {
				v.refusing = ""
				v.changed()
				v.focus("refuse-" + id)
			}), "Cancel")))
}

// focus moves the focus to what the next draw makes.
func (v *View) focus(id string) {
	v.Context().Defer(func(app.Context) { v.Context().Defer(func(app.Context) { v.DOM.Focus("#" + id) }) })
}

// problem is why the last decision came to nothing.
func (v *View) problem(id string) app.UI {
	p := v.desk.Problem(id)
	if p == nil {
		return kit.Outcome("approval-problem-"+id, true, "")
	}
	return kit.Outcome("approval-problem-"+id, false, p.Words())
}
