package wire

import "screentest/shared/gateway"

// The calls of the models that can be asked, with what they take and give. The
// models themselves come with the greeting.
const (
	OpModels        Op = "models"         // nothing → Models
	OpRefreshModels Op = "refresh_models" // nothing → Models, after the gateway was asked
	OpSetPrice      Op = "set_price"      // ModelPrice → Models
)

// Models is where the models come from.
type Models struct {
	// Listed is how many models the gateway lists, and ListedMS when it told, in Unix
	// milliseconds; 0: it has told none.
	Listed   int   `json:"listed"`
	ListedMS int64 `json:"listed_ms,omitempty"`
	File     bool  `json:"file,omitempty"` // -catalog names some too
	// Entered are the ids whose price was entered in the page.
	Entered []string `json:"entered"`
}

// ModelPrice enters what a model costs, for the gateway that is connected. A model
// that nobody lists is offered from then on.
type ModelPrice struct {
	Model string `json:"model"`
	// Price is the new one; one that is not known takes back what was entered.
	Price gateway.Price `json:"price"`
}
