package gateway

import "strings"

// Gamma 2: first and last frame, reference videos (F137–F149). No action
// models.

func describeGamma(id string) (Model, bool) {
	if !strings.HasPrefix(id, "gamma-2") {
		return Model{}, false
	}
	m := Model{Family: Gamma, Endpoint: Video}
	switch kind := gammaKind(id); {
	case kind == "i2v":
		m.Mode = FirstLastFrame
	case kind == "vref":
		m.Mode, m.Seconds = Reference, Seconds{Min: minReference + minClip, Max: maxReferenceTotal + maxClip}
	case strings.HasSuffix(id, "-i2v"), strings.HasSuffix(id, "-vref"), strings.Contains(id, "/"):
		// Looks like a gamma id and is none of the documented shapes.
		return Model{}, false
	default:
		m.Mode = TextToVideo
	}
	m.Resolution = resolutionIn(id)
	return m, true
}

// gammaKind matches ^gamma-2[^/]*-.+-(i2v|vref)$ (G30) and returns its last
// part, "" for no match.
func gammaKind(id string) string {
	for _, kind := range []string{"i2v", "vref"} {
		middle, ok := strings.CutSuffix(strings.TrimPrefix(id, "gamma-2"), "-"+kind)
		if !ok {
			continue
		}
		if before, after, ok := strings.Cut(middle, "-"); ok && after != "" && !strings.Contains(before, "/") {
			return kind
		}
	}
	return ""
}

// resolutionIn returns the part of an id that is a resolution, or "".
func resolutionIn(id string) string {
	for part := range strings.SplitSeq(id, "-") {
		if isResolution(part) {
			return part
		}
	}
	return ""
}
