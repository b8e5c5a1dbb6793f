package gateway

import "time"

// Options is what is known of a request beyond its body. The zero Options
// checks the body alone.
type Options struct {
	// Source is the clip that task_id names; nil skips F128–F136.
	Source *Provenance
	// ReferenceSeconds are the measured lengths of the reference videos, in
	// their order; used when there is one for each (F142, F143, G20).
	ReferenceSeconds []float64
	// MotionSeconds is the measured length of the motion clip; 0 is unknown (G22).
	MotionSeconds float64
	// Exact takes the measured lengths as the gateway does, with no tolerance (G21).
	Exact bool
	// StreamOptions: this gateway is set to take stream_options (G9).
	StreamOptions bool
	// Now decides whether Source has expired; zero skips that.
	Now time.Time
}

// Validate judges a request body for an endpoint. It never panics, takes time
// in proportion to the body, and reports at most a bounded number of issues.
func (c *Catalogue) Validate(ep Endpoint, body []byte, o Options) Verdict { return Verdict{} }
