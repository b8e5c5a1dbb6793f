package gateway

import "time"

// Provenance is where a clip comes from, stored at its creation: what decides
// what it can become.
type Provenance struct {
	TaskID string // internal UUID, data.data.id (F68); "" while it is not known
	// Pasted: the UUID was typed in and nothing else is known.
	Pasted bool

	Model      string
	Family     Family
	Tier       string // alpha: of the root (G14, G15)
	Resolution string // of the result; see [Model.Result]
	Mode       Mode   // Extend and Upscale are results of an action, others originals
	Root       string // UUID of the original generation; its own for an original

	Status     string    // task status: "SUCCESS" and so on, any case (F98)
	Expired    bool      // the gateway said so (F102)
	FinishedAt time.Time // zero while it has not
}

// Retention is how long the gateway keeps a result, counted from its finish
// (F104, G33).
const Retention = 14 * 24 * time.Hour

// Action is something that can be made of a finished clip.
type Action struct {
	Kind    Mode     // Extend or Upscale
	Model   string   // the action model; "" where none fits, with Reason
	Target  string   // resolution of the result
	Seconds []string // allowed values, the first is the usual one
	Enabled bool
	Reason  string // why it can't be, for the disabled button
	Warning string // what is not sure about it
}

// Actions returns what the clip can become (table A): every action model of
// the catalogue that fits, or for a kind without one a disabled entry with the
// reason. A model is offered (Enabled) exactly when a gateway takes it.
func Actions(p Provenance, now time.Time, c *Catalogue) []Action { return nil }
