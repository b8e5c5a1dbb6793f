package gateway

import "strings"

// Alpha 3.1: tiers. Extends keep the tier of their root, upscales need an
// original (F121, F122, F125–F130).

// alphaResolution is what alpha's generations and extends come out as (F126).
const alphaResolution = "720p"

func describeAlpha(id string) (Model, bool) {
	rest, ok := strings.CutPrefix(id, "alpha-3.1-")
	if !ok {
		return Model{}, false
	}
	m := Model{Family: Alpha, Endpoint: Video}
	if to, ok := strings.CutSuffix(rest, "-upscale"); ok && isResolution(to) {
		m.Mode, m.Resolution, m.Seconds = Upscale, to, Seconds{Values: []int{8}}
		return m, true
	}
	m.Resolution = alphaResolution
	if tier, ok := strings.CutSuffix(rest, "-extend"); ok && word(tier) {
		m.Mode, m.Tier, m.Seconds = Extend, tier, Seconds{Values: []int{8}}
		return m, true
	}
	if tier, ok := strings.CutSuffix(rest, "-i2v"); ok && word(tier) {
		m.Mode, m.Tier = ImageToVideo, tier
		return m, true
	}
	m.Mode, m.Tier = TextToVideo, rest
	return m, word(rest)
}

// alphaFits says which rule a source breaks with an alpha action model.
func alphaFits(m Model, p Provenance) (broken ruleID, why string) {
	if m.Mode == Extend {
		switch {
		case p.Family != Alpha:
			return rAlphaExtendFamily, "an alpha extend needs a clip made by an alpha model"
		case p.Tier != "" && p.Tier != m.Tier:
			return rAlphaExtendTier, "the source is of the tier " + p.Tier + ", this model extends the tier " + m.Tier
		}
		return 0, ""
	}
	switch {
	case p.Family != Alpha:
		return rAlphaUpscaleFamily, "an alpha upscale needs a clip made by an alpha model"
	case p.Mode == Extend && m.Resolution == "4k":
		return rAlphaUpscaleOriginal, "only an original generation can be upscaled, and the source is an extend"
	case p.Mode == Extend:
		return rAlphaUpscaleAction, "only an original generation can be upscaled, and the source is an extend"
	case p.Mode == Upscale:
		return rAlphaUpscaleAction, "only an original generation can be upscaled, and the source is an upscale"
	case height(p.Resolution) >= height(m.Resolution):
		return rAlphaUpscaleTarget, "the source is " + p.Resolution + " already"
	}
	return 0, ""
}
