package gateway

import "strings"

// Delta 3.0: multi-shot on any generating model (F150–F152, G25, G28), motion
// control (F153–F158). No action models.

func describeDelta(id string) (Model, bool) {
	rest, ok := strings.CutPrefix(id, "delta-3.0-")
	if !ok || rest == "" {
		return Model{}, false
	}
	m := Model{Family: Delta, Endpoint: Video, Resolution: resolutionIn(rest)}
	switch {
	case strings.HasPrefix(rest, "motion-control"):
		m.Mode, m.Seconds = Motion, Seconds{Min: minMotion, Max: maxMotion}
	case strings.HasSuffix(rest, "-i2v"):
		m.Mode = ImageToVideo
	default:
		m.Mode = TextToVideo
	}
	return m, true
}
