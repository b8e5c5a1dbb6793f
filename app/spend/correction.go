package spend

import (
	"encoding/json"
	"strings"

	"screentest/app/session"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// Correction is the form for what a run or a clip really cost, by the gateway's own
// account, which alone knows. The difference becomes an entry of its own.
type Correction struct {
	desk *Desk

	Row     int64 // LedgerRow.N of the entry that it stands under; 0: closed
	Text    string
	Wrong   string // what is wrong with Text
	Problem *wire.Problem
	Saving  bool

	// Booked is told of the row under which the form stood once the ledger has
	// the new one; nil: nobody.
	Booked func(row int64)
	booked int64 // of which it is to be told; 0: none

	subject string
}

// FieldCost is the id of its field.
const FieldCost = "fix-cost"

// Correctable says whether a row is one that the form may stand under: each run and
// each clip has one charge.
func Correctable(r wire.LedgerRow) bool { return r.Kind == wire.KindCharge }

// Corrects says whether the form may be opened: of one's own rows, by who runs the
// server. Others could lower what counts against their limits.
func (d *Desk) Corrects(r wire.LedgerRow) bool { return Correctable(r) && d.Own(r) && d.Retention.runs }

// Open shows the form under a row.
func (f *Correction) Open(r wire.LedgerRow) {
	*f = Correction{desk: f.desk, Booked: f.Booked, Row: r.N, subject: r.Subject}
	f.desk.Changed()
}

// Close gives it up.
func (f *Correction) Close() {
	*f = Correction{desk: f.desk, Booked: f.Booked}
	f.desk.Changed()
}

// Type takes what is typed.
func (f *Correction) Type(s string) {
	f.Text = s
	if f.Wrong != "" {
		_, f.Wrong = f.cost()
	}
	f.desk.Changed()
}

// Save books it, unless it is wrong.
func (f *Correction) Save() {
	if f.Saving || f.Row == 0 {
		return
	}
	cost, wrong := f.cost()
	if f.Wrong = wrong; wrong != "" {
		f.desk.Changed()
		return
	}
	f.Saving, f.Problem = true, nil
	row := f.Row
	f.desk.Server.Call(wire.OpCorrect, wire.Correction{Subject: f.subject, CostNanoUSD: cost}, func(data json.RawMessage, p *wire.Problem) {
		var booked wire.LedgerRow
		p = session.Read(data, p, &booked)
		if f.Row == row {
			if f.Saving, f.Problem = false, p; p == nil {
				f.Close()
			}
		}
		if p == nil {
			f.booked = row
			f.desk.fetch()
			f.desk.Budgets.refreshSoon()
			return
		}
		f.desk.Changed()
	})
	f.desk.Changed()
}

func (f *Correction) cost() (nano int64, wrong string) {
	n, err := money.ParseUSD(strings.TrimSpace(f.Text))
	switch {
	case err != nil:
		return 0, "Enter dollars as a number, for example 0.0125, or 0 if it was free."
	case n < 0 || n > wire.MaxBudgetNanoUSD:
		return 0, "Enter from 0 to a million dollars."
	}
	return int64(n), ""
}
