package gateway

import "screentest/shared/money"

// Model is an entry of the catalogue, or what the patterns tell of an id that
// has none.
type Model struct {
	ID       string
	Name     string // shown beside the id; may be empty
	Endpoint Endpoint
	Family   Family
	Mode     Mode

	Tier       string // alpha: "lite", "fast", "quality"
	Resolution string // of the result: "720p", "4k"; "" where the id does not say
	From       string // beta upscale: resolution of the source

	Seconds          Seconds  // allowed values of the field seconds (F59)
	MultiShotSeconds Seconds  // the same for multi-shot (G24)
	Ratios           []string // aspect ratios it is made for

	// InputItems: the responses endpoint takes an array of items as input (G10).
	InputItems bool

	// Context is how many tokens a text model reads and writes in one call,
	// MaxOutput how many it writes; 0 where the catalogue doesn't tell.
	Context, MaxOutput int
	// Takes is what the model takes beyond its family's document, of
	// [TakeNames]: see CanTake.
	Takes []string

	Price  Price
	Sample bool // Price is a sample, to be marked as one wherever it is shown
}

// Price is what a model costs. The zero Price is an unknown one.
type Price struct {
	Known     bool          `json:"known"`
	Input     money.NanoUSD `json:"input_nano_usd_per_million,omitempty"`  // per million input tokens
	Output    money.NanoUSD `json:"output_nano_usd_per_million,omitempty"` // per million output tokens
	PerSecond money.NanoUSD `json:"nano_usd_per_second,omitempty"`         // per second of the field seconds (F167)
	PerClip   money.NanoUSD `json:"nano_usd_per_clip,omitempty"`           // beta upscale: fixed per clip (F168)
	PerImage  money.NanoUSD `json:"nano_usd_per_image,omitempty"`          // of a text model, per image sent; 0 where it isn't told (G46)
}
