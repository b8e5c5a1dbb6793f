// Package payer names who pays for a send. It goes with the send from the door
// to its row in the ledger.
package payer

import (
	"cmp"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// A Payer is what a send is charged to, and the key that it is sent with.
type Payer struct {
	Owner string // the person: of all rows that the send makes
	Team  string // the id of the team that is charged; "": none
	Label string // of the key, in the ledger: "personal …1234", "Everyone …1234"; "" where there are no accounts
	// Gateway names the gateway that the key is for, and where the send goes: its
	// address, or "sandbox"; "" where there is but one.
	Gateway string
	// Secret is the gateway's key. It goes to the gateway and nowhere else.
	Secret string
	// Models are the patterns of the models that it pays for; none: all.
	Models []string
	// Name is what the payer is called, "the team Video", and Ask whom to ask
	// about it, "Ask Ann, Ben"; both are "" where there are no accounts.
	Name, Ask string
	// AskAbove is the price, in nano-USD, above which a clip waits until somebody
	// releases it; 0: none does.
	AskAbove int64
	// For is the id of the run or clip that is paid for, once it has one.
	For string
}

// MustAsk says whether a clip waits until somebody releases it: one that is dearer
// than the payer lets be made, or of which nobody knows the price.
func (p Payer) MustAsk(q gateway.Quote) bool {
	return p.AskAbove > 0 && (!q.Known || int64(q.Cost) > p.AskAbove)
}

// Allows says whether the payer pays for a model.
func (p Payer) Allows(model string) bool { return gateway.ModelAllowed(p.Models, model) }

// Refuses says why the payer doesn't pay for a model; nil: it does.
func (p Payer) Refuses(model string) *wire.Problem {
	if p.Allows(model) {
		return nil
	}
	return &wire.Problem{Code: wire.CodeModelNotAllowed, Field: "model", Allowed: p.Models,
		Message: "The model " + wire.Cut(model, wire.MaxEchoed) + " is not among those that " + cmp.Or(p.Name, "the key") + " may use.",
		Hint:    "Choose another model, or charge another team. " + cmp.Or(p.Ask, "Ask who runs this server") + "."}
}
