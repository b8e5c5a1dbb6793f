package spend

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"screentest/app/figure"
	"screentest/app/session"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// BudgetForm is the budgets as they are typed.
type BudgetForm struct {
	Day, Month, EverybodyDay, EverybodyMonth string // dollars; "" is no budget
	Warn, EverybodyWarn                      string // percent
	Zone, EverybodyZone                      string
	MaxOutput                                string // tokens
	RefuseUnpriced                           bool
}

// Budgets are the limits of what may be spent, and their form.
type Budgets struct {
	desk *Desk

	Now     *wire.Budgets // nil before they came
	Problem *wire.Problem
	// Form is what is typed; nil until it was touched.
	Form *BudgetForm
	// Wrong is what is wrong with the form, by the ids of its fields.
	Wrong  map[string]string
	Saving bool
	Saved  bool

	asked    bool
	watching func() // ends the wait for the end of a warning
	planned  bool   // a refresh
}

// Fields of the form, by which Wrong names them.
const (
	FieldDay            = "budget-day"
	FieldMonth          = "budget-month"
	FieldEverybodyDay   = "budget-everybody-day"
	FieldEverybodyMonth = "budget-everybody-month"
	FieldWarn           = "budget-warn"
	FieldEverybodyWarn  = "budget-everybody-warn"
	FieldZone           = "budget-zone"
	FieldEverybodyZone  = "budget-everybody-zone"
	FieldMaxOutput      = "budget-max-output"
)

// Want has the budgets asked for, unless they are there.
func (b *Budgets) Want() {
	if b.asked {
		return
	}
	b.asked = true
	b.desk.Server.Call(wire.OpBudgets, struct{}{}, b.answered)
}

// renew asks for the budgets, again on a new connection; what is typed stays.
func (b *Budgets) renew() {
	b.asked = false
	b.Want()
}

func (b *Budgets) answered(data json.RawMessage, p *wire.Problem) {
	b.Saving = false
	b.Problem = b.read(data, p)
}

// read reads how the budgets stand.
func (b *Budgets) read(data json.RawMessage, p *wire.Problem) *wire.Problem {
	var now wire.Budgets
	if p = session.Read(data, p, &now); p == nil {
		b.set(now)
	}
	b.desk.Changed()
	return p
}

func (b *Budgets) set(now wire.Budgets) {
	b.Now = &now
	b.watch()
}

// refreshSoon asks again in a moment, after one thing or many were paid for.
func (b *Budgets) refreshSoon() {
	if b.planned || b.Now == nil || len(b.Now.States) == 0 {
		return
	}
	b.planned = true
	b.desk.After(renewAfter, func() {
		b.planned = false
		b.refresh()
	})
}

// Shown is the form as it is to be seen: what is typed, else what is set.
func (b *Budgets) Shown() BudgetForm {
	if b.Form != nil {
		return *b.Form
	}
	if b.Now == nil {
		return BudgetForm{}
	}
	s := b.Now.Settings
	f := BudgetForm{
		Day: typed(s.DayNanoUSD), Month: typed(s.MonthNanoUSD),
		EverybodyDay: typed(s.EverybodyDayNanoUSD), EverybodyMonth: typed(s.EverybodyMonthNanoUSD),
		Warn: percent(s.WarnPercent), EverybodyWarn: percent(s.EverybodyWarnPercent), MaxOutput: itoa(wire.DefaultMaxOutput),
		Zone:          b.zone(s.Zone, s.DayNanoUSD != 0 || s.MonthNanoUSD != 0),
		EverybodyZone: b.zone(s.EverybodyZone, s.EverybodyDayNanoUSD != 0 || s.EverybodyMonthNanoUSD != 0),
	}
	if s.MaxOutput > 0 {
		f.MaxOutput = itoa(s.MaxOutput)
	}
	f.RefuseUnpriced = s.RefuseUnpriced
	return f
}

// zone is the one that was set; before that the viewer's own, as a suggestion
// until a budget is set.
func (b *Budgets) zone(set string, budget bool) string {
	switch {
	case set != "":
		return set
	case budget:
		return "UTC"
	}
	return b.desk.Clock.Zone()
}

func percent(n int) string {
	if n == 0 {
		n = wire.DefaultWarnPercent
	}
	return strconv.Itoa(n)
}

// ForEverybody says whether the budgets of everybody are to be seen: where
// there is nobody else they add nothing, unless they were set before; where there
// are accounts they stand with the settings of the instance.
func (b *Budgets) ForEverybody() bool {
	if b.Now == nil || !b.Now.MayEverybody || b.accounts() {
		return false
	}
	s := b.Now.Settings
	return !b.Now.Alone || s.EverybodyDayNanoUSD != 0 || s.EverybodyMonthNanoUSD != 0
}

func (b *Budgets) accounts() bool { return b.desk != nil && b.desk.Me != nil }

// typed writes an amount as one types it.
func typed(nano int64) string {
	if nano == 0 {
		return ""
	}
	return money.NanoUSD(nano).Decimal()
}

// Type changes the form.
func (b *Budgets) Type(change func(*BudgetForm)) {
	f := b.Shown()
	change(&f)
	b.Form, b.Saved = &f, false
	if len(b.Wrong) > 0 {
		_, b.Wrong = f.settings(b.ForEverybody())
	}
	b.desk.Changed()
}

// Save sends the form, unless something in it is wrong.
func (b *Budgets) Save() {
	if b.Saving || b.Now == nil {
		return
	}
	f := b.Shown()
	settings, wrong := f.settings(b.ForEverybody())
	if b.Wrong = wrong; len(wrong) > 0 {
		b.desk.Changed()
		return
	}
	if b.accounts() { // whatever they were when one began to type
		settings.EverybodyDayNanoUSD, settings.EverybodyMonthNanoUSD = b.Now.Settings.EverybodyDayNanoUSD, b.Now.Settings.EverybodyMonthNanoUSD
	}
	b.Saving, b.Saved = true, false
	b.desk.Server.Call(wire.OpSetBudget, settings, func(data json.RawMessage, p *wire.Problem) {
		b.answered(data, p)
		if b.Problem == nil {
			b.Form, b.Saved = nil, true
			b.desk.renew()
		}
	})
	b.desk.Changed()
}

// settings reads the form, with the budgets of everybody or leaving their share
// and zone as they are. wrong is empty where it can be sent.
func (f BudgetForm) settings(everybody bool) (s wire.BudgetSettings, wrong map[string]string) {
	wrong = map[string]string{}
	amount := func(field, text string) int64 {
		nano, what := figure.Typed(text, "budget", wire.MaxBudgetNanoUSD)
		if what != "" {
			wrong[field] = what
		}
		return nano
	}
	number := func(field, text string, least, most int64, what string) int64 {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil || n < least || n > most {
			wrong[field] = "Enter " + what + " from " + itoa(least) + " to " + itoa(most) + "."
		}
		return n
	}
	s = wire.BudgetSettings{
		DayNanoUSD: amount(FieldDay, f.Day), MonthNanoUSD: amount(FieldMonth, f.Month),
		EverybodyDayNanoUSD: amount(FieldEverybodyDay, f.EverybodyDay), EverybodyMonthNanoUSD: amount(FieldEverybodyMonth, f.EverybodyMonth),
		WarnPercent: int(number(FieldWarn, f.Warn, 1, 100, "a share in percent,")),
		MaxOutput:   number(FieldMaxOutput, f.MaxOutput, 1, 1_000_000, "tokens,"),
		Zone:        strings.TrimSpace(f.Zone),

		RefuseUnpriced: f.RefuseUnpriced,
	}
	if everybody {
		s.EverybodyWarnPercent = int(number(FieldEverybodyWarn, f.EverybodyWarn, 1, 100, "a share in percent,"))
		s.EverybodyZone = cmp.Or(strings.TrimSpace(f.EverybodyZone), "UTC")
	}
	return s, wrong
}

// Reset gives up what is typed.
func (b *Budgets) Reset() {
	b.Form, b.Wrong, b.Problem = nil, nil, nil
	b.desk.Changed()
}

// Name is what a budget is called.
func Name(s wire.BudgetState) string {
	often := "daily"
	if s.Period == wire.PeriodMonth {
		often = "monthly"
	}
	switch s.Scope {
	case wire.ScopeEverybody:
		return "Everybody’s " + often + " budget"
	case wire.ScopeTeam:
		return s.Name + "’s " + often + " limit"
	case wire.ScopeLimit:
		return "Your " + often + " limit"
	}
	return "Your " + often + " budget"
}

// Asking says whom to ask for more; "" where nobody else is to be asked.
func (d *Desk) Asking(s wire.BudgetState) string {
	if len(s.Ask) == 0 || s.Scope == wire.ScopePerson || d.Me == nil || slices.Contains(s.Ask, d.Me.Name) {
		return ""
	}
	return "Set by others: ask " + strings.Join(s.Ask, ", ") + " for more."
}
