//go:build js && wasm

package kit

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/shared/wire"
)

// ChargeChoice is where one chooses what a send is charged to. It keeps its place
// where there is nothing to choose.
func (h *Host) ChargeChoice(id string) app.UI {
	if len(h.Charges) < 2 {
		return Nothing()
	}
	options := make([]Option, 0, len(h.Charges))
	for _, c := range h.Charges {
		name := c.Name
		if c.ID == wire.ChargePersonal {
			name = "My own key"
		}
		if !c.HasKey {
			name += " (no key)"
		}
		options = append(options, Option{Value: c.ID, Name: name})
	}
	return h.Select(id, "Charged to", "field fits charge", At{"title", "Who pays"}, h.Charged, options, h.Charge)
}
