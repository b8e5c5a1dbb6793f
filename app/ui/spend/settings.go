//go:build js && wasm

package spend

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/spend"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Budgets are the settings of what may be spent.
type Budgets struct {
	app.Compo
	s   *Section
	Rev int
}

// Render implements app.Composer.
func (c *Budgets) Render() (ui app.UI) {
	h, b := c.s.host, &c.s.desk.Budgets
	defer h.Drawing("the budgets", &ui)
	f := b.Shown()
	return kit.El("section", "", kit.At{"id", "budgets"},
		kit.Box("h2", "", "Budgets"),
		kit.SayIf("p", "soft", kit.When(kit.HasAccounts(), "These are your own budgets. Limits that others set for you, your teams or everybody apply as well.")),
		kit.Box("p", "soft", "Requests over budget are blocked. Running requests count at their maximum cost. Leave a field empty for no limit."),
		c.states(b),
		kit.El("form", "form-grid", kit.At{"id", "budget-form",
			"onsubmit", h.On("budget-save", func(ctx app.Context, e app.Event) {
				e.PreventDefault()
				b.Save()
				focusWrong(c.s, ctx, b.Wrong)
			})},
			c.field(spend.FieldDay, "Daily limit", "$", f.Day, func(f *spend.BudgetForm, s string) { f.Day = s }),
			c.field(spend.FieldMonth, "Monthly limit", "$", f.Month, func(f *spend.BudgetForm, s string) { f.Month = s }),
			c.field(spend.FieldWarn, "Warn at", "%", f.Warn, func(f *spend.BudgetForm, s string) { f.Warn = s }),
			c.field(spend.FieldMaxOutput, "Longest answer to expect", "tokens", f.MaxOutput, func(f *spend.BudgetForm, s string) { f.MaxOutput = s }),
			c.zone(spend.FieldZone, f.Zone, func(f *spend.BudgetForm, s string) { f.Zone = s }),
			kit.Labelled("budget-unpriced", "Models with no known price", "",
				h.Select("budget-unpriced", "Models with no known price", "field", nil, kit.When(f.RefuseUnpriced, "refuse"),
					kit.Options("", "Allow; they count as $0", "refuse", "Block"), func(chosen string) {
						b.Type(func(f *spend.BudgetForm) { f.RefuseUnpriced = chosen == "refuse" })
					})),
			kit.If(b.ForEverybody(), func() app.UI { return c.everybody(f) }),
			outcome(b.Problem, b.Saved, "The budgets are saved."),
			kit.Box("div", "line",
				kit.Button("primary", kit.At{"id", "budget-save", "type", "submit", "disabled", b.Now == nil || b.Saving}, nil, "Save budgets"),
				kit.Button("", kit.At{"hidden", b.Form == nil}, h.Do("budget-reset", b.Reset), "Undo changes"),
			),
		),
		c.hook(),
	)
}

// everybody are the fields of the budgets of all people together.
func (c *Budgets) everybody(f spend.BudgetForm) app.UI {
	return kit.Box("fieldset", "form-grid",
		kit.Box("legend", "", "Everybody together"),
		c.field(spend.FieldEverybodyDay, "Daily limit", "$", f.EverybodyDay, func(f *spend.BudgetForm, s string) { f.EverybodyDay = s }),
		c.field(spend.FieldEverybodyMonth, "Monthly limit", "$", f.EverybodyMonth, func(f *spend.BudgetForm, s string) { f.EverybodyMonth = s }),
		c.field(spend.FieldEverybodyWarn, "Warn at", "%", f.EverybodyWarn, func(f *spend.BudgetForm, s string) { f.EverybodyWarn = s }),
		c.zone(spend.FieldEverybodyZone, f.EverybodyZone, func(f *spend.BudgetForm, s string) { f.EverybodyZone = s }),
	)
}

// states are how the budgets stand.
func (c *Budgets) states(b *spend.Budgets) app.UI {
	if b.Now == nil || len(b.Now.States) == 0 {
		return kit.Nothing()
	}
	list := b.Now.States
	return kit.Box("ul", "budget-states", kit.Times(len(list), func(i int) app.UI {
		s := list[i]
		return kit.Box("li", "",
			kit.Box("span", "", spend.Name(s)+": "+figure.Dollars(s.SpentNanoUSD)+" spent, "+figure.Dollars(s.ReservedNanoUSD)+" reserved. "+spend.Anew(s, c.s.desk.Clock)),
			share(s, c.s.desk.Clock),
			kit.SayIf("span", "soft", c.s.desk.Asking(s)),
		)
	}))
}

func (c *Budgets) field(id, name, unit, value string, set func(*spend.BudgetForm, string)) app.UI {
	b := &c.s.desk.Budgets
	return field(c.s, id, name, unit, value, b.Wrong[id], b.Now == nil, func(s string) {
		b.Type(func(f *spend.BudgetForm) { set(f, s) })
	})
}

// zone is the field of a time zone. Another one than the viewer's own, by which
// the Spend page goes, can be changed for that.
func (c *Budgets) zone(id, value string, set func(*spend.BudgetForm, string)) app.UI {
	b, own := &c.s.desk.Budgets, c.s.desk.Clock.Zone()
	return kit.Box("div", "labelled",
		c.field(id, "Budget time zone", "", value, set),
		kit.If(b.Now != nil && own != "" && own != value, func() app.UI {
			return kit.Button("", kit.At{"id", id + "-own"}, c.s.host.Do(id+"-own", func() {
				b.Type(func(f *spend.BudgetForm) { set(f, own) })
				c.s.focus("#" + id)
			}), "Use this device’s, "+own)
		}),
	)
}

// field is a labelled field with its unit and what is wrong with it.
func field(s *Section, id, name, unit, value, wrong string, off bool, typed func(string)) app.UI {
	said := kit.At{"disabled", off}
	if wrong != "" {
		said = append(said, "aria-invalid", true, "aria-describedby", id+"-wrong")
	}
	return kit.Labelled(id, name, unit,
		s.host.Field(id, "field", said, value, typed),
		kit.El("p", "outcome bad", kit.At{"id", id + "-wrong", "hidden", wrong == ""}, wrong),
	)
}

func outcome(p *wire.Problem, saved bool, done string) app.UI {
	switch {
	case p != nil:
		return kit.El("p", "outcome bad", kit.At{"role", "alert"}, p.Message+" "+p.Hint)
	case saved:
		return kit.El("p", "outcome good", kit.At{"role", "status"}, done)
	}
	return kit.El("p", "outcome", kit.At{"role", "status"})
}

// focusWrong goes to the first field that something is wrong with.
func focusWrong(s *Section, ctx app.Context, wrong map[string]string) {
	if len(wrong) == 0 {
		return
	}
	ctx.Defer(func(app.Context) {
		defer s.host.Guard("the form")
		s.host.DOM.Focus(`[aria-invalid="true"]`)
	})
}

// Storage are the settings of what is kept, and what it takes up.
type Storage struct {
	app.Compo
	s   *Section
	Rev int
}

// Render implements app.Composer.
func (c *Storage) Render() (ui app.UI) {
	h, k := c.s.host, &c.s.desk.Retention
	defer h.Drawing("the storage", &ui)
	wireDays, clipDays := k.Shown()
	return kit.El("section", "", kit.At{"id", "storage"},
		kit.Box("h2", "", "Storage"),
		kit.Box("p", "soft", "Messages and the ledger are always kept. Wire events and sent requests can be deleted earlier: the answer’s text stays, only its Wire tab is empty then. Leave a field empty to keep them forever."),
		c.use(k.Storage),
		c.form(wireDays, clipDays),
	)
}

// form changes how long things are kept.
func (c *Storage) form(wireDays, clipDays string) app.UI {
	h, k := c.s.host, &c.s.desk.Retention
	return kit.El("form", "form-grid", kit.At{"id", "keep-form",
		"onsubmit", h.On("keep-save", func(ctx app.Context, e app.Event) {
			e.PreventDefault()
			k.Save()
			focusWrong(c.s, ctx, k.Wrong)
		})},
		field(c.s, spend.FieldWire, "Keep wire events", "days", wireDays, k.Wrong[spend.FieldWire], k.Now == nil, k.TypeWire),
		field(c.s, spend.FieldClips, "Keep archived clips that aren’t favourites", "days", clipDays, k.Wrong[spend.FieldClips], k.Now == nil, k.TypeClips),
		outcome(k.Problem, k.Saved, "Saved. Old files are deleted once a day."),
		kit.Button("primary", kit.At{"id", "keep-save", "type", "submit", "disabled", k.Now == nil || k.Saving}, nil, "Save"),
	)
}

// use is what the data folder holds, by kind.
func (c *Storage) use(s *wire.Storage) app.UI {
	if s == nil {
		return kit.Nothing()
	}
	sum := "Total"
	if s.FreeBytes > 0 {
		sum += ", " + figure.Bytes(s.FreeBytes) + " free on the disk"
	}
	return kit.El("table", "figures", kit.At{"id", "storage-use"},
		kit.Box("thead", "", kit.Box("tr", "",
			kit.El("th", "", kit.At{"scope", "col"}, "Kind"), kit.El("th", "num", kit.At{"scope", "col"}, "Number"), kit.El("th", "num", kit.At{"scope", "col"}, "Size"),
		)),
		kit.Box("tbody", "", kit.Times(len(s.Kinds), func(i int) app.UI {
			k := s.Kinds[i]
			return kit.El("tr", "", kit.At{"data-kind", k.Kind},
				kit.Box("td", "", spend.KindName(k.Kind)), kit.Box("td", "num", spend.KindCount(k)),
				kit.El("td", "num", kit.At{"title", strconv.FormatInt(k.Bytes, 10) + " bytes"}, figure.Bytes(k.Bytes)),
			)
		})),
		kit.Box("tfoot", "", kit.Box("tr", "",
			kit.Box("td", "", sum), kit.Box("td", ""), kit.Box("td", "num", figure.Bytes(s.Bytes)),
		)),
	)
}
