//go:build js && wasm

package kit

// Compared is one of the clips that stand side by side, played in step.
type Compared struct {
	Key         string // tells it from the others
	Source      string // what is played; "": Why says why nothing is
	Why         string
	Title       string
	To          string // where it leads; "" is nowhere
	Model       string
	Version     string // "v2"; "" is none
	Cost, Basis string
}
