package gateway

import (
	"strings"
	"time"
)

// Provenance is where a clip comes from, stored at its creation: what decides
// what it can become. Make it with [NewProvenance].
type Provenance struct {
	TaskID string // internal UUID, data.data.id (F68); "" while it is not known
	// Pasted: the UUID was typed in and nothing else is known.
	Pasted bool

	Model      string
	Family     Family // "" where it is not known
	Tier       string // alpha: of the root (G14, G15)
	Resolution string // of the result
	Mode       Mode   // Extend and Upscale are results of an action, others originals
	Root       string // UUID of the original generation; "" for an original

	Status     string    // as the gateway writes it: "SUCCESS", in any case (F98)
	Expired    bool      // the gateway said so (F102)
	FinishedAt time.Time // zero while it has not finished
}

// NewProvenance returns what is known of a task of the model at its creation.
// The mode is that of the request; source is the clip that an action starts
// from, nil for a generation. A result's resolution is 720p for an alpha
// extend (F126, G16), the model's own for a beta extend, which is its source's
// (F131, G15), the target for an upscale; its tier is its root's (G14, G15).
func NewProvenance(m Model, mode Mode, source *Provenance) Provenance {
	p := Provenance{Model: m.ID, Family: m.Family, Tier: m.Tier, Resolution: m.Resolution, Mode: mode}
	if m.Family == Unknown {
		p.Family = ""
	}
	if source == nil || mode.Generates() {
		return p
	}
	if source.Tier != "" {
		p.Tier = source.Tier
	}
	p.Root = source.Root
	if p.Root == "" {
		p.Root = source.TaskID
	}
	if mode == Extend && m.Family == Alpha {
		p.Resolution = alphaResolution
	}
	return p
}

// Original says whether the clip is a generation and not the result of an
// action.
func (p Provenance) Original() bool { return p.Mode.Generates() }

// Succeeded says whether the status is SUCCESS, in any case (F98).
func (p Provenance) Succeeded() bool { return ParseTaskStatus(p.Status) == StatusSuccess }

// How long a gateway keeps a result, counted from its finish (F104, G33), and
// when to warn (G37).
const (
	Retention     = 14 * 24 * time.Hour
	RetentionWarn = 12 * 24 * time.Hour
)

// Expired says whether a result that finished then is older than 14 days now
// (F104). What has not finished has not expired.
func Expired(finished, now time.Time) bool {
	return !finished.IsZero() && now.Sub(finished) > Retention
}

// fits says which rule of an action model the source breaks, 0 for none.
func fits(m Model, p Provenance) (broken ruleID, why string) {
	if m.Family == BetaVideo {
		return betaFits(m, p)
	}
	return alphaFits(m, p)
}

// checkSource is the fifth stage: whether the source, where it is known, can
// become what is asked (F128–F136, G14–G19).
func (k *checker) checkSource() {
	p := k.options.Source
	id := k.field("task_id")
	if p == nil || p.Pasted || id == nil || p.TaskID != "" && !strings.EqualFold(p.TaskID, id.Text) {
		return // nothing is known of the clip that is named
	}
	switch {
	case p.Expired || !k.options.Now.IsZero() && Expired(p.FinishedAt, k.options.Now):
		k.report(rSourceExpired, "task_id", "the source is older than 14 days and the gateway has deleted its files")
		return
	case !p.Succeeded():
		k.report(rSourceNotReady, "task_id", "the source has not finished well; only a clip with the status SUCCESS can be used")
		return
	case p.Family == "":
		return
	}
	broken, why := fits(k.model, *p)
	if broken == 0 {
		return
	}
	models := k.catalogue.fitting(k.model, *p)
	hint := "No model of this kind fits the source."
	if len(models) > 0 {
		hint = "Use " + either(models) + "."
	}
	k.reportWith(broken, "task_id", why, models, hint)
}

// fitting returns the catalogue's models that do with the source what m does
// and fit it; those with m's target alone, where there are any.
func (c *Catalogue) fitting(m Model, p Provenance) (ids []string) {
	sameTarget := false
	for _, other := range c.Models {
		if other.Mode != m.Mode || !takesSource(other, p) {
			continue
		}
		if same := m.Mode == Upscale && other.Resolution == m.Resolution; same != sameTarget {
			if !same {
				continue
			}
			sameTarget, ids = true, nil
		}
		ids = append(ids, other.ID)
	}
	return ids
}

// takesSource says whether m is an action model that fits the source.
func takesSource(m Model, p Provenance) bool {
	if m.Mode != Extend && m.Mode != Upscale {
		return false
	}
	broken, _ := fits(m, p)
	return broken == 0
}
