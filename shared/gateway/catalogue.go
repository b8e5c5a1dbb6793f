package gateway

import (
	_ "embed"
	"encoding/json"
)

// Catalogue is the models a gateway offers and what they cost (F9). It does
// not change once made, so it can be shared between goroutines.
type Catalogue struct {
	Models []Model
	Sample bool   // prices are samples, but where a model says otherwise
	Note   string // shown with the prices

	lines map[string]int // id → index in Models; nil in a catalogue made by hand
}

//go:embed sample.json
var sampleJSON []byte

// SampleCatalogue returns the embedded models with their sample prices. It
// reads them anew at each call: keep what it returns.
func SampleCatalogue() *Catalogue {
	c, err := ParseCatalogue(sampleJSON)
	if err != nil {
		panic("gateway: embedded catalogue: " + err.Error()) // a test reads it
	}
	return c
}

// Lookup returns the model with this id. One that has no entry is described
// by the patterns of the families, with known false and no price (G3, G31).
func (c *Catalogue) Lookup(id string) (m Model, known bool) {
	if c.lines != nil {
		if i, ok := c.lines[id]; ok {
			return c.Models[i], true
		}
		return describe(id), false
	}
	for i := range c.Models {
		if c.Models[i].ID == id {
			return c.Models[i], true
		}
	}
	return describe(id), false
}

// The catalogue's file. Prices are numbers in US dollars and kept as written.
type (
	catalogueFile struct {
		Note   string      `json:"note,omitempty"`
		Sample bool        `json:"sample"`
		Models []modelLine `json:"models"`
	}
	modelLine struct {
		ID               string       `json:"id"`
		Name             string       `json:"name,omitempty"`
		Family           Family       `json:"family"`
		Endpoint         Endpoint     `json:"endpoint"`
		Mode             Mode         `json:"mode"`
		Tier             string       `json:"tier,omitempty"`
		Resolution       string       `json:"resolution,omitempty"`
		From             string       `json:"from,omitempty"`
		Seconds          any          `json:"seconds,omitempty"`
		MultiShotSeconds any          `json:"multi_shot_seconds,omitempty"`
		Ratios           []string     `json:"aspect_ratios,omitempty"`
		InputItems       bool         `json:"input_items,omitempty"`
		Context          int          `json:"context,omitempty"`
		MaxOutput        int          `json:"max_output,omitempty"`
		Takes            []string     `json:"takes,omitempty"`
		Price            *priceObject `json:"price,omitempty"`
		Sample           bool         `json:"sample"`
	}
	rangeObject struct {
		Min int `json:"min"`
		Max int `json:"max"`
	}
	priceObject struct {
		Input     json.Number `json:"input,omitempty"`
		Output    json.Number `json:"output,omitempty"`
		PerSecond json.Number `json:"per_second,omitempty"`
		PerClip   json.Number `json:"per_clip,omitempty"`
		PerImage  json.Number `json:"per_image,omitempty"`
	}
)

// JSON returns the catalogue as ParseCatalogue reads it, with everything
// written out that a file may leave to the patterns.
func (c *Catalogue) JSON() []byte {
	f := catalogueFile{Note: c.Note, Sample: c.Sample, Models: make([]modelLine, 0, len(c.Models))}
	for _, m := range c.Models {
		f.Models = append(f.Models, modelLine{
			ID: m.ID, Name: m.fileName(), Family: m.Family, Endpoint: m.Endpoint, Mode: m.Mode,
			Tier: m.Tier, Resolution: m.Resolution, From: m.From,
			Seconds: m.Seconds.file(), MultiShotSeconds: m.MultiShotSeconds.file(),
			Ratios: m.Ratios, InputItems: m.InputItems, Context: m.fileTokens(m.Context), MaxOutput: m.fileTokens(m.MaxOutput),
			Takes: m.takes(), Price: m.filePrice(), Sample: m.Sample,
		})
	}
	return marshal(f)
}

func (s Seconds) file() any {
	switch {
	case s.Any():
		return nil
	case len(s.Values) > 0:
		return s.Values
	}
	return rangeObject{s.Min, s.Max}
}

func (m Model) filePrice() *priceObject {
	p := m.Price
	number := func(n interface{ Decimal() string }) json.Number { return json.Number(n.Decimal()) }
	switch {
	case !p.Known:
		return nil
	case m.Endpoint != Video:
		text := &priceObject{Input: number(p.Input), Output: number(p.Output)}
		if p.PerImage != 0 {
			text.PerImage = number(p.PerImage)
		}
		return text
	case p.PerClip != 0:
		return &priceObject{PerClip: number(p.PerClip)}
	}
	return &priceObject{PerSecond: number(p.PerSecond)}
}
