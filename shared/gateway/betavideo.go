package gateway

import "strings"

// Beta video: resolutions. An extend is chosen by the source's, an upscale by
// the pair of source and target (F123, F124, F131–F136).

func describeBetaVideo(id string) (Model, bool) {
	rest, ok := strings.CutPrefix(id, "beta-video-")
	if !ok {
		return Model{}, false
	}
	m := Model{Family: BetaVideo, Endpoint: Video}
	if pair, ok := strings.CutPrefix(rest, "upscale-"); ok {
		from, to, _ := strings.Cut(pair, "-")
		m.Mode, m.From, m.Resolution, m.Seconds = Upscale, from, to, Seconds{Values: []int{1}}
		return m, isResolution(from) && isResolution(to)
	}
	resolution, kind, _ := strings.Cut(rest, "-")
	m.Resolution = resolution
	switch kind {
	case "":
		m.Mode = TextToVideo
	case "i2v":
		m.Mode = ImageToVideo
	case "extend":
		m.Mode, m.Seconds = Extend, Seconds{Values: []int{6, 10}}
	}
	return m, m.Mode != "" && isResolution(resolution)
}

// betaFits says which rule a source breaks with a beta action model.
func betaFits(m Model, p Provenance) (broken ruleID, why string) {
	switch {
	case p.Family != BetaVideo:
		return rBetaFamily, "a beta action needs a clip made by a beta video model"
	case m.Mode == Extend && p.Resolution != m.Resolution:
		return rBetaExtend, "the source is " + orUnknown(p.Resolution) + ", this model extends " + m.Resolution
	case m.Mode == Upscale && !p.Mode.Generates():
		return rBetaUpscaleOriginal, "only an original generation can be upscaled, and the source is the result of an action"
	case m.Mode == Upscale && p.Resolution != m.From:
		return rBetaUpscale, "the source is " + orUnknown(p.Resolution) + ", this model starts at " + m.From
	}
	return 0, ""
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
